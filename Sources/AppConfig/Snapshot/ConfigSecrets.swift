internal import AshlarCore

/// Which values are secret: they print as `<redacted>` in descriptions, errors, explanations, differences and logs.
///
/// A value is secret when its path, or that of a dictionary or array it lies in, is listed here or in a file's `$secret`,
/// when a key of the program declares it (`ConfigKey(…, secret: true)`), when a word of one of its keys is listed
/// (`dbPassword`, `api_token`), or when it was built from a secret value by `${…}`. In sections of bundle identifiers
/// the same paths count. Reading a secret value is not restricted, and a ``ConfigValue`` that was read prints itself.
public struct ConfigSecrets: Sendable, Hashable {
    /// Words that make a key secret; they are compared without regard to case with the words of `camelCase`,
    /// `snake_case`, `kebab-case` and dotted keys.
    public var words: Set<String>
    /// Paths of secret values.
    public var paths: Set<ConfigPath>

    /// Creates a rule.
    public init(words: Set<String> = ConfigSecrets.standardWords, paths: Set<ConfigPath> = []) {
        self.words = words
        self.paths = paths
    }

    /// The words that make a key secret unless others are given.
    public static let standardWords: Set<String> = [
        "password", "passwords", "passwd", "passphrase", "pwd", "secret", "secrets", "token", "credential",
        "credentials", "apikey", "privatekey", "accesskey", "signingkey", "encryptionkey",
    ]

    /// Keys with one of the standard words.
    public static let standard: ConfigSecrets = ConfigSecrets()

    /// Only what files and interpolation mark.
    public static let none: ConfigSecrets = ConfigSecrets(words: [])

    /// Only these paths, and what files and interpolation mark.
    public static func paths(_ paths: Set<ConfigPath>) -> ConfigSecrets { ConfigSecrets(words: [], paths: paths) }

    /// Whether the value at a path is secret by this rule, or by a key that the program declared secret.
    public func isSecret(_ path: ConfigPath) -> Bool {
        let components = path.components
        let isNamed = components.contains { component in
            if case .key(let key) = component { isSecretKey(key) } else { false }
        }
        if isNamed { return true }
        let listed = paths.union(ConfigSecretKeys.all).map(\.components)
        if listed.isEmpty { return false }
        return Self.readings(of: components).contains { reading in listed.contains { reading.starts(with: $0) } }
    }

    /// What the steps of a value may be listed as: themselves; the path that a root key with dots spells; and the steps
    /// in a section of a bundle identifier, which is such a root key.
    static func readings(of components: [ConfigPath.Component]) -> [[ConfigPath.Component]] {
        guard case .key(let first)? = components.first, first.utf8.contains(where: ConfigPath.needsEscape) else {
            return [components]
        }
        let rest = Array(components.dropFirst())
        return [components, ConfigPath(first).components + rest] + (rest.isEmpty ? [] : [rest])
    }

    /// Whether a key has a secret word, or two neighbours that form one (`api` and `key`).
    func isSecretKey(_ key: String) -> Bool {
        if words.isEmpty { return false }
        let found = Self.split(key)
        for (at, word) in found.enumerated() {
            if words.contains(word) { return true }
            if at > 0, words.contains(found[at - 1] + word) { return true }
        }
        return false
    }

    /// The words of a key in lower case: `dbPassword` and `DB_PASSWORD` both are `db`, `password`.
    static func split(_ key: String) -> [String] {
        var found: [String] = []
        var word = ""
        var wasLower = false
        for scalar in key.unicodeScalars {
            let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            let isUpper = scalar.properties.isUppercase
            if !isLetter || (isUpper && wasLower) {
                if !word.isEmpty { found.append(word) }
                word = ""
            }
            if isLetter { word += scalar.properties.lowercaseMapping }
            wasLower = isLetter && !isUpper
        }
        if !word.isEmpty { found.append(word) }
        return found
    }
}

/// The paths of all keys that the program declared secret, from any module and thread.
enum ConfigSecretKeys {
    private static let paths = Mutex<Set<ConfigPath>>([])

    static func add(_ name: String) { _ = paths.withLock { $0.insert(ConfigPath(name)) } }

    static var all: Set<ConfigPath> { paths.withLock { $0 } }
}
