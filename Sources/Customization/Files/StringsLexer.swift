internal import AshlarCore

/// Divides the bytes of a strings file into tokens, without the whitespace and comments between them.
///
/// The tokens are those of the "old-style" ASCII property list in CoreFoundation.
struct StringsLexer {
    enum Token {
        /// A quoted string without its escapes, or an unquoted one.
        case string(String)
        case data([UInt8])
        /// A bracket, a separator, or a byte that can't start a token.
        case mark(UInt8)
        case end
    }

    /// A problem of a token: an error, after which the token isn't read, or a note.
    typealias Problem = SourceProblem

    let bytes: [UInt8]
    /// The next byte to read.
    var at: Int
    /// The start of the last token, or of the comment or token that could not be read.
    private(set) var offset = 0
    /// The last comment before the last token, with its delimiters.
    private(set) var comment: Range<Int>?
    /// The problems that don't prevent reading, in the order in which they were found.
    var notes: [Problem] = []
    /// The start of a failed search for the end of a comment; later searches would also fail.
    private var hasNoCommentEnd = Int.max

    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        at = start
    }

    /// Reads the next token.
    mutating func next() throws(Problem) -> Token {
        try skipSpace()
        offset = at
        guard at < bytes.count else { return .end }
        switch bytes[at] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quotedText())
        case UInt8(ascii: "<"): return .data(try data())
        default:
            while at < bytes.count, Self.isUnquoted(bytes[at]) { at += 1 }
            if at > offset { return .string(text(offset..<at)) }
            at += 1
            return .mark(bytes[offset])
        }
    }

    /// Returns whether an unquoted string can contain a byte.
    static func isUnquoted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
            UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Returns whether U+2028 or U+2029 starts here.
    private func isLineSeparator(_ offset: Int) -> Bool {
        bytes[offset] == 0xE2 && byte(offset + 1) == 0x80 && (byte(offset + 2) == 0xA8 || byte(offset + 2) == 0xA9)
    }

    /// Returns a part of the text; the buffer avoids an allocation with which a slice would be decoded.
    private func text(_ range: Range<Int>) -> String {
        bytes[range].withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func note(
        _ offset: Int, _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code,
        _ message: String
    ) {
        notes.append(Problem(offset: offset, severity: severity, code: code, message: message))
    }
}

// MARK: - Whitespace and comments

extension StringsLexer {
    private mutating func skipSpace() throws(Problem) {
        comment = nil
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09...0x0D: at += 1
            case 0xE2 where isLineSeparator(at): at += 3
            case UInt8(ascii: "/") where byte(at + 1) == UInt8(ascii: "/"): skipLineComment()
            case UInt8(ascii: "/") where byte(at + 1) == UInt8(ascii: "*"): try skipBlockComment()
            default: return
            }
        }
    }

    private mutating func skipLineComment() {
        let start = at
        var hasSemicolon = false
        while at < bytes.count, !Self.isLineEnd(bytes[at]), !isLineSeparator(at) {
            if bytes[at] == UInt8(ascii: ";") { hasSemicolon = true }
            at += 1
        }
        comment = start..<at
        if hasSemicolon { checkLineComment(start..<at) }
    }

    private mutating func skipBlockComment() throws(Problem) {
        let start = at
        var inner: Int?
        offset = start
        at += 2
        while hasNoCommentEnd > start + 2, let star = bytes[at...].firstIndex(of: UInt8(ascii: "*")) {
            if inner == nil, star > start + 2, bytes[star - 1] == UInt8(ascii: "/") { inner = star - 1 }
            at = star + 1
            guard byte(at) == UInt8(ascii: "/") else { continue }
            at += 1
            comment = start..<at
            if let inner { checkBlockComment(start..<at, inner: inner) }
            return
        }
        hasNoCommentEnd = min(hasNoCommentEnd, start + 2)
        at = start + 2
        throw Problem(offset: start, code: .unterminatedComment, message: "unterminated comment", fix: "insert \"*/\"")
    }

    /// Reports the statements in a line comment, which contains them probably because a line end is missing.
    ///
    /// Such a comment has a `;` at its end or before another comment. One that is only a statement with a quoted key was
    /// commented out.
    private mutating func checkLineComment(_ range: Range<Int>) {
        let semicolons = range.filter { bytes[$0] == UInt8(ascii: ";") }
        let rest = bytes[(semicolons[semicolons.count - 1] + 1)..<range.upperBound].first { !Self.isBlank($0) }
        guard rest == nil || rest == UInt8(ascii: "/") else { return }
        let first = bytes[range].first { $0 != UInt8(ascii: "/") && !Self.isBlank($0) }
        if semicolons.count == 1, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return }
        for semicolon in semicolons {
            note(semicolon, .note, .statementInComment, "the text before \";\" is in a comment and is not read")
        }
    }

    /// Reports a comment that contains `/*`, and each statement in it.
    private mutating func checkBlockComment(_ range: Range<Int>, inner: Int) {
        note(
            inner, .warning, .nestedComment,
            "\"/*\" inside a comment; comments do not nest, so the end of the comment is probably missing")
        for at in range where bytes[at] == UInt8(ascii: ";") {
            note(at, .warning, .statementInComment, "the text before \";\" is in a comment and is not read")
        }
    }
}

