internal import AshlarCore
internal import AshlarTrees

extension StringsTable {
    /// Parses an `.xcstrings` file: the strings of all languages in one JSON file.
    ///
    /// Strings that depend on numbers or devices become messages. A key without a string in the source language is its
    /// own string, as in Xcode. Strings in the state `new` without content are skipped.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - file: The file's path, for locations.
    /// - Returns: A table for each language, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        stringCatalog bytes: [UInt8], file: String = ""
    ) -> (tables: [LanguageTag: StringsTable], diagnostics: [CustomizationDiagnostic]) {
        let catalog = StringCatalog(bytes, file: file)
        return (catalog.tables, catalog.diagnostics)
    }
}

/// A string catalog: the texts of every language.
struct StringCatalog {
    private(set) var tables: [LanguageTag: StringsTable] = [:]
    /// The keys with `"shouldTranslate" : false`, and the empty key that Xcode adds.
    private(set) var fixedKeys: Set<String> = []
    private(set) var diagnostics: [CustomizationDiagnostic]
    private let text: SourceText
    /// The key and the language of the texts that are being read, for diagnostics.
    private var key: String?
    private var language: LanguageTag?

    /// Reads an `.xcstrings` file.
    init(_ bytes: [UInt8], file: String) {
        let root: PlacedValue?
        (root, text, diagnostics) = JSONReader.read(bytes: bytes, file: file)
        guard let root else { return }
        guard let strings = root["strings"]?.members else {
            add(.error, .notATable, "expected a string catalog with the dictionary \"strings\"", root)
            return
        }
        let sourceLanguage = root["sourceLanguage"]?.text.flatMap { LanguageTag($0) }
        if sourceLanguage == nil {
            add(.warning, .pluralMalformed, "\"sourceLanguage\" is missing or not a language", root)
        }
        for member in root.members ?? [] where member.value.members != nil && member.key != "strings" {
            add(
                .warning, .catalogPartSkipped, "\"\(member.key)\" is outside of \"strings\" and is not read",
                at: member.offset)
        }
        for string in strings { read(string, sourceLanguage) }
        key = nil
        diagnostics += root.repeats(in: text)
    }

    private mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at offset: Int
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: offset), key: key)
        diagnostics[diagnostics.count - 1].language = language
    }

    private mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ node: PlacedValue
    ) { add(severity, code, message, at: node.offset) }

    /// Reads a key with its texts; a key without a text in the source language is its own text.
    private mutating func read(_ string: PlacedValue.Member, _ sourceLanguage: LanguageTag?) {
        key = string.key
        guard string.value.members != nil else {
            return add(
                .error, .pluralMalformed,
                "expected a dictionary for \"\(string.key)\", found a \(string.value.value().typeName)",
                at: string.offset)
        }
        if case .boolean(false)? = string.value["shouldTranslate"]?.content { fixedKeys.insert(string.key) }
        if string.key.isEmpty { fixedKeys.insert("") }
        let comment = string.value["comment"]?.text.map { StringsTable.Entry.Comment.text($0) }
        func addText(_ value: CustomizationValue, _ language: LanguageTag, _ offset: Int) {
            tables[language, default: StringsTable(text: text)].append(
                .init(key: string.key, value: value, place: .byte(offset), comment: comment))
        }
        var hasSource = false
        let localizations = string.value["localizations"]
        if let localizations, localizations.members == nil {
            add(.error, .pluralMalformed, "\"localizations\" is not a dictionary", localizations)
        }
        for member in localizations?.members ?? [] {
            guard let language = LanguageTag(member.key) else {
                add(.warning, .unknownFolder, "\"\(member.key)\" is not a language", at: member.offset)
                continue
            }
            self.language = language
            let value = member.value.members?.isEmpty == true ? nil : value(member.value, substitutions: [])
            self.language = nil
            guard let value else { continue }
            hasSource = hasSource || language == sourceLanguage
            addText(value, language, member.offset)
        }
        if !hasSource, let sourceLanguage { addText(.string(string.key), sourceLanguage, string.offset) }
    }
}

// MARK: - Texts

extension StringCatalog {
    /// Returns the value of a localization, or of a choice in it; nil if it has no text.
    ///
    /// A text wins over its variations, and a plural over devices. Substitutions outside of devices are those of all.
    private mutating func value(_ node: PlacedValue, substitutions: [PlacedValue.Member]) -> CustomizationValue? {
        let substitutions = substitutions + (node["substitutions"]?.members ?? [])
        var choices: [String: PlacedValue.Member] = [:]
        for kind in node["variations"]?.members ?? [] {
            choices[kind.key] = kind
            if kind.key == "plural" || kind.key == "device" { continue }
            add(.warning, .catalogPartSkipped, "variations by \(kind.key) are not supported", at: kind.offset)
        }
        let hasUnit = node["stringUnit"] != nil
        if hasUnit || choices.isEmpty {
            guard let text = text(of: node) else { return nil }
            return message(text, substitutions, node)
        }
        if let plural = choices["plural"] {
            let forms = forms(plural)
            return forms.isEmpty ? nil : .message(Self.plural(forms))
        }
        let devices = choices["device"]?.value.members ?? []
        if let device = choices["device"], devices.isEmpty {
            add(.warning, .pluralMalformed, "there is no text for a device", at: device.offset)
        }
        var messages: [String: CustomizationMessage] = [:]
        for choice in devices {
            switch value(choice.value, substitutions: substitutions) {
            case .string(let text)?: messages[choice.key] = CustomizationMessage(text)
            case .message(let message)?: messages[choice.key] = message
            default: continue
            }
        }
        return messages.isEmpty ? nil : .message(CustomizationMessage(.devices(messages)))
    }

