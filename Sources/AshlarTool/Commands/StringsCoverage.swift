import AshlarCore
import AshlarTooling

/// A text of a tree: its language, its table and its key with the form.
struct StringsPlace: Hashable, Comparable {
    let language: String
    let table: String
    let key: String

    static func < (first: StringsPlace, second: StringsPlace) -> Bool {
        (first.language, first.table, first.key) < (second.language, second.table, second.key)
    }

    /// Returns the texts of a catalog in all languages.
    static func texts(of catalog: TranslationCatalog) -> [StringsPlace: String] {
        var texts: [StringsPlace: String] = [:]
        for unit in catalog.units {
            func add(_ language: LanguageTag, _ text: String?) {
                texts[StringsPlace(language: "\(language)", table: unit.table, key: unit.name)] = text
            }
            add(catalog.sourceLanguage, unit.source)
            for (language, target) in unit.targets where target.state != .new { add(language, target.text) }
        }
        return texts
    }
}

/// The keys of the languages and brands of a tree.
struct StringsCoverage {
    private struct Key: Hashable, Comparable {
        let table: String
        let key: String

        static func < (first: Key, second: Key) -> Bool { (first.table, first.key) < (second.table, second.key) }
    }

    private let base: LanguageTag
    private let languages: [LanguageTag]
    private let brands: [String]
    /// The keys by language and brand; the brand of the tree itself is empty.
    private var keys: [LanguageTag: [String: Set<Key>]] = [:]

    init(_ strings: Customization) {
        base = strings.baseLanguage
        languages = [base] + strings.availableLanguages.filter { [base] in $0 != base }
        brands = strings.availableBrands
        for layer in strings.allLayers {
            let place: (language: LanguageTag, brand: String)
            switch layer.role {
            case .base: place = (base, "")
            case .language(let language): place = (language, "")
            case .brand(let brand): place = (base, brand)
            case .brandLanguage(let brand, let language): place = (language, brand)
            default: continue
            }
            for (name, table) in layer.tables {
                for entry in table {
                    keys[place.language, default: [:]][place.brand, default: []].insert(
                        Key(table: name, key: entry.key))
                }
            }
        }
    }

    private func keys(_ language: LanguageTag, _ brand: String) -> Set<Key> { keys[language]?[brand] ?? [] }

    /// The number of keys of each language and brand.
    var matrix: Listing {
        var listing = Listing(["language", "strings", "missing"] + brands)
        listing.hasTitles = true
        let all = keys(base, "")
        for language in languages {
            let own = keys(language, "").intersection(all).count
            listing.add(
                [.string("\(language)"), number(own), number(all.count - own)]
                    + brands.map { number(keys(language, $0).count) })
        }
        return listing
    }

    /// The keys of the base language that other languages lack.
    var missing: Listing {
        var listing = Listing("language", "table", "key")
        for language in languages {
            for key in keys(base, "").subtracting(keys(language, "")).sorted() {
                listing.add(.string("\(language)"), .string(key.table), .string(key.key))
            }
        }
        return listing
    }

    private func number(_ count: Int) -> ConfigValue { .integer(Int64(count)) }
}
