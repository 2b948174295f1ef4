/// Finds the secrets of a text in one pass.
struct SecretScanner {
    let bytes: [UInt8]
    let names: SecretNames
    /// The secrets so far, in order.
    private(set) var hidden: [Range<Int>] = []

    init(bytes: [UInt8], names: SecretNames) {
        self.bytes = bytes
        self.names = names
    }

    /// Bounds in bytes, so that a hostile text costs no more than a multiple of its length: of a name, of user information
    /// without a scheme, and of user information with an unescaped slash.
    static let longestName = 128
    static let longestUserInformation = 256
    static let longestPassword = 2_048

    mutating func scan() {
        var at = 0
        while at < bytes.count {
            guard let secret = secret(announcedAt: at), !isHidden(secret) else {
                at += 1
                continue
            }
            hidden.append(secret)
            at = max(secret.upperBound, at + 1)
        }
    }

    /// Whether a range is empty, or shows a placeholder.
    private func isHidden(_ range: Range<Int>) -> Bool {
        range.isEmpty || bytes[range].starts(with: SecretNames.placeholder.utf8)
    }

    /// The end of the last secret.
    ///
    /// Nothing before it is looked at again.
    var floor: Int { hidden.last?.upperBound ?? 0 }

    /// The secret that the byte at an offset announces: a separator, or the first byte of a word.
    private func secret(announcedAt at: Int) -> Range<Int>? {
        switch bytes[at] {
        case UInt8(ascii: "="): return value(ofNameBefore: at)
        case UInt8(ascii: ":"):
            if bytes[at...].starts(with: "://".utf8) { return userInformation(ofURLAt: at + 3) }
            return value(ofNameBefore: at)
        case UInt8(ascii: "@"): return userInformation(before: at)
        case UInt8(ascii: ">"): return text(ofElementBefore: at)
        default:
            guard isWordStart(at) else { return nil }
            return SecretShapes.secret(in: bytes, at: at) ?? credentials(ofSchemeAt: at) ?? value(ofOptionAt: at)
        }
    }

    func isWordStart(_ at: Int) -> Bool {
        guard at > floor else { return true }
        let previous = bytes[at - 1]
        return !previous.isLetter && !previous.isDigit && previous != UInt8(ascii: "_") && previous < 0x80
    }

    func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        bytes[start...].firstIndex(where: isEnd) ?? bytes.count
    }
}

extension SecretScanner {
    private struct Name {
        let text: String
        let start: Int
        /// The quotation mark around the name, and the backslashes before it, or nothing.
        let quote: ArraySlice<UInt8>
    }

