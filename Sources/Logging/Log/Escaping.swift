/// The characters that are escaped in a kind of text.
///
/// Control characters, line and paragraph separators and bidirectional marks are always escaped, because they could
/// forge a line, control a terminal or change the reading order. Other Unicode text isn't escaped.
enum Escaping {
    /// One line of text: `\n`, `\r`, `\xNN`, `\u{NNNN}`; tabs and backslashes aren't escaped.
    case text
    /// Text whose lines continue behind a gutter, so that no continuation line can look like the header of a line.
    case continuation
    /// A quoted value: like text, with tab, quote and backslash escaped, too.
    case quoted
    /// A JSON string, which can be restored exactly.
    case json

    static let gutter: StaticString = "\n  | "

    /// Returns the length of a prefix without escapes, checked eight bytes at a time.
    @inline(__always)
    private func cleanPrefix(_ text: LogText, from first: Int) -> Int {
        let end = text.count
        var index = first
        while index &+ 8 <= end {
            if !isClean(text, at: index) { return index }
            index &+= 8
        }
        // The rest, checked together with preceding bytes.
        if index < end, end &- 8 >= first, isClean(text, at: end &- 8) { return end }
        return index
    }

    /// Whether eight bytes are ASCII without escapes.
    ///
    /// The result can be `false` if only the byte after a match needs an escape.
    @inline(__always)
    private func isClean(_ text: LogText, at index: Int) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = text.word(at: index)
        var found = word | ((word &- ones &* 0x20) & ~word) | Self.zeroes(word ^ (ones &* 0x7F))
        if self == .quoted || self == .json {
            found |= Self.zeroes(word ^ (ones &* 0x22)) | Self.zeroes(word ^ (ones &* 0x5C))
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Whether a message prints as it is in every pattern: ASCII without control characters and `=`.
    ///
    /// Most messages do, so one pass replaces the searches for fields and for escapes.
    @inline(__always)
    static func isPlain(_ text: LogText) -> Bool {
        guard text.count >= 8 else {
            for index in 0..<text.count where !(0x20..<0x7F ~= text[index]) || text[index] == 0x3D { return false }
            return true
        }
        var index = 0
        while true {
            let word = text.word(at: index)
            let equals = zeroes(word ^ (0x0101_0101_0101_0101 &* 0x3D)) & 0x8080_8080_8080_8080
            if equals != 0 || !Escaping.text.isClean(text, at: index) { return false }
            if index &+ 8 == text.count { return true }
            // The last word overlaps the one before.
            index = min(index &+ 8, text.count &- 8)
        }
    }

    /// The high bit of every byte that is zero (and perhaps of one after such a byte).
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }

    /// Returns the scalar at `index` that needs an escape, and its length in bytes; nil if there is none.
    @inline(__always)
    private func special(_ start: LogText, _ index: Int) -> (scalar: UInt32, length: Int)? {
        let (byte, end) = (start[index], start.count)
        switch byte {
        case 0x09: return self == .text || self == .continuation ? nil : (9, 1)
        case 0x00..<0x20, 0x7F: return (UInt32(byte), 1)
        case 0x22, 0x5C: return self == .quoted || self == .json ? (UInt32(byte), 1) : nil
        case 0xC2:
            guard index + 1 < end, start[index + 1] < 0xA0 else { return nil }
            return (UInt32(start[index + 1]), 2)
        case 0xE2:
            guard index + 2 < end else { return nil }
            switch (start[index + 1], start[index + 2]) {
            case (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9):
                return (0x2000 | UInt32(start[index + 1] & 0x3F) << 6 | UInt32(start[index + 2] & 0x3F), 3)
            default: return nil
            }
        default: return nil
        }
    }

    /// Appends escaped text.
    @inline(__always)
    func append(_ text: LogText, to line: ByteBuffer) {
        var index = cleanPrefix(text, from: 0)
        while index < text.count, special(text, index) == nil { index += 1 }
        line.append(text.prefix(index))
        if index < text.count { appendRest(text, from: index, to: line) }
    }

    @inline(never)
    private func appendRest(_ text: LogText, from first: Int, to line: ByteBuffer) {
        var (index, copied) = (first, first)
        while index < text.count {
            guard let (scalar, length) = special(text, index) else {
                index = max(index + 1, cleanPrefix(text, from: index + 1))
                continue
            }
            line.append(text.prefix(index).dropFirst(copied))
            let next = index + length < text.count ? text[index + length] : 0
            index += appendEscape(scalar, length, next: next, to: line)
            copied = index
        }
        line.append(text.dropFirst(copied))
    }

