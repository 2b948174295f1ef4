internal import AshlarCore

/// Reads a JSON object into a tree, in one pass and without recursion.
///
/// Strict RFC 8259: no comments, no trailing commas. Whole numbers must fit 64 bits, others must be finite, and a key
/// may stand only once in its object.
struct JSONConfigReader {
    private let text: UnsafeBufferPointer<UInt8>
    private let context: ConfigReaderContext
    private var at = 0
    private var builder = ConfigTreeBuilder()
    private var diagnostics: [ConfigDiagnostic] = []
    private var scratch: [UInt8] = []

    init(_ text: UnsafeBufferPointer<UInt8>, _ context: ConfigReaderContext) {
        self.text = text
        self.context = context
    }

    mutating func read() throws(ConfigError) -> ConfigReading {
        builder.reserve(nodes: text.count / 24, keyBytes: text.count / 3, strings: text.count / 48)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        skipWhitespace()
        guard peek == UInt8(ascii: "{") else {
            throw failure(expected: "{ of an object as the root", found: describeNext())
        }
        try readTree()
        skipWhitespace()
        if at < text.count { throw failure(expected: "the end of the file", found: describeNext()) }
        let source = context.source(text)
        return ConfigReading(tree: builder.finish(sources: [source]), diagnostics: diagnostics)
    }

    private var peek: UInt8? { at < text.count ? text[at] : nil }

    /// Reads the root and all below it: the state is only whether a value may follow and what container is open.
    private mutating func readTree() throws(ConfigError) {
        try readValue()
        while let container = builder.container {
            let isArray = builder.isArray(container)
            let end = UInt8(ascii: isArray ? "]" : "}")
            let isFirst = builder.isEmpty(container)
            skipWhitespace()
            if peek == end {
                at += 1
                try context.checkDuplicates(in: &builder, &diagnostics) { context.source(text) }
                builder.close()
                continue
            }
            if !isFirst {
                guard peek == UInt8(ascii: ",") else {
                    throw failure(expected: isArray ? ", or ]" : ", or }", found: describeNext())
                }
                at += 1
                skipWhitespace()
            }
            if !isArray { try readKey() }
            try readValue()
        }
    }

    private mutating func readKey() throws(ConfigError) {
        let start = at
        guard peek == UInt8(ascii: "\"") else { throw failure(expected: "a key in quotes", found: describeNext()) }
        let isShort = try readString { (builder, bytes, _) in builder.key(bytes) }
        guard isShort else {
            throw failure(.limitExceeded, at: start, expected: "a key of at most 65535 bytes")
        }
        builder.setKeyPosition(UInt32(start))
        skipWhitespace()
        guard peek == UInt8(ascii: ":") else { throw failure(expected: ": after the key", found: describeNext()) }
        at += 1
    }

    private mutating func readValue() throws(ConfigError) {
        skipWhitespace()
        let start = at
        let position = UInt32(start)
        if builder.count >= context.limits.values {
            throw failure(.limitExceeded, expected: "at most \(context.limits.values) values")
        }
        switch peek {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if builder.depth >= context.limits.depth {
                throw failure(
                    .limitExceeded, expected: "at most \(context.limits.depth) nested dictionaries and arrays")
            }
            builder.open(peek == UInt8(ascii: "{") ? .dictionary : .array, position: position)
            at += 1
        case UInt8(ascii: "\""):
            try readString { (builder, bytes, mayBeTemplate) in
                builder.string(
                    String(decoding: bytes, as: UTF8.self), mayBeTemplate: mayBeTemplate, position: position)
            }
        case UInt8(ascii: "t") where has("true"):
            at += 4
            builder.boolean(true, position: position)
        case UInt8(ascii: "f") where has("false"):
            at += 5
            builder.boolean(false, position: position)
        case UInt8(ascii: "n") where has("null"):
            at += 4
            builder.null(position: position)
        case let byte? where byte == UInt8(ascii: "-") || (byte >= 48 && byte <= 57):
            try readNumber()
        default:
            throw failure(expected: "a value", found: describeNext())
        }
    }

