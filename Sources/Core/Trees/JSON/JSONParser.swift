import AshlarCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Parses strict JSON (RFC 8259, UTF-8) into a tape, in one pass and without recursion.
///
/// The parser reads eight bytes at a time and relies on zero bytes after the text.
enum JSONParser {
    /// The number of zero bytes required after the text.
    static let padding = 16

    /// Parses a text that is followed by `padding` zero bytes, and returns a tape allocated with `malloc`.
    static func parse(
        _ text: UnsafePointer<UInt8>, count: Int, options: JSONDocument.Options
    ) throws(Failure) -> UnsafeMutablePointer<JSONTape.Word> {
        var run = Run(text: text, count: count, options: options)
        do {
            return try run.parse()
        } catch {
            var error = error
            error.steps = run.steps
            error.container = run.innermostContainer
            run.discard()
            throw error
        }
    }

    /// The state of one parse.
    struct Run {
        let text: UnsafePointer<UInt8>
        let count: Int
        let options: JSONDocument.Options
        var tape: UnsafeMutablePointer<JSONTape.Word>
        var capacity: Int
        /// The open containers, from index 1.
        ///
        /// The low half of an entry is the position on the tape. The high half is the number of elements so far; it is
        /// set when an inner container is opened.
        let stack: UnsafeMutablePointer<UInt64>
        var depth = 0
        /// The number of words written; up to date only when an error is thrown.
        var written = 0
        /// The number of elements in the innermost container; up to date only when an error is thrown.
        var elements = 0

        init(text: UnsafePointer<UInt8>, count: Int, options: JSONDocument.Options) {
            (self.text, self.count, self.options) = (text, count, options)
            capacity = count / 8 + 16
            tape = malloc(capacity * MemoryLayout<JSONTape.Word>.stride)!.assumingMemoryBound(to: JSONTape.Word.self)
            stack = .allocate(capacity: options.depth + 2)
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
    @inline(__always)
    private static func skipSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var p = start
        while p.pointee <= .space,
            p.pointee == .space || p.pointee == .lineFeed || p.pointee == .carriageReturn || p.pointee == .tab
        {
            p += 1
        }
        return p
    }

    mutating func parse() throws(JSONParser.Failure) -> UnsafeMutablePointer<JSONTape.Word> {
        var p = text
        if count >= 3, p[0] == 0xEF, p[1] == 0xBB, p[2] == 0xBF { p += 3 }
        var out = 0
        // The position on the tape, the number of elements so far, and the kind of the innermost open container.
        var container = 0
        var number = 0
        var inObject = false

        values: while true {
            if out + 4 > capacity { grow() }
            p = Self.skipSpace(p)
            switch p.pointee {
            case .quote:
                let start = p + 1
                let (end, escaped) = try scan(string: start, out, number)
                tape[out] = JSONTape.word(
                    escaped ? JSONTape.escapedString : JSONTape.string, length: end - start, offset: start - text)
                out += 1
                p = end + 1
            case .minus, .digitZero ... .digitNine:
                let (end, kind) = try scan(number: p, out, number)
                tape[out] = JSONTape.word(kind, length: end - p, offset: p - text)
                out += 1
                p = end
            case .openBrace, .openBracket:
                if depth >= options.depth { throw failure(.depth, at: p, out, number) }
                let isObject = p.pointee == .openBrace
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
                    if p.pointee != .closeBrace {
                        p = try member(p, &out, number, expected: .keyOrEnd)
                        continue values
                    }
                } else if p.pointee != .closeBracket {
                    continue values
                }
            case UInt8(ascii: "t"): p = try scan(literal: "true", as: JSONTape.trueValue, p, &out, number)
            case UInt8(ascii: "f"): p = try scan(literal: "false", as: JSONTape.falseValue, p, &out, number)
            case UInt8(ascii: "n"): p = try scan(literal: "null", as: JSONTape.null, p, &out, number)
            default:
                throw valueFailure(at: p, out, number)
            }

            // After a value, or before the end of an empty container.
            while true {
                p = Self.skipSpace(p)
                if depth == 0 { break values }
                let isEmpty = out == container + 1
                if !isEmpty, p.pointee == .comma {
                    number += 1
                    p += 1
                    if inObject {
                        if out + 4 > capacity { grow() }
                        p = try member(Self.skipSpace(p), &out, number, expected: .key)
                    }
                    continue values
                }
                guard p.pointee == (inObject ? .closeBrace : .closeBracket) else {
                    throw failure(inObject ? .memberEnd : .elementEnd, at: p, out, number)
                }
                p += 1
                if !isEmpty { number += 1 }
                if inObject, options.rejectsDuplicateKeys { try rejectDuplicates(in: container, upTo: out) }
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
        return tape
    }

    /// Reads and writes `true`, `false` or `null`.
    @inline(__always)
    private mutating func scan(
        literal: StaticString, as kind: JSONTape.Word, _ p: UnsafePointer<UInt8>, _ out: inout Int, _ number: Int
    ) throws(JSONParser.Failure) -> UnsafePointer<UInt8> {
        let count = literal.utf8CodeUnitCount
        guard memcmp(p, literal.utf8Start, count) == 0 else { throw failure(.value, at: p, out, number) }
        tape[out] = JSONTape.word(kind, length: count, offset: p - text)
        out += 1
        return p + count
    }

    /// Reads a key and its colon; writes the key.
    @inline(__always)
    private mutating func member(
        _ start: UnsafePointer<UInt8>, _ out: inout Int, _ number: Int, expected: JSONParser.Failure.Reason
    ) throws(JSONParser.Failure) -> UnsafePointer<UInt8> {
        guard start.pointee == .quote else {
            if start.pointee == .closeBrace { throw trailingComma(before: start, out, number) }
            throw failure(expected, at: start, out, number)
        }
        let first = start + 1
        let (end, escaped) = try scan(string: first, out, number)
        tape[out] = JSONTape.word(
            escaped ? JSONTape.escapedKey : JSONTape.key, length: end - first, offset: first - text)
        out += 1
        let colon = Self.skipSpace(end + 1)
        guard colon.pointee == .colon else { throw failure(.colon, at: colon, out, number) }
        return colon + 1
    }

    private mutating func rejectDuplicates(in object: Int, upTo end: Int) throws(JSONParser.Failure) {
        var seen: [String: Int] = [:]
        var index = object + 1
        while index < end {
            let offset = JSONTape.offset(tape[index]) - 1
            if let first = seen.updateValue(offset, forKey: key(at: index)) {
                throw failure(.duplicateKey(first: first), at: text + offset, object + 1, 0)
            }
            index += 1 + JSONTape.span(tape[index + 1])
        }
    }

    // MARK: Strings

    /// Scans the string whose content begins at `start`, up to its closing quote, and checks escapes and UTF-8.
    @inline(__always)
    private mutating func scan(
        string start: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) throws(JSONParser.Failure) -> (end: UnsafePointer<UInt8>, escaped: Bool) {
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
            if p.pointee == .quote { break }
            guard p.pointee == .backslash else {
                // A raw line break usually means that the closing quote is missing.
                if p >= text + count || p.pointee == .lineFeed || p.pointee == .carriageReturn {
                    throw failure(.stringEnd, at: start - 1, out, number)
                }
                throw failure(.controlCharacter, at: p, out, number)
            }
            escaped = true
            p = try skip(escape: p, in: start, out, number)
        }
        if seen & highs != 0,
            let bad = UTF8Validation.firstInvalid(in: UnsafeBufferPointer(start: start, count: p - start))
        {
            throw failure(.utf8, at: start + bad, out, number)
        }
        return (p, escaped)
    }

