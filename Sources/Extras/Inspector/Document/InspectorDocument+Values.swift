public import AshlarAppConfig
internal import AshlarCore
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
                full: story.isSecret ? nil : Self.fullText(of: path, in: config),
                isSecret: story.isSecret, origin: story.winner.map(entry), merged: story.merged.map(entry),
                overridden: story.shadowed.map(entry))
        }
    }

    /// Returns a list, a dictionary or a long text as JSON; nil for a value of which an explanation has the whole text.
    private static func fullText(of path: ConfigPath, in config: ApplicationConfig) -> String? {
        guard let value = config[path] else { return nil }
        switch value {
        case .array(let elements) where elements.isEmpty: return nil
        case .dictionary(let entries) where entries.isEmpty: return nil
        case .string(let text) where text.unicodeScalars.count <= 200: return nil
        case .array, .dictionary, .string: break
        default: return nil
        }
        return JSONWriter(isPretty: true).text(hidingSecrets(in: value, at: path, of: config))
    }

    /// Replaces the secrets in a value: those of the configuration's paths, and those that texts contain.
    private static func hidingSecrets(
        in value: ConfigValue, at path: ConfigPath, of config: ApplicationConfig
    ) -> ConfigValue {
        if config.explain(path).isSecret { return .string(SecretNames.placeholder) }
        func inner(_ value: ConfigValue, _ component: ConfigPath.Component) -> ConfigValue {
            hidingSecrets(in: value, at: ConfigPath(path.components + [component]), of: config)
        }
        return switch value {
        case .array(let elements): .array(elements.enumerated().map { inner($1, .index($0)) })
        case .dictionary(let entries):
            .dictionary(Dictionary(uniqueKeysWithValues: entries.map { ($0, inner($1, .key($0))) }))
        case .string(let text): .string(SecretText.redacted(text))
        default: value
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
