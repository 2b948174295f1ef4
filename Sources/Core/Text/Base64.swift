/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns the padded encoding, without line breaks.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, count): (UInt32, Int) = (0, 0)
        func append(_ digits: Int) {
            for digit in 0..<4 {
                let isPadding = digit >= digits
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * digit) & 63)])
            }
        }
        for byte in bytes {
            bits |= UInt32(byte) << UInt32(16 - 8 * count)
            count += 1
            if count == 3 {
                append(4)
                bits = 0
                count = 0
            }
        }
        if count > 0 { append(count + 1) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes, or nil if the text isn't complete, padded Base64.
    ///
    /// Unused bits before the padding are ignored.
    ///
    /// - Parameters:
    ///   - text: The bytes of the text.
    ///   - ignoringWhitespace: Whether ASCII whitespace is allowed anywhere, as in property lists.
    /// - Returns: The decoded bytes, or nil.
    package static func decode(_ text: some Sequence<UInt8>, ignoringWhitespace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount / 4 * 3)
        var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
        for character in text {
            let value: UInt32
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(character - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(character - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(character - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="):
                padding += 1
                continue
            case 0x09...0x0D, 0x20:
                if ignoringWhitespace { continue }
                return nil
            default: return nil
            }
            if padding > 0 { return nil }
            bits = bits << 6 | value
            count += 1
            if count == 4 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
                count = 0
            }
        }
        switch (count, padding) {
        case (0, 0): return bytes
        case (2, 2): return bytes + [UInt8(truncatingIfNeeded: bits >> 4)]
        case (3, 1): return bytes + [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: return nil
        }
    }
}
