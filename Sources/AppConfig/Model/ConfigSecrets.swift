internal import AshlarCore

/// Decides which values are secret and print as `<redacted>` in descriptions, errors, explanations, and differences.
///
/// A value is secret if
/// - a key on its path has the name of a secret, such as `dbPassword`, `API_TOKEN`, or `licenseKey`;
/// - its path, or the path of a container around it, is listed here or in a file's `$secret`;
/// - a key of the program declares it as secret, with `ConfigKey(…, secret: true)`;
/// - it contains a reference `${…}` to a secret value, or to a name that is secret.
///
/// The same paths are secret in sections of bundle identifiers. Credentials in URLs, as in
/// `postgres://user:password@host`, are hidden in every printed string. Code can read secret values, and a
/// ``ConfigValue`` that was read prints its content.
public struct ConfigSecrets: Sendable, Hashable {
    /// Whether the standard vocabulary applies: words such as `password`, `token`, `auth`, and `pin`, in any notation.
    ///
    /// Names that describe a secret, such as `passwordLength` or `tokenType`, and other words that contain one, such as
    /// `tokenizer` or `pinColor`, aren't secret.
    var includesStandardNames: Bool
    /// Additional lowercase words that make a key secret.
    public var words: Set<String>
    /// The paths of secret values.
    public var paths: Set<ConfigPath>

    /// Creates rules for secret values.
    public init(words: Set<String> = [], paths: Set<ConfigPath> = [], includesStandardNames: Bool = true) {
        self.words = words
        self.paths = paths
        self.includesStandardNames = includesStandardNames
    }

    /// Hides values whose keys have names of the standard vocabulary.
    public static let standard: ConfigSecrets = ConfigSecrets()

    /// Hides only values that files, typed keys, and references mark as secret.
    public static let none: ConfigSecrets = ConfigSecrets(includesStandardNames: false)

    /// Returns whether the value at a path is secret by these rules, or by a key that the program declared as secret.
    package func isSecret(_ path: ConfigPath) -> Bool {
        var matcher = ConfigSecretMatcher(self)
        return path.components.reduce(matcher.root) { matcher.step($0, $1) }.isSecret
    }

    /// Returns whether a key has the name of a secret.
    func isSecretKey(_ key: String) -> Bool {
        if includesStandardNames, SecretNames.standard.matches(key) { return true }
        if words.isEmpty { return false }
        let found = SecretNames.words(of: key)
        return found.contains { words.contains($0) }
            || zip(found, found.dropFirst()).contains { words.contains($0 + $1) }
    }
}

/// The keys that the program declared, in any module.
enum ConfigDeclaredKeys {
    private struct Keys {
        var names: Set<String> = []
        var secretPaths: Set<ConfigPath> = []
    }

    private static let keys = Mutex(Keys())

    static func add(_ name: String, isSecret: Bool) {
        keys.withLock { keys in
            keys.names.insert(name)
            if isSecret { keys.secretPaths.insert(ConfigPath(name)) }
        }
    }

    /// The names of all typed keys.
    static var names: Set<String> { keys.withLock { $0.names } }

    /// The paths of all keys that were declared as secret.
    static var secretPaths: Set<ConfigPath> { keys.withLock { $0.secretPaths } }
}
