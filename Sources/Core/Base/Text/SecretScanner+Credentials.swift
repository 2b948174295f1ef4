/// Credentials that have no name before them: of an authentication scheme, an option or a URL.
extension SecretScanner {
    /// The credentials of a `Bearer` or `Basic` scheme that starts at an offset.
    func credentials(ofSchemeAt at: Int) -> Range<Int>? {
        guard bytes[at] | 0x20 == UInt8(ascii: "b") else { return nil }
        let scheme = ["bearer", "basic"].first { bytes[at...].lazy.map { $0.asciiLowercased }.starts(with: $0.utf8) }
        guard let scheme, at + scheme.utf8.count < bytes.count, bytes[at + scheme.utf8.count] == UInt8(ascii: " ")
        else {
            return nil
        }
        let start = end(from: at + scheme.utf8.count) { $0 != UInt8(ascii: " ") }
        let end = end(from: start) { !$0.isLetter && !$0.isDigit && !"-._~+/=".utf8.contains($0) }
        let word = bytes[start..<end]
        if Self.wordsAfterSchemes.contains(String(decoding: word, as: UTF8.self).lowercased()) { return nil }
        // "Basic" is also an English word. Base64 has digits, signs or capitals.
        let isWord = word.allSatisfy { $0.isLetter && $0 == $0.asciiLowercased || $0 == UInt8(ascii: ".") }
        return scheme == "basic" && isWord ? nil : start..<end
    }

    /// Words that follow the name of a scheme in a sentence.
    private static let wordsAfterSchemes: Set<String> = [
        "", "and", "auth", "authentication", "authorization", "challenge", "credential", "credentials", "error", "for",
        "from", "header", "is", "of", "or", "realm", "scheme", "token", "tokens", "was", "with",
    ]

    /// The value after an option of a command, such as `--password x`.
    func value(ofOptionAt at: Int) -> Range<Int>? {
        guard bytes[at...].starts(with: "--".utf8) else { return nil }
        let limit = min(bytes.count, at + 2 + Self.longestName)
        let end =
            bytes[(at + 2)..<limit].firstIndex { !$0.isLetter && !$0.isDigit && !"-_.".utf8.contains($0) } ?? limit
        guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: " "), bytes[end + 1] != UInt8(ascii: "-"),
            names.matches(String(decoding: bytes[(at + 2)..<end], as: UTF8.self))
        else { return nil }
        if let quote = quote(at: end + 1) {
            return (end + 1 + quote.count)..<endOfString(from: end + 1 + quote.count, quote)
        }
        return (end + 1)..<endOfValue(from: end + 1, before: UInt8(ascii: " "))
    }

    /// The text of an XML element with a secret name, or of the element after a key of a property list, whose tag ends at
    /// an offset.
    func text(ofElementBefore at: Int) -> Range<Int>? {
        let first = max(floor, at - Self.longestName)
        guard let open = bytes[first..<at].lastIndex(of: UInt8(ascii: "<")) else { return nil }
        var name = bytes[(open + 1)..<at].prefix { !$0.isSpace }
        var start = at + 1
        if name.elementsEqual("/key".utf8) {
            let key = bytes[first..<open].lastIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? first
            name = bytes[key..<open]
            let limit = min(bytes.count, start + Self.longestName)
            start = bytes[start..<limit].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
        }
        // The element `key` of a property list has a name, not a secret.
        guard let initial = name.first, initial.isLetter, !name.contains(UInt8(ascii: ">")), start < bytes.count,
            !name.elementsEqual("key".utf8), names.matches(String(decoding: name, as: UTF8.self))
        else { return nil }
        let end = end(from: start) { $0 == UInt8(ascii: "<") }
        // `Array<Token> is empty` isn't an element.
        return bytes[end...].starts(with: "</".utf8) ? start..<end : nil
    }

    /// The user and password of `user:password@host`, which has no scheme.
    func userInformation(before at: Int) -> Range<Int>? {
        let first = max(floor, at - Self.longestUserInformation)
        let separator = bytes[first..<at].lastIndex { $0.isSpace || "\"'<>`/".utf8.contains($0) }
        let word = bytes[(separator.map { $0 + 1 } ?? first)..<at]
        guard let colon = word.firstIndex(of: UInt8(ascii: ":")), colon + 1 < at, at + 1 < bytes.count,
            bytes[at + 1].isLetter || bytes[at + 1].isDigit || bytes[at + 1] == UInt8(ascii: "["),
            !bytes[(at + 1)...].starts(with: "sha256:".utf8)
        else { return nil }
        let start = word[..<colon].lastIndex { "=(,;".utf8.contains($0) }.map { $0 + 1 } ?? word.startIndex
        let user = bytes[start..<colon]
        guard !user.isEmpty, user.contains(where: { !$0.isDigit }) else { return nil }
        let isAddress = Self.addressSchemes.contains(String(decoding: user, as: UTF8.self).lowercased())
        if isAddress { return nil }
        // The password can contain an unescaped `@`.
        let limit = min(bytes.count, at + Self.longestUserInformation)
        let end = bytes[at..<limit].firstIndex { $0.isSpace || "\"'<>`/".utf8.contains($0) } ?? limit
        return start..<(bytes[at..<end].lastIndex(of: UInt8(ascii: "@")) ?? at)
    }

    /// Prefixes before a colon that aren't the name of a user.
    private static let addressSchemes: Set<String> = ["acct", "mailto", "npm", "sip", "sips", "xmpp"]

    /// The user information of the URL whose authority starts at an offset.
    ///
    /// A password with an unescaped `/`, `@` or quotation mark is hidden up to the last `@` of the URL.
    func userInformation(ofURLAt start: Int) -> Range<Int>? {
        let authority = start..<end(from: start) { Self.endsURL($0) || "/?#".utf8.contains($0) }
        let hasPassword = mayHavePassword(authority)
        guard hasPassword || bytes[authority].contains(UInt8(ascii: "@")) else { return nil }
        let limit = min(bytes.count, start + Self.longestPassword)
        let end = bytes[start..<max(limit, authority.upperBound)].firstIndex(where: Self.endsURL) ?? limit
        if let at = bytes[start..<max(end, start)].lastIndex(of: UInt8(ascii: "@")) { return start..<at }
        let space = bytes[end..<max(limit, end)].firstIndex { $0 <= UInt8(ascii: " ") } ?? limit
        return bytes[end..<max(space, end)].lastIndex(of: UInt8(ascii: "@")).map { start..<$0 }
    }

    /// Whether an authority has a colon without a port.
    private func mayHavePassword(_ authority: Range<Int>) -> Bool {
        // A port consists of digits. Any other text after a colon starts a password, which can contain a slash.
        let afterColon = bytes[authority].drop { $0 != UInt8(ascii: ":") }.dropFirst()
        return !afterColon.allSatisfy { $0.isDigit } && bytes[authority].first != UInt8(ascii: "[")
    }

    private static func endsURL(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") || "\"'<>`".utf8.contains(byte) }
}
