public import AshlarAppConfig
public import AshlarCustomization
internal import AshlarTexts

extension InspectorDocument {
    /// Adds the values of a configuration with their origins and the values that they override.
    ///
    /// - Complexity: O(*n* · *l*) in the numbers of values and layers.
    public mutating func addConfiguration(_ config: ApplicationConfig) {
        func entry(_ entry: ConfigExplanation.Entry) -> InspectedValue.Entry {
            InspectedValue.Entry(text: entry.text, location: "\(entry.location)", layer: "\(entry.layer)")
        }
        configuration = config.paths().map { path in
            let story = config.explain(path)
            return InspectedValue(
                key: "\(path)", text: story.text ?? "",
                full: config.fullText(path),
                isSecret: story.isSecret, origin: story.winner.map(entry), merged: story.merged.map(entry),
                overridden: story.shadowed.map(entry))
        }
    }

    /// Adds the texts of each language and brand, and those that it lacks.
    ///
    /// - Complexity: O(*n* · *b*) in the numbers of strings in all languages and of brands.
    public mutating func addStrings(_ customization: Customization) {
        let coverage = StringsCoverage(customization)
        let brands = [""] + coverage.brands
        strings = InspectedStrings(
            base: "\(coverage.base)", brands: brands,
            languages: coverage.languages.map { language in
                InspectedStrings.Language(
                    tag: "\(language)",
                    fallbacks: language.fallbacks.dropFirst().map { "\($0)" },
                    cells: brands.map { brand in
                        InspectedStrings.Cell(
                            total: coverage.total(brand: brand),
                            missing: coverage.missing(language, brand: brand).map { "\($0.table): \($0.key)" })
                    })
            },
            keys: coverage.all.map { key in
                InspectedStrings.Key(
                    table: key.table, key: key.key,
                    texts: coverage.languages.flatMap { language in
                        brands.map { coverage.text(key, language, brand: $0) }
                    })
            })
    }
}
