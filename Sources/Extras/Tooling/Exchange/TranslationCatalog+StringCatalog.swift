import AshlarCore
public import AshlarCustomization
import AshlarTrees

extension TranslationCatalog {
    /// Returns a table of the catalog as an `.xcstrings` file, in Xcode's layout.
    ///
    /// The file contains the state `new`, `needs_review` or `translated` of each string, and the state `stale` of
    /// unused keys.
    ///
    /// - Parameter table: The name of the table.
    /// - Returns: The text, which is JSON.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func stringCatalog(table: String = CustomizationLayer.defaultTable) -> String {
        let units = units.filter { $0.table == table }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let strings = units.map { unit in
            var members: [String: CustomizationValue] = [:]
            if let comment = unit.comment { members["comment"] = .string(comment) }
            if unit.isStale { members["extractionState"] = "stale" }
            let localizations = unit.translations.map { ("\($0)", Self.localization($1)) }
            if !localizations.isEmpty {
                members["localizations"] = .dict(Dictionary(uniqueKeysWithValues: localizations))
            }
            return "    \(JSONText.quoted(unit.key)) : \(CustomizationValue.dict(members).json(indent: "    "))"
        }
        return """
            {
              "sourceLanguage" : "\(sourceLanguage)",
              "strings" : {
            \(strings.joined(separator: ",\n"))
              },
              "version" : "1.0"
            }

            """
    }

    private static func localization(_ translation: Translation) -> CustomizationValue {
        switch translation.value {
        case .message(let message): .dict(members(message, translation.state))
        default: .dict(unit(translation.value.text ?? "", translation.state))
        }
    }

    private static func unit(_ text: String, _ state: State) -> [String: CustomizationValue] {
        let states: [State: CustomizationValue] = [
            .new: "new", .needsReview: "needs_review", .translated: "translated",
        ]
        return ["stringUnit": .dict(["state": states[state] ?? "new", "value": .string(text)])]
    }

    private static func members(_ message: CustomizationMessage, _ state: State) -> [String: CustomizationValue] {
        switch message.source {
        case .format(let text), .icu(let text): return unit(text, state)
        case .devices(let choices):
            let devices = choices.mapValues { CustomizationValue.dict(members($0, state)) }
            return ["variations": .dict(["device": .dict(devices)])]
        case .widths: return members(CustomizationMessage(message.source()), state)  // String catalogs have no widths.
        case .plural(let text):
            if let name = TranslationParts.wholeVariable(text), name == "value", let variable = text.variables[name] {
                return variations(variable, state)
            }
            return substitutions(text, state)
        }
    }

    private static func variations(
        _ variable: CustomizationMessage.Variable, _ state: State
    ) -> [String: CustomizationValue] {
        let forms = variable.forms.map { ("\($0)", CustomizationValue.dict(unit($1, state))) }
        return ["variations": .dict(["plural": .dict(Dictionary(uniqueKeysWithValues: forms))])]
    }

    /// Returns a format with variables; if all references to a variable have one position, the position becomes
    /// `argNum`.
    private static func substitutions(_ text: PluralText, _ state: State) -> [String: CustomizationValue] {
        var format = text.format
        var variables = text.variables
        var positions: [String: Int] = [:]
        let all = [format] + variables.values.flatMap(\.forms.values)
        let references = all.flatMap { PrintfFormat($0).placeholders }.filter { $0.variable != nil }
        for name in variables.keys {
            let own = references.filter { $0.variable == name }
            guard let first = own.first, first.isPositional,
                own.allSatisfy({ $0.isPositional && $0.position == first.position })
            else { continue }
            positions[name] = first.position
            func plain(_ text: String) -> String {
                text.replacing("%\(first.position)$#@\(name)@", with: "%#@\(name)@")
            }
            format = plain(format)
            variables = variables.mapValues { .init(valueType: $0.valueType, forms: $0.forms.mapValues(plain)) }
        }
        let substitutions = variables.map { name, variable in
            var members = variations(variable, state)
            if let position = positions[name] { members["argNum"] = .int(Int64(position)) }
            members["formatSpecifier"] = .string(variable.valueType)
            return (name, CustomizationValue.dict(members))
        }
        return unit(format, state).merging(["substitutions": .dict(Dictionary(uniqueKeysWithValues: substitutions))]) {
            $1
        }
    }
}

extension TranslationCatalog {
    /// Reads an `.xcstrings` file with its states.
    ///
    /// The state of a message is the least complete state of its strings.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - table: The name of the table.
    ///   - file: The file's path, for locations.
    /// - Returns: The catalog, and the problems.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(
        stringCatalog bytes: [UInt8], table: String = CustomizationLayer.defaultTable, file: String = ""
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        let (tables, diagnostics) = StringsTable.parse(stringCatalog: bytes, file: file)
        let root = JSONReader.value(of: bytes)
        let source = root?["sourceLanguage"]?.text.flatMap { LanguageTag($0) } ?? "en"
        var catalog = TranslationCatalog(sourceLanguage: source)
        var index = UnitIndex()
        for (language, entries) in tables.sorted(by: {
            $0.key == source || ($1.key != source && $0.key.description < $1.key.description)
        }) {
            for entry in entries where TranslationParts(entry.value) != nil {
                let unit = index.unit(table, entry.key, in: &catalog.units)
                catalog.units[unit].comment = entry.comment
                catalog.units[unit].translations[language] = Translation(entry.value)
            }
        }
        guard case .dict(let strings)? = root?["strings"] else { return (catalog, diagnostics) }
        for (key, string) in strings {
            guard let unit = index.find(table, key) else { continue }
            catalog.units[unit].isStale = string["extractionState"]?.text == "stale"
            guard case .dict(let localizations)? = string["localizations"] else { continue }
            for (name, localization) in localizations {
                guard let language = LanguageTag(name) else { continue }
                catalog.units[unit].translations[language]?.state =
                    states(localization).contains("new")
                    ? .new
                    : states(localization).isSubset(of: ["translated"]) ? .translated : .needsReview
            }
        }
        return (catalog, diagnostics)
    }

    /// Returns the states of all strings in a localization.
    private static func states(_ value: CustomizationValue) -> Set<String> {
        guard case .dict(let members) = value else { return [] }
        return members.reduce(into: []) { states, member in
            if member.key == "stringUnit" {
                if let state = member.value["state"]?.text { states.insert(state) }
            } else {
                states.formUnion(self.states(member.value))
            }
        }
    }
}

extension CustomizationValue {
    fileprivate subscript(key: String) -> CustomizationValue? {
        if case .dict(let members) = self { members[key] } else { nil }
    }
}
