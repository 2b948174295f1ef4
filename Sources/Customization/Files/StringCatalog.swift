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
        var entries: [LanguageTag: [CustomizationEntry]] = [:]
        for key in catalog.keys {
            var hasSource = false
            func add(_ value: CustomizationValue, _ language: LanguageTag, _ location: CustomizationLocation) {
                hasSource = hasSource || language == catalog.sourceLanguage
                entries[language, default: []].append(
                    CustomizationEntry(key: key.name, value: value, location: location, comment: key.comment))
            }
            for localization in key.localizations {
                guard let value = localization.value else { continue }
                add(value, localization.language, localization.location)
            }
            if !hasSource, let source = catalog.sourceLanguage { add(.string(key.name), source, key.location) }
        }
        return (entries.mapValues { StringsTable(file: file, entries: $0) }, catalog.diagnostics)
    }
}

/// A string catalog: its keys with the texts of every language.
struct StringCatalog {
    struct Key {
        let name: String
        let location: CustomizationLocation
        let comment: String?
        let shouldTranslate: Bool
        var localizations: [Localization] = []
    }

    struct Localization {
        let language: LanguageTag
        let location: CustomizationLocation
        var forms: [MessageForms.Form] = []

        /// The value at run time; a text wins over its variations, and a plural over devices.
        fileprivate var value: CustomizationValue? {
            var forms = forms
            if let text = forms.first(where: { $0.path.isEmpty }) {
                if text.text.isEmpty, text.state == "new" { return nil }
                forms.removeAll { !$0.path.isEmpty && !$0.path.hasPrefix("substitutions.") }
            } else if forms.contains(where: { $0.path.hasPrefix("plural.") }) {
                forms.removeAll { !$0.path.hasPrefix("plural.") || $0.path.split(separator: ".").count != 2 }
            }
            // Only variables that vary by a number are supported.
            forms.removeAll { form in
                let words = form.path.split(separator: ".", omittingEmptySubsequences: false)
                return words[0] == "substitutions" && (words.count != 4 || words[2] != "plural")
            }
            return forms.isEmpty ? nil : MessageForms.value(forms)
        }
    }

    private(set) var keys: [Key] = []
    private(set) var sourceLanguage: LanguageTag?
    private(set) var diagnostics: [CustomizationDiagnostic]
    private let text: SourceText

    /// Reads an `.xcstrings` file.
    init(_ bytes: [UInt8], file: String) {
        let root: SourceNode?
        (root, text, diagnostics) = JSONReader.read(bytes: bytes, file: file)
        guard let root else { return }
        guard let strings = root["strings"]?.members else {
            add(.error, .notATable, "expected a string catalog with the dictionary \"strings\"", root.offset)
            return
        }
        sourceLanguage = root["sourceLanguage"]?.text.flatMap { LanguageTag($0) }
        if sourceLanguage == nil {
            add(.warning, .pluralMalformed, "\"sourceLanguage\" is missing or not a language", root.offset)
        }
        for string in strings where string.value.members != nil {
            var shouldTranslate = true
            if case .bool(false)? = string.value["shouldTranslate"]?.kind { shouldTranslate = false }
            keys.append(
                Key(
                    name: string.key, location: text.location(ofByte: string.offset),
                    comment: string.value["comment"]?.text, shouldTranslate: shouldTranslate))
            for localization in string.value["localizations"]?.members ?? [] { read(localization) }
        }
    }

    private mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ offset: Int
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: offset), key: keys.last?.name)
    }

    private mutating func read(_ member: SourceNode.Member) {
        guard let language = LanguageTag(member.key) else {
            return add(.warning, .unknownFolder, "\"\(member.key)\" is not a language", member.offset)
        }
        var localization = Localization(
            language: language, location: text.location(ofByte: member.offset))
        read(member.value, "", .format, &localization.forms)
        keys[keys.count - 1].localizations.append(localization)
    }

    /// Adds the texts of a localization, or of a choice in it.
    private mutating func read(
        _ node: SourceNode, _ path: String, _ notation: MessageForms.Notation, _ forms: inout [MessageForms.Form]
    ) {
        let (variations, substitutions) = (node["variations"]?.members ?? [], node["substitutions"]?.members ?? [])
        if let unit = node["stringUnit"] {
            if let text = unit["value"]?.text {
                forms.append(.init(path: String(path.dropLast()), text: text, notation: notation))
                forms[forms.count - 1].state = unit["state"]?.text
            } else {
                add(.error, .pluralMalformed, "a \"stringUnit\" has no \"value\"", unit.offset)
            }
        } else if node["stringSet"] != nil {
            add(.note, .catalogPartSkipped, "sets of phrases are not supported and are skipped", node.offset)
        } else if variations.isEmpty, !path.isEmpty || node.members?.isEmpty == false {
            add(.warning, .pluralMalformed, "expected \"stringUnit\" or \"variations\"", node.offset)
        }
        for kind in variations {
            guard ["plural", "device"].contains(kind.key) else {
                add(.warning, .catalogPartSkipped, "variations by \(kind.key) are not supported", kind.offset)
                continue
            }
            let choices = kind.value.members ?? []
            for choice in choices {
                if kind.key == "plural", PluralCategory(rawValue: choice.key) == nil {
                    add(.warning, .pluralUnknownCategory, "\"\(choice.key)\" is not a plural category", choice.offset)
                } else {
                    read(choice.value, path + "\(kind.key).\(MessageForms.escaped(choice.key)).", notation, &forms)
                }
            }
            if kind.key == "plural", !choices.contains(where: { $0.key == "other" }) {
                add(
                    .error, .pluralMissingOther, "there is no text for other, which every language needs", kind.offset)
            }
        }
        for substitution in substitutions {
            if substitution.value["variations"]?["plural"] == nil {
                add(
                    .warning, .catalogPartSkipped, "\"\(substitution.key)\" does not vary by a number",
                    substitution.offset)
            }
            var position: Int?
            if case .int(let number)? = substitution.value["argNum"]?.kind, (1...1_000).contains(number) {
                position = Int(number)
            }
            let notation = MessageForms.Notation.number(
                variable: substitution.key, type: substitution.value["formatSpecifier"]?.text ?? "lld",
                position: position)
            read(
                substitution.value, path + "substitutions.\(MessageForms.escaped(substitution.key)).", notation, &forms)
        }
    }
}
