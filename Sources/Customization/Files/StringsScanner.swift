internal import AshlarCore

/// Divides the bytes of a strings file into tokens: whitespace, comments, quoted and unquoted strings.
///
/// The grammar is that of the "old-style" ASCII property list in CoreFoundation. The scanner doesn't process
/// statements; the parser reports the events of its tokens.
struct StringsScanner {
    /// A problem inside a token.
    struct Event {
        var offset: Int
        var severity: CustomizationDiagnostic.Severity
        var code: CustomizationDiagnostic.Code
        var message: String

        /// Creates the event of a duplicate key in a dictionary.
        static func duplicate(_ key: String, at offset: Int) -> Event {
            Event(
                offset: offset, severity: .warning, code: .duplicateKey,
                message: "duplicate key \"\(key)\" in a dictionary; the last value wins")
        }
    }

    /// A string, literal or decoded.
    enum Text {
        case found(StringsTable.Slice)
        case unterminated
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var at = 0
    var decoded: [UInt8] = []
    /// The problems of the tokens.
    var events: [Event] = []
    /// The last comment, with its delimiters.
    var comment: Range<Int>?
    /// The start of an unterminated comment.
    var unterminatedComment: Int?
    /// Comments that can contain statements: line comments with `=`, `;` or `*/`, and blocks with `/*`.
    var suspiciousComments: [(range: Range<Int>, inner: Int)] = []
    /// The start of a failed search for the end of a comment; later searches would also fail.
    private var noCommentEndFrom = Int.max

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Returns whether U+2028 or U+2029 starts here.
    @inline(__always)
    func isLineSeparator(_ offset: Int) -> Bool {
        bytes[offset] == 0xE2 && byte(offset + 1) == 0x80 && (byte(offset + 2) == 0xA8 || byte(offset + 2) == 0xA9)
    }
}

// MARK: - White space and comments

extension StringsScanner {
    /// Skips whitespace and comments; returns false at the end of the file.
    mutating func skipSpace() -> Bool {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09...0x0D: at += 1
            case 0xE2:
                guard isLineSeparator(at) else { return true }
                at += 3
            case UInt8(ascii: "/"):
                if byte(at + 1) == UInt8(ascii: "/"), at + 1 < bytes.count {
                    skipLineComment()
                } else if byte(at + 1) == UInt8(ascii: "*"), at + 1 < bytes.count {
                    skipBlockComment()
                } else {
                    return true
                }
            default: return true
            }
        }
        return false
    }

    private mutating func skipLineComment() {
        let start = at
        var suspicious: Int?
        at += 2
        while at < bytes.count {
            let c = bytes[at]
            if c == 0x0A || c == 0x0D || c == 0xE2 && isLineSeparator(at) { break }
            if c == UInt8(ascii: "=") || c == UInt8(ascii: ";") {
                suspicious = suspicious ?? at
            } else if c == UInt8(ascii: "/"), bytes[at - 1] == UInt8(ascii: "*") {
                suspicious = at
            }
            at += 1
        }
        comment = start..<at
        if let suspicious { suspiciousComments.append((start..<at, suspicious)) }
    }

    private mutating func skipBlockComment() {
        let start = at
        var inner: Int?
        at += 2
        if at < noCommentEndFrom {
            while at + 1 < bytes.count {
                if bytes[at] == UInt8(ascii: "*"), bytes[at + 1] == UInt8(ascii: "/") {
                    at += 2
                    comment = start..<at
                    if let inner { suspiciousComments.append((start..<at, inner)) }
                    return
                }
                if bytes[at] == UInt8(ascii: "/"), bytes[at + 1] == UInt8(ascii: "*"), inner == nil { inner = at }
                at += 1
            }
            noCommentEndFrom = start + 2
        }
        at = bytes.count
        unterminatedComment = start
    }
}

// MARK: - Texts

extension StringsScanner {
    static func isBareCharacter(_ c: UInt8) -> Bool {
        switch c {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
            UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Reads unquoted characters, possibly none.
    mutating func bareText() -> StringsTable.Slice {
        let start = at
        while at < bytes.count, Self.isBareCharacter(bytes[at]) { at += 1 }
        return StringsTable.Slice(start: start, end: at)
    }

    /// Reads a quoted string from its opening quote to after its closing quote, or to the end of the file.
    mutating func quotedText() -> Text {
        let quote = bytes[at]
        at += 1
        let start = at
        at = endOfPlainRun(from: at, quote: quote)
        guard at < bytes.count else { return .unterminated }
        if bytes[at] == quote {
            at += 1
            return .found(StringsTable.Slice(start: start, end: at - 1))
        }
        return textWithEscapes(from: start, quote: quote)
    }

    /// Finds the next quote or backslash, eight bytes at a time.
    @inline(__always)
    private func endOfPlainRun(from start: Int, quote: UInt8) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotes = ones &* UInt64(quote)
        let slashes = ones &* UInt64(UInt8(ascii: "\\"))
        var i = start
        let raw = UnsafeRawBufferPointer(bytes)
        while i + 8 <= bytes.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            let (a, b) = (word ^ quotes, word ^ slashes)
            // A byte of `hits` is 0x80 if `a` or `b` has a zero byte there; the lowest one is exact.
            let hits = ((a &- ones) & ~a | (b &- ones) & ~b) & highs
            if hits != 0 { return i + hits.trailingZeroBitCount >> 3 }
            i += 8
        }
        while i < bytes.count, bytes[i] != quote, bytes[i] != UInt8(ascii: "\\") { i += 1 }
        return i
    }

