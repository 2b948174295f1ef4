/// Which characters a kind of text cannot hold as they are, and what stands for them.
///
/// Control characters, line and paragraph separators and bidirectional marks are neutralised everywhere: they could
/// forge a line, drive a terminal or turn the order of what is read. All other Unicode text is left alone.
enum Escaping {
    /// One line of text: `\n`, `\r`, `\xNN`, `\u{NNNN}`; tabs and backslashes stay.
    case text
    /// Text whose line ends continue behind a gutter, so that no further line can look like a header.
    case continuation
    /// The inside of a quoted value: as text, and tab, quote and backslash are escaped too.
    case quoted
    /// The inside of a JSON string, reversible.
    case json

    static let gutter: StaticString = "\n  | "

    /// The length of the prefix that needs no escape at all, or at least no look at single bytes.
    @inline(__always)
    private func cleanPrefix(_ start: UnsafePointer<UInt8>, from first: Int, to end: Int) -> Int {
        var index = first
        while index &+ 8 <= end {
            if !isClean(start + index) { return index }
            index &+= 8
        }
        // The rest together with bytes that were looked at before.
        if index < end, end &- 8 >= first, isClean(start + (end &- 8)) { return end }
        return index
    }

    /// Whether eight bytes are ASCII that needs no escape; may say no where only one behind such a byte would need it.
    @inline(__always)
    private func isClean(_ start: UnsafePointer<UInt8>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)
        var found = word | ((word &- ones &* 0x20) & ~word) | Self.zeroes(word ^ (ones &* 0x7F))
        if self == .quoted || self == .json {
            found |= Self.zeroes(word ^ (ones &* 0x22)) | Self.zeroes(word ^ (ones &* 0x5C))
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Whether all bytes from `first` on are ASCII characters that stand for themselves in every kind of text; a tab is
    /// not among them.
    ///
    /// Writes up to 15 bytes behind the last, for which there has to be room; if there is not, the answer is `false`.
    @inline(__always)
    static func isPlain(_ buffer: ByteBuffer, from first: Int) -> Bool {
        let count = buffer.count
        guard count &+ 16 <= buffer.header.pointee.capacity else { return false }
        let start = UnsafeMutableRawPointer(buffer.start)
        start.storeBytes(of: SIMD16(repeating: 32), toByteOffset: count, as: SIMD16<UInt8>.self)
        // The high bit of a byte is set in itself, if it is part of a longer character, or when 32 is taken away from a
        // control character, or when 1 is added to a delete.
        var (index, found) = (first, SIMD16<UInt8>())
        while index < count {
            let part = start.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            found |= part | (part &- 32) | (part &+ 1)
            index &+= 16
        }
        let words = unsafeBitCast(found, to: SIMD2<UInt64>.self)
        return (words[0] | words[1]) & 0x8080_8080_8080_8080 == 0
    }

    /// The high bit of every byte that is zero (and perhaps of one after such a byte).
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }

    /// The scalar that needs an escape at `index`, with its length in bytes; `nil` if the byte is fine.
    @inline(__always)
    private func special(_ start: UnsafePointer<UInt8>, _ index: Int, _ end: Int) -> (scalar: UInt32, length: Int)? {
        let byte = start[index]
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

    /// Appends `count` bytes, escaped.
    @inline(__always)
    func append(_ start: UnsafePointer<UInt8>, _ count: Int, to line: ByteBuffer) {
        let clean = cleanPrefix(start, from: 0, to: count)
        var index = clean
        while index < count, special(start, index, count) == nil { index += 1 }
        line.append(start, index)
        if index < count { appendRest(start, from: index, count, to: line) }
    }

    @inline(never)
    private func appendRest(_ start: UnsafePointer<UInt8>, from first: Int, _ count: Int, to line: ByteBuffer) {
        var (index, copied) = (first, first)
        while index < count {
            guard let (scalar, length) = special(start, index, count) else {
                index = max(index + 1, cleanPrefix(start, from: index + 1, to: count))
                continue
            }
            line.append(start + copied, index - copied)
            let next = index + length < count ? start[index + length] : 0
            index += appendEscape(scalar, length, next: next, to: line)
            copied = index
        }
        line.append(start + copied, count - copied)
    }

    /// Appends what stands for the scalar and returns how many bytes it stands for.
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

    /// Appends bytes so that the line does not grow beyond `end`; what does not fit is replaced by `...[+N B]`.
    ///
    /// The cut is at a character boundary. `omitted` bytes were left out before; returns whether anything was cut.
    @inline(__always)
    func append(
        _ start: UnsafePointer<UInt8>, _ count: Int, omitted: Int = 0, to line: ByteBuffer, end: Int
    ) -> Bool {
        // No escape is longer than eight bytes.
        if omitted == 0, line.count + count &* 8 <= end {
            append(start, count, to: line)
            return false
        }
        return appendCut(start, count, omitted: omitted, to: line, end: end)
    }

    /// What a cut mark takes at most: `...[+` and 19 digits and ` B]`.
    static let markLength = 28

    @inline(never)
    private func appendCut(
        _ start: UnsafePointer<UInt8>, _ count: Int, omitted: Int, to line: ByteBuffer, end: Int
    ) -> Bool {
        if omitted == 0 {
            let before = line.count
            let fitting = rawLength(start, count, fitting: max(0, end - before))
            if fitting == count {
                append(start, count, to: line)
                return false
            }
        }
        let fitting = rawLength(start, count, fitting: max(0, end - Self.markLength - line.count))
        let cut = Self.characterBoundary(start, count, atMost: fitting)
        append(start, cut, to: line)
        line.append("...[+" as StaticString)
        line.append(decimal: UInt64(count - cut + omitted))
        line.append(" B]" as StaticString)
        return true
    }

    /// How many of the bytes fit into `room` when escaped.
    private func rawLength(_ start: UnsafePointer<UInt8>, _ count: Int, fitting room: Int) -> Int {
        let scratch = ByteBuffer(capacity: 16)
        defer { scratch.deallocate() }
        var (index, used) = (0, 0)
        while index < count {
            var length = 1
            var cost = 1
            if let (scalar, bytes) = special(start, index, count) {
                scratch.reset()
                let next = index + bytes < count ? start[index + bytes] : 0
                length = appendEscape(scalar, bytes, next: next, to: scratch)
                cost = scratch.count
            }
            if used + cost > room { break }
            (index, used) = (index + length, used + cost)
        }
        return index
    }

    /// The last boundary between characters at or before `limit`.
    ///
    /// Looks from the last ASCII character on, before which there is always a boundary: some clusters, such as flags,
    /// depend on all that is before them. In one endless cluster the cut falls between two scalars.
    static func characterBoundary(_ start: UnsafePointer<UInt8>, _ count: Int, atMost limit: Int) -> Int {
        guard limit < count else { return count }
        func scalarBoundary(_ index: Int) -> Int {
            var index = index
            while index > 0, start[index] & 0xC0 == 0x80 { index -= 1 }
            return index
        }
        var first = max(0, limit - 1)
        // Not before a line feed: it may belong to a carriage return.
        while first > 0, start[first] & 0x80 != 0 || start[first] == 10 { first -= 1 }
        let window = UnsafeBufferPointer(start: start + first, count: min(count, limit + 64) - first)
        var best = first
        for character in String(decoding: window, as: UTF8.self) {
            let end = best + character.utf8.count
            if end > limit { break }
            best = end
        }
        return best > 0 && limit - best < 1024 ? best : scalarBoundary(limit)
    }
}
