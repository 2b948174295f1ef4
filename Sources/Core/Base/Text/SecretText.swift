/// Hides secrets inside text whose name isn't a secret's, such as a log message, an error or a setting.
///
/// Hidden are:
///
/// - the user information of URLs (`postgres://user:pw@db`);
/// - the values of secret names, as ``SecretNames`` defines them, after `=` and `:`: in queries, forms, connection strings,
///   header fields and JSON, also inside a JSON string (`token=x`, `X-Api-Key: x`, `{"pin":1}`, `\"pin\":\"1\"`);
/// - the credentials of HTTP's schemes `Bearer` and `Basic`, JSON web tokens, and private keys in PEM.
///
/// Nothing else is hidden, such as a value after a word or an option (`the password is x`, `--password x`), in XML or in
/// an encoded text, or the number of a card. A name that is also an ordinary word (`session`) needs a value with a digit
/// after a colon. Redacted text doesn't change if it is redacted again.
package enum SecretText {
    /// Returns the text with each secret replaced by ``SecretNames/placeholder``.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package static func redacted(_ text: String, names: SecretNames = .standard) -> String {
        var scanner = SecretScanner(bytes: Array(text.utf8), names: names)
        return scanner.redacted() ?? text
    }
}

/// Finds the secrets of a text in one pass.
private struct SecretScanner {
    let bytes: [UInt8]
    let names: SecretNames
    var result: [UInt8] = []
    /// The end of the last secret; nothing before it is looked at again.
    var floor = 0

    /// Bounds in bytes, so that a hostile text costs no more than a multiple of its length.
    static let longestName = 128
    static let longestPassword = 2_048
    static let longestQuote = 64

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
    func secret(announcedAt at: Int) -> Range<Int>? {
        switch bytes[at] {
        case UInt8(ascii: ":") where starts(with: "://", at: at): userInformation(at: at + 3)
        case UInt8(ascii: "="), UInt8(ascii: ":"): value(ofNameBefore: at)
        case UInt8(ascii: "-"): privateKey(at: at)
        case UInt8(ascii: "e"): webToken(at: at)
        case UInt8(ascii: "B"), UInt8(ascii: "b"): isWordStart(at) ? credentials(ofSchemeAt: at) : nil
        default: nil
        }
    }

