internal import AshlarCore

extension ApplicationConfig {
    /// Returns a list, a dictionary or a long text as JSON without secrets; nil for a secret, and for a value of which an
    /// explanation has the whole text.
    ///
    /// - Complexity: O(*n* · *d*) in the number of values and their depth.
    package func fullText(_ path: ConfigPath) -> String? {
        guard let value = self[path], !explain(path).isSecret else { return nil }
        switch value {
        case .array(let elements) where !elements.isEmpty: break
        case .dictionary(let entries) where !entries.isEmpty: break
        case .string(let text) where text.unicodeScalars.count > ConfigDescription.longestText: break
        default: return nil
        }
        return JSONWriter(isPretty: true).text(hidingSecrets(in: value, at: path.components))
    }

    /// Replaces the secrets in a value: those of the configuration's paths, and those that texts contain.
    private func hidingSecrets(in value: ConfigValue, at path: [ConfigPath.Component]) -> ConfigValue {
        if explain(ConfigPath(path)).isSecret { return .string(ConfigDescription.redacted) }
        return switch value {
        case .array(let elements):
            .array(elements.enumerated().map { hidingSecrets(in: $1, at: path + [.index($0)]) })
        case .dictionary(let entries):
            .dictionary(
                Dictionary(
                    uniqueKeysWithValues: entries.map { ($0, hidingSecrets(in: $1, at: path + [.key($0)])) }))
        case .string(let text): .string(SecretText.redacted(text))
        default: value
        }
    }
}
