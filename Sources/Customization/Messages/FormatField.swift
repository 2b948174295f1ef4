/// A formatted value before padding: a sign or prefix, and the body.
struct FormatField {
    typealias Flags = PrintfFormat.Placeholder.Flags

    var prefix = ""
    var body: String
    /// Whether the flag `0` can insert zeros between the prefix and the body.
    var takesZeros = false

    func padded(to width: Int, flags: Flags) -> String {
        let missing = width - prefix.count - body.count
        guard missing > 0 else { return prefix + body }
        if flags.contains(.left) { return prefix + body + String(repeating: " ", count: missing) }
        if flags.contains(.zero), takesZeros { return prefix + String(repeating: "0", count: missing) + body }
        return String(repeating: " ", count: missing) + prefix + body
    }

    static func signed(
        _ number: FormatValue.Integer, flags: Flags, precision: Int?
    ) -> FormatField {
        FormatField(
            prefix: sign(number.isNegative, flags), body: digits(number.magnitude, radix: 10, precision: precision),
            takesZeros: precision == nil)
    }

    static func unsigned(
        _ number: UInt64, conversion: Character, flags: Flags, precision: Int?
    ) -> FormatField {
        switch conversion {
        case "x", "X":
            let body = digits(number, radix: 16, uppercase: conversion == "X", precision: precision)
            let prefix = flags.contains(.alternate) && number != 0 ? "0\(conversion)" : ""
            return FormatField(prefix: prefix, body: body, takesZeros: precision == nil)
        case "o", "O":
            let body = digits(number, radix: 8, precision: precision)
            let needsZero = flags.contains(.alternate) && !body.hasPrefix("0")
            return FormatField(prefix: needsZero ? "0" : "", body: body, takesZeros: precision == nil)
        default:
            return FormatField(body: digits(number, radix: 10, precision: precision), takesZeros: precision == nil)
        }
    }

    static func float(
        _ number: Double, conversion: Character, flags: Flags, precision: Int?
    ) -> FormatField {
        let isUppercase = conversion.isUppercase
        let prefix = sign(number.sign == .minus, flags)
        guard number.isFinite else {
            let name = number.isNaN ? "nan" : "inf"
            return FormatField(prefix: prefix, body: isUppercase ? name.uppercased() : name)
        }
        let keepsPoint = flags.contains(.alternate)
        var body: String
        switch conversion {
        case "f", "F": body = fixed(number, precision ?? 6, keepsPoint)
        case "e", "E": body = exponential(number, precision ?? 6, keepsPoint)
        case "g", "G": body = general(number, max(precision ?? 6, 1), keepsPoint)
        default:
            body = hexadecimal(number, precision, keepsPoint)
            return FormatField(
                prefix: prefix + (isUppercase ? "0X" : "0x"), body: isUppercase ? body.uppercased() : body,
                takesZeros: true)
        }
        if isUppercase { body = body.uppercased() }
        return FormatField(prefix: prefix, body: body, takesZeros: true)
    }

    // MARK: Parts

    private static func sign(_ isNegative: Bool, _ flags: Flags) -> String {
        isNegative ? "-" : flags.contains(.plus) ? "+" : flags.contains(.space) ? " " : ""
    }

    private static func digits(_ number: UInt64, radix: Int, uppercase: Bool = false, precision: Int?) -> String {
        if number == 0, precision == 0 { return "" }
        let digits = String(number, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: max(0, (precision ?? 1) - digits.count)) + digits
    }

    private static func fixed(_ number: Double, _ precision: Int, _ keepsPoint: Bool) -> String {
        var digits = DecimalDigits(exact: number)
        digits.round(toFractionDigits: precision)
        return digits.fixed(fractionDigits: precision) + (precision == 0 && keepsPoint ? "." : "")
    }

    private static func exponential(_ number: Double, _ precision: Int, _ keepsPoint: Bool) -> String {
        var digits = DecimalDigits(exact: number)
        digits.round(toDigits: precision + 1)
        let point = precision == 0 && keepsPoint ? "." : ""
        return digits.significand(fractionDigits: precision) + point + "e" + exponent(digits.exponent)
    }

    private static func general(_ number: Double, _ precision: Int, _ keepsPoint: Bool) -> String {
        var digits = DecimalDigits(exact: number)
        digits.round(toDigits: precision)
        let isExponential = digits.exponent < -4 || digits.exponent >= precision
        let decimals = isExponential ? precision - 1 : precision - 1 - digits.exponent
        var body = isExponential ? digits.significand(fractionDigits: decimals) : digits.fixed(fractionDigits: decimals)
        if keepsPoint {
            if decimals == 0 { body += "." }
        } else if decimals > 0 {
            while body.hasSuffix("0") { body.removeLast() }
            if body.hasSuffix(".") { body.removeLast() }
        }
        return isExponential ? body + "e" + exponent(digits.exponent) : body
    }

    private static func exponent(_ exponent: Int) -> String {
        let digits = String(exponent.magnitude)
        return (exponent < 0 ? "-" : "+") + (digits.count < 2 ? "0" : "") + digits
    }

    /// Returns the digits of `%a` after `0x`; halves round to even.
    private static func hexadecimal(_ number: Double, _ precision: Int?, _ keepsPoint: Bool) -> String {
        let isSmall = number.exponentBitPattern == 0
        var bits = number.significandBitPattern | (isSmall ? 0 : 1 << 52)
        let power = number == 0 ? 0 : isSmall ? -1022 : Int(number.exponentBitPattern) - 1023
        if let precision, precision < 13 {
            let dropped = UInt64(4 * (13 - precision))
            let (half, rest) = (UInt64(1) << (dropped - 1), bits & ((1 << dropped) - 1))
            bits >>= dropped
            if rest > half || (rest == half && bits & 1 == 1) { bits += 1 }
            bits <<= dropped
        }
        let hex = String(bits & ((1 << 52) - 1), radix: 16)
        var fraction = String(repeating: "0", count: 13 - hex.count) + hex
        if let precision {
            fraction = String(fraction.prefix(precision))
            fraction += String(repeating: "0", count: precision - fraction.count)
        } else {
            while fraction.hasSuffix("0") { fraction.removeLast() }
        }
        let point = fraction.isEmpty && !keepsPoint ? "" : "."
        return String(bits >> 52) + point + fraction + "p" + (power < 0 ? "-" : "+") + String(power.magnitude)
    }
}
