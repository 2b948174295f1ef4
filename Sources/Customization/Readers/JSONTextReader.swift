/// Reads JSON (RFC 8259) into values with their places.
enum JSONTextReader {
    static func read(bytes: [UInt8], file: String) -> PropertyListReader.Result {
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        do {
            let root = try text.utf8.withUnsafeBufferPointer { bytes throws(JSONScanner.Failure) in
                var scanner = JSONScanner(bytes)
                return try scanner.readFile()
            }
            return (root, text, text.diagnostics)
        } catch {
            let problem = CustomizationDiagnostic(
                .error, .malformedFile, error.message, at: text.location(ofByte: error.offset))
            return (nil, text, text.diagnostics + [problem])
        }
    }
}

/// Walks over the bytes of a JSON text, which are known to be UTF-8.
struct JSONScanner {
    /// Where and why the text is not JSON.
    struct Failure: Error {
        var offset: Int
        var message: String
    }

    static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func readFile() throws(Failure) -> SourceNode {
        let root = try value(depth: 0)
        skipSpace()
        if at < bytes.count { throw Failure(offset: at, message: "nothing may follow the JSON value") }
        return root
    }

    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09 {
            at += 1
        }
    }

    private mutating func value(depth: Int) throws(Failure) -> SourceNode {
        skipSpace()
        let start = at
        guard depth < Self.maximumDepth else {
            throw Failure(offset: at, message: "values are nested more than \(Self.maximumDepth) deep")
        }
        guard at < bytes.count else {
            throw Failure(offset: at, message: "expected a value, found the end of the file")
        }
        func node(_ kind: SourceNode.Kind) -> SourceNode { SourceNode(offset: start, kind: kind) }
        switch bytes[at] {
        case UInt8(ascii: "{"): return node(.dict(try members(depth: depth)))
        case UInt8(ascii: "["): return node(.list(try items(depth: depth)))
        case UInt8(ascii: "\""): return node(.string(try string()))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return node(try number())
        default:
            for (word, kind) in [("true", SourceNode.Kind.bool(true)), ("false", .bool(false)), ("null", .null)]
            where bytes[at...].starts(with: word.utf8) {
                at += word.utf8.count
                return node(kind)
            }
            throw Failure(offset: at, message: "expected a JSON value")
        }
    }

    private mutating func members(depth: Int) throws(Failure) -> [SourceNode.Member] {
        let start = at
        at += 1
        var members: [SourceNode.Member] = []
        skipSpace()
        if at < bytes.count, bytes[at] == UInt8(ascii: "}") {
            at += 1
            return members
        }
        while true {
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                throw Failure(offset: at, message: "expected a quoted key")
            }
            let offset = at
            let key = try string()
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: ":") else {
                throw Failure(offset: at, message: "expected \":\" after the key \"\(key)\"")
            }
            at += 1
            members.append(SourceNode.Member(key: key, offset: offset, value: try value(depth: depth + 1)))
            if try isLast("}", from: start) { return members }
        }
    }

    private mutating func items(depth: Int) throws(Failure) -> [SourceNode] {
        let start = at
        at += 1
        var items: [SourceNode] = []
        skipSpace()
        if at < bytes.count, bytes[at] == UInt8(ascii: "]") {
            at += 1
            return items
        }
        while true {
            items.append(try value(depth: depth + 1))
            if try isLast("]", from: start) { return items }
        }
    }

    private mutating func isLast(_ end: Unicode.Scalar, from start: Int) throws(Failure) -> Bool {
        skipSpace()
        guard at < bytes.count else {
            throw Failure(offset: start, message: "the \(end == "}" ? "object" : "array") that starts here never ends")
        }
        let c = bytes[at]
        guard c == UInt8(ascii: end) || c == UInt8(ascii: ",") else {
            throw Failure(offset: at, message: "expected \",\" or \"\(end)\"")
        }
        at += 1
        return c != UInt8(ascii: ",")
    }

    private mutating func number() throws(Failure) -> SourceNode.Kind {
        let start = at
        func isDigit(_ i: Int) -> Bool { i < bytes.count && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[i]) }
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        guard isDigit(at) else { throw Failure(offset: start, message: "a number needs a digit") }
        if bytes[at] == UInt8(ascii: "0"), isDigit(at + 1) {
            throw Failure(offset: start, message: "a number may not start with a zero")
        }
        while isDigit(at) { at += 1 }
        var isWhole = true
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            isWhole = false
            at += 1
            guard isDigit(at) else { throw Failure(offset: at, message: "a number needs a digit after the point") }
            while isDigit(at) { at += 1 }
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            at += 1
            if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
            guard isDigit(at) else { throw Failure(offset: at, message: "a number needs a digit in its exponent") }
            while isDigit(at) { at += 1 }
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .int(number) }
        guard let number = Double(text), number.isFinite else {
            throw Failure(offset: start, message: "the number \(text) is too large")
        }
        return .double(number)
    }

    private mutating func string() throws(Failure) -> String {
        let start = at
        at += 1
        var text: [UInt8] = []
        while at < bytes.count {
            let run = at
            while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\"), bytes[at] >= 0x20
            {
                at += 1
            }
            text.append(contentsOf: bytes[run..<at])
            guard at < bytes.count else { break }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                at += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            default: throw Failure(offset: at, message: "a text may not hold the control character 0x\(hex(bytes[at]))")
            }
        }
        throw Failure(offset: start, message: "the text that starts here never ends")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Failure) {
        let start = at
        at += 1
        let c = at < bytes.count ? bytes[at] : 0
        at += 1
        switch c {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(c)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try fourDigits(from: start)
            guard unit & 0xF800 == 0xD800 else { return UTF8Bytes.append(unit, to: &text) }
            if unit < 0xDC00, bytes[min(at, bytes.count)...].starts(with: "\\u".utf8) {
                let back = at
                at += 2
                let low = try fourDigits(from: back)
                if low & 0xFC00 == 0xDC00 {
                    return UTF8Bytes.append(0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF)), to: &text)
                }
                at = back
            }
            UTF8Bytes.append(0xFFFD, to: &text)
        default: throw Failure(offset: start, message: "the text holds an unknown escape")
        }
    }

    private mutating func fourDigits(from start: Int) throws(Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard at < bytes.count, let digit = hexDigit(bytes[at]) else {
                throw Failure(offset: start, message: "\\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}
