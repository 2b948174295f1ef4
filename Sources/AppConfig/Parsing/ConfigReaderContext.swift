/// The name, limits, and rules that a reader applies to a file.
struct ConfigReaderContext: Sendable {
    /// The treatment of repeated keys in one dictionary.
    enum Duplicates: Sendable {
        case error
        case lastWins
    }

    var name: String
    var file: String?
    var limits = ConfigLimits()
    var duplicates = Duplicates.error

    /// The diagnostic for a repeated key.
    ///
    /// - Throws: A `duplicateKey` error, unless the last of several entries wins.
    func duplicate(
        _ key: ConfigPath, first: ConfigOrigin, second: ConfigOrigin
    ) throws(ConfigError) -> ConfigDiagnostic {
        if duplicates == .error {
            throw ConfigError(
                .duplicateKey, key: key, origin: second, reason: "duplicate key", notes: ["first defined at \(first)"])
        }
        return ConfigDiagnostic(
            .duplicateKey, key: key, origin: second,
            message: "duplicate key, first defined at \(first); the last value wins")
    }
}

/// The result of reading a file.
struct ConfigReading: Sendable {
    var tree: ConfigTree
    var diagnostics: [ConfigDiagnostic] = []
}
