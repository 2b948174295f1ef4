extension CustomizationMessage {
    /// The names in `.stringsdict` files.
    package enum Name {
        package static let format = "NSStringLocalizedFormatKey"
        package static let ruleType = "NSStringFormatSpecTypeKey"
        package static let pluralRule = "NSStringPluralRuleType"
        package static let valueType = "NSStringFormatValueTypeKey"
        package static let deviceRule = "NSStringDeviceSpecificRuleType"
        package static let widthRule = "NSStringVariableWidthRuleType"
    }

    /// Creates a message from a value in the form of a `.stringsdict` entry; returns nil for another form.
    ///
    /// - Parameter value: A dictionary with `NSStringLocalizedFormatKey` and one dictionary for each variable, or with
    ///   rules for devices or widths whose values are strings or such dictionaries.
    package init?(stringsDict value: CustomizationValue) {
        guard case .dict(let members) = value else { return nil }
        if case .dict(let choices)? = members[Name.deviceRule] {
            let messages = choices.compactMapValues { Self(choice: $0) }
            guard !messages.isEmpty else { return nil }
            self.init(.devices(messages))
        } else if case .dict(let choices)? = members[Name.widthRule] {
            let messages = choices.compactMapValues { Self(choice: $0) }
            guard !messages.isEmpty else { return nil }
            self.init(.widths(messages))
        } else {
            guard case .string(let format)? = members[Name.format] else { return nil }
            self.init(format: format, variables: members.compactMapValues { Variable(stringsDict: $0) })
        }
    }

    private init?(choice: CustomizationValue) {
        if case .string(let text) = choice {
            self.init(text)
        } else {
            self.init(stringsDict: choice)
        }
    }

    /// The message in the form of a `.stringsdict` entry; a string for a format or an ICU message.
    package var stringsDict: CustomizationValue {
        switch source {
        case .format(let text), .icu(let text): return .string(text)
        case .plural(let text):
            var members = text.variables.mapValues(\.stringsDict)
            members[Name.format] = .string(text.format)
            return .dict(members)
        case .devices(let choices):
            return .dict([Name.deviceRule: .dict(choices.mapValues(\.stringsDict))])
        case .widths(let choices):
            return .dict([Name.widthRule: .dict(choices.mapValues(\.stringsDict))])
        }
    }
}

extension CustomizationMessage.Variable {
    fileprivate init?(stringsDict value: CustomizationValue) {
        guard case .dict(let members) = value else { return nil }
        var forms: [PluralCategory: String] = [:]
        for category in PluralCategory.allCases {
            if case .string(let text)? = members[category.rawValue] { forms[category] = text }
        }
        guard !forms.isEmpty else { return nil }
        if case .string(let type)? = members[CustomizationMessage.Name.valueType] {
            self.init(valueType: type, forms: forms)
        } else {
            self.init(forms: forms)
        }
    }

    fileprivate var stringsDict: CustomizationValue {
        var members = Dictionary(
            uniqueKeysWithValues: forms.map { ($0.rawValue, CustomizationValue.string($1)) })
        members[CustomizationMessage.Name.ruleType] = .string(CustomizationMessage.Name.pluralRule)
        members[CustomizationMessage.Name.valueType] = .string(valueType)
        return .dict(members)
    }
}
