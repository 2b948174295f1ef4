public import AshlarCustomization

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
        let root = CustomizationValue(json: bytes)
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
