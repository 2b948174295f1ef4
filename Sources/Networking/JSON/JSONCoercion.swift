internal import AshlarCore
internal import AshlarTrees

/// The rule for reading a string as a number or Boolean.
///
/// Both rules convert between numbers and Booleans alike: 1.0 is the integer 1, 1.5 isn't an integer; 1 and 0 are
/// Booleans, 2 isn't; `true` is the number 1.
public enum JSONCoercion: Hashable, Sendable {
    /// The whole string must be a number, or for a Boolean true, false, yes, no, 1 or 0 in any case.
    ///
    /// `"12"` is 12 and `"+1.50"` is 1.5; `"12abc"`, `" 12"`, `""` and `"abc"` return the default.
    case exact
    /// SquidKit's rule, which is that of `NSString`: the longest valid prefix, or 0 or false if there is none.
    ///
    /// `"12abc"` is 12 and `"abc"` is 0. For a Boolean, a leading Y, y, T, t or digit from 1 to 9 is true.
    case squidKit
}

/// Reads strings as numbers and Booleans.
enum JSONStringReading {
    /// Returns the number in a string, in JSON's grammar plus a leading `+` and leading zeros.
    static func exactNumber<R>(_ text: String, _ body: (JSONNumber) -> R?) -> R? {
        var text = text
        return text.withUTF8 { utf8 in
            var rest = utf8[...]
            let isNegative = rest.first == UInt8(ascii: "-")
            if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            func digits() -> Int {
                let count = rest.prefix(while: \.isDigit).count
                rest = rest.dropFirst(count)
                return count
            }
            let start = rest.startIndex
            guard digits() > 0 else { return nil }
            if rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
                guard digits() > 0 else { return nil }
            }
            if let byte = rest.first, byte.asciiLowercased == UInt8(ascii: "e") {
                rest = rest.dropFirst()
                if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
                guard digits() > 0 else { return nil }
            }
            guard rest.isEmpty else { return nil }
            return body(
                JSONNumber(text: UnsafeBufferPointer(rebasing: utf8[(isNegative ? start - 1 : start)...])))
        }
    }

    static func exactBool(_ text: String) -> Bool? {
        guard text.utf8.count <= 5 else { return nil }
        return switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// Reads like `NSString.integerValue`: whitespace, a sign, digits; 0 without digits, clamped on overflow.
    static func squidKitInt(_ text: String) -> Int {
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
    static func squidKitDouble(_ text: String) -> Double {
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
    static func squidKitBool(_ text: String) -> Bool {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        rest = rest.drop { $0 == "0" }
        guard let first = rest.first else { return false }
        return "YyTt".unicodeScalars.contains(first) || ("1"..."9").contains(first)
    }
}
