public import AshlarCustomization

/// The strings of a project with their translations and states, for exchange with translators.
///
/// Create a catalog from the layers of a tree or from a file. Write it as `.xcstrings`, XLIFF 1.2, XLIFF 2.0 or CSV,
/// merge it with the translators' files, and convert it to tables.
///
/// ```swift
/// let catalog = TranslationCatalog(Customization(path: "Resources"))
/// let (xliff, problems) = catalog.xliff(version: .version1, language: "fr")
/// ```
public struct TranslationCatalog: Hashable, Sendable {
    /// The progress of a translation.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The string isn't translated.
        case new
        /// The source string has changed since the translation, or the translation needs a review.
        case needsReview
        /// The translation is complete.
        case translated
    }

    /// A string in one language.
    public struct Translation: Hashable, Sendable {
        /// The string or the message.
        public var value: CustomizationValue
        /// The progress.
        public var state: State

        /// Creates a translation.
        public init(_ value: CustomizationValue, state: State = .translated) {
            (self.value, self.state) = (value, state)
        }
    }

    /// A key with its strings.
    public struct Unit: Hashable, Sendable {
        /// The name of the table.
        public var table: String
        /// The key.
        public var key: String
        /// The comment for translators.
        public var comment: String?
        /// Whether the program doesn't use the key.
        public var isStale: Bool
        /// The strings by language, including the source language.
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

    /// The language of the source strings.
    public var sourceLanguage: LanguageTag
    /// The keys with their strings, in the order of the files.
    public var units: [Unit]

    /// Creates a catalog.
    public init(sourceLanguage: LanguageTag, units: [Unit] = []) {
        (self.sourceLanguage, self.units) = (sourceLanguage, units)
    }

    /// Creates a catalog of the languages of a customization, without brands; the base language is the source.
    ///
    /// The catalog contains strings and messages, but not numbers, colors, lists and other values.
    ///
    /// - Parameter customization: The customization; its unread files are read.
    /// - Complexity: O(*n*) in the bytes of all files.
    public init(_ customization: Customization) {
        self.init(sourceLanguage: customization.baseLanguage)
        var index = UnitIndex()
        for layer in customization.allLayers {
            let language: LanguageTag
            switch layer.role {
            case .base: language = sourceLanguage
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
    package var tableNames: [String] { Set(units.map(\.table)).sorted() }

    /// Returns the tables of a language, without strings in the state `new`.
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
        /// The bytes of the key, because Swift compares strings by canonical equivalence.
        let key: [UInt8]
    }

    private var numbers: [Name: Int] = [:]

    init(_ units: [TranslationCatalog.Unit] = []) {
        for (number, unit) in units.enumerated() {
            numbers[Name(table: unit.table, key: Array(unit.key.utf8))] = number
        }
    }

    func find(_ table: String, _ key: String) -> Int? { numbers[Name(table: table, key: Array(key.utf8))] }

    /// Returns the index of a unit; adds the unit if it is missing.
    mutating func unit(_ table: String, _ key: String, in units: inout [TranslationCatalog.Unit]) -> Int {
        if let known = find(table, key) { return known }
        numbers[Name(table: table, key: Array(key.utf8))] = units.count
        units.append(.init(table: table, key: key))
        return units.count - 1
    }
}
