import AshlarCore
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
            self.value = value
            self.state = state
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
            self.table = table
            self.key = key
            self.comment = comment
            self.isStale = isStale
            self.translations = translations
        }
    }

    /// The language of the source strings.
    public var sourceLanguage: LanguageTag
    /// The keys with their strings, in the order of the files.
    public var units: [Unit]

    /// Creates a catalog.
    public init(sourceLanguage: LanguageTag, units: [Unit] = []) {
        self.sourceLanguage = sourceLanguage
        self.units = units
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

extension TranslationCatalog {
    /// Merges the translations of another catalog, unit by unit.
    ///
    /// With a common ancestor, a translation that only one side changed is used, and different changes of both sides
    /// are a conflict. Without an ancestor, a translation that is missing here is used, and two different translations
    /// are a conflict. If the source string has changed, the translation is used in the state `needsReview`. A key that
    /// is missing here is reported and not added. For a conflict, the result contains the receiver's translation.
    ///
    /// - Parameters:
    ///   - other: The catalog with the new translations, such as one read from XLIFF.
    ///   - ancestor: The common ancestor of both catalogs, if it is known.
    /// - Returns: The merged catalog, and the conflicts and changed source strings in the order of the units.
    /// - Complexity: O(*n*) in the number of translations.
    public func merging(
        _ other: TranslationCatalog, ancestor: TranslationCatalog? = nil
    ) -> (catalog: TranslationCatalog, diagnostics: [CustomizationDiagnostic]) {
        var (catalog, diagnostics): (TranslationCatalog, [CustomizationDiagnostic]) = (self, [])
        let index = UnitIndex(units)
        let ancestors = UnitIndex(ancestor?.units ?? [])
        for unit in other.units {
            func report(
                _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String
            ) {
                diagnostics.add(
                    severity, code, message, at: CustomizationLocation(file: unit.table), key: unit.key)
            }
            guard let number = index.find(unit.table, unit.key) else {
                report(
                    .warning, .extraKey, "table \(unit.table) has no key \"\(unit.key)\"; its translations are left out"
                )
                continue
            }
            let mine = units[number]
            let old = ancestors.find(unit.table, unit.key).flatMap { ancestor?.units[$0] }
            let source = unit.translations[other.sourceLanguage]?.value
            let isOutdated = source.map { !Self.isSame($0, mine.translations[sourceLanguage]?.value) } ?? false
            if isOutdated {
                report(
                    .note, .outdatedTranslation,
                    "the text of \(sourceLanguage) has changed since; its translations need a review")
            }
            for (language, theirs) in unit.translations.sorted(by: { $0.key.description < $1.key.description })
            where language != sourceLanguage {
                var theirs = theirs
                if isOutdated, theirs.state == .translated { theirs.state = .needsReview }
                let ours = mine.translations[language]
                let base = old?.translations[language]
                if ours == theirs || (ours?.value == theirs.value && isOutdated) { continue }
                let isUnchangedThere = base != nil && base?.value == theirs.value && base?.state == theirs.state
                if isUnchangedThere || (theirs.state == .new && ours != nil && ours?.state != .new) { continue }
                let isUnchangedHere = ours == nil || ours?.state == .new || (old != nil && ours == base)
                if isUnchangedHere || ours?.value == theirs.value {
                    catalog.units[number].translations[language] = theirs
                    continue
                }
                report(
                    .warning, .mergeConflict,
                    "two \(language) translations: \(ours?.value.description ?? "") is used, \(theirs.value) is not")
            }
        }
        return (catalog, diagnostics)
    }

    /// Whether the other catalog has the same source string, which may have plural categories of other languages.
    private static func isSame(_ theirs: CustomizationValue, _ ours: CustomizationValue?) -> Bool {
        guard let ours = ours.flatMap({ TranslationParts($0) }), let theirs = TranslationParts(theirs) else {
            return false
        }
        return ours.parts.allSatisfy { theirs.parts.contains($0) }
    }
}

extension CustomizationDiagnostic.Code {
    /// A translation of a source string that has changed.
    package static let outdatedTranslation = Self("outdated-translation")
}

extension TranslationCatalog {
    /// Writes the translations of a language into the files of a tree.
    ///
    /// Strings are written to `fr.lproj/Table.strings` without changing any other byte. Messages are written to
    /// `fr.lproj/Table.stringsdict`; the file's other messages are preserved. Translations in the state `new` are
    /// omitted. No entry is removed.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - folder: The path of the tree.
    /// - Returns: The paths of the changed files.
    /// - Throws: `CustomizationError` with the code `unwritable`. If a table's name, which can come from a translator's
    ///   file, isn't the name of a file, such as `../x`, nothing is written.
    public func write(
        _ language: LanguageTag, toTree folder: String
    ) throws(CustomizationError) -> [String] {
        for table in tableNames
        where table.isEmpty || table.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
            throw CustomizationError(
                .unwritable, key: table, expected: "the name of a table that can be that of a file")
        }
        let name = Self.folderName(of: language, in: folder)
        let path = folder + "/" + name
        var changed: [String] = []
        for (table, content) in tables(of: language).sorted(by: { $0.key < $1.key }) {
            var texts: [String: String?] = [:]
            var messages: [CustomizationEntry] = []
            for entry in content {
                if case .message = entry.value { messages.append(entry) } else { texts[entry.key] = entry.value.text }
            }
            let strings = path + "/" + table + ".strings"
            var editor = try StringsFileEditor((try? WholeFile.read(strings)) ?? [], file: strings)
            let before = editor.bytes
            // Only strings that differ, so that a string that the base language provides isn't repeated.
            texts = texts.filter { key, text in editor.table[key]?.text != text }
            if !texts.isEmpty { try editor.apply(texts) }
            if editor.bytes != before {
                try FileOutput.write(editor.bytes, to: strings)
                changed.append(strings)
            }
            guard !messages.isEmpty else { continue }
            let dictionary = path + "/" + table + ".stringsdict"
            let old = (try? WholeFile.read(dictionary)) ?? []
            let known = old.isEmpty ? StringsTable.empty : StringsTable.parse(stringsDict: old, file: dictionary).table
            guard messages.contains(where: { known[$0.key] != $0.value }) else { continue }
            let text = known.merging(StringsTable(entries: messages)).formattedStringsDict(sorted: true)
            try FileOutput.write(Array(text.utf8), to: dictionary)
            changed.append(dictionary)
        }
        return changed
    }

    /// Returns the folder of a language: the existing one, or one with the tag as its name.
    private static func folderName(of language: LanguageTag, in folder: String) -> String {
        let names = (FolderListing.names(in: folder) ?? []).filter { $0.hasSuffix(".lproj") }
        return names.first { LanguageTag(String($0.dropLast(6))) == language } ?? "\(language).lproj"
    }
}