    private mutating func textWithEscapes(from start: Int, quote: UInt8) -> Text {
        let first = decoded.count
        var runStart = start
        var pendingHigh: UInt16?
        while at < bytes.count, bytes[at] != quote {
            // `at` is at a backslash.
            if at > runStart {
                flush(&pendingHigh)
                decoded.append(contentsOf: bytes[runStart..<at])
            }
            let escapeStart = at
            at += 1
            guard at < bytes.count else {
                decoded.removeLast(decoded.count - first)
                return .unterminated
            }
            escape(from: escapeStart, &pendingHigh)
            runStart = at
            at = endOfPlainRun(from: at, quote: quote)
        }
        guard at < bytes.count else {
            decoded.removeLast(decoded.count - first)
            return .unterminated
        }
        if at > runStart {
            flush(&pendingHigh)
            decoded.append(contentsOf: bytes[runStart..<at])
        }
        flush(&pendingHigh)
        at += 1
        return .found(StringsTable.Slice(start: first, end: decoded.count, isDecoded: true))
    }

    /// Writes an unpaired surrogate.
    private mutating func flush(_ pendingHigh: inout UInt16?) {
        guard pendingHigh != nil else { return }
        decoded += UTF16Text.utf8(of: 0xFFFD)
        pendingHigh = nil
    }

    /// Writes a UTF-16 code unit; two escapes can form a surrogate pair.
    private mutating func write(_ unit: UInt16, _ pendingHigh: inout UInt16?) {
        if let high = pendingHigh, unit & 0xFC00 == 0xDC00 {
            pendingHigh = nil
            decoded += UTF16Text.utf8(of: 0x10000 + (UInt32(high & 0x3FF) << 10 | UInt32(unit & 0x3FF)))
            return
        }
        flush(&pendingHigh)
        switch unit & 0xFC00 {
        case 0xD800: pendingHigh = unit
        case 0xDC00: decoded += UTF16Text.utf8(of: 0xFFFD)
        default: decoded += UTF16Text.utf8(of: UInt32(unit))
        }
    }

    private mutating func event(
        _ offset: Int, _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code,
        _ message: String
    ) {
        events.append(Event(offset: offset, severity: severity, code: code, message: message))
    }

    /// Reads one escape; `at` is after the backslash.
    private mutating func escape(from start: Int, _ pendingHigh: inout UInt16?) {
        let c = bytes[at]
        switch c {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var value = UInt8(0)
            var digits = 0
            while digits < 3, at < bytes.count, bytes[at] & 0xF8 == 0x30 {
                value = value &<< 3 &+ (bytes[at] & 7)
                at += 1
                digits += 1
            }
            if value == 0 { event(start, .warning, .nulCharacter, "the escape is U+0000") }
            write(UInt16(NeXTSTEPLatin.scalar(value)), &pendingHigh)
        case UInt8(ascii: "U"): unicodeEscape(from: start, &pendingHigh)
        default:
            at += 1
            let simple: UInt16? =
                switch c {
                case UInt8(ascii: "a"): 0x07
                case UInt8(ascii: "b"): 0x08
                case UInt8(ascii: "f"): 0x0C
                case UInt8(ascii: "n"): 0x0A
                case UInt8(ascii: "r"): 0x0D
                case UInt8(ascii: "t"): 0x09
                case UInt8(ascii: "v"): 0x0B
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), 0x0A, 0x0D: UInt16(c)
                default: nil
                }
            if let simple {
                write(simple, &pendingHigh)
                return
            }
            flush(&pendingHigh)
            decoded.append(c)
            while at < bytes.count, bytes[at] & 0xC0 == 0x80, c >= 0xC0 {
                decoded.append(bytes[at])
                at += 1
            }
            let text = String(decoding: bytes[(start + 1)..<at], as: UTF8.self)
            if c == UInt8(ascii: "u") {
                event(
                    start, .warning, .suspiciousEscape,
                    "\\u is not an escape and is the letter u; use \\U with four digits")
            } else {
                event(start, .note, .suspiciousEscape, "\\\(text) is not an escape and is \(text)")
            }
        }
    }

    private mutating func unicodeEscape(from start: Int, _ pendingHigh: inout UInt16?) {
        at += 1
        var value: UInt32 = 0
        var digits = 0
        while digits < 4, at < bytes.count, let digit = bytes[at].hexValue {
            value = value << 4 | UInt32(digit)
            at += 1
            digits += 1
        }
        if digits == 0 {
            event(start, .error, .malformedEscape, "expected one to four hexadecimal digits after \\U")
            flush(&pendingHigh)
            decoded.append(contentsOf: bytes[start..<at])
            return
        } else if value == 0 {
            event(start, .warning, .nulCharacter, "the escape is U+0000")
        } else if digits == 4, at < bytes.count, bytes[at].hexValue != nil, value < 0x20 {
            event(
                start, .warning, .suspiciousEscape,
                "\\U has at most four digits; use two escapes for a character above U+FFFF")
        }
        write(UInt16(value), &pendingHigh)
    }
}
