/// Which values are secret: they print as `<redacted>` in descriptions, errors, explanations, differences and logs.
///
/// A value is secret when its path, or that of a dictionary or array it lies in, is listed here or in a file's `$secret`,
/// when a word of one of its keys is (`dbPassword`, `api_token`), or when it was built from a secret value by `${…}`.
/// Reading a secret value is not restricted.
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

    /// Whether the value at a path is secret by this rule.
    public func isSecret(_ path: ConfigPath) -> Bool {
        let components = path.components
        if paths.contains(where: { components.starts(with: $0.components) }) { return true }
        return components.contains { component in
            if case .key(let key) = component { isSecretKey(key) } else { false }
        }
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

extension ConfigTree {
    /// Whether a node or a container it lies in is marked or secret by a rule.
    func isSecret(_ node: Int, by rule: ConfigSecrets) -> Bool {
        var at = node
        while at != 0 {
            if nodes[at].flags.contains(.secret) { return true }
            at = Int(nodes[at].parent)
        }
        return rule.isSecret(path(of: node))
    }
}
