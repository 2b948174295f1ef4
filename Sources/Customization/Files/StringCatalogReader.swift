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
        let (root, text, problems) = JSONReader.read(bytes: bytes, file: file)
        guard let root else { return ([:], problems) }
        var catalog = StringCatalog(text: text)
        catalog.read(root)
        let tables = catalog.entries.mapValues { StringsTable(file: file, entries: $0) }
        return (tables, problems + catalog.diagnostics)
    }
}

/// Converts a string catalog to tables.
private struct StringCatalog {
    let text: SourceText
    private(set) var entries: [LanguageTag: [CustomizationEntry]] = [:]
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var key = ""

    init(text: SourceText) { self.text = text }

    private mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        _ offset: Int
    ) {
        diagnostics.add(severity, code, message, at: text.location(ofByte: offset), key: key.isEmpty ? nil : key)
    }

    mutating func read(_ root: SourceNode) {
        guard let strings = root["strings"]?.members else {
            add(.error, .notATable, "expected a string catalog with the dictionary \"strings\"", root.offset)
            return
        }
        let source = root["sourceLanguage"]?.text.flatMap { LanguageTag($0) }
        if source == nil {
            add(.warning, .pluralMalformed, "\"sourceLanguage\" is missing or not a language", root.offset)
        }
        for string in strings {
            key = string.key
            let comment = string.value["comment"]?.text
            let location = text.location(ofByte: string.offset)
            var hasSource = false
            for localization in string.value["localizations"]?.members ?? [] {
                guard let language = LanguageTag(localization.key) else {
                    add(.warning, .unknownFolder, "\"\(localization.key)\" is not a language", localization.offset)
                    continue
                }
                guard let value = value(localization.value, substitutions: nil) else { continue }
                if language == source { hasSource = true }
                entries[language, default: []].append(
                    CustomizationEntry(
                        key: string.key, value: value, location: text.location(ofByte: localization.offset),
                        comment: comment))
            }
            if !hasSource, let source {
                entries[source, default: []].append(
                    CustomizationEntry(
                        key: string.key, value: .string(string.key), location: location, comment: comment))
            }
        }
    }

    /// Returns the value of a localization, or of a choice in it.
    private mutating func value(_ node: SourceNode, substitutions outer: SourceNode?) -> CustomizationValue? {
        let substitutions = node["substitutions"] ?? outer
        if let unit = node["stringUnit"] {
            guard let text = unit["value"]?.text else {
                add(.error, .pluralMalformed, "a \"stringUnit\" has no \"value\"", unit.offset)
                return nil
            }
            if text.isEmpty, unit["state"]?.text == "new" { return nil }
            guard let substitutions, let members = substitutions.members, !members.isEmpty else {
                return .string(text)
            }
            return .message(message(text, substitutions: members))
        }
        if let plural = node["variations"]?["plural"] {
            let forms = forms(plural)
            return forms.isEmpty ? nil : .message(message(forms: forms))
        }
        if let devices = node["variations"]?["device"]?.members {
            var choices: [String: CustomizationMessage] = [:]
            for device in devices {
                switch value(device.value, substitutions: substitutions) {
                case .string(let text)?: choices[device.key] = CustomizationMessage(text)
                case .message(let message)?: choices[device.key] = message
                default: break
                }
            }
            return choices.isEmpty ? nil : .message(CustomizationMessage(.devices(choices)))
        }
        if node["stringSet"] != nil {
            add(.note, .catalogPartSkipped, "sets of phrases are not supported and are skipped", node.offset)
        } else if node.members?.isEmpty == false {
            add(.warning, .pluralMalformed, "expected \"stringUnit\" or \"variations\"", node.offset)
        }
        return nil
    }

    private mutating func forms(_ plural: SourceNode) -> [PluralCategory: String] {
        var forms: [PluralCategory: String] = [:]
        for form in plural.members ?? [] {
            guard let category = PluralCategory(rawValue: form.key) else {
                add(.warning, .pluralUnknownCategory, "\"\(form.key)\" is not a plural category", form.offset)
                continue
            }
            guard let text = form.value["stringUnit"]?["value"]?.text else {
                add(.error, .pluralMalformed, "\"\(form.key)\" has no text", form.offset)
                continue
            }
            forms[category] = text
        }
        if forms[.other] == nil {
            add(.error, .pluralMissingOther, "there is no text for other, which every language needs", plural.offset)
        }
        return forms
    }

    /// Creates a message that varies as a whole: its first number chooses the form.
    private func message(forms: [PluralCategory: String]) -> CustomizationMessage {
        let widest = forms.values.map { PrintfFormat($0) }.max {
            $0.placeholders.count < $1.placeholders.count
        }
        let placeholders = widest?.placeholders ?? []
        let number = placeholders.first { [.integer, .unsigned, .float].contains($0.type.kind) }
        let type = number.map { "\($0.type.length)\($0.conversion)" } ?? "lld"
        guard let number, placeholders.count > 1 || number.isPositional else {
            return CustomizationMessage(forms: forms, valueType: type)
        }
        return CustomizationMessage(
            format: "%\(number.position)$#@value@",
            variables: [
                "value": .init(valueType: type, forms: forms.mapValues { PrintfFormat($0).positional })
            ])
    }

    /// Creates a message with variables; `%arg` in their forms is their number.
    private mutating func message(_ format: String, substitutions: [SourceNode.Member])
        -> CustomizationMessage
    {
        var variables: [String: CustomizationMessage.Variable] = [:]
        var positions: [String: Int] = [:]
        for substitution in substitutions {
            if case .int(let position)? = substitution.value["argNum"]?.kind, (1...1_000).contains(position) {
                positions[substitution.key] = Int(position)
            }
        }
        for substitution in substitutions {
            guard let plural = substitution.value["variations"]?["plural"] else {
                add(
                    .warning, .catalogPartSkipped, "\"\(substitution.key)\" does not vary by a number",
                    substitution.offset)
                continue
            }
            let type = substitution.value["formatSpecifier"]?.text ?? "lld"
            let own = positions[substitution.key].map { "%\($0)$\(type)" } ?? "%\(type)"
            variables[substitution.key] = CustomizationMessage.Variable(
                valueType: type,
                forms: forms(plural).mapValues {
                    Self.positioned($0.replacingOccurrences(of: "%arg", with: own), positions)
                })
        }
        return CustomizationMessage(format: Self.positioned(format, positions), variables: variables)
    }

    /// Adds the positions of variables to a string: `%#@files@` becomes `%1$#@files@`.
    private static func positioned(_ text: String, _ positions: [String: Int]) -> String {
        positions.reduce(text) { text, variable in
            text.replacingOccurrences(of: "%#@\(variable.key)@", with: "%\(variable.value)$#@\(variable.key)@")
        }
    }
}

extension String {
    /// Returns the string with each occurrence replaced, compared byte by byte.
    fileprivate func replacingOccurrences(of part: String, with replacement: String) -> String {
        let (bytes, part) = (Array(utf8), Array(part.utf8))
        guard !part.isEmpty, bytes.count >= part.count else { return self }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == part[0], bytes[index...].starts(with: part) {
                result += replacement.utf8
                index += part.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
