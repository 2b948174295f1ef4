public import AshlarCustomization

/// The texts of a project with their translations and states, for exchange with translators.
///
/// A catalog is made from the layers of a tree, or read from a file. It is written as `.xcstrings`, XLIFF 1.2, XLIFF 2.0 or
/// CSV, merged with the files that come back, and converted to tables.
///
/// ```swift
/// let catalog = TranslationCatalog(CustomizationTree(path: "Resources"), base: "en")
/// let (xliff, problems) = catalog.xliff(version: .version1, language: "fr")
/// ```
public struct TranslationCatalog: Hashable, Sendable {
    /// The progress of a translation.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The text is not translated.
        case new
        /// The translation belongs to an older text, or somebody has to look at it.
        case needsReview
        /// The translation is complete.
        case translated
    }

    /// A text in one language.
    public struct Translation: Hashable, Sendable {
        /// The text or the message.
        public var value: CustomizationValue
        /// The progress.
        public var state: State

        /// Creates a translation.
        public init(_ value: CustomizationValue, state: State = .translated) {
            (self.value, self.state) = (value, state)
        }
    }

    /// A key with its texts.
    public struct Unit: Hashable, Sendable {
        /// The name of the table.
        public var table: String
        /// The key.
        public var key: String
        /// The comment for translators.
        public var comment: String?
        /// Whether the program no longer uses the key.
        public var isStale: Bool
        /// The texts by language, with that of the source language.
        public var translations: [LanguageTag: Translation]

        /// Creates a unit.
        public init(
            table: String = CustomizationLayer.defaultTable, key: String, comment: String? = nil, isStale: Bool = false,
            translations: [LanguageTag: Translation] = [:]
        ) {
            (self.table, self.key, self.comment) = (table, key, comment)
            (self.isStale, self.translations) = (isStale, translations)
        }
    }

    /// The language that is translated from.
    public var sourceLanguage: LanguageTag
    /// The keys with their texts, in the order of the files.
    public var units: [Unit]

    /// Creates a catalog.
    public init(sourceLanguage: LanguageTag, units: [Unit] = []) {
        (self.sourceLanguage, self.units) = (sourceLanguage, units)
    }

    /// Creates a catalog of the languages of a tree, without brands.
    ///
    /// Texts and messages are included; numbers, colors, lists and other values are not.
    ///
    /// - Parameters:
    ///   - tree: The folder of `.lproj` folders.
    ///   - base: The language that is translated from.
    /// - Complexity: O(*n*) in the bytes of all files.
    public init(_ tree: CustomizationTree, base: LanguageTag = "en") {
        self.init(sourceLanguage: base)
        var index = UnitIndex()
        for layer in tree.allLayers(base: base) {
            let language: LanguageTag
            switch layer.role {
            case .base: language = base
            case .language(let tag): language = tag
            default: continue
            }
            for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
                for entry in table where TranslationParts(entry.value) != nil {
                    let unit = index.unit(name, entry.key, in: &units)
                    units[unit].translations[language] = Translation(entry.value)
                    units[unit].comment = units[unit].comment ?? entry.comment
                }
            }
        }
    }

    /// The languages other than the source language, sorted by their tags.
    public var languages: [LanguageTag] {
        Set(units.flatMap(\.translations.keys)).subtracting([sourceLanguage]).sorted { $0.description < $1.description }
    }

    /// The names of the tables, sorted.
    public var tableNames: [String] { Set(units.map(\.table)).sorted() }

    /// The tables of a language, with the texts that are not in the state `new`.
    public func tables(of language: LanguageTag) -> [String: StringsTable] {
        Dictionary(grouping: units, by: \.table).mapValues { units in
            StringsTable(
                entries: units.compactMap { unit in
                    guard let translation = unit.translations[language], translation.state != .new else { return nil }
                    return CustomizationEntry(key: unit.key, value: translation.value, comment: unit.comment)
                })
        }
    }
}

/// Finds units by table and key.
struct UnitIndex {
    private struct Name: Hashable {
        let table: String
        /// Bytes, because Swift compares strings by canonical equivalence.
        let key: [UInt8]
    }

    private var numbers: [Name: Int] = [:]

    init(_ units: [TranslationCatalog.Unit] = []) {
        for (number, unit) in units.enumerated() {
            numbers[Name(table: unit.table, key: Array(unit.key.utf8))] = number
        }
    }

    func find(_ table: String, _ key: String) -> Int? { numbers[Name(table: table, key: Array(key.utf8))] }

    /// The number of a unit, which is added if it is missing.
    mutating func unit(_ table: String, _ key: String, in units: inout [TranslationCatalog.Unit]) -> Int {
        if let known = find(table, key) { return known }
        numbers[Name(table: table, key: Array(key.utf8))] = units.count
        units.append(.init(table: table, key: key))
        return units.count - 1
    }
}
