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
struct JSONParser {
    /// The number of zero bytes required after the text.
    static let padding = 16

    let text: UnsafePointer<UInt8>
    private let count: Int
    private let options: JSONDocument.Options
    private(set) var tape: UnsafeMutablePointer<JSONTape.Word>
    private var capacity: Int
    /// The open containers, from index 1.
    ///
    /// The low half of an entry is the position on the tape. The high half is the number of elements so far; it is set when
    /// an inner container is opened.
    let stack: UnsafeMutablePointer<UInt64>
    private(set) var depth = 0
    /// The next byte to read.
    private var at: UnsafePointer<UInt8>
    /// The number of words written.
    private(set) var written = 0
    /// The position of the innermost open container on the tape, the number of its elements so far, and whether it is an
    /// object.
    private var container = 0
    private(set) var elements = 0
    private var inObject = false

    /// Parses a text that is followed by `padding` zero bytes, and returns a tape allocated with `malloc`.
    static func parse(
        _ text: UnsafePointer<UInt8>, count: Int, options: JSONDocument.Options
    ) throws(Failure) -> UnsafeMutablePointer<JSONTape.Word> {
        var parser = JSONParser(text, count, options)
        defer { parser.stack.deallocate() }
        do {
            return try parser.parse()
        } catch {
            var error = error
            error.steps = parser.steps
            error.container = parser.innermostContainer
            free(parser.tape)
            throw error
        }
    }

    private init(_ text: UnsafePointer<UInt8>, _ count: Int, _ options: JSONDocument.Options) {
        self.text = text
        self.count = count
        self.options = options
        at = text
        capacity = count / 8 + 16
        tape = malloc(capacity * MemoryLayout<JSONTape.Word>.stride)!.assumingMemoryBound(to: JSONTape.Word.self)
        stack = .allocate(capacity: options.depth + 2)
    }

    private mutating func resize(_ count: Int) {
        capacity = count
        tape = realloc(tape, count * MemoryLayout<JSONTape.Word>.stride)!
            .assumingMemoryBound(to: JSONTape.Word.self)
    }

    private mutating func write(_ kind: JSONTape.Word, length: Int = 0, _ start: UnsafePointer<UInt8>) {
        if written == capacity { resize(capacity + capacity / 2) }
        tape[written] = JSONTape.word(kind, length: length, offset: start - text)
        written += 1
    }

    private mutating func skipSpace() {
        while at.pointee <= .space,
            at.pointee == .space || at.pointee == .lineFeed || at.pointee == .carriageReturn || at.pointee == .tab
        {
            at += 1
        }
    }

    private mutating func parse() throws(Failure) -> UnsafeMutablePointer<JSONTape.Word> {
        if count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { at += 3 }
        var hasMore = true
        while hasMore {
            skipSpace()
            if try !readValue() { hasMore = try readEnd() }
        }
        guard at == text + count else { throw failure(.documentEnd) }
        if written < capacity { resize(written) }
        return tape
    }

    // MARK: Values

    /// Reads a value, or the start of a container; returns whether a value inside follows.
    private mutating func readValue() throws(Failure) -> Bool {
        switch at.pointee {
        case .quote: try readString(as: JSONTape.string, escaped: JSONTape.escapedString)
        case .minus, .digitZero ... .digitNine: try readNumber()
        case .openBrace, .openBracket: return try readStart()
        case UInt8(ascii: "t"): try read("true", as: JSONTape.trueValue)
        case UInt8(ascii: "f"): try read("false", as: JSONTape.falseValue)
        case UInt8(ascii: "n"): try read("null", as: JSONTape.null)
        case .closeBracket where depth > 0 && !inObject && elements > 0: throw trailingComma()
        default: throw failure(.value)
        }
        return false
    }

    private mutating func read(_ literal: StaticString, as kind: JSONTape.Word) throws(Failure) {
        let length = literal.utf8CodeUnitCount
        guard memcmp(at, literal.utf8Start, length) == 0 else { throw failure(.value) }
        write(kind, length: length, at)
        at += length
    }

    /// Reads the start of a container, and the first key of an object; returns whether the container has a value.
    private mutating func readStart() throws(Failure) -> Bool {
        if depth >= options.depth { throw failure(.depth) }
        stack[depth] = UInt64(truncatingIfNeeded: elements) << 32 | UInt64(truncatingIfNeeded: container)
        depth += 1
        stack[depth] = UInt64(truncatingIfNeeded: written)
        container = written
        elements = 0
        inObject = at.pointee == .openBrace
        write(inObject ? JSONTape.object : JSONTape.array, at)
        at += 1
        skipSpace()
        if at.pointee == (inObject ? .closeBrace : .closeBracket) { return false }
        if inObject { try readKey(expected: .keyOrEnd) }
        return true
    }