    /// The value of the secret name before the separator at an offset.
    func value(ofNameBefore separator: Int) -> Range<Int>? {
        let first = max(floor, separator - Self.longestName)
        var nameEnd = start(before: separator, from: first) { $0 == UInt8(ascii: " ") }
        let isQuoted = nameEnd > first && Self.isQuote(bytes[nameEnd - 1])
        if isQuoted { nameEnd = start(before: nameEnd - 1, from: first) { $0 == UInt8(ascii: "\\") } }
        let nameStart = start(before: nameEnd, from: first) { Self.isWordPart($0) || "-.%[]".utf8.contains($0) }
        guard bytes[nameStart..<nameEnd].contains(where: { $0.isLetter || $0 >= 0x80 }) else { return nil }
        let name = SecretNames.decodingPercents(bytes[nameStart..<nameEnd])
        guard names.matches(name) else { return nil }
        let isColon = bytes[separator] == UInt8(ascii: ":")
        let start = end(from: separator + 1) { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        // Without a search for the end, which each name in a line of hidden values would repeat.
        if starts(with: SecretNames.placeholder, at: start) { return nil }
        if !isColon, let credentials = credentials(ofSchemeAt: start) { return start..<credentials.upperBound }
        if let quote = quote(at: start) { return (start + quote.count)..<endOfString(from: start + quote.count, quote) }
        if isQuoted { return literal(at: start) }
        let before = nameStart > 0 ? bytes[nameStart - 1] : UInt8(ascii: "\n")
        if isColon, before == UInt8(ascii: "/") { return nil }  // The last part of a path: `/login/token: not found`.
        if isColon, SecretNames.namesOfLines.contains(where: { name.lowercased().hasSuffix($0) }) {
            return start..<end(from: start) { "\r\n".utf8.contains($0) || Self.isQuote(before) && $0 == before }
        }
        let value = start..<endOfValue(from: start, before: before)
        let isOrdinary = isColon && SecretNames.ordinaryWords.contains(name.lowercased())
        return isOrdinary && (value.count < 4 || !bytes[value].contains { $0.isDigit }) ? nil : value
    }

    /// The JSON value at an offset that isn't a string; null and Booleans aren't secret.
    func literal(at start: Int) -> Range<Int>? {
        var at = start
        var depth = 0
        while at < bytes.count, depth > 0 || !bytes[at].isSpace && !",}]".utf8.contains(bytes[at]) {
            if "{[".utf8.contains(bytes[at]) { depth += 1 }
            if "}]".utf8.contains(bytes[at]) { depth -= 1 }
            at = quote(at: at).map { endOfString(from: at + $0.count, $0) + $0.count } ?? at + 1
        }
        let value = start..<min(at, bytes.count)
        return ["null", "true", "false"].contains { bytes[value].elementsEqual($0.utf8) } ? nil : value
    }

    /// The end of a value without quotation marks.
    ///
    /// In a query or form, it ends at the next parameter. In a connection string, it can contain spaces and ends at a
    /// semicolon. Otherwise, it ends at white space or a semicolon, without the punctuation of the sentence around it.
    func endOfValue(from start: Int, before: UInt8) -> Int {
        if "?&#".utf8.contains(before) { return end(from: start) { $0.isSpace || "&#\"'<>`".utf8.contains($0) } }
        if ";\n".utf8.contains(before) {
            let end = end(from: start) { ";\n=".utf8.contains($0) }
            if (end < bytes.count ? bytes[end] : before) == UInt8(ascii: ";") { return end }
        }
        let end = end(from: start) { $0.isSpace || $0 == UInt8(ascii: ";") }
        return self.start(before: end, from: start) { ",.)]}\"'`".utf8.contains($0) }
    }

    /// The credentials of a `Bearer` or `Basic` scheme that starts at an offset.
    func credentials(ofSchemeAt at: Int) -> Range<Int>? {
        let scheme = String(decoding: bytes[at...].prefix(7), as: UTF8.self).lowercased()
        guard scheme == "bearer " || scheme.hasPrefix("basic ") else { return nil }
        let start = end(from: at + 6) { $0 != UInt8(ascii: " ") }
        let range = start..<end(from: start) { !Self.isWordPart($0) && !"-.~+/=".utf8.contains($0) }
        let word = String(decoding: bytes[range], as: UTF8.self)
        // "Basic" is also an English word. Base64 has digits, signs or capitals.
        let isEnglish = scheme != "bearer " && word.utf8.allSatisfy { $0.isLetter && $0 | 0x20 == $0 || $0 == 0x2E }
        return isEnglish || SecretNames.wordsAfterSchemes.contains(word.lowercased()) ? nil : range
    }

    /// The user information of the URL whose authority starts at an offset.
    ///
    /// A password with an unescaped `/`, `@` or quotation mark is hidden up to the last `@` of the URL.
    func userInformation(at start: Int) -> Range<Int>? {
        let authority = start..<end(from: start) { Self.endsURL($0) || "/?#".utf8.contains($0) }
        // A port consists of digits. Any other text after a colon starts a password, which can contain a slash.
        let afterColon = bytes[authority].drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let hasPassword = !afterColon.allSatisfy { $0.isDigit } && bytes[authority].first != UInt8(ascii: "[")
        guard hasPassword || bytes[authority].contains(UInt8(ascii: "@")) else { return nil }
        let rest = bytes[start...].prefix(max(Self.longestPassword, authority.count))
        let mark = UInt8(ascii: "@")
        let at = rest.prefix { !Self.endsURL($0) }.lastIndex(of: mark) ?? rest.prefix { $0 > 0x20 }.lastIndex(of: mark)
        return at.map { start..<$0 }
    }

    /// A JSON web token (RFC 7515, 7.1): three parts in base64url with periods between, of which the first is an object.
    func webToken(at start: Int) -> Range<Int>? {
        // A token that follows a period or hyphen was examined from its start.
        let isStart = isWordStart(start) && (start == floor || !"-.".utf8.contains(bytes[start - 1]))
        guard isStart, starts(with: "eyJ", at: start) else { return nil }
        let token = start..<end(from: start) { !Self.isWordPart($0) && !"-.".utf8.contains($0) }
        return bytes[token].count { $0 == UInt8(ascii: ".") } >= 2 ? token : nil
    }

    /// A private key in PEM (RFC 7468), up to its last line, or to the end of the text if that line is missing.
    func privateKey(at start: Int) -> Range<Int>? {
        guard starts(with: "-----BEGIN ", at: start) else { return nil }
        let label = start + 11..<end(from: start + 11) { $0 == UInt8(ascii: "-") || "\r\n".utf8.contains($0) }
        guard String(decoding: bytes[label], as: UTF8.self).hasSuffix("PRIVATE KEY") else { return nil }
        let last = (label.upperBound..<bytes.count).first { starts(with: "-----END ", at: $0) }
        let dashes = end(from: last.map { $0 + 9 } ?? bytes.count) { $0 == UInt8(ascii: "-") }
        return start..<end(from: dashes) { $0 != UInt8(ascii: "-") }
    }

    func starts(with text: String, at: Int) -> Bool { bytes[at...].starts(with: text.utf8) }

    func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        bytes[start...].firstIndex(where: isEnd) ?? bytes.count
    }

    /// The start of the bytes that satisfy a condition and end before an offset.
    func start(before end: Int, from first: Int, where isPart: (UInt8) -> Bool) -> Int {
        bytes[first..<end].lastIndex { !isPart($0) }.map { $0 + 1 } ?? first
    }

    func isWordStart(_ at: Int) -> Bool { at == floor || !Self.isWordPart(bytes[at - 1]) }

    static func isWordPart(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte == 0x5F || byte >= 0x80 }

    static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    static func endsURL(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") || "\"'<>`".utf8.contains(byte) }

    /// The quotation mark at an offset, with the backslashes before it, or nil.
    func quote(at start: Int) -> ArraySlice<UInt8>? {
        let mark = bytes[start...].prefix(Self.longestQuote).firstIndex { $0 != UInt8(ascii: "\\") }
        return mark.flatMap { Self.isQuote(bytes[$0]) ? bytes[start...$0] : nil }
    }

    /// The end of a string: the next mark of the same kind without more backslashes before it, or with escaped ones only.
    func endOfString(from start: Int, _ quote: ArraySlice<UInt8>) -> Int {
        var backslashes = 0
        for at in start..<bytes.count {
            if bytes[at] == quote.last, backslashes < quote.count || quote.count == 1 && backslashes % 2 == 0 {
                return at - min(backslashes, quote.count - 1)
            }
            backslashes = bytes[at] == UInt8(ascii: "\\") ? backslashes + 1 : 0
        }
        return bytes.count
    }
}