    /// Appends the escape of a scalar; returns the number of bytes it replaces.
    private func appendEscape(_ scalar: UInt32, _ length: Int, next: UInt8, to line: ByteBuffer) -> Int {
        switch (scalar, self) {
        case (10, .continuation): line.append(Self.gutter)
        case (13, .continuation) where next == 10:
            line.append(Self.gutter)
            return 2
        case (10, _): line.append("\\n" as StaticString)
        case (13, _): line.append("\\r" as StaticString)
        case (9, _): line.append("\\t" as StaticString)
        case (0x22, _): line.append("\\\"" as StaticString)
        case (0x5C, _): line.append("\\\\" as StaticString)
        case (_, .json):
            line.append("\\u" as StaticString)
            appendHex(scalar, digits: 4, to: line)
        case (..<0x100, _):
            line.append("\\x" as StaticString)
            appendHex(scalar, digits: 2, to: line)
        default:
            line.append("\\u{" as StaticString)
            appendHex(scalar, digits: 4, to: line)
            line.append(byte: 0x7D)
        }
        return length
    }

    private func appendHex(_ value: UInt32, digits: Int, to line: ByteBuffer) {
        for place in stride(from: (digits - 1) * 4, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: value >> UInt32(place) & 0xF)
            line.append(byte: digit < 10 ? 48 + digit : 55 + digit)
        }
    }

    /// Appends escaped text up to the offset `end` of the line, and `...[+N B]` instead of the rest.
    ///
    /// Text is truncated at a character boundary. `omitted` is the number of bytes that were already truncated. Returns
    /// whether anything was truncated.
    @inline(__always)
    func append(_ text: LogText, omitted: Int = 0, to line: ByteBuffer, end: Int) -> Bool {
        // No escape is longer than eight bytes.
        if omitted == 0, line.count + text.count &* 8 <= end {
            append(text, to: line)
            return false
        }
        return appendCut(text, omitted: omitted, to: line, end: end)
    }

    /// The maximum length of the mark: `...[+`, 19 digits and ` B]`.
    static let markLength = 28

    @inline(never)
    private func appendCut(_ text: LogText, omitted: Int, to line: ByteBuffer, end: Int) -> Bool {
        if omitted == 0, rawLength(text, fitting: max(0, end - line.count)) == text.count {
            append(text, to: line)
            return false
        }
        let fitting = rawLength(text, fitting: max(0, end - Self.markLength - line.count))
        let cut = Self.characterBoundary(text, atMost: fitting)
        append(text.prefix(cut), to: line)
        line.append("...[+" as StaticString)
        line.append(decimal: UInt64(text.count - cut + omitted))
        line.append(" B]" as StaticString)
        return true
    }

    /// Returns the number of bytes whose escaped form fits into `room`.
    private func rawLength(_ text: LogText, fitting room: Int) -> Int {
        ByteBuffer.temporary(capacity: 16) { scratch in
            var (index, used) = (0, 0)
            while index < text.count {
                var (length, cost) = (1, 1)
                if let (scalar, bytes) = special(text, index) {
                    scratch.reset()
                    let next = index + bytes < text.count ? text[index + bytes] : 0
                    length = appendEscape(scalar, bytes, next: next, to: scratch)
                    cost = scratch.count
                }
                if used + cost > room { break }
                (index, used) = (index + length, used + cost)
            }
            return index
        }
    }

    /// Returns the last character boundary at or before `limit`.
    ///
    /// The search starts at the last ASCII character, which begins a character, because some clusters, such as flags,
    /// depend on all preceding scalars. Within an endless cluster, the result is a boundary between two scalars.
    static func characterBoundary(_ start: LogText, atMost limit: Int) -> Int {
        guard limit < start.count else { return start.count }
        func scalarBoundary(_ index: Int) -> Int {
            var index = index
            while index > 0, start[index] & 0xC0 == 0x80 { index -= 1 }
            return index
        }
        var first = max(0, limit - 1)
        // A line feed can belong to a preceding carriage return.
        while first > 0, start[first] & 0x80 != 0 || start[first] == 10 { first -= 1 }
        var best = first
        for character in start.prefix(limit + 64).dropFirst(first).string {
            let end = best + character.utf8.count
            if end > limit { break }
            best = end
        }
        return best > 0 && limit - best < 1024 ? best : scalarBoundary(limit)
    }
}
