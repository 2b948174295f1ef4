/// The name, limits, and rules with which a file is read.
struct ConfigReaderContext: Sendable {
    /// The treatment of duplicate keys in a dictionary.
    enum Duplicates: Sendable {
        case error
        case lastWins
    }

    /// The location of the whole file.
    var location: ConfigLocation
    var limits = ConfigLimits()
    var duplicates = Duplicates.error
    /// Whether comments and trailing commas are permitted in JSON.
    var allowsComments = false

    /// Throws if a file is too large.
    func checkSize(_ bytes: [UInt8]) throws(ConfigError) {
        guard bytes.count > limits.bytes else { return }
        throw ConfigError(
            .limitExceeded, location: location, expected: "at most \(limits.bytes) bytes", found: "\(bytes.count)")
    }

    /// Returns the diagnostic for a duplicate key.
    ///
    /// - Throws: A `duplicateKey` error, unless the last entry wins.
    func duplicate(
        _ key: ConfigPath, first: ConfigLocation, second: ConfigLocation
    ) throws(ConfigError) -> ConfigDiagnostic {
        if duplicates == .error {
            throw ConfigError(
                .duplicateKey, key: key, location: second, reason: "duplicate key", notes: ["first defined at \(first)"]
            )
        }
        return ConfigDiagnostic(
            .duplicateKey, key: key, location: second,
            message: "duplicate key, first defined at \(first); the last value wins")
    }
}

/// The result of reading a file.
struct ConfigReading: Sendable {
    var tree: ConfigTree
    var diagnostics: [ConfigDiagnostic] = []
}
