/// Decides by its name whether a value is secret, such as a setting, a header field, a query parameter or a log field.
///
/// A name is split into words (`dbPassword`, `DB_PASSWORD`, `db-password` and `DBPassword` are `db`, `password`). Digits at
/// the end of a word and a plural `s` don't matter. Each word, and up to four adjacent words together, are looked up in one
/// list (`api_key` is `apikey`), and so is the end of a word that is written without separators (`dbpassword`).
///
/// - Most names of the list are secret anywhere in a name, unless a later word describes the secret (`passwordLength`,
///   `tokenType`) or the word before changes the meaning (`nextPageToken`, `maxTokens`, `hasToken`).
/// - Some are also ordinary words, such as `pin` or `auth`. They are secret at the end (`cardPin`), or before a word like
///   `code` or `header` (`pinCode`), but not elsewhere (`pinColor`, `authURL`).
package struct SecretNames: Hashable, Sendable {
    /// The text printed instead of a secret value.
    package static let placeholder = "<redacted>"

    /// The names that every module applies by default.
    package static let standard = SecretNames()

    /// Further names of secrets, in lowercase and without separators.
    package let additionalWords: Set<String>
    private let includesStandard: Bool

    /// Creates the list with further names, in any case.
    package init(additionalWords: Set<String> = [], includesStandard: Bool = true) {
        self.additionalWords = Set(additionalWords.map { Self.words(of: $0).joined() })
        self.includesStandard = includesStandard
    }

    /// How the list knows a name.
    package struct Match {
        /// Whether the name is also an ordinary word, such as `session`.
        package let isVague: Bool
        /// Whether the name is a plural, whose value can be a number of things, such as `tokens`.
        package let isPlural: Bool
        /// Whether people choose the value, which can be an ordinary word then, such as `password`.
        package let isChosen: Bool
    }

    /// Returns whether a setting, header field or parameter has the name of a secret.
    ///
    /// The name `key` alone is secret here. In a log it isn't, because entries of caches and tables have keys, too.
    ///
    /// - Complexity: O(*n*) in the length of the name.
    package func matches(_ name: String) -> Bool {
        let words = Self.words(of: name)
        return match(words) != nil || includesStandard && words.map(Self.stem) == ["key"]
    }

    /// Returns how the list knows a name in a log; nil if it isn't the name of a secret.
    ///
    /// - Parameters:
    ///   - words: The words of the name, after the words of the sentence that precede it.
    ///   - context: The number of words that precede the name.
    /// - Returns: The kind of the name, or nil.
    package func match(_ words: [String], context: Int = 0) -> Match? {
        let stems = words.map(Self.stem)
        for end in words.indices.reversed() {
            let rest = stems[(end + 1)...]
            // Words of the sentence can follow, as in "contraseña nueva", "token de acceso" and "password for bob".
            let isOwned = rest.count == 2 && Self.prepositions.contains(stems[end + 1])
            if end < context, !isOwned, !rest.allSatisfy(Self.modifiers.contains) { continue }
            for first in max(0, end - 3)...end {
                let stem = words[first..<end].joined() + stems[end]
                guard let isVague = isVague(stem, isWord: first == end) else { continue }
                let before = first > 0 ? words[first - 1] : ""
                if Self.before.contains(before) || stem == "token" && Self.beforeToken.contains(before) { continue }
                if isVague ? rest.allSatisfy(Self.carriers.contains) : Self.after.isDisjoint(with: rest) {
                    let isPlural = rest.isEmpty && words[end].last == "s" && !stem.hasPrefix("cred")
                    let isChosen = Self.chosen.contains { stem.hasPrefix($0) || stem.hasSuffix($0) }
                    return Match(isVague: isVague, isPlural: isPlural, isChosen: isChosen)
                }
            }
        }
        return nil
    }

    /// Whether a name of the list is vague; nil if it isn't in the list.
    private func isVague(_ stem: String, isWord: Bool) -> Bool? {
        if !additionalWords.isEmpty, additionalWords.contains(stem) { return false }
        guard includesStandard else { return nil }
        // Shorter endings are those of ordinary words, such as `compass`.
        if Self.clear.contains(stem) { return false }
        if isWord {
            var ending = Array(stem.utf8)[...]
            while ending.count > 5 {
                ending.removeFirst()
                if Self.clear.contains(String(decoding: ending, as: UTF8.self)) { return false }
            }
        }
        return Self.vague.contains(stem) ? true : nil
    }

    /// Returns the lowercase words of a name, divided by separators, changes of case, and the ends of acronyms.
    package static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        let scalars = Array(name.unicodeScalars)
        for (at, scalar) in scalars.enumerated() {
            let isBeforeSmall = at + 1 < scalars.count && scalars[at + 1].isSmall
            let isStart = scalar.isCapital && (at == 0 || !scalars[at - 1].isCapital || isBeforeSmall)
            if !scalar.isWordPart || isStart, !word.isEmpty {
                words.append(word)
                word = ""
            }
            if scalar.isWordPart { word += scalar.lowercased }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// A word without digits at its end and without a plural `s`.
    private static func stem(_ word: String) -> String {
        var letters = Substring(word).utf8
        while letters.last?.isDigit == true { letters.removeLast() }
        // Words like "pass" and "access" end in "ss" in the singular.
        let isSingular = letters.count <= 3 || letters.last != UInt8(ascii: "s")
        if isSingular || letters.dropLast().last == UInt8(ascii: "s") {
            return String(decoding: letters, as: UTF8.self)
        }
        return String(decoding: letters.dropLast(), as: UTF8.self)
    }
}

/// The classes of scalars, without a look at Unicode's tables for ASCII.
extension Unicode.Scalar {
    fileprivate var isSmall: Bool { isASCII ? ("a"..."z").contains(self) : properties.isLowercase }
    fileprivate var isCapital: Bool { isASCII ? ("A"..."Z").contains(self) : properties.isUppercase }
    fileprivate var isWordPart: Bool {
        isASCII ? UInt8(ascii: self).isLetter || UInt8(ascii: self).isDigit : properties.isAlphabetic
    }
    fileprivate var lowercased: String {
        isASCII ? String(Unicode.Scalar(UInt8(ascii: self).asciiLowercased)) : properties.lowercaseMapping
    }
}