    /// Returns the text of a node; nil, with a report, if it has none, and nil if it is new and empty.
    private mutating func text(of node: PlacedValue) -> String? {
        if let unit = node["stringUnit"] {
            guard let text = unit["value"]?.text else {
                add(.error, .pluralMalformed, "a \"stringUnit\" has no \"value\"", unit)
                return nil
            }
            return text.isEmpty && unit["state"]?.text == "new" ? nil : text
        }
        if node["stringSet"] != nil {
            add(.note, .catalogPartSkipped, "sets of phrases are not supported and are skipped", node)
        } else if node["variations"]?.members?.isEmpty == false {
            add(.warning, .catalogPartSkipped, "variations inside a plural form are not supported", node)
        } else {
            add(.warning, .pluralMalformed, "expected \"stringUnit\" or \"variations\"", node)
        }
        return nil
    }

    /// Returns the forms of a plural.
    private mutating func forms(_ plural: PlacedValue.Member) -> [PluralCategory: String] {
        var forms: [PluralCategory: String] = [:]
        let choices = plural.value.members ?? []
        for choice in choices {
            if let category = PluralCategory(rawValue: choice.key) {
                forms[category] = text(of: choice.value)
            } else {
                add(.warning, .pluralUnknownCategory, "\"\(choice.key)\" is not a plural category", at: choice.offset)
            }
        }
        if !choices.contains(where: { $0.key == PluralCategory.other.rawValue }) {
            add(
                .error, .pluralMissingOther, "there is no text for other, which every language needs",
                at: plural.offset)
        }
        return forms
    }

    /// Returns the message of a plural without variables: the first number of the longest form chooses the form.
    private static func plural(_ forms: [PluralCategory: String]) -> CustomizationMessage {
        let texts = PluralCategory.allCases.compactMap { forms[$0] }
        let widest = texts.map { PrintfFormat($0).placeholders }.max { $0.count < $1.count } ?? []
        guard let number = widest.first(where: { [.integer, .unsigned, .float].contains($0.type.kind) }) else {
            return CustomizationMessage(forms: forms)
        }
        let type = "\(number.type.length)\(number.conversion)"
        guard number.isPositional || widest.count > 1 else {
            return CustomizationMessage(forms: forms, valueType: type)
        }
        let positional = forms.mapValues { PrintfFormat($0).positional }
        return CustomizationMessage(
            format: "%\(number.position)$#@value@", variables: ["value": .init(valueType: type, forms: positional)])
    }

    /// Returns the message of a text with variables, each of which varies by a number; the text itself without variables.
    private mutating func message(
        _ text: String, _ substitutions: [PlacedValue.Member], _ node: PlacedValue
    ) -> CustomizationValue {
        var variables: [String: CustomizationMessage.Variable] = [:]
        var positions: [String: Int] = [:]
        for substitution in substitutions {
            let (name, node) = (substitution.key, substitution.value)
            guard let plural = node["variations"]?.members?.last(where: { $0.key == "plural" }) else {
                add(.warning, .catalogPartSkipped, "\"\(name)\" does not vary by a number", at: substitution.offset)
                continue
            }
            let type = node["formatSpecifier"]?.text ?? "lld"
            var argument = "%" + type
            if case .integer(let position)? = node["argNum"]?.content, (1...1_000).contains(position) {
                positions[name] = Int(position)
                argument = "%\(position)$" + type
            }
            let forms = forms(plural).mapValues { $0.replacingArgument(with: argument) }
            if !forms.isEmpty { variables[name] = .init(valueType: type, forms: forms) }
        }
        let texts = [text] + variables.values.flatMap(\.forms.values)
        for name in PrintfFormat.variables(in: texts) where !substitutions.contains(where: { $0.key == name }) {
            add(.error, .pluralUnknownVariable, "%#@\(name)@ is not defined", node)
        }
        if substitutions.isEmpty { return .string(text) }
        guard !positions.isEmpty else { return .message(CustomizationMessage(format: text, variables: variables)) }
        // With the positions of variables, a placeholder without a position keeps that of its place in the text.
        func positioned(_ text: String, isForm: Bool) -> String {
            PrintfFormat(text).segments.reduce(into: "") { result, segment in
                switch segment {
                case .literal(let literal): result += literal.doublingPercents
                case .placeholder(let placeholder):
                    let position = placeholder.variable.flatMap { positions[$0] }
                    result +=
                        isForm && position == nil
                        ? placeholder.text : placeholder.text(at: position ?? placeholder.position)
                }
            }
        }
        let placed = variables.mapValues { variable in
            let forms = variable.forms.mapValues { positioned($0, isForm: true) }
            return CustomizationMessage.Variable(valueType: variable.valueType, forms: forms)
        }
        return .message(CustomizationMessage(format: positioned(text, isForm: false), variables: placed))
    }
}

extension String {
    /// Returns the text of a form with the placeholder of the number instead of `%arg`.
    fileprivate func replacingArgument(with placeholder: String) -> String {
        var (bytes, rest) = ([UInt8](), Substring(self).utf8)
        while let byte = rest.first {
            let isArgument = rest.starts(with: "%arg".utf8)
            bytes += isArgument ? Array(placeholder.utf8) : [byte]
            rest.removeFirst(isArgument ? 4 : 1)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
