internal import AshlarBase

/// The characters that are escaped in a kind of text.
///
/// Control characters, line and paragraph separators and bidirectional marks are always escaped, because they could
/// forge a line, control a terminal or change the reading order. Other Unicode text isn't escaped.
package enum Escaping {
    /// One line of text: `\n`, `\r`, `\xNN`, `\u{NNNN}`; tabs and backslashes aren't escaped.
    case text
    /// Text whose lines continue behind a gutter, so that no continuation line can look like the header of a line.
    case continuation
    /// A quoted value: like text, with tab, quote and backslash escaped, too.
    case quoted
    /// A JSON string, which can be restored exactly.
    case json

    static let gutter = "\n  | "

    /// Returns the offset of the first byte at or after `first` that may begin an escaped scalar.
    private func cleanEnd(_ text: TextBytes, from first: Int) -> Int {
        let escapesQuotes = self == .quoted || self == .json
        var index = first
        while index < text.count {
            switch text[index] {
            case ..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: return index
            case .quote, .backslash: if escapesQuotes { return index }
            default: break
            }
            index += 1
        }
        return index
    }

    /// Returns the scalar at `index` that needs an escape, and its length in bytes; nil if there is none.
    private func special(_ start: TextBytes, _ index: Int) -> (scalar: UInt32, length: Int)? {
        let byte = start[index]
        // The UTF-8 of a string is valid, so the bytes of a scalar follow its first one.
        switch byte {
        case UInt8(ascii: "\t"): return self == .text || self == .continuation ? nil : (9, 1)
        case 0x00..<0x20, 0x7F: return (UInt32(byte), 1)
        case .quote, .backslash: return self == .quoted || self == .json ? (UInt32(byte), 1) : nil
        case 0xC2:
            return start[index + 1] < 0xA0 ? (UInt32(start[index + 1]), 2) : nil
        case 0xD8:
            // U+061C, the Arabic letter mark.
            return start[index + 1] == 0x9C ? (0x061C, 2) : nil
        case 0xE2:
            switch (start[index + 1], start[index + 2]) {
            case (0x80, 0x8E...0x8F), (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9):
                return (0x2000 | UInt32(start[index + 1] & 0x3F) << 6 | UInt32(start[index + 2] & 0x3F), 3)
            default: return nil
            }
        default: return nil
        }
    }

    /// Appends escaped text.
    private func append(_ text: TextBytes, upTo end: Int, to line: inout [UInt8]) {
        var index = cleanEnd(text, from: 0)
        var copied = 0
        while index < end {
            guard let (scalar, length) = special(text, index) else {
                index = cleanEnd(text, from: index + 1)
                continue
            }
            line.append(contentsOf: text[copied..<index])
            let next = index + length < text.count ? text[index + length] : 0
            copied = index + appendEscape(scalar, length, next: next, to: &line)
            index = cleanEnd(text, from: copied)
        }
        line.append(contentsOf: text[copied..<max(copied, end)])
    }

    /// Appends the escape of a scalar; returns the number of bytes it replaces.
    private func appendEscape(_ scalar: UInt32, _ length: Int, next: UInt8, to line: inout [UInt8]) -> Int {
        switch (scalar, self) {
        case (10, .continuation): line.append(text: Self.gutter)
        case (13, .continuation) where next == 10:
            line.append(text: Self.gutter)
            return 2
        case (10, _): line.append(text: "\\n")
        case (13, _): line.append(text: "\\r")
        case (9, _): line.append(text: "\\t")
        case (0x22, _): line.append(text: "\\\"")
        case (0x5C, _): line.append(text: "\\\\")
        case (_, .json):
            line.append(text: "\\u")
            line.append(text: scalar.digits(4, radix: 16, uppercase: true))
        case (..<0x100, _):
            line.append(text: "\\x")
            line.append(text: scalar.digits(2, radix: 16, uppercase: true))
        default:
            line.append(text: "\\u{")
            line.append(text: scalar.digits(4, radix: 16, uppercase: true))
            line.append(text: "}")
        }
        return length
    }

    /// Appends escaped text up to the offset `end` of the line, and `...[+N B]` instead of the rest.
    ///
    /// Text is truncated at a character boundary. Returns whether anything was truncated.
    func append(_ text: String, to line: inout [UInt8], end: Int) -> Bool {
        text.withBytes { append($0, to: &line, end: end) }
    }

    private func append(_ text: TextBytes, to line: inout [UInt8], end: Int) -> Bool {
        // No escape is longer than eight bytes.
        if line.count + text.count &* 8 <= end
            || rawLength(text, fitting: max(0, end - line.count)) == text.count
        {
            append(text, upTo: text.count, to: &line)
            return false
        }
        let fitting = rawLength(text, fitting: max(0, end - Self.markLength - line.count))
        let cut = Self.characterBoundary(text, atMost: fitting)
        append(text, upTo: cut, to: &line)
        line.append(text: "...[+\(text.count - cut) B]")
        return true
    }

    /// The maximum length of the mark: `...[+`, 19 digits and ` B]`.
    static let markLength = 28

    /// Returns the number of bytes whose escaped form fits into `room`.
    private func rawLength(_ text: TextBytes, fitting room: Int) -> Int {
        var scratch: [UInt8] = []
        var (index, used) = (0, 0)
        while index < text.count {
            var (length, cost) = (1, 1)
            if let (scalar, bytes) = special(text, index) {
                scratch.removeAll(keepingCapacity: true)
                let next = index + bytes < text.count ? text[index + bytes] : 0
                length = appendEscape(scalar, bytes, next: next, to: &scratch)
                cost = scratch.count
            }
            if used + cost > room { break }
            index += length
            used += cost
        }
        return index
    }

    /// Returns the last character boundary at or before `limit`.
    ///
    /// The search starts at the last ASCII character, which begins a character, because some clusters, such as flags,
    /// depend on all preceding scalars. Within an endless cluster, the result is a boundary between two scalars.
    private static func characterBoundary(_ start: TextBytes, atMost limit: Int) -> Int {
        guard limit < start.count else { return start.count }
        func scalarBoundary(_ index: Int) -> Int {
            var index = index
            while index > 0, start[index] & 0xC0 == 0x80 { index -= 1 }
            return index
        }
        var first = max(0, limit - 1)
        // A line feed can belong to a preceding carriage return.
        while first > 0, start[first] & 0x80 != 0 || start[first] == .newline { first -= 1 }
        var best = first
        for character in String(decoding: start[first..<min(start.count, limit + 64)], as: UTF8.self) {
            let end = best + character.utf8.count
            if end > limit { break }
            best = end
        }
        return best > 0 && limit - best < 1024 ? best : scalarBoundary(limit)
    }
}
