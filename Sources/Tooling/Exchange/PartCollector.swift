import AshlarCustomization

/// Collects strings by key and path, as exchange formats list them, and combines them into messages.
struct PartCollector {
    private struct Text {
        var texts: [String: String] = [:]
        var state: TranslationCatalog.State
    }

    private var units: [TranslationCatalog.Unit] = []
    private var index = UnitIndex()
    private var texts: [Int: [LanguageTag: Text]] = [:]

    /// The key and the path of a unit's name: `files|==|plural.one`.
    static func split(_ id: String) -> (key: String, path: String) {
        let mark = Array(TranslationCatalog.pathMark.utf8)
        let bytes = Array(id.utf8)
        for start in bytes.indices.reversed() where bytes[start...].starts(with: mark) {
            let path = String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
            guard ["plural.", "substitutions.", "device.", "width."].contains(where: path.hasPrefix) else { continue }
            return (String(decoding: bytes[..<start], as: UTF8.self), path)
        }
        return (id, "")
    }

    /// Adds a string; the state of a message is the least complete state of its strings.
    mutating func add(
        _ text: String, _ state: TranslationCatalog.State, _ language: LanguageTag, _ table: String, _ key: String,
        _ path: String, _ comment: String?
    ) {
        let unit = index.unit(table, key, in: &units)
        units[unit].comment = units[unit].comment ?? comment
        var known = texts[unit]?[language] ?? Text(state: state)
        known.texts[path] = text
        if rank(state) < rank(known.state) { known.state = state }
        texts[unit, default: [:]][language] = known
    }

    private func rank(_ state: TranslationCatalog.State) -> Int {
        TranslationCatalog.State.allCases.firstIndex(of: state) ?? 0
    }

    /// Returns the catalog of all strings; the types of variables come from `model`.
    func catalog(
        sourceLanguage: LanguageTag, model: TranslationCatalog?, report: (CustomizationDiagnostic) -> Void
    ) -> TranslationCatalog {
        var catalog = TranslationCatalog(sourceLanguage: sourceLanguage, units: units)
        let models = UnitIndex(model?.units ?? [])
        for (number, languages) in texts.sorted(by: { $0.key < $1.key }) {
            let unit = catalog.units[number]
            let known = models.find(unit.table, unit.key).flatMap {
                model?.units[$0].translations[sourceLanguage]?.value
            }
            for (language, text) in languages.sorted(by: { $0.key.description < $1.key.description }) {
                guard let value = TranslationParts.value(text.texts, like: known) else {
                    report(
                        CustomizationDiagnostic(
                            .error, .malformedFile,
                            "the texts \(text.texts.keys.sorted().joined(separator: ", ")) do not form a message",
                            at: CustomizationLocation(file: unit.table), key: unit.key))
                    continue
                }
                catalog.units[number].translations[language] = .init(value, state: text.state)
            }
        }
        return catalog
    }
}
