import AshlarCore
public import AshlarCustomization
import AshlarTrees

/// The texts of a project with their translations and states, for exchange with translators.
///
/// Create a catalog from a tree or from a file. Write it as XLIFF 1.2, XLIFF 2.0, CSV or `.xcstrings`, merge it with the
/// translators' files, and write the result into the files of the tree.
///
/// ```swift
/// let catalog = TranslationCatalog(Customization(path: "Resources"))
/// let (xliff, problems) = catalog.xliff(version: .version1, language: "fr")
/// ```
public struct TranslationCatalog: Hashable, Sendable {
    /// The language of the source texts.
    public var sourceLanguage: LanguageTag
    /// The texts in the order of the files.
    public var units: [TranslationUnit]

    /// Creates a catalog.
    public init(sourceLanguage: LanguageTag, units: [TranslationUnit] = []) {
        self.sourceLanguage = sourceLanguage
        self.units = units
    }

    /// Creates a catalog of the languages of a customization, without brands; the base language is the source.
    ///
    /// The catalog contains strings and messages, but not numbers, colors, lists and other values. The units of string
    /// catalogs have the states of the files, and units that only the program's developers translate are included.
    ///
    /// - Parameter customization: The customization; its unread files are read.
    /// - Complexity: O(*n*) in the bytes of all files.
    public init(_ customization: Customization) {
        self.init(sourceLanguage: customization.baseLanguage)
        var index = UnitIndex()
        let folder = customization.tree?.path
        for file in folder.map(StringCatalogFile.files) ?? [] {
            for var unit in file.units {
                if file.sourceLanguage != sourceLanguage {
                    unit.targets[file.sourceLanguage] = unit.source.map { .init($0) }
                    unit.source = unit.targets.removeValue(forKey: sourceLanguage)?.text
                }
                let number = index.unit(unit, in: &units)
                units[number] = unit
            }
        }
        let layers = customization.allLayers.filter { folder == nil || !$0.id.hasPrefix("*.xcstrings#") }
        add(layers, &index)
    }

    /// Creates a catalog of layers; brands and themes are omitted.
    ///
    /// - Parameters:
    ///   - layers: The layers; later layers of a language win.
    ///   - sourceLanguage: The language of the source texts.
    /// - Complexity: O(*n*) in the size of all values.
    public init(layers: [CustomizationLayer], sourceLanguage: LanguageTag) {
        self.init(sourceLanguage: sourceLanguage)
        var index = UnitIndex()
        add(layers, &index)
    }

    private mutating func add(_ layers: [CustomizationLayer], _ index: inout UnitIndex) {
        for layer in layers {
            let language: LanguageTag
            switch layer.role {
            case .base: language = sourceLanguage
            case .language(let tag): language = tag
            default: continue
            }
            for (name, table) in layer.tables.sorted(by: { $0.key < $1.key }) {
                for entry in table {
                    let forms = MessageForms.forms(of: entry.value)
                    if forms.isEmpty { continue }
                    for number in index.forms(name, entry.key) { units[number][language, sourceLanguage] = nil }
                    for form in forms {
                        var unit = TranslationUnit(table: name, key: entry.key, form: form.path)
                        unit.notation = form.notation
                        let number = index.unit(unit, in: &units)
                        units[number][language, sourceLanguage] = .init(form.text)
                        units[number].note = units[number].note ?? entry.comment
                    }
                }
            }
        }
    }

    /// The languages other than the source language, sorted by their tags.
    public var languages: [LanguageTag] {
        var all: Set<LanguageTag> = []
        for unit in units { all.formUnion(unit.targets.keys) }
        return all.sorted { $0.description < $1.description }
    }

    /// The names of the tables, sorted.
    package var tableNames: [String] { Set(units.map(\.table)).sorted() }

    /// Returns the tables of a language, without texts in the state `new`.
    ///
    /// Forms that don't belong together, such as a plain text and a plural, are omitted.
    public func tables(of language: LanguageTag) -> [String: StringsTable] {
        var entries: [String: [CustomizationEntry]] = [:]
        let index = UnitIndex(units)
        for first in index.keys {
            let unit = units[first]
            guard let value = value(of: index.forms(unit.table, unit.key), in: language) else { continue }
            entries[unit.table, default: []].append(.init(key: unit.key, value: value, comment: unit.note))
        }
        return entries.mapValues { StringsTable(entries: $0) }
    }

