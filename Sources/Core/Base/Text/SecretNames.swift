/// Decides by its name whether a value is secret, such as a setting, a header field, a query parameter or a log field.
///
/// A name is split into words (`dbPassword`, `DB_PASSWORD`, `db-password` and `DBPassword` are `db`, `password`). Digits at
/// the end of a word and a plural `s` don't matter. The name is secret if it has:
///
/// - a word that always names a secret, such as `password` or `token`, alone or at the end of a word without separators
///   (`dbpassword`), unless the last word describes the secret (`passwordLength`, `tokenType`);
/// - a word that names a secret in some positions, such as `pin` or `auth`: at the end (`cardPin`), or before a word
///   like `code` or `header` (`pinCode`), but not elsewhere (`pinColor`, `authorName`);
/// - two adjacent words that form a secret's name, such as `api` and `key`.
package struct SecretNames: Hashable, Sendable {
    /// The text printed instead of a secret value.
    package static let placeholder = "<redacted>"

    /// The rules that every module applies by default.
    package static let standard = SecretNames()

    /// More words that always name a secret, in lowercase.
    ///
    /// Two adjacent words of a name can form one of them.
    package var additionalWords: Set<String>

    /// Creates rules with more words, in any case.
    package init(additionalWords: Set<String> = []) {
        self.additionalWords = Set(additionalWords.map { $0.lowercased() })
    }

    /// Returns whether a name is the name of a secret.
    ///
    /// - Complexity: O(*n*) in the length of the name.
    package func matches(_ name: String) -> Bool {
        let words = Self.words(of: name)
        guard let last = words.last else { return false }
        if Self.hasWord(of: additionalWords, in: words) { return true }
        let stems = words.map(Self.stem)
        if stems == ["key"] { return true }
        for (at, stem) in stems.enumerated() {
            let isLast = at == stems.count - 1
            if Self.isStrong(stem) {
                let isDescription =
                    !isLast && (Self.descriptions.contains(last) || Self.descriptions.contains(stems[at + 1]))
                let isCount = at > 0 && words[at] != stem && Self.quantities.contains(words[at - 1])
                let isCursor = at > 0 && stem == "token" && Self.cursors.contains(stems[at - 1])
                if !isDescription, !isCount, !isCursor { return true }
            }
            if Self.weak.contains(stem), isLast || Self.carriers.contains(stems[at + 1]) { return true }
            if at > 0, Self.pairs[stems[at - 1]]?.contains(stem) == true {
                if isLast || !Self.descriptions.contains(last) { return true }
            }
        }
        return false
    }

    /// Returns whether one of the words, or two adjacent words together, are in a set.
    package static func hasWord(of set: Set<String>, in words: [String]) -> Bool {
        if set.isEmpty { return false }
        return words.contains { set.contains($0) }
            || zip(words, words.dropFirst()).contains { set.contains($0 + $1) }
    }

    /// Returns the lowercase words of a name, divided by separators, changes of case, and the ends of acronyms.
    package static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var previous: Unicode.Scalar?
        let scalars = Array(name.unicodeScalars)
        for (at, scalar) in scalars.enumerated() {
            let properties = scalar.properties
            let isWordPart = properties.isAlphabetic || properties.numericType != nil
            if isWordPart, properties.isUppercase, let previous, !word.isEmpty {
                let endsAcronym = at + 1 < scalars.count && scalars[at + 1].properties.isLowercase
                // The plural of an acronym (`APIs`) is a single word.
                let isPlural =
                    endsAcronym && scalars[at + 1] == "s"
                    && (at + 2 == scalars.count || !scalars[at + 2].properties.isLowercase)
                if !previous.properties.isUppercase || endsAcronym && !isPlural {
                    words.append(word)
                    word = ""
                }
            }
            if isWordPart {
                word += properties.lowercaseMapping
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
            previous = scalar
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Returns the name of a parameter of a query with each percent escape replaced.
    static func decodingPercents(_ name: ArraySlice<UInt8>) -> String {
        let parts = name.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        let decoded = parts.dropFirst().flatMap { part -> [UInt8] in
            let digits = part.prefix(2).compactMap { $0.hexValue }
            return digits.count == 2 ? [digits[0] << 4 | digits[1]] + part.dropFirst(2) : [UInt8(ascii: "%")] + part
        }
        return String(decoding: parts[0] + decoded, as: UTF8.self)
    }

    /// A word without digits at its end and without a plural `s`.
    private static func stem(_ word: String) -> String {
        let letters = word.reversed().drop { $0.isNumber }
        guard letters.first == "s", letters.count > 3 else { return String(letters.reversed()) }
        let singular = String(letters.dropFirst().reversed())
        // Words like "pass" and "access" end in "ss" in the singular.
        return singular.last == "s" ? singular + "s" : singular
    }

    private static func isStrong(_ stem: String) -> Bool {
        strong.contains(stem) || joined.contains { stem.hasSuffix($0) }
    }
}

/// The vocabulary, singular and lowercase.
extension SecretNames {
    /// Words that always name a secret.
    private static let strong: Set<String> = [
        "password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "token", "credential", "cred",
        "apikey", "privkey", "connstr", "connectionstring", "passwordhash", "pwdhash", "pw", "pword", "pswd", "psk",
        "pgpass", "pincode", "csrf", "xsrf", "ssn", "iban",
    ]

    /// Endings of words without separators that always name a secret.
    private static let joined: [String] = [
        "password", "passwd", "passphrase", "passcode", "pwd", "pswd", "secret", "token", "credential", "apikey",
        "secretkey",
        "privatekey", "accesskey", "signingkey", "encryptionkey", "sshkey", "licensekey", "authkey", "masterkey",
        "connectionstring", "authorization",
    ]

    /// Words that name a secret in some positions only.
    private static let weak: Set<String> = [
        "auth", "authorization", "authentication", "bearer", "cookie", "jwt", "otp", "totp", "pin", "dsn", "salt",
        "hmac", "pat", "sid", "session", "signature", "sig", "cvv", "cvc", "nonce", "mnemonic", "oauth",
    ]

    /// Words that name the same secret after a word of `weak`: `pinCode`, `authHeader`, `sessionID`.
    private static let carriers: Set<String> = [
        "code", "number", "value", "data", "string", "header", "key", "id", "hash", "text", "base64", "hex", "info",
    ]

    /// First and second words that form a secret: `apiKey`, `clientCert`.
    private static let pairs: [String: Set<String>] = {
        let keys = [
            "api", "access", "account", "activation", "admin", "aes", "app", "application", "auth", "consumer",
            "crypto", "decryption", "deploy", "encryption", "function", "gpg", "hmac", "host", "license", "licence",
            "master", "pgp", "private", "product", "rsa", "secret", "server", "service", "session", "shared", "signing",
            "ssh", "storage", "subscription", "symmetric", "tls", "ssl", "webhook", "write", "functions",
        ]
        var pairs: [String: Set<String>] = [
            "client": ["cert", "certificate", "key"], "connection": ["string"], "conn": ["string", "str"],
            "recovery": ["code", "phrase"], "seed": ["phrase"], "security": ["answer", "code"],
            "backup": ["code"], "pass": ["word", "phrase", "code"], "code": ["verifier"], "card": ["number"],
            "social": ["security"], "database": ["url", "uri"], "db": ["url", "uri"], "private": ["pem", "key"],
        ]
        for factor in ["2fa", "fa", "login", "mfa", "sms", "tfa", "verification"] { pairs[factor] = ["code"] }
        for owner in ["master", "otp", "recovery", "totp", "wallet"] { pairs[owner, default: []].insert("seed") }
        for algorithm in ["dsa", "ec", "ed25519", "gpg", "pgp", "rsa", "ssh"] {
            pairs[algorithm, default: []].insert("private")
        }
        for key in keys { pairs[key, default: []].insert("key") }
        return pairs
    }()

    /// Words after a secret's name that describe the secret without revealing it.
    private static let descriptions: Set<String> = [
        "age", "algorithm", "arn", "attempts", "audience", "button", "color", "colour", "count", "days", "enabled",
        "disabled",
        "endpoint", "expiration", "expires", "expiry", "field", "format", "hours", "icon", "interval", "issuer",
        "label", "length", "lifetime", "limit", "max", "min", "minutes", "ms", "name", "pattern", "placeholder",
        "policy",
        "position", "prefix", "provider", "ref", "reference", "regex", "required", "retries", "rotation", "rounds",
        "screen", "seconds",
        "size", "strategy", "strength", "style", "timeout", "title", "ttl", "type", "uri", "url", "validation",
        "validator", "view", "visible",
    ]

    /// Words before a plural that make the name a quantity: `maxTokens`.
    private static let quantities: Set<String> = [
        "max", "maximum", "min", "minimum", "num", "number", "total", "count", "cached", "completion", "input",
        "output",
        "prompt", "remaining", "used",
    ]

    /// Names of secrets that are also ordinary words, which a sentence or a heading can have before a colon.
    static let ordinaryWords: Set<String> = [
        "auth", "authentication", "bearer", "key", "keys", "nonce", "pass", "pat", "pin", "salt", "session", "sessions",
        "sid", "signature",
    ]

    /// Ends of names whose value in a text is the rest of the line: fields that contain several words, and phrases.
    static let namesOfLines = ["authorization", "cookie", "phrase", "mnemonic"]

    /// Words that follow `Bearer` and `Basic` in a sentence.
    static let wordsAfterSchemes: Set<String> = [
        "", "and", "auth", "authentication", "authorization", "challenge", "credential", "credentials", "error", "for",
        "from", "header", "is", "of", "or", "realm", "scheme", "token", "tokens", "was", "with",
    ]

    /// Words before `token` that make it a position in a list or a handle of a task: `nextPageToken`.
    private static let cursors: Set<String> = [
        "cancel", "cancellation", "continuation", "cursor", "next", "page", "pagination",
    ]
}
