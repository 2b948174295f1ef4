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
        var digits = trimmed(text)[...]
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHexadecimal { digits.removeFirst(2) }
        // The initializer accepts another sign.
        guard digits.first?.isHexDigit == true, let magnitude = UInt64(digits, radix: isHexadecimal ? 16 : 10) else {
            return nil
        }
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
        if text.isEmpty || text.utf8.count > 512 { return nil }
        // `Double` also accepts `nan(7)` and `snan`.
        return text.contains { "(sS".contains($0) } ? nil : Double(text)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text, as: UTF8.self).trimming { $0.isSpace }
    }
}
