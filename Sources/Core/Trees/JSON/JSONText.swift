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
        func put(_ byte: UInt32) {
            target[to] = UInt8(truncatingIfNeeded: byte)
            to += 1
        }
        while from < raw.count {
            guard raw[from] == 0x5C, from + 1 < raw.count else {
                put(UInt32(raw[from]))
                from += 1
                continue
            }
            from += 2
            switch raw[from - 1] {
            case 0x62: put(0x08)
            case 0x66: put(0x0C)
            case 0x6E: put(0x0A)
            case 0x72: put(0x0D)
            case 0x74: put(0x09)
            case 0x75:
                guard let start = raw.baseAddress, from + 4 <= raw.count else { return to }
                var scalar = hex4(start + from) ?? 0xFFFD
                from += 4
                if scalar & 0xFC00 == 0xD800, from + 6 <= raw.count, let low = hex4(start + from + 2) {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                    from += 6
                }
                switch scalar {
                case ..<0x80: put(scalar)
                case ..<0x800:
                    put(0xC0 | scalar >> 6)
                    put(0x80 | scalar & 0x3F)
                case ..<0x10000:
                    put(0xE0 | scalar >> 12)
                    put(0x80 | scalar >> 6 & 0x3F)
                    put(0x80 | scalar & 0x3F)
                default:
                    put(0xF0 | scalar >> 18)
                    put(0x80 | scalar >> 12 & 0x3F)
                    put(0x80 | scalar >> 6 & 0x3F)
                    put(0x80 | scalar & 0x3F)
                }
            default: put(UInt32(raw[from - 1]))
            }
        }
        return to
    }

    /// The value of four hexadecimal digits, or nil.
    static func hex4(_ start: UnsafePointer<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<4 {
            let byte = start[index]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
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
        bytes.append(0x22)
        for byte in string.utf8 {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x08: bytes += [0x5C, 0x62]
            case 0x09: bytes += [0x5C, 0x74]
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x0C: bytes += [0x5C, 0x66]
            case 0x0D: bytes += [0x5C, 0x72]
            case ..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    /// Returns the step to a member in a path: `.name`, or `["first name"]` if the key isn't a plain name.
    package static func pathStep(_ key: String) -> String {
        let isPlain = key.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x5F || $0 == 0x2D }
        if isPlain, let first = key.utf8.first, !first.isDigit { return "." + key }
        return "[" + quoted(key) + "]"
    }
}
