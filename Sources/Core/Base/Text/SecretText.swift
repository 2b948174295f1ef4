/// Hides secrets inside text whose name isn't a secret's, such as a log message, an error or a setting.
///
/// Hidden are:
///
/// - in URLs, the user information with a password (`postgres://user:pw@db`) or with a token in a web address
///   (`https://token@host`), and the values of secret names, `code` and `key` in a query or fragment;
/// - the value of a secret name, as ``SecretNames`` defines them, in `name=value`, `name: value`, `"name": "value"` and
///   `name => value`, if it could be a secret, as ``SecretValue`` decides;
/// - the fields `Authorization` and `Cookie` of HTTP, and a token after `Bearer` and `Basic`;
/// - private keys in PEM and PGP blocks, JSON web tokens, and tokens with the prefix of a provider (`ghp_`, `AKIA`).
///
/// Nothing else is hidden, such as a value with white space, after a word or an option (`the password is x`,
/// `--password x`), in XML or in an encoded text, or the number of a card. Redacted text doesn't change if it is redacted
/// again.
package enum SecretText {
    /// Returns the text with each secret replaced by ``SecretNames/placeholder``.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package static func redacted(_ text: String, names: SecretNames = .standard) -> String {
        var scanner = SecretScanner(bytes: Array(text.utf8), names: names)
        return scanner.redacted() ?? text
    }

    /// Whether the text has any of the bytes that announce a secret; most messages have none.
    ///
    /// The bytes are those of the caller's buffer: a copy of each logged line would take longer than this check.
    package static func mayHaveSecret(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let initials = Self.initials
        for (at, byte) in bytes.enumerated() where initials[Int(byte)] {
            if byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") { return true }
            if at > 0, byte != UInt8(ascii: "-"), SecretScanner.isWordPart(bytes[at - 1]) { continue }
            if hasWord("bearer", bytes, at) || hasWord("basic", bytes, at) { return true }
            if prefixes[Int(byte)].contains(where: { hasPrefix($0, bytes, at) }) { return true }
        }
        return false
    }

    /// Whether the bytes at an offset are a word of small letters, in any case.
    fileprivate static func hasWord(_ word: StaticString, _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
        guard at + word.utf8CodeUnitCount <= bytes.count else { return false }
        return word.withUTF8Buffer { word in
            for (index, letter) in word.enumerated() where bytes[at + index].asciiLowercased != letter { return false }
            return true
        }
    }

    fileprivate static func hasPrefix(_ prefix: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
        guard at + prefix.count <= bytes.count else { return false }
        for (index, byte) in prefix.enumerated() where bytes[at + index] != byte { return false }
        return true
    }

    /// The bytes with which a secret or its announcement begins.
    private static let initials = (0...UInt8.max).map { $0.isOne(of: "=:Bb") || !prefixes[Int($0)].isEmpty }
}

/// Finds the secrets of a text in one pass.
private struct SecretScanner {
    let bytes: [UInt8]
    let names: SecretNames
    var result: [UInt8] = []
    /// The end of the last secret; nothing before it is looked at again.
    var floor = 0
    /// The end of the last value without quotation marks, so that no byte is searched for it twice.
    var runEnd = 0

    /// The longest name and the longest password of a URL, so that a hostile text costs no more than a multiple of its length.
    static let longestName = 128
    static let longestWord = 512
    static let longestPassword = 2_048

    /// Returns the text without its secrets, or nil if it has none.
    mutating func redacted() -> String? {
        var at = 0
        while at < bytes.count {
            let secret = secret(announcedAt: at) ?? at..<at
            if secret.isEmpty || starts(with: SecretNames.placeholder, at: secret.lowerBound) {
                at += 1
                continue
            }
            result += bytes[floor..<secret.lowerBound] + SecretNames.placeholder.utf8
            floor = secret.upperBound
            at = floor
        }
        return floor == 0 ? nil : String(decoding: result + bytes[floor...], as: UTF8.self)
    }

    /// The secret that the byte at an offset announces: a separator, or the first byte of a word.
    mutating func secret(announcedAt at: Int) -> Range<Int>? {
        switch bytes[at] {
        case UInt8(ascii: ":") where starts(with: "://", at: at): userInformation(at: at + 3)
        case UInt8(ascii: "="), UInt8(ascii: ":"): value(ofNameBefore: at)
        case UInt8(ascii: "-"): privateKey(at: at)
        case let byte where byte.isLetter && isWordStart(at): credentials(ofSchemeAt: at) ?? token(at: at)
        default: nil
        }
    }

