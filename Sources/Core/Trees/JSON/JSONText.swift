import AshlarCore

/// The text forms of strings: escapes, positions, and paths such as `$.users[3].name`.
package enum JSONText {
    // MARK: Reading

    /// Resolves the escapes of a text that the parser has checked.
    static func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: raw.count) { unescape(raw, into: $0) }
    }

    /// Resolves the escapes of a text that the parser has checked, and returns the UTF-8.
    package static func unescapedBytes(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        Array(unsafeUninitializedCapacity: raw.count) { $1 = unescape(raw, into: $0) }
    }

    /// Resolves escapes; the result is never longer than the text.
    private static func unescape(
        _ raw: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (from, to) = (0, 0)
        func put(_ byte: UInt8) {
            target[to] = byte
            to += 1
        }
        while from < raw.count {
            guard raw[from] == .backslash, from + 1 < raw.count else {
                put(raw[from])
                from += 1
                continue
            }
            from += 2
            switch raw[from - 1] {
            case UInt8(ascii: "b"): put(.backspace)
            case UInt8(ascii: "f"): put(.formFeed)
            case UInt8(ascii: "n"): put(.lineFeed)
            case UInt8(ascii: "r"): put(.carriageReturn)
            case UInt8(ascii: "t"): put(.tab)
            case UInt8(ascii: "u"):
                guard let start = raw.baseAddress, from + 4 <= raw.count else { return to }
                var scalar = hex4(start + from) ?? 0xFFFD
                from += 4
                if scalar & 0xFC00 == 0xD800, from + 6 <= raw.count, let low = hex4(start + from + 2) {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                    from += 6
                }
                for byte in UTF16Text.utf8(of: scalar) { put(byte) }
            default: put(raw[from - 1])
            }
        }
        return to
    }

    /// The value of four hexadecimal digits, or nil.
    static func hex4(_ start: UnsafePointer<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<4 {
            guard let digit = start[index].hexValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    // MARK: Writing

    /// Returns a string in quotes.
    package static func quoted(_ string: String) -> String {
        var bytes: [UInt8] = []
        append(quoted: string, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a string in quotes with only the required escapes.
    package static func append(quoted string: String, to bytes: inout [UInt8]) {
        bytes.append(.quote)
        defer { bytes.append(.quote) }
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != .quote && $0 != .backslash }
        if isPlain {
            bytes += string.utf8
            return
        }
        for byte in string.utf8 {
            switch byte {
            case .quote, .backslash: bytes += [.backslash, byte]
            case .backspace: bytes += [.backslash, UInt8(ascii: "b")]
            case .tab: bytes += [.backslash, UInt8(ascii: "t")]
            case .lineFeed: bytes += [.backslash, UInt8(ascii: "n")]
            case .formFeed: bytes += [.backslash, UInt8(ascii: "f")]
            case .carriageReturn: bytes += [.backslash, UInt8(ascii: "r")]
            case ..<UInt8.space:
                bytes += [.backslash, UInt8(ascii: "u")]
                bytes += byte.digits(4, radix: 16).utf8
            default: bytes.append(byte)
            }
        }
    }

    /// Returns the step to a member in a path: `.name`, or `["first name"]` if the key isn't a plain name.
    package static func pathStep(_ key: String) -> String {
        let isPlain = key.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == .minus }
        if isPlain, let first = key.utf8.first, !first.isDigit { return "." + key }
        return "[" + quoted(key) + "]"
    }
}

/// The characters of the grammar.
extension UInt8 {
    static var quote: UInt8 { UInt8(ascii: "\"") }
    static var backslash: UInt8 { UInt8(ascii: "\\") }
    static var slash: UInt8 { UInt8(ascii: "/") }
    static var asterisk: UInt8 { UInt8(ascii: "*") }
    static var comma: UInt8 { UInt8(ascii: ",") }
    static var colon: UInt8 { UInt8(ascii: ":") }
    static var openBracket: UInt8 { UInt8(ascii: "[") }
    static var closeBracket: UInt8 { UInt8(ascii: "]") }
    static var openBrace: UInt8 { UInt8(ascii: "{") }
    static var closeBrace: UInt8 { UInt8(ascii: "}") }
    static var minus: UInt8 { UInt8(ascii: "-") }
    static var plus: UInt8 { UInt8(ascii: "+") }
    static var point: UInt8 { UInt8(ascii: ".") }
    static var digitZero: UInt8 { UInt8(ascii: "0") }
    static var digitNine: UInt8 { UInt8(ascii: "9") }
    static var space: UInt8 { UInt8(ascii: " ") }
    static var tab: UInt8 { UInt8(ascii: "\t") }
    static var lineFeed: UInt8 { UInt8(ascii: "\n") }
    static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    static var backspace: UInt8 { 0x08 }
    static var formFeed: UInt8 { 0x0C }
}
