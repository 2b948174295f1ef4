/// The text of a number and its conversions.
///
/// A number borrows its text, which must outlive it.
package struct JSONNumber {
    /// The text of the number, which must match the grammar.
    package let text: UnsafeBufferPointer<UInt8>

    package init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    /// The value as an integer, or nil if it isn't an integer or doesn't fit; `1.0` and `1e2` are integers.
    package var int64: Int64? {
        var value: Int64 = 0
        var index = 0
        let isNegative = text.count > 0 && text[0] == 0x2D
        if isNegative { index = 1 }
        guard text.count - index <= 18 else { return JSONDecimal(text).integer() }
        while index < text.count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return JSONDecimal(text).integer() }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        return isNegative ? -value : value
    }

    /// The value as an integer of any width, or nil if it isn't an integer or doesn't fit.
    @inlinable
    package func integer<I: FixedWidthInteger>(_: I.Type) -> I? {
        if let int64 { return I(exactly: int64) }
        return JSONDecimal(text).integer()
    }

    /// The nearest double, or nil if the number is too large.
    package var double: Double? {
        var mantissa: UInt64 = 0
        var (exponent, digits, index) = (0, 0, 0)
        let isNegative = text.count > 0 && text[0] == 0x2D
        if isNegative { index = 1 }
        var inFraction = false
        while index < text.count {
            let byte = text[index]
            let digit = byte &- 0x30
            if digit < 10 {
                if digits == 19 { return slowDouble }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if mantissa > 0 { digits += 1 }
                if inFraction { exponent -= 1 }
            } else if byte == 0x2E {
                inFraction = true
            } else {
                break
            }
            index += 1
        }
        if index < text.count {  // e
            guard let written = Self.exponent(UnsafeBufferPointer(rebasing: text[(index + 1)...])) else {
                return slowDouble
            }
            exponent += written
        }
        // Both factors are exact doubles, so one rounding returns the nearest double (Clinger's fast path).
        if mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            let power = Self.powers[exponent < 0 ? -exponent : exponent]
            let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
            return isNegative ? -value : value
        }
        guard exponent >= -19, exponent <= 19 else { return slowDouble }
        let value = Self.nearest(mantissa, exponent)
        return isNegative ? -value : value
    }

    /// Returns the double nearest to `mantissa` × 10^`exponent` for exponents from −19 to 19, computed in 128 bits.
    private static func nearest(_ mantissa: UInt64, _ exponent: Int) -> Double {
        let power = integerPowers[exponent < 0 ? -exponent : exponent]
        var (wide, scale, isInexact) = (UInt128(mantissa), 0, false)
        if exponent < 0 {
            // The quotient has at least 64 bits, because the highest bit of the dividend is set.
            let zeros = mantissa.leadingZeroBitCount
            let (high, rest) = (mantissa << UInt64(zeros)).quotientAndRemainder(dividingBy: power)
            let (low, remainder) = power.dividingFullWidth((rest, 0))
            (wide, scale, isInexact) = (UInt128(high) << 64 | UInt128(low), -64 - zeros, remainder != 0)
        } else {
            wide *= UInt128(power)
        }
        let excess = UInt128.bitWidth - wide.leadingZeroBitCount - 53
        guard excess > 0 else { return Double(sign: .plus, exponent: scale, significand: Double(UInt64(wide))) }
        var significand = UInt64(wide >> UInt128(excess))
        let (rest, half) = (wide & ((1 << UInt128(excess)) - 1), UInt128(1) << UInt128(excess - 1))
        if rest > half || rest == half && (isInexact || significand & 1 == 1) { significand += 1 }
        return Double(sign: .plus, exponent: scale + excess, significand: Double(significand))
    }

    private static let integerPowers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private var slowDouble: Double? {
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    /// The nearest float, or nil if the number is too large.
    package var float: Float? {
        guard let value = Float(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    /// Returns the value of an exponent's sign and digits, or nil if it has more than four digits.
    private static func exponent(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var value = 0
        var index = 0
        let isNegative = text.count > 0 && text[0] == 0x2D
        if isNegative || text.count > 0 && text[0] == 0x2B { index = 1 }
        guard text.count - index <= 4 else { return nil }
        while index < text.count {
            value = value * 10 + Int(text[index] &- 0x30)
            index += 1
        }
        return isNegative ? -value : value
    }
}
