public import AshlarNetworking

/// SquidKit's rule for strings that are read as numbers and Booleans, which is that of `NSString`.
///
/// It uses the longest valid prefix of a string, or 0 or false if there is none: `"12abc"` is 12 and `"abc"` is 0, where
/// `int()`, `double()` and `bool()` return nil. Other values are read in the same way by both.
extension JSONEntity {
    /// Returns the integer, or nil if the value is missing, `null`, a container or a number that isn't an integer.
    public func squidKitInt() -> Int? { string().map(NSStringReading.int) ?? int() }

    /// Returns the double, or nil if the value is missing, `null` or a container.
    public func squidKitDouble() -> Double? { string().map(NSStringReading.double) ?? double() }

    /// Returns the Boolean; a string is true if it starts with Y, y, T, t or a digit from 1 to 9.
    public func squidKitBool() -> Bool? { string().map(NSStringReading.bool) ?? bool() }
}

/// Reads strings like `NSString`.
private enum NSStringReading {
    /// Reads like `NSString.integerValue`: whitespace, a sign, digits; 0 without digits, clamped on overflow.
    static func int(_ text: String) -> Int {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        var value = 0
        for scalar in rest {
            guard ("0"..."9").contains(scalar) else { break }
            let digit = Int(scalar.value) - Int(UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return isNegative ? .min : .max }
            value = sum
        }
        return value
    }

    /// Reads like `NSString.doubleValue`: whitespace, then the longest prefix that is a number, or 0.
    static func double(_ text: String) -> Double {
        let rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        var end = rest.startIndex
        func skip(_ test: (Unicode.Scalar) -> Bool) -> Int {
            var count = 0
            while end < rest.endIndex, test(rest[end]) {
                rest.formIndex(after: &end)
                count += 1
            }
            return count
        }
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        if end < rest.endIndex, rest[end] == "-" || rest[end] == "+" { rest.formIndex(after: &end) }
        var digits = skip(isDigit)
        if end < rest.endIndex, rest[end] == "." {
            let point = end
            rest.formIndex(after: &end)
            let fraction = skip(isDigit)
            digits += fraction
            if digits == 0 { end = point }
        }
        guard digits > 0 else { return 0 }
        let mantissa = end
        if end < rest.endIndex, rest[end] == "e" || rest[end] == "E" {
            rest.formIndex(after: &end)
            if end < rest.endIndex, rest[end] == "-" || rest[end] == "+" { rest.formIndex(after: &end) }
            if skip(isDigit) == 0 { end = mantissa }
        }
        return Double(String(rest[..<end])) ?? 0
    }

    /// Reads like `NSString.boolValue`: after whitespace, a sign and zeros, one of Y, y, T, t or 1–9 is true.
    static func bool(_ text: String) -> Bool {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        rest = rest.drop { $0 == "0" }
        guard let first = rest.first else { return false }
        return "YyTt".unicodeScalars.contains(first) || ("1"..."9").contains(first)
    }
}