    private mutating func readNumber() throws(ConfigError) {
        let start = at
        func digits() -> Int {
            let first = at
            while let byte = peek, byte >= 48, byte <= 57 { at += 1 }
            return at - first
        }
        if peek == UInt8(ascii: "-") { at += 1 }
        let hasLeadingZero = peek == UInt8(ascii: "0")
        let whole = digits()
        var isWhole = true
        var isRight = whole > 0 && !(hasLeadingZero && whole > 1)
        if isRight, peek == UInt8(ascii: ".") {
            at += 1
            isWhole = false
            isRight = digits() > 0
        }
        if isRight, let byte = peek, byte | 0x20 == UInt8(ascii: "e") {
            at += 1
            isWhole = false
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
            isRight = digits() > 0
        }
        let number = UnsafeBufferPointer(rebasing: text[start..<at])
        guard isRight else { throw failure(at: start, expected: "a number", found: "a malformed one") }
        if isWhole {
            switch NumberText.integer(Array(number)[...]) {
            case .signed(let value): builder.integer(value, position: UInt32(start))
            case .unsigned(let value): builder.unsigned(value, position: UInt32(start))
            case nil: throw failure(at: start, expected: "a whole number in 64 bits", found: "a bigger one")
            }
        } else {
            guard let value = Double(String(decoding: number, as: UTF8.self)), value.isFinite else {
                throw failure(at: start, expected: "a finite number", found: "a bigger one")
            }
            builder.real(value, position: UInt32(start))
        }
    }

    /// Reads a string and passes its bytes on, without copying when it holds no escape.
    private mutating func readString<R>(
        _ body: (inout ConfigTreeBuilder, UnsafeBufferPointer<UInt8>, _ mayBeTemplate: Bool) -> R
    ) throws(ConfigError) -> R {
        let start = at
        at += 1
        let first = at
        var hasDollar = false
        while let byte = peek {
            if byte == UInt8(ascii: "\"") {
                let run = UnsafeBufferPointer(rebasing: text[first..<at])
                at += 1
                return body(&builder, run, hasDollar)
            }
            if byte == UInt8(ascii: "\\") { break }
            if byte == UInt8(ascii: "$") { hasDollar = true }
            if byte < 32 { throw failure(reason: "control character 0x\(String(byte, radix: 16)) in a string") }
            at += 1
        }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: text[first..<at])
        while let byte = peek {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return scratch.withUnsafeBufferPointer { body(&builder, $0, true) }
            case UInt8(ascii: "\\"): try readEscape()
            default:
                if byte < 32 {
                    at -= 1
                    throw failure(reason: "control character 0x\(String(byte, radix: 16)) in a string")
                }
                scratch.append(byte)
            }
        }
        throw failure(at: start, reason: "the string has no end", expected: "\"", found: "the end of the file")
    }

    private mutating func readEscape() throws(ConfigError) {
        let start = at - 1
        let escape = peek
        at += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(escape ?? 0)
        case UInt8(ascii: "b"): scratch.append(8)
        case UInt8(ascii: "f"): scratch.append(12)
        case UInt8(ascii: "n"): scratch.append(10)
        case UInt8(ascii: "r"): scratch.append(13)
        case UInt8(ascii: "t"): scratch.append(9)
        case UInt8(ascii: "u"):
            var scalar = hexadecimal()
            if let high = scalar, (0xD800...0xDBFF).contains(high), has("\\u") {
                at += 2
                let low = hexadecimal()
                scalar = low.flatMap {
                    (0xDC00...0xDFFF).contains($0) ? 0x10000 + (high - 0xD800) << 10 + ($0 - 0xDC00) : nil
                }
            }
            guard let scalar, let character = Unicode.Scalar(scalar) else {
                throw failure(at: start, expected: "an escape such as \\u00e9", found: "a malformed one")
            }
            scratch.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        default:
            throw failure(at: start, expected: "an escape such as \\n", found: "a malformed one")
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard at + 4 <= text.count else { return nil }
        var value: UInt32 = 0
        for byte in text[at..<(at + 4)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        at += 4
        return value
    }

    @inline(__always)
    private mutating func skipWhitespace() {
        while at < text.count {
            switch text[at] {
            case 9, 10, 13, 32: at += 1
            default: return
            }
        }
    }

    private func has(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard at + length <= text.count else { return false }
        for offset in 0..<length where text[at + offset] != literal.utf8Start[offset] { return false }
        return true
    }

    private func describeNext() -> String {
        guard let peek else { return "the end of the file" }
        return peek > 32 && peek < 127 ? "\"\(Character(Unicode.Scalar(peek)))\"" : "byte 0x\(String(peek, radix: 16))"
    }

    private func failure(
        _ code: ConfigError.Code = .malformedSource, at offset: Int? = nil, reason: String? = nil,
        expected: String? = nil, found: String? = nil
    ) -> ConfigError {
        context.failure(
            code, at: min(offset ?? at, text.count), of: text, key: builder.pathOfNext(), reason: reason,
            expected: expected,
            found: found)
    }
}