// MARK: - Strings and data

extension StringsLexer {
    private mutating func quotedText() throws(Problem) -> String {
        let start = at
        let quote = bytes[start]
        at += 1
        var result = ""
        // The escapes without text between them, in UTF-16, because two can form a surrogate pair.
        var units: [UInt16] = []
        var plain = at
        while true {
            at = bytes[at...].firstIndex { $0 == quote || $0 == UInt8(ascii: "\\") } ?? bytes.count
            guard at < bytes.count else {
                throw Problem(offset: start, code: .unterminatedString, message: "unterminated string")
            }
            if at > plain {
                take(&units, into: &result)
                result += text(plain..<at)
            }
            if bytes[at] == quote { break }
            plain = escape(&units)
        }
        at += 1
        take(&units, into: &result)
        return result
    }

    private func take(_ units: inout [UInt16], into text: inout String) {
        if units.isEmpty { return }
        text += String(decoding: units, as: UTF16.self)
        units.removeAll()
    }

    /// Reads one escape from its backslash; returns the start of the text after it.
    ///
    /// An unknown escape is the character after the backslash, at which the text then starts.
    private mutating func escape(_ units: inout [UInt16]) -> Int {
        let start = at
        at += 1
        guard at < bytes.count else { return at }
        let c = bytes[at]
        switch c {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            let digits = bytes[at...].prefix(3).prefix { $0 & 0xF8 == 0x30 }
            let value = digits.reduce(UInt8(0)) { $0 &<< 3 &+ ($1 & 7) }
            at += digits.count
            if value == 0 { note(start, .warning, .nulCharacter, "the escape is U+0000") }
            units.append(NeXTSTEPLatin.scalar(value))
        case UInt8(ascii: "U"):
            at += 1
            let digits = bytes[at...].prefix(4).prefix { $0.hexValue != nil }
            let value = digits.reduce(UInt16(0)) { $0 << 4 | UInt16($1.hexValue ?? 0) }
            at += digits.count
            if digits.isEmpty {
                note(start, .error, .malformedEscape, "expected one to four hexadecimal digits after \\U")
                return start
            } else if value == 0 {
                note(start, .warning, .nulCharacter, "the escape is U+0000")
            } else if digits.count == 4, value < 0x20, byte(at).hexValue != nil {
                note(
                    start, .warning, .suspiciousEscape,
                    "\\U has at most four digits; use two escapes for a character above U+FFFF")
            }
            units.append(value)
        default:
            at += 1
            if let simple = Self.simpleEscapes[c] {
                units.append(simple)
                return at
            }
            switch c {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), 0x0A, 0x0D: break
            case UInt8(ascii: "u"):
                note(
                    start, .warning, .suspiciousEscape,
                    "\\u is not an escape and is the letter u; use \\U with four digits")
            default:
                let scalars = String(decoding: bytes[(at - 1)...].prefix(4), as: UTF8.self).unicodeScalars
                let text = scalars.first.map { String($0) } ?? ""
                note(start, .note, .suspiciousEscape, "\\\(text) is not an escape and is \(text)")
            }
            return at - 1
        }
        return at
    }

    private static let simpleEscapes: [UInt8: UInt16] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "v"): 0x0B,
    ]

    private mutating func data() throws(Problem) -> [UInt8] {
        let start = at
        var data: [UInt8] = []
        at += 1
        while at < bytes.count {
            let c = bytes[at]
            if c == UInt8(ascii: ">") {
                at += 1
                return data
            } else if let high = c.hexValue, let low = byte(at + 1).hexValue {
                data.append(high << 4 | low)
                at += 2
            } else if Self.isBlank(c) || Self.isLineEnd(c) {
                at += 1
            } else if isLineSeparator(at) {
                at += 3
            } else {
                throw Problem(
                    offset: at, code: .malformedContainer, message: "expected a pair of hexadecimal digits in data")
            }
        }
        throw Problem(offset: start, code: .malformedContainer, message: "unterminated data")
    }
}