    /// Checks the escape at `start` and returns the position after it.
    private mutating func skip(
        escape start: UnsafePointer<UInt8>, in string: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) throws(JSONParser.Failure) -> UnsafePointer<UInt8> {
        switch start[1] {
        case .quote, .backslash, .slash, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"): break
        default: throw failure(.escape, at: start, out, number)
        }
        guard let unit = JSONText.hex4(start + 2) else { throw failure(.hex, at: start, out, number) }
        guard unit & 0xF800 == 0xD800 else { return start + 6 }
        guard unit < 0xDC00, start[6] == .backslash, start[7] == UInt8(ascii: "u"), let low = JSONText.hex4(start + 8),
            low & 0xFC00 == 0xDC00
        else { throw failure(.surrogate, at: start, out, number) }
        return start + 12
    }

    // MARK: Numbers

    @inline(__always)
    private static func skipDigits(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var p = start
        while p.pointee &- .digitZero < 10 { p += 1 }
        return p
    }

    @inline(__always)
    private mutating func scan(
        number start: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) throws(JSONParser.Failure) -> (end: UnsafePointer<UInt8>, kind: JSONTape.Word) {
        var p = start
        if p.pointee == .minus { p += 1 }
        if p.pointee == .digitZero {
            p += 1
            if p.pointee &- .digitZero < 10 { throw failure(.leadingZero, at: p - 1, out, number) }
        } else {
            let digits = p
            p = Self.skipDigits(p)
            if p == digits { throw failure(.digit, at: p, out, number) }
        }
        guard p.pointee == .point || p.pointee | 0x20 == UInt8(ascii: "e") else { return (p, JSONTape.integer) }
        if p.pointee == .point {
            let digits = p + 1
            p = Self.skipDigits(digits)
            if p == digits { throw failure(.digit, at: p, out, number) }
        }
        if p.pointee | 0x20 == UInt8(ascii: "e") {
            p += 1
            if p.pointee == .plus || p.pointee == .minus { p += 1 }
            let digits = p
            p = Self.skipDigits(p)
            if p == digits { throw failure(.digit, at: p, out, number) }
        }
        return (p, JSONTape.fraction)
    }

    // MARK: Failures

    @inline(never)
    private mutating func failure(
        _ reason: JSONParser.Failure.Reason, at p: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) -> JSONParser.Failure {
        (written, elements) = (out, number)
        return JSONParser.Failure(reason: reason, offset: min(p - text, count), steps: [])
    }

    /// The failure at a byte that can't start a value; a closing bracket after a comma is one case.
    private mutating func valueFailure(
        at p: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) -> JSONParser.Failure {
        let isInArray = depth > 0 && JSONTape.kind(tape[container(at: depth)]) == JSONTape.array
        guard p.pointee == .closeBracket, isInArray, number > 0 else { return failure(.value, at: p, out, number) }
        return trailingComma(before: p, out, number)
    }

    private mutating func trailingComma(
        before p: UnsafePointer<UInt8>, _ out: Int, _ number: Int
    ) -> JSONParser.Failure {
        var comma = p - 1
        while comma > text, comma.pointee != .comma { comma -= 1 }
        return failure(.trailingComma, at: comma, out, number)
    }
}