    // MARK: Names and values

    /// The value of the secret name before the separator at an offset.
    mutating func value(ofNameBefore separator: Int) -> Range<Int>? {
        let isColon = bytes[separator] == UInt8(ascii: ":")
        let next = separator + (starts(with: "=>", at: separator) ? 2 : 1)
        // Other operators, such as `==`, `!=`, `::` and the first byte of `:=`.
        if has("=~:", at: next) || has(isColon ? ":" : "=!<>~+-|", at: separator - 1) { return nil }
        var start = end(from: next) { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        // Without a search for the end, which each name in a line of hidden values would repeat.
        if starts(with: SecretNames.placeholder, at: start) { return nil }
        guard let (words, context, nameStart) = name(before: separator, ofShortValue: isShort(at: start)) else {
            return nil
        }
        let isParameter = !isColon && has("?&#", at: nameStart - 1)
        guard let name = names.match(words, context: context) else {
            guard isParameter, ["code", "key"].contains(words.last) else { return nil }
            let value = next..<endOfRun(from: next)
            return value.count >= 10 && SecretValue(bytes[value]).isRandom ? value : nil
        }
        if isColon && has("/", at: nameStart - 1) { return nil }  // The last part of a path: `/login/token: not found`.
        let isList = has("[", at: start) && quote(at: start + 1) != nil
        if isList { start += 1 }
        let quote = quote(at: start)
        let first = quote?.endIndex ?? start
        let outer = quote?.last ?? bytes[max(0, nameStart - 1)]
        if let field = field(words.last, at: first, until: outer, isColon) { return field }
        var value = first..<(quote.map { endOfString(from: first, $0) } ?? endOfRun(from: first))
        if isParameter { value = first..<min(value.upperBound, end(from: first) { $0 == UInt8(ascii: "#") }) }
        // In a query, the name says that the value is secret, unless it is a variable or nothing.
        if isParameter, !name.isVague, !name.isPlural, !has("${<*:", at: first) {
            return value.isEmpty || SecretValue.nothing.contains(text(value).lowercased()) ? nil : value
        }
        if let quote {
            guard SecretValue(bytes[value]).isPossible(name, names) else { return nil }
            let rest = value.upperBound..<end(from: value.upperBound) { $0 == UInt8(ascii: "]") || $0.isSpace }
            let last = isList ? bytes[rest].lastIndex(of: bytes[first - 1]).map { $0 - quote.count + 1 } : nil
            return first..<max(value.upperBound, last ?? 0)
        }
        // A call, a subscript or the parameter of a type, and a number or a list of names.
        if has("([<{", at: value.upperBound) || isColon && name.isPlural { return nil }
        let isContinued = isColon && has(" ", at: value.upperBound) && isWordPart(at: value.upperBound + 1)
        // In a sentence, `token: identifier` has no secret; a password can be a word.
        let isWord = !isContinued && !(isColon && (start == next || !name.isChosen))
        let isPossible = SecretValue(bytes[value]).isPossible(
            name, names, isContinued: isContinued, isWordPossible: isWord)
        return isPossible ? value : nil
    }

    /// The words of the name before a separator, after up to three words of the sentence around it, and the name's offset.
    ///
    /// A value that is too short for a secret needs a name only in a query.
    func name(before separator: Int, ofShortValue isShort: Bool) -> (words: [String], context: Int, start: Int)? {
        let first = max(floor, separator - Self.longestName)
        var nameEnd = start(before: separator, from: first) { $0.isOne(of: " :") }
        if has("]", at: nameEnd - 1), has("\"'", at: nameEnd - 2) { nameEnd = max(first, nameEnd - 1) }
        let isQuoted = nameEnd > first && has("\"'", at: nameEnd - 1)
        if isQuoted { nameEnd = start(before: nameEnd - 1, from: first) { $0 == UInt8(ascii: "\\") } }
        let nameStart = start(before: nameEnd, from: first) { Self.isWordPart($0) || $0.isOne(of: "-.%[]") }
        let hasLetter = bytes[nameStart..<nameEnd].contains { $0.isLetter || $0 >= 0x80 }
        guard hasLetter, !isShort || has("?&#", at: nameStart - 1) else { return nil }
        let sentence = start(before: nameStart, from: isQuoted ? nameStart : first) {
            Self.isWordPart($0) || $0.isOne(of: " -'")
        }
        let context = sentence == nameStart ? [] : SecretNames.words(of: text(sentence..<nameStart)).suffix(3)
        // In a query, separators and brackets can be escaped.
        let parts = text(nameStart..<nameEnd).split(separator: "%", omittingEmptySubsequences: false)
        let name = parts[0] + parts.dropFirst().map { "_" + $0.dropFirst(2) }.joined()
        return (context + SecretNames.words(of: String(name)), context.count, nameStart)
    }

    /// Whether the text at an offset is too short for a secret, a cookie and the scheme of credentials.
    func isShort(at start: Int) -> Bool {
        let run = bytes.dropFirst(start).prefix(SecretValue.shortest).prefix { !$0.isSpace && $0 != UInt8(ascii: ",") }
        if run.count == SecretValue.shortest || run.contains(where: { $0.isOne(of: "=\"'[") }) { return false }
        return !SecretValue.schemes.contains(String(decoding: run, as: UTF8.self).lowercased())
    }

    /// The value of a field of HTTP that can have several words: the cookies, or the scheme and its credentials.
    func field(_ name: String?, at start: Int, until quote: UInt8, _ isColon: Bool) -> Range<Int>? {
        guard name == "authorization" || name == "cookie" && isColon else { return nil }
        let word = bytes.dropFirst(start).prefix(Self.longestWord).prefix { !$0.isSpace }
        if name == "authorization" {
            if let token = credentials(ofSchemeAt: start, isField: true) { return start..<token.upperBound }
            let credentials = bytes.dropFirst(word.endIndex + 1).prefix(Self.longestWord).prefix { !$0.isSpace }
            let isScheme = SecretValue.schemes.contains(text(word.startIndex..<word.endIndex).lowercased())
            let hasCredentials = SecretValue(credentials).isRandom || credentials.contains(UInt8(ascii: "="))
            guard isScheme, hasCredentials else { return nil }
        } else if !word.contains(UInt8(ascii: "=")) {
            return nil
        }
        return start..<end(from: start) { $0.isOne(of: "\r\n") || $0 == quote && quote.isOne(of: "\"'") }
    }

    /// The end of a value without quotation marks.
    mutating func endOfRun(from start: Int) -> Int {
        if start >= runEnd { runEnd = end(from: start) { $0.isSpace || $0.isOne(of: ",;&\"'`<>()[]{}|\\") } }
        return self.start(before: runEnd, from: start) { $0.isOne(of: ".:") }
    }

    /// The quotation mark at an offset, with the backslashes before it, or nil.
    func quote(at start: Int) -> ArraySlice<UInt8>? {
        let mark = bytes.dropFirst(start).prefix(16).firstIndex { $0 != UInt8(ascii: "\\") }
        return mark.flatMap { has("\"'", at: $0) ? bytes[start...$0] : nil }
    }

    /// The end of a string: the next mark of the same kind that has no more backslashes before it.
    func endOfString(from start: Int, _ quote: ArraySlice<UInt8>) -> Int {
        var backslashes = 0
        for at in start..<bytes.count {
            if bytes[at] == quote.last, backslashes < quote.count { return at - backslashes }
            backslashes = bytes[at] == UInt8(ascii: "\\") ? backslashes + 1 : 0
        }
        return bytes.count
    }

    // MARK: Shapes

    /// The token after the scheme `Bearer` or `Basic` at an offset.
    func credentials(ofSchemeAt at: Int, isField: Bool = false) -> Range<Int>? {
        let isBearer = bytes.withUnsafeBufferPointer { SecretText.hasWord("bearer", $0, at) } && has(" ", at: at + 6)
        let isBasic = bytes.withUnsafeBufferPointer { SecretText.hasWord("basic", $0, at) } && has(" ", at: at + 5)
        guard isBearer || isBasic else { return nil }
        let start = end(from: at + 6) { $0 != UInt8(ascii: " ") }
        let token = start..<end(from: start) { !Self.isWordPart($0) && !$0.isOne(of: "-.~+/=") }
        let value = SecretValue(bytes[token])
        return value.isRandom || isField && !value.isOrdinaryWord ? token : nil
    }

    /// A token with the prefix of a provider, or a JSON web token (RFC 7515, 7.1).
    func token(at start: Int) -> Range<Int>? {
        // A token that follows a period or hyphen was examined from its start.
        guard start == floor || !has("-.", at: start - 1),
            let prefix = bytes.withUnsafeBufferPointer({ bytes in
                SecretText.prefixes[Int(bytes[start])].first { SecretText.hasPrefix($0, bytes, start) }
            })
        else { return nil }
        let token = start..<end(from: start) { !Self.isWordPart($0) && !$0.isOne(of: "-.") }
        if prefix == Array("eyJ".utf8) { return bytes[token].count { $0 == UInt8(ascii: ".") } >= 2 ? token : nil }
        let rest = bytes[token].dropFirst(prefix.count)
        return rest.count >= 12 && SecretValue(rest).isRandom ? token : nil
    }

    /// The user information of the URL whose authority starts at an offset: with a password, or a token in a web address.
    ///
    /// A password with an unescaped `/`, `@` or quotation mark is hidden up to the last `@` of the URL.
    func userInformation(at start: Int) -> Range<Int>? {
        let user = bytes[start..<end(from: start) { Self.endsURL($0) || $0.isOne(of: "@/?#") }]
        let password = user.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let isVariable = has("$", at: password.startIndex) && !SecretValue(password).hasDigit
        if isVariable || has("{<%*", at: password.startIndex) { return nil }
        if has("@", at: user.endIndex) {
            let scheme = text(max(0, start - 8)..<(start - 3))
            let isWeb = scheme.hasSuffix("http") || scheme == "https"
            guard !password.isEmpty || isWeb && SecretValue(user).isRandom else { return nil }
        } else if password.allSatisfy({ $0.isDigit }) || user.first == UInt8(ascii: "[") {
            return nil  // A port. Any other text after a colon starts a password, which can contain a slash.
        }
        let rest = bytes[start...].prefix(max(Self.longestPassword, user.count + 1))
        let mark = rest.prefix { !Self.endsURL($0) }.lastIndex(of: UInt8(ascii: "@"))
        return (mark ?? rest.prefix { $0 > 0x20 }.lastIndex(of: UInt8(ascii: "@"))).map { start..<$0 }
    }

    /// A private key in PEM (RFC 7468) or PGP, up to its last line, or to the end of the text if that line is missing.
    func privateKey(at start: Int) -> Range<Int>? {
        guard starts(with: "-----BEGIN ", at: start) else { return nil }
        let label = (start + 11)..<end(from: start + 11) { $0.isOne(of: "-\r\n") }
        guard ["PRIVATE KEY", "PRIVATE KEY BLOCK"].contains(where: text(label).hasSuffix) else { return nil }
        let last = (label.upperBound..<bytes.count).first { starts(with: "-----END ", at: $0) } ?? bytes.count
        return start..<end(from: end(from: last + 9) { $0 == UInt8(ascii: "-") }) { $0 != UInt8(ascii: "-") }
    }

    // MARK: Bytes

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func starts(with text: String, at: Int) -> Bool { bytes.dropFirst(at).starts(with: text.utf8) }

    /// Whether the byte at an offset is one of a text's.
    func has(_ any: StaticString, at: Int) -> Bool { at >= 0 && at < bytes.count && bytes[at].isOne(of: any) }

    func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        bytes.dropFirst(start).firstIndex(where: isEnd) ?? bytes.count
    }

    /// The start of the bytes that satisfy a condition and end before an offset.
    func start(before end: Int, from first: Int, where isPart: (UInt8) -> Bool) -> Int {
        bytes[first..<end].lastIndex { !isPart($0) }.map { $0 + 1 } ?? first
    }

    func isWordStart(_ at: Int) -> Bool { at == floor || !isWordPart(at: at - 1) }

    func isWordPart(at: Int) -> Bool { bytes.indices.contains(at) && Self.isWordPart(bytes[at]) }

    static func isWordPart(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte == 0x5F || byte >= 0x80 }

    static func endsURL(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") || byte.isOne(of: "\"'<>`") }
}
