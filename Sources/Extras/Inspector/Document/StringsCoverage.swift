package import AshlarCustomization

/// The keys of the strings of a tree by language and brand.
package struct StringsCoverage: Sendable {
    /// A key of a table.
    package struct Key: Hashable, Comparable, Sendable {
        package let table: String
        package let key: String

        package static func < (first: Key, second: Key) -> Bool {
            (first.table, first.key) < (second.table, second.key)
        }
    }

    package let base: LanguageTag
    /// The base language and the other ones.
    package let languages: [LanguageTag]
    package let brands: [String]
    /// The keys by language and brand; the brand of the tree itself is empty.
    private var keys: [LanguageTag: [String: Set<Key>]] = [:]
    /// The keys of each brand's strings that don't have a language.
    private var neutral: [String: Set<Key>] = [:]

    package init(_ strings: Customization) {
        base = strings.baseLanguage
        languages = [base] + strings.availableLanguages.filter { [base] in $0 != base }
        brands = strings.availableBrands
        for layer in strings.allLayers {
            let names = Set(layer.tables.flatMap { table in table.value.map { Key(table: table.key, key: $0.key) } })
            switch layer.role {
            case .base: keys[base, default: [:]]["", default: []].formUnion(names)
            case .language(let language): keys[language, default: [:]]["", default: []].formUnion(names)
            case .brand(let brand): neutral[brand, default: []].formUnion(names)
            case .brandLanguage(let brand, let language):
                keys[language, default: [:]][brand, default: []].formUnion(names)
            default: continue
            }
        }
    }

    private func keys(_ language: LanguageTag, _ brand: String) -> Set<Key> { keys[language]?[brand] ?? [] }

    /// The number of strings of the base language.
    package var total: Int { keys(base, "").count }

    /// The number of strings of the base language that a language translates.
    package func count(_ language: LanguageTag) -> Int { keys(language, "").intersection(keys(base, "")).count }

    /// The number of a brand's own strings in a language; those without a language belong to the base language.
    package func count(_ language: LanguageTag, brand: String) -> Int {
        (language == base ? keys(base, brand).union(neutral[brand] ?? []) : keys(language, brand)).count
    }

    /// The strings that an app shows in the base language instead of a language, in order.
    ///
    /// A brand's string in the base language hides a translation without the brand.
    package func missing(_ language: LanguageTag, brand: String = "") -> [Key] {
        guard language != base else { return [] }
        var missing = keys(base, "").subtracting(keys(language, ""))
        if !brand.isEmpty {
            missing = missing.union(keys(base, brand)).subtracting(keys(language, brand))
                .subtracting((neutral[brand] ?? []).subtracting(keys(base, brand)))
        }
        return missing.sorted()
    }

    /// The number of strings of the base language with those of a brand.
    package func total(brand: String) -> Int {
        keys(base, "").union(keys(base, brand)).union(neutral[brand] ?? []).count
    }
}
