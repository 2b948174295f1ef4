#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#else
    internal import Glibc
#endif

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
        let precision = precision.map { ".\($0)" } ?? ""
        var body = NumberOutput.text(
            number.magnitude, format: "%\(flags.contains(.alternate) ? "#" : "")\(precision)\(conversion)")
        guard conversion == "a" || conversion == "A" else {
            return FormatField(prefix: prefix, body: body, takesZeros: true)
        }
        // The zeros of a width are after the 0x.
        let start = String(body.prefix(2))
        body.removeFirst(2)
        return FormatField(prefix: prefix + start, body: body, takesZeros: true)
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
}

/// The C library's output of numbers, in the C locale: that of the process can have a decimal comma.
private enum NumberOutput {
    // Created once and never changed or freed.
    nonisolated(unsafe) private static let locale = newlocale(1 << LC_NUMERIC, "C", nil)

    /// Returns a number in a format, in which the precision is at most ``PrintfFormat/largestWidth``.
    static func text(_ number: Double, format: String) -> String {
        let previous = uselocale(locale)
        defer { _ = uselocale(previous) }
        // The largest number has 309 digits before its decimals.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: PrintfFormat.largestWidth + 400) { buffer in
            _ = withVaList([number]) { vsnprintf(buffer.baseAddress, buffer.count, format, $0) }
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}
