internal import AshlarTrees

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
        let read = PropertyListReader.read(bytes: bytes, file: file)
        var reader = StringsDictReader(text: read.text)
        let (table, problems) = table(of: read) { reader.value(of: $0) }
        return (table, problems + reader.diagnostics)
    }
}

/// Reads the entries of a `.stringsdict` file, and reports their mistakes.
private struct StringsDictReader {
    typealias Variable = CustomizationMessage.Variable

    /// The names in `.stringsdict` files.
    private enum Name {
        static let format = "NSStringLocalizedFormatKey"
        static let ruleType = "NSStringFormatSpecTypeKey"
        static let pluralRule = "NSStringPluralRuleType"
        static let valueType = "NSStringFormatValueTypeKey"
        static let deviceRule = "NSStringDeviceSpecificRuleType"
        static let widthRule = "NSStringVariableWidthRuleType"
    }

    let text: SourceText
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var key = ""

    init(text: SourceText) { self.text = text }

    private mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ member: PlacedValue.Member
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: member.offset), key: key)
    }

    /// Returns the text or message of an entry; for a malformed entry, its value.
    mutating func value(of member: PlacedValue.Member) -> CustomizationValue {
        key = member.key
        if let text = member.value.text { return .string(text) }
        return message(member).map { .message($0) } ?? member.value.value()
    }

    private mutating func message(_ member: PlacedValue.Member) -> CustomizationMessage? {
        guard let members = member.value.members else {
            add(.error, .pluralMalformed, "expected a dictionary, found a \(member.value.value().typeName)", member)
            return nil
        }
        if let rule = members.last(where: { $0.key == Name.deviceRule }) { return choices(rule) }
        guard let format = member.value[Name.format]?.text else {
            let isOfWidths = member.value[Name.widthRule] != nil
            add(
                .error, .pluralMalformed,
                isOfWidths ? "variations by width are not supported" : "the text \(Name.format) is missing", member)
            return nil
        }
        let parts = members.filter { $0.key != Name.format }
        var variables: [String: Variable] = [:]
        for part in parts { variables[part.key] = variable(part) }
        let forms = parts.flatMap { part in
            PluralCategory.allCases.compactMap { variables[part.key]?.forms[$0] }
        }
        for name in PrintfFormat.variables(in: [format] + forms) where !parts.contains(where: { $0.key == name }) {
            add(.error, .pluralUnknownVariable, "%#@\(name)@ is not defined", member)
        }
        return CustomizationMessage(format: format, variables: variables)
    }

    /// Returns the message of a rule for devices.
    private mutating func choices(_ rule: PlacedValue.Member) -> CustomizationMessage? {
        guard let choices = rule.value.members, !choices.isEmpty else {
            add(.error, .pluralMalformed, "\(rule.key) must be a dictionary with at least one text", rule)
            return nil
        }
        var messages: [String: CustomizationMessage] = [:]
        for choice in choices {
            if let text = choice.value.text {
                messages[choice.key] = CustomizationMessage(text)
            } else {
                messages[choice.key] = message(choice)
            }
        }
        return messages.isEmpty ? nil : CustomizationMessage(.devices(messages))
    }

    /// Returns the variable of a message; nil if it has no form.
    private mutating func variable(_ member: PlacedValue.Member) -> Variable? {
        guard let members = member.value.members else {
            add(.error, .pluralMalformed, "the variable \"\(member.key)\" must be a dictionary", member)
            return nil
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
        var forms: [PluralCategory: String] = [:]
        for form in members where form.key != Name.ruleType && form.key != Name.valueType {
            guard let category = PluralCategory(rawValue: form.key) else {
                add(.warning, .pluralUnknownCategory, "\"\(form.key)\" is not a plural category", form)
                continue
            }
            forms[category] = form.value.text
            if form.value.text == nil { add(.error, .pluralMalformed, "\"\(form.key)\" must be a text", form) }
        }
        if forms.isEmpty { return nil }
        return Variable(valueType: member.value[Name.valueType]?.text ?? "d", forms: forms)
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
