import AshlarCore

/// Parses the numbers of property lists.
package enum NumberText {
    package enum Integer: Sendable, Hashable {
        case signed(Int64)
        /// A number above `Int64.max`.
        case unsigned(UInt64)
    }

    /// Parses an integer with an optional sign, in decimal, or in hexadecimal after `0x`.
    ///
    /// Whitespace around the number is ignored. Returns `nil` if the text isn't a 64-bit integer.
    package static func integer(_ text: ArraySlice<UInt8>) -> Integer? {
        var digits = trimmed(text)
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        var radix = 10
        if digits.count > 1, digits.first == UInt8(ascii: "0"),
            digits[digits.startIndex + 1] | 0x20 == UInt8(ascii: "x")
        {
            radix = 16
            digits.removeFirst(2)
        }
        // The initializer accepts another sign.
        guard digits.first?.hexValue != nil,
            let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
        else { return nil }
        if isNegative {
            return magnitude <= 1 << 63 ? .signed(Int64(bitPattern: 0 &- magnitude)) : nil
        }
        return magnitude > UInt64(Int64.max) ? .unsigned(magnitude) : .signed(Int64(magnitude))
    }

    /// Parses a number with a fraction or exponent, or `nan`, `inf`, or `infinity` in any case.
    ///
    /// Whitespace around the number is ignored.
    package static func real(_ text: ArraySlice<UInt8>) -> Double? {
        let text = trimmed(text)
        if text.isEmpty || text.count > 512 { return nil }
        // `Double` also accepts `nan(7)` and `snan`.
        if text.contains(where: { $0 == UInt8(ascii: "(") || $0 | 0x20 == UInt8(ascii: "s") }) { return nil }
        return Double(String(decoding: text, as: UTF8.self))
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, first.isSpace { text.removeFirst() }
        while let last = text.last, last.isSpace { text.removeLast() }
        return text
    }
}
