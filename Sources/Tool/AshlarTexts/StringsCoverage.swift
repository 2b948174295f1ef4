package import AshlarCustomization

/// The texts of a tree by language and brand, and those that a language lacks.
///
/// Keys that nobody translates don't count: those whose value in the base language or a brand is a number, boolean, color
/// or name of an image, and those of a string catalog with `"shouldTranslate" : false`.
package struct StringsCoverage: Sendable {
    /// A key of a table.
    package struct Key: Hashable, Comparable, Sendable {
        package let table: String
        package let key: String

        package init(table: String, key: String) {
            self.table = table
            self.key = key
        }

        package static func < (first: Key, second: Key) -> Bool {
            (first.table, first.key) < (second.table, second.key)
        }
    }

    package let base: LanguageTag
    /// The base language and the other ones.
    package let languages: [LanguageTag]
    package let brands: [String]
    /// The texts by language and brand; the brand of the tree itself is empty.
    private var texts: [LanguageTag: [String: [Key: String]]] = [:]
    /// The texts of each brand that don't have a language.
    private var neutral: [String: [Key: String]] = [:]

    package init(_ strings: Customization) {
        base = strings.baseLanguage
        languages = [base] + strings.availableLanguages.filter { [base] in $0 != base }
        brands = strings.availableBrands
        let layers = strings.allLayers
        var fixed = Set(
            (strings.tree?.folder("").fixedKeys ?? [:]).flatMap { table, keys in
                keys.map { Key(table: table, key: $0) }
            })
        for layer in layers where layer.language == nil || layer.language == base {
            fixed.formUnion(Self.keys(layer) { !$0.isTranslatable(colors: layer.colors) })
        }
        for layer in layers {
            let own = Self.texts(layer).filter { !fixed.contains($0.key) }
            switch layer.role {
            case .base: texts[base, default: [:]]["", default: [:]].merge(own) { $1 }
            case .language(let language): texts[language, default: [:]]["", default: [:]].merge(own) { $1 }
            case .brand(let brand): neutral[brand, default: [:]].merge(own) { $1 }
            case .brandLanguage(let brand, let language):
                texts[language, default: [:]][brand, default: [:]].merge(own) { $1 }
            default: continue
            }
        }
    }

    private static func texts(_ layer: CustomizationLayer) -> [Key: String] {
        var texts: [Key: String] = [:]
        for (name, table) in layer.tables {
            for entry in table {
                texts[Key(table: name, key: entry.key)] = entry.value.text ?? "\(entry.value)"
            }
        }
        return texts
    }

    private static func keys(_ layer: CustomizationLayer, _ condition: (CustomizationValue) -> Bool) -> Set<Key> {
        var keys: Set<Key> = []
        for (name, table) in layer.tables {
            for entry in table where condition(entry.value) { keys.insert(Key(table: name, key: entry.key)) }
        }
        return keys
    }

    /// The keys of a language and of the languages that contain it, such as `fr` for `fr-CA`.
    private func keys(_ language: LanguageTag, _ brand: String) -> Set<Key> {
        language.fallbacks.reduce(into: []) { $0.formUnion((texts[$1]?[brand] ?? [:]).keys) }
    }

    /// The keys of a brand's texts that don't have a language.
    private func neutralKeys(_ brand: String) -> Set<Key> { Set((neutral[brand] ?? [:]).keys) }

    /// The own text of a language and a brand; a brand's text without a language belongs to the base language.
    package func text(_ key: Key, _ language: LanguageTag, brand: String = "") -> String? {
        texts[language]?[brand]?[key] ?? (language == base ? neutral[brand]?[key] : nil)
    }

    /// The keys of the base language and of the brands, in order.
    package var all: [Key] {
        let own = brands.map { keys(base, $0).union(neutralKeys($0)) }
        return own.reduce(keys(base, "")) { $0.union($1) }.sorted()
    }

    /// The number of texts of the base language.
    package var total: Int { keys(base, "").count }

    /// The number of texts of the base language that a language translates.
    package func count(_ language: LanguageTag) -> Int { keys(language, "").intersection(keys(base, "")).count }

    /// The number of a brand's own texts in a language; those without a language belong to the base language.
    package func count(_ language: LanguageTag, brand: String) -> Int {
        (language == base ? keys(base, brand).union(neutralKeys(brand)) : keys(language, brand)).count
    }

    /// The texts that an app shows in the base language instead of a language, in order.
    ///
    /// A brand's text in the base language hides a translation without the brand.
    package func missing(_ language: LanguageTag, brand: String = "") -> [Key] {
        guard language != base else { return [] }
        var missing = keys(base, "").subtracting(keys(language, ""))
        if !brand.isEmpty {
            missing = missing.union(keys(base, brand)).subtracting(keys(language, brand))
                .subtracting(neutralKeys(brand).subtracting(keys(base, brand)))
        }
        return missing.sorted()
    }

    /// The number of texts of the base language with those of a brand.
    package func total(brand: String) -> Int {
        keys(base, "").union(keys(base, brand)).union(neutralKeys(brand)).count
    }
}

extension CustomizationValue {
    /// The types, other than text, as which a value can be read.
    package enum ReadableType: Hashable, Sendable { case int, double, bool, color }

    /// Whether a value is a text for translators: not a number, boolean, color or name of an image.
    package func isTranslatable(colors: ColorDialect) -> Bool {
        if case .message = self { return true }
        return text != nil && !isImageName && types(colors: colors).isEmpty
    }

    /// The types as which a value of the base language is meant to be read.
    ///
    /// "Yes" can be the title of a button; only these spellings are booleans.
    package func types(colors: ColorDialect) -> Set<ReadableType> {
        var types: Set<ReadableType> = []
        if int(.strict) != nil { types.insert(.int) }
        if double(.strict) != nil { types.insert(.double) }
        if bool(.strict) != nil { types.insert(.bool) }
        if color(colors) != nil { types.insert(.color) }
        return types == [.bool] && !["YES", "NO", "true", "false"].contains(text) ? [] : types
    }

    /// Whether a value is the name of an image file.
    package var isImageName: Bool {
        guard let text, let dot = text.lastIndex(of: "."), !text.contains(where: { $0.isWhitespace || $0 == "/" })
        else { return false }
        return Customization.imageExtensions.contains(text[text.index(after: dot)...].lowercased())
    }
}
