/// The exact value of a number: a sign, digits without leading and trailing zeros, and a power of ten.
///
/// Numbers with the same value have equal decimals, regardless of notation.
package struct JSONDecimal: Hashable {
    private var isNegative = false
    /// The digits 0–9, most significant first; empty for zero.
    private var digits: [UInt8] = []
    /// The power of ten by which the digits, read as an integer, are multiplied.
    private var exponent: Int64 = 0

    /// Reads a number that matches the grammar; an exponent beyond ±4 · 10¹⁸ is clamped.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package init(_ text: UnsafeBufferPointer<UInt8>) {
        var inFraction = false
        var index = 0
        if text.count > 0, text[0] == 0x2D { (isNegative, index) = (true, 1) }
        digits.reserveCapacity(min(text.count, 32))
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte == 0x2E {
                inFraction = true
            } else if byte | 0x20 == 0x65 {
                exponent += Self.exponent(text[index...])
                break
            } else {
                if byte != 0x30 || !digits.isEmpty { digits.append(byte &- 0x30) }
                if inFraction { exponent -= 1 }
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int64 {
        let isNegative = text.first == 0x2D
        var value: Int64 = 0
        for byte in text where byte &- 0x30 < 10 {
            value = value * 10 + Int64(byte &- 0x30)
            if value > 400_000_000_000_000_000 {
                value = 4_000_000_000_000_000_000
                break
            }
        }
        return isNegative ? -value : value
    }

    /// Returns the value as an integer, or nil if it isn't one or doesn't fit.
    package func integer<I: FixedWidthInteger>() -> I? {
        guard exponent >= 0 else { return nil }
        // No fixed-width integer of up to 128 bits has more than 39 digits.
        guard exponent <= I.bitWidth, digits.count <= I.bitWidth else { return digits.isEmpty ? 0 : nil }
        var value: I = 0
        for position in 0..<(digits.count + Int(exponent)) {
            let digit = position < digits.count ? digits[position] : 0
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            let (sum, carry) =
                isNegative
                ? product.subtractingReportingOverflow(I(digit)) : product.addingReportingOverflow(I(digit))
            if carry { return nil }
            value = sum
        }
        return value
    }
}
