import Foundation

/// Turns JSON text (RFC 8259, UTF-8) into a tape, in one pass, checking all of it.
///
/// The parser does not recurse. It reads the text eight bytes at a time and relies on zero bytes behind it.
enum JSONParser {
    /// How many zero bytes stand behind the text.
    static let padding = 16

    /// A tape allocated with `malloc`.
    struct Tape {
        var words: UnsafeMutablePointer<JSONTape.Word>
        var count: Int
    }

    /// Parses a text that is followed by `padding` zero bytes.
    static func parse(
        _ text: UnsafePointer<UInt8>, count: Int, limits: JSONLimits
    ) throws(JSONFailure) -> Tape {
        var run = Run(text: text, count: count, limits: limits)
        do {
            return try run.parse()
        } catch {
            var error = error
            error.path = run.path
            run.discard()
            throw error
        }
    }

    /// The state of one parse.
    fileprivate struct Run {
        let text: UnsafePointer<UInt8>
        let count: Int
        let limits: JSONLimits
        var tape: UnsafeMutablePointer<JSONTape.Word>
        var capacity: Int
        /// The open containers from 1 on: position on the tape in the low half, and in the high one, once another
        /// container is open inside, the number of elements before that.
        let stack: UnsafeMutablePointer<UInt64>
        var depth = 0
        /// The words written so far; kept up to date only where an error is thrown.
        var written = 0
        /// The number of elements in the innermost container; likewise.
        var elements = 0

        init(text: UnsafePointer<UInt8>, count: Int, limits: JSONLimits) {
            (self.text, self.count, self.limits) = (text, count, limits)
            capacity = count / 8 + 16
            tape = malloc(capacity * MemoryLayout<JSONTape.Word>.stride)!.assumingMemoryBound(to: JSONTape.Word.self)
            stack = .allocate(capacity: limits.depth + 2)
        }

        mutating func grow() {
            capacity += capacity / 2
            tape = realloc(tape, capacity * MemoryLayout<JSONTape.Word>.stride)!
                .assumingMemoryBound(to: JSONTape.Word.self)
        }

        func discard() {
            free(tape)
            stack.deallocate()
        }
    }
}

