internal import AshlarCore

/// Decides which values are secret: they print as `<redacted>` in descriptions, errors, explanations, and differences.
///
/// A value is secret when
/// - a key on its path has the name of a secret, such as `dbPassword`, `API_TOKEN`, or `licenseKey`;
/// - its path, or that of a dictionary or array around it, is listed here or in a file's `$secret`;
/// - a key of the program declares it with `ConfigKey(…, secret: true)`;
/// - it was made from a secret value, or from the name of one, by `${…}`.
///
/// The same paths are secret in sections of bundle identifiers. Credentials inside URLs, as in
/// `postgres://user:password@host`, are hidden in every printed string. Reading a secret value is not restricted, and a
/// ``ConfigValue`` that was read prints itself.
public struct ConfigSecrets: Sendable, Hashable {
    /// Whether the standard vocabulary applies: words like `password`, `token`, `auth`, and `pin`, in any spelling.
    ///
    /// Names that describe a secret, such as `passwordLength` or `tokenType`, and other words that contain one, such as
    /// `tokenizer` or `pinColor`, are not secret.
    public var includesStandardNames: Bool
    /// More words, in lower case, that make a key secret.
    public var words: Set<String>
    /// The paths of secret values.
    public var paths: Set<ConfigPath>

    /// Creates a rule.
    public init(words: Set<String> = [], paths: Set<ConfigPath> = [], includesStandardNames: Bool = true) {
        self.words = words
        self.paths = paths
        self.includesStandardNames = includesStandardNames
    }

    /// Values whose keys have names of the standard vocabulary.
    public static let standard: ConfigSecrets = ConfigSecrets()

    /// Only values that files, typed keys, and interpolation mark.
    public static let none: ConfigSecrets = ConfigSecrets(includesStandardNames: false)

    /// Only these paths, and values that files, typed keys, and interpolation mark.
    public static func paths(_ paths: Set<ConfigPath>) -> ConfigSecrets {
        ConfigSecrets(paths: paths, includesStandardNames: false)
    }

    /// Whether the value at a path is secret by this rule, or by a key that the program declared secret.
    public func isSecret(_ path: ConfigPath) -> Bool {
        var matcher = ConfigSecretMatcher(self)
        return path.components.reduce(matcher.root) { matcher.step($0, $1) }.isSecret
    }

    /// Whether a key has the name of a secret.
    func isSecretKey(_ key: String) -> Bool {
        if includesStandardNames, SecretNames.standard.matches(key) { return true }
        if words.isEmpty { return false }
        let found = SecretNames.words(of: key)
        return found.contains { words.contains($0) }
            || zip(found, found.dropFirst()).contains { words.contains($0 + $1) }
    }
}

/// The keys that the program declared, in any module and on any thread.
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

    /// The paths of all keys that were declared secret.
    static var secretPaths: Set<ConfigPath> { keys.withLock { $0.secretPaths } }
}