    /// The value of the secret name before the separator at an offset.
    private func value(ofNameBefore separator: Int) -> Range<Int>? {
        guard let name = name(before: separator), names.matches(name.text) else { return nil }
        let isColon = bytes[separator] == UInt8(ascii: ":")
        var start = end(from: separator + 1) { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        if bytes[start...].starts(with: "Optional(".utf8) { start += "Optional(".utf8.count }
        // Without a search for the end, which each name in a line of hidden values would repeat.
        if bytes[start...].starts(with: SecretNames.placeholder.utf8) { return nil }
        if start < bytes.count, let credentials = credentials(ofSchemeAt: start), !isColon {
            return start..<credentials.upperBound
        }
        if let quote = quote(at: start) {
            let content = start + quote.count
            return content..<endOfString(from: content, quote)
        }
        if !name.quote.isEmpty { return literal(at: start) }
        let before = name.start > 0 ? bytes[name.start - 1] : UInt8(ascii: "\n")
        // The last part of a path isn't a name: `/login/token: not found`.
        if isColon, before == UInt8(ascii: "/") { return nil }
        if isColon, Self.takesLine(name.text) {
            return
                start..<end(from: start) {
                    $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || Self.isQuote(before) && $0 == before
                }
        }
        let value = start..<endOfValue(from: start, before: before)
        if isColon, Self.ordinaryWords.contains(name.text.lowercased()) {
            guard value.count >= 4, bytes[value].contains(where: { $0.isDigit }) else { return nil }
        }
        return value
    }

    /// The name that ends before an offset, with optional spaces and a quotation mark between.
    private func name(before separator: Int) -> Name? {
        let first = max(floor, separator - Self.longestName)
        var end = separator
        while end > first, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        var quote: ArraySlice<UInt8> = []
        // The description of a dictionary with keys of any type: `AnyHashable("name"): value`.
        if end > first + 1, bytes[end - 1] == UInt8(ascii: ")"), Self.isQuote(bytes[end - 2]) { end -= 1 }
        if end > first, Self.isQuote(bytes[end - 1]) {
            var start = end - 1
            while start > first, bytes[start - 1] == UInt8(ascii: "\\") { start -= 1 }
            quote = bytes[start..<end]
            end = start
        }
        var start = end
        while start > first, Self.isNamePart(bytes[start - 1]) { start -= 1 }
        guard bytes[start..<end].contains(where: { $0.isLetter || $0 >= 0x80 }) else { return nil }
        let text = Self.decodingPercents(bytes[start..<end])
        return Name(text: text, start: start, quote: quote)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || "_-.%[]".utf8.contains(byte)
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// The quotation mark at an offset, with the backslashes before it, or nil.
    func quote(at start: Int) -> ArraySlice<UInt8>? {
        let mark = end(from: start) { $0 != UInt8(ascii: "\\") }
        guard mark < bytes.count, Self.isQuote(bytes[mark]) else { return nil }
        return bytes[start...mark]
    }

    /// The end of a string: the next mark of the same kind with as many backslashes before it.
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

    /// The JSON value at an offset that isn't a string.
    ///
    /// Null and Booleans aren't secret.
    private func literal(at start: Int) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") {
            return start..<endOfContainer(from: start)
        }
        let end = end(from: start) { $0.isSpace || ",}]".utf8.contains($0) }
        let isOpen = ["null", "true", "false"].contains { bytes[start..<end].elementsEqual($0.utf8) }
        return isOpen ? nil : start..<end
    }

    private func endOfContainer(from start: Int) -> Int {
        var depth = 0
        var at = start
        while at < bytes.count {
            if let quote = quote(at: at) {
                at = endOfString(from: at + quote.count, quote) + quote.count
                continue
            }
            if "{[".utf8.contains(bytes[at]) { depth += 1 }
            if "}]".utf8.contains(bytes[at]) { depth -= 1 }
            at += 1
            if depth == 0 { return at }
        }
        return bytes.count
    }

    /// The end of a value without quotation marks.
    ///
    /// In a query or form, it ends at the next parameter. In a connection string, it can contain spaces and ends at a
    /// semicolon. Otherwise, it ends at white space or a semicolon, without the punctuation of the sentence around it.
    func endOfValue(from start: Int, before: UInt8) -> Int {
        if "?&#".utf8.contains(before) {
            return end(from: start) { $0.isSpace || "&#\"'<>`".utf8.contains($0) }
        }
        if before == UInt8(ascii: ";") || before == UInt8(ascii: "\n") {
            let semicolon = end(from: start) {
                $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "=")
            }
            if semicolon == bytes.count {
                if before == UInt8(ascii: ";") { return semicolon }
            } else if bytes[semicolon] == UInt8(ascii: ";") {
                return semicolon
            }
        }
        var end = end(from: start) { $0.isSpace || $0 == UInt8(ascii: ";") }
        while end > start, ",.)]}\"'`".utf8.contains(bytes[end - 1]) { end -= 1 }
        return end
    }

    /// Whether the value of a name is the rest of the line: fields that contain several words, and phrases.
    private static func takesLine(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["authorization", "cookie", "phrase", "mnemonic"].contains { name.hasSuffix($0) }
    }

    /// Names of secrets that are also ordinary words, which a sentence or a heading can have before a colon.
    private static let ordinaryWords: Set<String> = [
        "auth", "authentication", "bearer", "key", "keys", "nonce", "pass", "pat", "pin", "salt", "session", "sessions",
        "sid", "signature",
    ]

    /// Returns the name with each percent escape of an ASCII character replaced.
    private static func decodingPercents(_ name: ArraySlice<UInt8>) -> String {
        guard name.contains(UInt8(ascii: "%")) else { return String(decoding: name, as: UTF8.self) }
        var decoded: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { $0.hexValue }
            let isEscape = byte == UInt8(ascii: "%") && digits.count == 2
            decoded.append(isEscape ? digits[0] << 4 | digits[1] : byte)
            if isEscape { rest = rest.dropFirst(2) }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
