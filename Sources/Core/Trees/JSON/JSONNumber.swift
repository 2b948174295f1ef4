import AshlarCore

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
        let isNegative = text.count > 0 && text[0] == .minus
        if isNegative { index = 1 }
        guard text.count - index <= 18 else { return JSONDecimal(text).integer() }
        while index < text.count {
            let digit = text[index] &- .digitZero
            guard digit < 10 else { return JSONDecimal(text).integer() }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        return isNegative ? -value : value
    }

    /// The value as an integer of any width, or nil if it isn't an integer or doesn't fit.
    package func integer<I: FixedWidthInteger>(_: I.Type) -> I? {
        if let int64 { return I(exactly: int64) }
        return JSONDecimal(text).integer()
    }

    /// The nearest double, or nil if the number is too large.
    package var double: Double? {
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    /// The nearest float, or nil if the number is too large.
    package var float: Float? {
        guard let value = Float(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}

/// The exact value of a number: a sign, digits without leading and trailing zeros, and a power of ten.
///
/// Numbers with the same value have equal decimals, regardless of notation.
package struct JSONDecimal: Hashable {
    private var isNegative = false
    /// The digits 0–9, most significant first; empty for zero.
    private var digits: [UInt8] = []
    /// The power of ten by which the digits, read as an integer, are multiplied.
    private var exponent: Int64 = 0

    /// Reads a number that matches the grammar; an exponent beyond ±4 · 10¹⁷ is read as ±4 · 10¹⁸.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package init(_ text: UnsafeBufferPointer<UInt8>) {
        var inFraction = false
        var index = 0
        if text.count > 0, text[0] == .minus { (isNegative, index) = (true, 1) }
        digits.reserveCapacity(min(text.count, 32))
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte == .point {
                inFraction = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                exponent += Self.exponent(text[index...])
                break
            } else {
                if byte != .digitZero || !digits.isEmpty { digits.append(byte &- .digitZero) }
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
        let isNegative = text.first == .minus
        var value: Int64 = 0
        for byte in text where byte &- .digitZero < 10 {
            value = value * 10 + Int64(byte &- .digitZero)
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
