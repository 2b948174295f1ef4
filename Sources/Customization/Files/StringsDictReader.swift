extension StringsTable {
    /// Parses an XML or binary `.stringsdict` file: strings that depend on numbers or devices.
    ///
    /// The value of an entry is a ``CustomizationMessage``; a malformed entry remains a dictionary.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    /// - Returns: The table and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        stringsDict bytes: [UInt8], file: String = ""
    ) -> (table: StringsTable, diagnostics: [CustomizationDiagnostic]) {
        let (root, text, problems) = PropertyListReader.read(bytes: bytes, file: file)
        guard let members = root?.members else {
            var problems = problems
            if let root {
                problems.add(
                    .error, .notATable, "expected a dictionary, found a \(root.value().typeName)",
                    at: CustomizationLocation(file: file))
            }
            return (StringsTable(file: file, entries: []), problems)
        }
        var check = StringsDictCheck(text: text)
        var table = StringsTable(text: text)
        for member in members {
            check.entry(member)
            let value = member.value.value()
            let message = CustomizationMessage(stringsDict: value)
            table.append(
                .init(
                    key: member.key, value: message.map { .message($0) } ?? value, place: .byte(member.offset),
                    comment: nil))
        }
        return (table, problems + check.diagnostics + (root?.repeats(in: text) ?? []))
    }
}

/// Finds the mistakes in the entries of a `.stringsdict` file.
private struct StringsDictCheck {
    private typealias Name = CustomizationMessage.Name

    let text: SourceText
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var key = ""

    init(text: SourceText) { self.text = text }

    private mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ member: SourceNode.Member
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: member.offset), key: key)
    }

    mutating func entry(_ member: SourceNode.Member) {
        key = member.key
        if member.value.text != nil { return }
        message(member)
    }

    private mutating func message(_ member: SourceNode.Member) {
        guard let members = member.value.members else {
            add(.error, .pluralMalformed, "expected a dictionary, found a \(member.value.value().typeName)", member)
            return
        }
        for rule in members where rule.key == Name.deviceRule {
            guard let choices = rule.value.members, !choices.isEmpty else {
                add(.error, .pluralMalformed, "\(rule.key) must be a dictionary with at least one text", rule)
                return
            }
            for choice in choices where choice.value.text == nil { message(choice) }
            return
        }
        guard let format = member.value[Name.format]?.text else {
            let isOfWidths = member.value["NSStringVariableWidthRuleType"] != nil
            add(
                .error, .pluralMalformed,
                isOfWidths ? "variations by width are not supported" : "the text \(Name.format) is missing", member)
            return
        }
        let variables = members.filter { $0.key != Name.format }
        for variable in variables { self.variable(variable) }
        let names = Set(variables.map(\.key))
        let forms = variables.flatMap { variable in
            PluralCategory.allCases.compactMap { variable.value[$0.rawValue]?.text }
        }
        for placeholder in ([format] + forms).flatMap({ PrintfFormat($0).placeholders }) {
            guard let name = placeholder.variable, !names.contains(name) else { continue }
            add(.error, .pluralUnknownVariable, "%#@\(name)@ is not defined", member)
        }
    }

    private mutating func variable(_ member: SourceNode.Member) {
        guard let members = member.value.members else {
            add(.error, .pluralMalformed, "the variable \"\(member.key)\" must be a dictionary", member)
            return
        }
        let rule = member.value[Name.ruleType]?.text
        if rule != Name.pluralRule {
            let found = rule.map { "found \"\($0)\"" } ?? "found none"
            add(.warning, .pluralMalformed, "\(Name.ruleType) should be \(Name.pluralRule), \(found)", member)
        }
        if member.value[PluralCategory.other.rawValue]?.text == nil {
            add(
                .error, .pluralMissingOther, "\"\(member.key)\" has no text for other, which every language needs",
                member)
        }
        for form in members where form.key != Name.ruleType && form.key != Name.valueType {
            if PluralCategory(rawValue: form.key) == nil {
                add(.warning, .pluralUnknownCategory, "\"\(form.key)\" is not a plural category", form)
            } else if form.value.text == nil {
                add(.error, .pluralMalformed, "\"\(form.key)\" must be a text", form)
            }
        }
    }
}

extension CustomizationDiagnostic.Code {
    /// An entry of a plural file does not have the expected form.
    package static let pluralMalformed = Self("plural-malformed")
    /// A text names a variable that is not defined.
    package static let pluralUnknownVariable = Self("plural-unknown-variable")
    /// A variable without text for `other`.
    package static let pluralMissingOther = Self("plural-missing-other")
    /// A name that is not a plural category.
    package static let pluralUnknownCategory = Self("plural-unknown-category")
    /// A part of a string catalog is skipped.
    package static let catalogPartSkipped = Self("catalog-part-skipped")
}

extension CustomizationMessage {
    /// The names in `.stringsdict` files.
    enum Name {
        static let format = "NSStringLocalizedFormatKey"
        static let ruleType = "NSStringFormatSpecTypeKey"
        static let pluralRule = "NSStringPluralRuleType"
        static let valueType = "NSStringFormatValueTypeKey"
        static let deviceRule = "NSStringDeviceSpecificRuleType"
    }

    /// Creates a message from a value in the form of a `.stringsdict` entry; returns nil for another form.
    ///
    /// - Parameter value: A dictionary with `NSStringLocalizedFormatKey` and one dictionary for each variable, or with
    ///   a rule for devices whose values are strings or such dictionaries.
    init?(stringsDict value: CustomizationValue) {
        guard case .dict(let members) = value else { return nil }
        if case .dict(let choices)? = members[Name.deviceRule] {
            let messages = choices.compactMapValues { Self(choice: $0) }
            guard !messages.isEmpty else { return nil }
            self.init(.devices(messages))
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
}
