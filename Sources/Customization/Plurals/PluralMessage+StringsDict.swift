extension PluralMessage {
    /// The names in `.stringsdict` files.
    package enum Name {
        package static let format = "NSStringLocalizedFormatKey"
        package static let ruleType = "NSStringFormatSpecTypeKey"
        package static let pluralRule = "NSStringPluralRuleType"
        package static let valueType = "NSStringFormatValueTypeKey"
        package static let deviceRule = "NSStringDeviceSpecificRuleType"
        package static let widthRule = "NSStringVariableWidthRuleType"
    }

    /// Reads a value in the form of a `.stringsdict` entry; nil if it has another form.
    ///
    /// Of texts for devices the one for this system is chosen, see ``systemDevices``; of texts for widths the widest.
    ///
    /// - Parameters:
    ///   - value: A dictionary with `NSStringLocalizedFormatKey` and one dictionary per variable, or with rules for
    ///     devices or widths that lead to a text or to such a dictionary.
    ///   - devices: The names of devices, the best first.
    public init?(stringsDict value: CustomizationValue, devices: [String] = PluralMessage.systemDevices) {
        guard case .dict(let members) = value else { return nil }
        if case .dict(let choices)? = members[Name.deviceRule] {
            let names = devices + ["other"] + choices.keys.sorted()
            guard let choice = names.lazy.compactMap({ choices[$0] }).first else { return nil }
            self.init(choice: choice, devices: devices)
            return
        }
        if case .dict(let choices)? = members[Name.widthRule] {
            guard let widest = choices.max(by: { (Int($0.key) ?? 0, $1.key) < (Int($1.key) ?? 0, $0.key) })
            else { return nil }
            self.init(choice: widest.value, devices: devices)
            return
        }
        guard case .string(let format)? = members[Name.format] else { return nil }
        self.init(format: format, variables: members.compactMapValues { Variable(stringsDict: $0) })
    }

    private init?(choice: CustomizationValue, devices: [String]) {
        if case .string(let text) = choice {
            self.init(format: text, variables: [:])
        } else {
            self.init(stringsDict: choice, devices: devices)
        }
    }

    /// The message in the form of a `.stringsdict` entry.
    public var stringsDict: CustomizationValue {
        var members = variables.mapValues(\.stringsDict)
        members[Name.format] = .string(format)
        return .dict(members)
    }

    /// The device names of this system, the best first; empty on Linux, where `other` is used.
    public static var systemDevices: [String] {
        #if targetEnvironment(macCatalyst)
            ["mac", "ipad"]
        #elseif os(macOS)
            ["mac"]
        #elseif os(watchOS)
            ["applewatch"]
        #elseif os(tvOS)
            ["appletv"]
        #elseif os(visionOS)
            ["applevision"]
        #elseif os(iOS)
            ["iphone", "ipad", "ipod"]
        #else
            []
        #endif
    }
}

extension PluralMessage.Variable {
    init?(stringsDict value: CustomizationValue) {
        guard case .dict(let members) = value else { return nil }
        var forms: [PluralCategory: String] = [:]
        for category in PluralCategory.allCases {
            if case .string(let text)? = members[category.rawValue] { forms[category] = text }
        }
        guard !forms.isEmpty else { return nil }
        if case .string(let type)? = members[PluralMessage.Name.valueType] {
            self.init(valueType: type, forms: forms)
        } else {
            self.init(forms: forms)
        }
    }

    var stringsDict: CustomizationValue {
        var members = Dictionary(uniqueKeysWithValues: forms.map { ($0.rawValue, CustomizationValue.string($1)) })
        members[PluralMessage.Name.ruleType] = .string(PluralMessage.Name.pluralRule)
        members[PluralMessage.Name.valueType] = .string(valueType)
        return .dict(members)
    }
}