    /// Returns the value of a key; nil if it isn't translated or its forms don't belong together.
    func value(of numbers: [Int], in language: LanguageTag) -> CustomizationValue? {
        let forms = numbers.compactMap { number -> MessageForms.Form? in
            let unit = units[number]
            guard let target = unit[language, sourceLanguage], target.isTranslated else { return nil }
            return .init(path: unit.form, text: target.text, notation: unit.notation)
        }
        return forms.isEmpty ? nil : MessageForms.value(forms)
    }
}

extension TranslationUnit {
    /// The text in a language, which can be the source language.
    subscript(language: LanguageTag, source: LanguageTag) -> Target? {
        get { language == source ? self.source.map { Target($0) } : targets[language] }
        set { if language == source { self.source = newValue?.text } else { targets[language] = newValue } }
    }
}

// MARK: - Texts for translators

extension TranslationCatalog {
    /// Returns the units to translate into a language, each with a source text and the current translation.
    ///
    /// A plural has the categories of the language. For a form that the source language lacks, the source is that of the
    /// category `other`, the only text of the key, or the key itself. Units that aren't for translators, and those that
    /// the program doesn't use, are omitted.
    ///
    /// - Complexity: O(*n*) in the number of units.
    public func units(for language: LanguageTag) -> [TranslationUnit] {
        let index = UnitIndex(units)
        let categories = PluralRules(language).categories
        return index.keys.flatMap { first in
            let all = index.forms(units[first].table, units[first].key).map { units[$0] }
            // A unit of another tool's file remains a part of the file.
            let isLeftOut =
                all.contains { $0.isStale || (!$0.shouldTranslate && $0.element == nil) }
                || (all[0].key.isEmpty && all.allSatisfy { $0.source == nil })
            return isLeftOut ? [] : Self.expanded(all, language, categories)
        }
    }

    private static func expanded(
        _ units: [TranslationUnit], _ language: LanguageTag, _ categories: some Collection<PluralCategory>
    ) -> [TranslationUnit] {
        func isTranslated(_ unit: TranslationUnit) -> Bool { unit.targets[language]?.isTranslated == true }
        let sources = units.filter { $0.source != nil }
        let translated = units.filter(isTranslated)
        // A translation can have another structure than the source: then it is the one to translate.
        func stems(_ units: [TranslationUnit]) -> Set<String> { Set(units.map { $0.plural?.path ?? $0.form }) }
        var basis = stems(translated).isSubset(of: stems(sources)) ? sources : translated
        if basis.isEmpty { basis = units.filter(\.form.isEmpty) }
        if basis.isEmpty { basis = Array(units.prefix(1)) }
        var chosen: [TranslationUnit] = []
        var known: Set<String> = []
        for unit in basis {
            guard let (path, _) = unit.plural else {
                chosen.append(unit)
                continue
            }
            guard known.insert(path).inserted else { continue }
            // `zero` also applies to exactly 0 in languages without that category.
            let hasZero = basis.contains { $0.form == path + ".zero" }
            for category in PluralCategory.allCases
            where categories.contains(category) || (category == .zero && hasZero) {
                let form = "\(path).\(category)"
                var new = unit
                (new.form, new.targets) = (form, [:])
                chosen.append(units.first { $0.form == form } ?? new)
            }
        }
        chosen += translated.filter { unit in !chosen.contains { $0.form == unit.form } }
        return chosen.map { unit in
            var unit = unit
            let isOwn = unit.source != nil && sources.contains { $0.form == unit.form }
            if !isOwn { unit.source = sourceText(of: unit.form, in: sources) ?? unit.key }
            unit.note = unit.note ?? units.lazy.compactMap(\.note).first
            let target = unit.targets[language]
            unit.targets = target.map { $0.isTranslated || !$0.text.isEmpty ? [language: $0] : [:] } ?? [:]
            return unit
        }
    }

    /// The source of a form: its own text, the text of `other`, or the only text of the key.
    static func sourceText(of form: String, in units: [TranslationUnit]) -> String? {
        func text(_ form: String) -> String? { units.first { $0.form == form }?.source }
        if let own = text(form) { return own }
        let other = TranslationUnit(key: "", form: form).plural.flatMap { text($0.path + ".other") }
        return other ?? text("plural.other") ?? text("") ?? units.lazy.compactMap(\.source).first
    }
}

extension CustomizationDiagnostic.Code {
    /// A part of a text that an exchange format can't represent.
    package static let exchangeLoss = Self("exchange-loss")
    /// Two different translations of a unit.
    package static let mergeConflict = Self("merge-conflict")
    /// A translation of a source text that has changed.
    package static let outdatedTranslation = Self("outdated-translation")
}