    /// Reads what follows a value: the ends of containers, and a comma; returns whether another value follows.
    private mutating func readEnd() throws(Failure) -> Bool {
        while true {
            skipSpace()
            guard depth > 0 else { return false }
            let isEmpty = written == container + 1
            if !isEmpty, at.pointee == .comma {
                elements += 1
                at += 1
                guard inObject else { return true }
                skipSpace()
                try readKey(expected: .key)
                return true
            }
            guard at.pointee == (inObject ? .closeBrace : .closeBracket) else {
                throw failure(inObject ? .memberEnd : .elementEnd)
            }
            at += 1
            if !isEmpty { elements += 1 }
            if inObject, options.rejectsDuplicateKeys { try rejectDuplicates() }
            tape[container] |= JSONTape.completion(span: written - container, count: elements)
            depth -= 1
            container = position(at: depth)
            elements = Int(truncatingIfNeeded: stack[depth] >> 32)
            inObject = depth > 0 && JSONTape.kind(tape[container]) == JSONTape.object
        }
    }

    /// Reads a key and its colon.
    private mutating func readKey(expected: Failure.Reason) throws(Failure) {
        guard at.pointee == .quote else { throw at.pointee == .closeBrace ? trailingComma() : failure(expected) }
        try readString(as: JSONTape.key, escaped: JSONTape.escapedKey)
        skipSpace()
        guard at.pointee == .colon else { throw failure(.colon) }
        at += 1
    }

    private mutating func rejectDuplicates() throws(Failure) {
        var seen: [String: Int] = [:]
        var index = container + 1
        while index < written {
            let offset = JSONTape.offset(tape[index]) - 1
            if let first = seen.updateValue(offset, forKey: key(at: index)) {
                written = container + 1
                throw failure(.duplicateKey(first: first), at: text + offset)
            }
            index += 1 + JSONTape.span(tape[index + 1])
        }
    }

    // MARK: Strings

    /// Reads a string or key up to its closing quote, and checks escapes and UTF-8.
    private mutating func readString(as kind: JSONTape.Word, escaped: JSONTape.Word) throws(Failure) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let start = at + 1
        var p = start
        var hasEscapes = false
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
                    throw failure(.stringEnd)
                }
                throw failure(.controlCharacter, at: p)
            }
            hasEscapes = true
            p += try escapeLength(p)
        }
        if seen & highs != 0,
            let bad = UTF8Validation.firstInvalid(in: UnsafeBufferPointer(start: start, count: p - start))
        {
            throw failure(.utf8, at: start + bad)
        }
        write(hasEscapes ? escaped : kind, length: p - start, start)
        at = p + 1
    }

    /// Checks the escape at `start` and returns its length.
    private func escapeLength(_ start: UnsafePointer<UInt8>) throws(Failure) -> Int {
        switch start[1] {
        case .quote, .backslash, .slash, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"): break
        default: throw failure(.escape, at: start)
        }
        guard let unit = JSONText.hex4(start + 2) else { throw failure(.hex, at: start) }
        guard unit & 0xF800 == 0xD800 else { return 6 }
        guard unit < 0xDC00, start[6] == .backslash, start[7] == UInt8(ascii: "u"), let low = JSONText.hex4(start + 8),
            low & 0xFC00 == 0xDC00
        else { throw failure(.surrogate, at: start) }
        return 12
    }

    // MARK: Numbers

    private mutating func readNumber() throws(Failure) {
        let start = at
        if at.pointee == .minus { at += 1 }
        if at.pointee == .digitZero {
            if at[1] &- .digitZero < 10 { throw failure(.leadingZero) }
            at += 1
        } else {
            try skipDigits()
        }
        var kind = JSONTape.integer
        if at.pointee == .point {
            kind = JSONTape.fraction
            at += 1
            try skipDigits()
        }
        if at.pointee | 0x20 == UInt8(ascii: "e") {
            kind = JSONTape.fraction
            at += 1
            if at.pointee == .plus || at.pointee == .minus { at += 1 }
            try skipDigits()
        }
        write(kind, length: at - start, start)
    }

    private mutating func skipDigits() throws(Failure) {
        guard at.pointee &- .digitZero < 10 else { throw failure(.digit) }
        while at.pointee &- .digitZero < 10 { at += 1 }
    }

    // MARK: Failures

    /// Returns the failure at a byte; without one, at the next byte to read.
    @inline(never)
    private func failure(_ reason: Failure.Reason, at place: UnsafePointer<UInt8>? = nil) -> Failure {
        Failure(reason: reason, offset: min((place ?? at) - text, count), steps: [])
    }

    private func trailingComma() -> Failure {
        var comma = at - 1
        while comma > text, comma.pointee != .comma { comma -= 1 }
        return failure(.trailingComma, at: comma)
    }
}
