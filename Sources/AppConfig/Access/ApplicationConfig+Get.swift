internal import AshlarCore

extension ApplicationConfig {
    /// Reads the value at a path.
    ///
    /// - Throws: ``ConfigError`` with the code `missingKey` or `typeMismatch`. It contains the file and line, the
    ///   expected and found values, the overridden value, and for a missing key the most similar existing key.
    public func get<T: ConfigConvertible>(_ path: ConfigPath, as type: T.Type = T.self) throws(ConfigError) -> T {
        guard let place = place(of: path) else { throw missing(path, expected: T.configTypeName) }
        let value = place.tree.scalar(of: place.node) ?? place.tree.value(of: place.node)
        guard let made = T(configValue: value, coercion: place.snapshot.context.coercion) else {
            throw mismatch(place, path, T.configTypeName)
        }
        return made
    }

    /// Returns the error for a missing value.
    func missing(_ path: ConfigPath, expected: String) -> ConfigError {
        ConfigError(
            .missingKey, key: path, expected: expected, found: "nothing",
            hint: NearestName.find(path.description, among: pathsWithSections()).map { "did you mean \($0)?" })
    }

    /// The paths of all values and of the dictionaries that contain them, as text.
    private func pathsWithSections() -> [String] {
        var known: Set<String> = []
        for path in paths() {
            for length in path.components.indices {
                known.insert(ConfigPath(Array(path.components[...length])).description)
            }
        }
        return known.sorted()
    }

    /// Returns the error for a value of an unexpected type.
    func mismatch(_ place: ConfigPlace, _ path: ConfigPath, _ expected: String, isSecret: Bool = false) -> ConfigError {
        let isSecret = isSecret || place.snapshot.isSecret(place.node)
        var error = ConfigError(
            .typeMismatch, key: path, location: place.tree.location(of: place.node), expected: expected,
            found: ConfigDescription.found(place.node, in: place.tree, isSecret: isSecret))
        if let below = explain(path).shadowed.first {
            error.notes = ["overrides \(isSecret ? ConfigDescription.redacted : below.text) from \(below.location)"]
        }
        return error
    }
}