extension JSONParser.Run {
    /// The value of a byte as written in the grammar.
    @inline(__always)
    private static func ascii(_ character: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: character.value) }

    @inline(__always)
    private static func skipSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var p = start
        while p.pointee <= 0x20, p.pointee == 0x20 || p.pointee == 0x0A || p.pointee == 0x0D || p.pointee == 0x09 {
            p += 1
        }
        return p
    }

    mutating func parse() throws(JSONFailure) -> JSONParser.Tape {
        var p = text
        if count >= 3, p[0] == 0xEF, p[1] == 0xBB, p[2] == 0xBF { p += 3 }
        var out = 0
        // Of the innermost open container: position on the tape, elements so far, kind.
        var container = 0
        var number = 0
        var inObject = false

        values: while true {
            if out + 4 > capacity { grow() }
            p = Self.skipSpace(p)
            switch p.pointee {
            case 0x22:  // "
                let start = p + 1
                let (end, escaped) = try scan(string: start, out, number)
                tape[out] = JSONTape.word(
                    escaped ? JSONTape.escapedString : JSONTape.string, length: end - start, offset: start - text)
                out += 1
                p = end + 1
            case 0x2D, 0x30...0x39:  // - 0…9
                let (end, kind) = try scan(number: p, out, number)
                tape[out] = JSONTape.word(kind, length: end - p, offset: p - text)
                out += 1
                p = end
            case 0x7B, 0x5B:  // { [
                if depth >= limits.depth { throw failure(.tooDeep, at: p, out, number) }
                let isObject = p.pointee == 0x7B
                stack[depth] = UInt64(truncatingIfNeeded: number) << 32 | UInt64(truncatingIfNeeded: container)
                depth += 1
                stack[depth] = UInt64(truncatingIfNeeded: out)
                container = out
                number = 0
                inObject = isObject
                tape[out] = JSONTape.word(isObject ? JSONTape.object : JSONTape.array, length: 0, offset: p - text)
                out += 1
                p = Self.skipSpace(p + 1)
                if isObject {
                    if p.pointee != 0x7D {
                        p = try member(p, &out, number, expected: .keyOrEnd)
                        continue values
                    }
                } else if p.pointee != 0x5D {
                    continue values
                }
            case 0x74:  // t
                guard p[1] == 0x72, p[2] == 0x75, p[3] == 0x65 else { throw failure(.value, at: p, out, number) }
                tape[out] = JSONTape.word(JSONTape.trueValue, length: 4, offset: p - text)
                out += 1
                p += 4
            case 0x66:  // f
                guard p[1] == 0x61, p[2] == 0x6C, p[3] == 0x73, p[4] == 0x65 else {
                    throw failure(.value, at: p, out, number)
                }
                tape[out] = JSONTape.word(JSONTape.falseValue, length: 5, offset: p - text)
                out += 1
                p += 5
            case 0x6E:  // n
                guard p[1] == 0x75, p[2] == 0x6C, p[3] == 0x6C else { throw failure(.value, at: p, out, number) }
                tape[out] = JSONTape.word(JSONTape.null, length: 4, offset: p - text)
                out += 1
                p += 4
            default:
                throw failure(.value, at: p, out, number)
            }

            // Behind a value, or before the end of an empty container.
            while true {
                p = Self.skipSpace(p)
                if depth == 0 { break values }
                let isEmpty = out == container + 1
                if !isEmpty, p.pointee == 0x2C {  // ,
                    number += 1
                    p += 1
                    if inObject {
                        if out + 4 > capacity { grow() }
                        p = try member(Self.skipSpace(p), &out, number, expected: .key)
                    }
                    continue values
                }
                guard p.pointee == (inObject ? 0x7D : 0x5D) else {
                    throw failure(inObject ? .memberEnd : .elementEnd, at: p, out, number)
                }
                p += 1
                if !isEmpty { number += 1 }
                if inObject, limits.duplicateKeys == .refuse { try refuseDuplicates(in: container, upTo: out) }
                tape[container] |= JSONTape.completion(span: out - container, count: number)
                depth -= 1
                let outer = stack[depth]
                container = Int(truncatingIfNeeded: outer & 0xFFFF_FFFF)
                number = Int(truncatingIfNeeded: outer >> 32)
                inObject = depth > 0 && JSONTape.kind(tape[container]) == JSONTape.object
            }
        }

        guard p == text + count else { throw failure(.documentEnd, at: p, out, number) }
        stack.deallocate()
        if out < capacity {
            tape = realloc(tape, out * MemoryLayout<JSONTape.Word>.stride)!.assumingMemoryBound(to: JSONTape.Word.self)
        }
        return JSONParser.Tape(words: tape, count: out)
    }

    /// Reads a key and its colon; writes the key.
    @inline(__always)
    private mutating func member(
        _ start: UnsafePointer<UInt8>, _ out: inout Int, _ number: Int, expected: JSONFailure.Expectation
    ) throws(JSONFailure) -> UnsafePointer<UInt8> {
        guard start.pointee == 0x22 else { throw failure(expected, at: start, out, number) }
        let first = start + 1
        let (end, escaped) = try scan(string: first, out, number)
        tape[out] = JSONTape.word(
            escaped ? JSONTape.escapedKey : JSONTape.key, length: end - first, offset: first - text)
        out += 1
        let colon = Self.skipSpace(end + 1)
        guard colon.pointee == 0x3A else { throw failure(.colon, at: colon, out, number) }
        return colon + 1
    }

    private mutating func refuseDuplicates(in object: Int, upTo end: Int) throws(JSONFailure) {
        var seen: Set<[UInt8]> = []
        var index = object + 1
        while index < end {
            let word = tape[index]
            let raw = UnsafeBufferPointer(start: text + JSONTape.offset(word), count: JSONTape.length(word))
            let key = JSONTape.kind(word) == JSONTape.escapedKey ? JSONText.unescapedBytes(raw) : Array(raw)
            if !seen.insert(key).inserted {
                throw failure(.otherKey, at: text + JSONTape.offset(word) - 1, object + 1, 0)
            }
            let value = tape[index + 1]
            index += 1 + (value >> 63 == 0 ? 1 : JSONTape.length(value))
        }
    }

    // MARK: Strings

    /// Scans a string from behind its opening quote to its closing one, checking escapes and UTF-8.
    @inline(__always)
    private mutating func scan(
        string start: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) throws(JSONFailure) -> (end: UnsafePointer<UInt8>, escaped: Bool) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var p = start
        var escaped = false
        var seen: UInt64 = 0
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
            let quote = word ^ 0x2222_2222_2222_2222
            let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            // The lowest set bit marks the first quote, backslash or control character.
            let hits =
                (((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- 0x2020_2020_2020_2020) & ~word))
                & highs
            if hits == 0 {
                seen |= word
                p += 8
                continue
            }
            let shift = UInt64(truncatingIfNeeded: hits.trailingZeroBitCount & ~7)
            seen |= word & ((1 &<< shift) &- 1)
            p += Int(truncatingIfNeeded: shift >> 3)
            if p.pointee == 0x22 { break }
            guard p.pointee == 0x5C else {
                let reason: JSONFailure.Expectation = p >= text + count ? .stringEnd : .noControlCharacter
                throw failure(reason, at: p, out, number)
            }
            escaped = true
            p = try skip(escape: p, out, number)
        }
        if seen & highs != 0, let bad = JSONText.firstInvalidUTF8(UnsafeBufferPointer(start: start, count: p - start)) {
            throw failure(.utf8, at: start + bad, out, number)
        }
        return (p, escaped)
    }

    /// Checks the escape at `start` and returns what stands behind it.
    private mutating func skip(
        escape start: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) throws(JSONFailure) -> UnsafePointer<UInt8> {
        switch start[1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return start + 2
        case 0x75: break
        default: throw failure(.escape, at: start, out, number)
        }
        guard let unit = JSONText.hex4(start + 2) else { throw failure(.hex, at: start, out, number) }
        guard unit & 0xF800 == 0xD800 else { return start + 6 }
        guard unit < 0xDC00, start[6] == 0x5C, start[7] == 0x75, let low = JSONText.hex4(start + 8),
            low & 0xFC00 == 0xDC00
        else { throw failure(.surrogate, at: start, out, number) }
        return start + 12
    }

    // MARK: Numbers

    @inline(__always)
    private static func skipDigits(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var p = start
        while p.pointee &- 0x30 < 10 { p += 1 }
        return p
    }

    @inline(__always)
    private mutating func scan(
        number start: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) throws(JSONFailure) -> (end: UnsafePointer<UInt8>, kind: JSONTape.Word) {
        var p = start
        if p.pointee == 0x2D { p += 1 }
        if p.pointee == 0x30 {
            p += 1
            if p.pointee &- 0x30 < 10 { throw failure(.noLeadingZero, at: p - 1, out, number) }
        } else {
            let digits = p
            p = Self.skipDigits(p)
            if p == digits { throw failure(.digit, at: p, out, number) }
        }
        guard p.pointee == 0x2E || p.pointee | 0x20 == 0x65 else { return (p, JSONTape.integer) }
        if p.pointee == 0x2E {
            let digits = p + 1
            p = Self.skipDigits(digits)
            if p == digits { throw failure(.digit, at: p, out, number) }
        }
        if p.pointee | 0x20 == 0x65 {
            p += 1
            if p.pointee == 0x2B || p.pointee == 0x2D { p += 1 }
            let digits = p
            p = Self.skipDigits(p)
            if p == digits { throw failure(.digit, at: p, out, number) }
        }
        return (p, JSONTape.fraction)
    }

    // MARK: Failures

    @inline(never)
    private mutating func failure(
        _ expected: JSONFailure.Expectation, at p: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) -> JSONFailure {
        (written, elements) = (out, number)
        return JSONFailure(expected: expected, offset: min(p - text, count))
    }

    /// The path of the place where the parse stopped.
    var path: String {
        guard depth > 0 else { return "$" }
        return (1...depth).reduce("$") { path, level in
            let container = Int(truncatingIfNeeded: stack[level] & 0xFFFF_FFFF)
            if JSONTape.kind(tape[container]) == JSONTape.array {
                return path + "[\(level == depth ? elements : Int(truncatingIfNeeded: stack[level] >> 32))]"
            }
            let end = level == depth ? written : Int(truncatingIfNeeded: stack[level + 1] & 0xFFFF_FFFF)
            return path + (lastKey(of: container, upTo: end).map(JSONPlace.step) ?? "")
        }
    }

    private func lastKey(of object: Int, upTo end: Int) -> String? {
        var index = object + 1
        var last: Int?
        while index < end {
            last = index
            guard index + 1 < end else { break }
            let value = tape[index + 1]
            index += 1 + (value >> 63 == 0 ? 1 : JSONTape.length(value))
        }
        guard let last else { return nil }
        let word = tape[last]
        return JSONText.unescaped(
            UnsafeBufferPointer(start: text + JSONTape.offset(word), count: JSONTape.length(word)))
    }
}
