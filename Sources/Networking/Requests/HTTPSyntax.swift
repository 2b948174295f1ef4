internal import AshlarCore

/// Character classes of HTTP (RFC 9110).
package enum HTTPSyntax {
    /// Whether a string is a token.
    package static func isToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in !bytes.isEmpty && bytes.allSatisfy(isTokenByte) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        // The bits of `!`, `#` to `'`, `*`, `+`, `-`, `.` and the digits; and of the letters, `^`, `_`, `` ` ``, `|`, `~`.
        let (low, high): (UInt64, UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
        return byte < 0x80 && (byte < 0x40 ? low : high) >> (byte & 0x3F) & 1 == 1
    }

    /// Returns the bytes of a `Range` field with one range that exists in a number of bytes, or nil (RFC 9110, section
    /// 14.1.2).
    static func byteRange(_ text: String, of count: Int) -> Range<Int>? {
        guard text.lowercased().hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).trimmingHTTPSpace().split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }) else { return nil }
        let (first, last) = (Int(ends[0]), Int(ends[1]))
        if let first {
            guard first < count, ends[1].isEmpty || last ?? -1 >= first else { return nil }
            return first..<(last.map { min($0, count - 1) + 1 } ?? count)
        }
        guard ends[0].isEmpty, let last, last > 0, count > 0 else { return nil }
        return max(count - last, 0)..<count
    }

    /// Returns at most 100 characters, with control characters as escapes.
    package static func printable(_ text: String) -> String { String(text.unicodeScalars.prefix(100)).onOneLine }
}

/// Reads the tokens and quoted strings of a field that is a list with commas (RFC 9110, section 5.6).
struct FieldReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Skips spaces and commas; returns false at the end.
    mutating func skipToElement() -> Bool {
        skip { $0.isHTTPSpace || $0 == UInt8(ascii: ",") }
        return current != nil
    }

    /// Skips to the next comma outside quotes.
    mutating func skipElement() {
        while let byte = current, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = value() } else { at += 1 }
        }
    }

    mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while let byte = current, isSkipped(byte) { at += 1 }
    }

    /// Skips a character; returns false if another one follows.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    mutating func token() -> ArraySlice<UInt8> {
        let start = at
        skip(while: HTTPSyntax.isTokenByte)
        return bytes[start..<at]
    }

    /// Reads a token or a quoted string; returns nil for other text and for an unterminated string.
    mutating func value() -> ArraySlice<UInt8>? {
        guard skip("\"") else {
            let word = token()
            return word.isEmpty ? nil : word
        }
        var content: ArraySlice<UInt8> = []
        while let byte = current {
            at += 1
            if byte == UInt8(ascii: "\"") { return content }
            if byte == UInt8(ascii: "\\"), let escaped = current {
                content.append(escaped)
                at += 1
            } else {
                content.append(byte)
            }
        }
        return nil
    }
}

extension UInt8 {
    var isHTTPSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension String {
    @inline(__always)
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (a, b) = (self, other)
        return a.withUTF8 { a in
            b.withUTF8 { b in
                a.indices.allSatisfy { a[$0] == b[$0] || a[$0].asciiLowercased == b[$0].asciiLowercased }
            }
        }
    }
}

extension StringProtocol {
    /// Returns the string without spaces and tabs at its ends.
    package func trimmingHTTPSpace() -> String { trimming(\.isHTTPSpace) }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a range.
    func part(_ range: some RangeExpression<Int>) -> Self { Self(rebasing: self[range]) }
}

/// Reads dates of header fields in all forms that servers send (RFC 9110, section 5.6.7; RFC 6265bis, section 5.1.1).
enum HTTPDate {
    /// Returns seconds since 1970, or nil if day, month, year or time is missing or out of range.
    static func seconds(_ text: String) -> Int64? {
        var (day, month, year): (Int?, Int?, Int?)
        var time: (Int, Int, Int)?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            let word = String(Substring(token))
            if time == nil, let found = readTime(word) {
                time = found
            } else if day == nil, let found = number(word, digits: 1...2) {
                day = found
            } else if month == nil, let found = readMonth(word) {
                month = found
            } else if year == nil, let found = number(word, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let day, let month, let year, let time, year >= 1601, time.0 < 24, time.1 < 60, time.2 < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        return Int64(date.daysSince1970) * 86_400 + Int64(time.0 * 3600 + time.1 * 60 + time.2)
    }

    /// Returns seconds since 1970 for a date in one of the three forms of RFC 9110, or nil for any other text.
    static func strictSeconds(_ text: String) -> Int64? {
        let forms = [
            "aaa, 00 aaa 0000 00:00:00 GMT", "aaa aaa _0 00:00:00 0000", "Monday, 00-aaa-00 00:00:00 GMT",
        ]
        let day = text.prefix { $0 != "," }
        let isLong = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
            .contains(day.lowercased())
        let shape = isLong ? "Monday" + text.dropFirst(day.count) : text
        return forms.contains { matches(shape, $0) } ? seconds(text) : nil
    }

    /// Whether a text has the form of a pattern: `a` is a letter, `0` a digit, `_` a digit or a space.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard text.utf8.count == pattern.utf8.count else { return false }
        return zip(text.utf8, pattern.utf8).allSatisfy { byte, form in
            switch form {
            case UInt8(ascii: "a"): byte.isLetter
            case UInt8(ascii: "0"): byte.isDigit
            case UInt8(ascii: "_"): byte.isDigit || byte == UInt8(ascii: " ")
            default: byte.asciiLowercased == form.asciiLowercased
            }
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func number(_ word: String, digits: ClosedRange<Int>) -> Int? {
        let leading = word.utf8.prefix { $0.isDigit }
        return digits.contains(leading.count) ? Int(String(Substring(leading))) : nil
    }

    private static func readTime(_ word: String) -> (Int, Int, Int)? {
        let parts = word.split(separator: ":")
        guard parts.count == 3, let hour = number(String(parts[0]), digits: 1...2),
            let minute = number(String(parts[1]), digits: 1...2), let second = number(String(parts[2]), digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func readMonth(_ word: String) -> Int? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return months.firstIndex(of: String(word.lowercased().prefix(3))).map { $0 + 1 }
    }
}

/// A request method: any token of RFC 9110; case matters.
public struct HTTPMethod: Hashable, Sendable, RawRepresentable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The method as sent, such as `GET`.
    public let rawValue: String

    /// Creates a method from its name, which is checked when a request is sent.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a method from its name, which is checked when a request is sent.
    public init(stringLiteral value: String) { rawValue = value }
    /// The method as sent.
    public var description: String { rawValue }

    /// Retrieves a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Retrieves the head of a resource.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Submits data for processing.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource at the URL.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Modifies part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Deletes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Requests the supported options.
    public static let options = HTTPMethod(rawValue: "OPTIONS")

    /// Whether the method only retrieves data (RFC 9110, 9.2.1).
    var isSafe: Bool { self == .get || self == .head || self == .options || self == "TRACE" }
    /// Whether sending the request twice has the same effect as sending it once (RFC 9110, 9.2.2).
    var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
