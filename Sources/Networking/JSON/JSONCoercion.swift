internal import AshlarCore

/// How a string is read where a number or a Boolean is asked for.
///
/// Numbers and Booleans are bridged alike by both rules: 1.0 is the integer 1, 1.5 is none; 1 and 0 are Booleans, 2 is
/// none; `true` is the number 1.
public enum JSONCoercion: Hashable, Sendable {
    /// A string counts only if all of it is a number, or for a Boolean one of true, false, yes, no, 1, 0 in any case.
    ///
    /// `"12"` is 12 and `"+1.50"` is 1.5; `"12abc"`, `" 12"`, `""` and `"abc"` give the fallback.
    case exact
    /// A string is read as SquidKit did, by the rules of `NSString`: as far as it goes, and 0 or false if it does not.
    ///
    /// `"12abc"` is 12 and `"abc"` is 0; for a Boolean, a leading Y, y, T, t or digit from 1 to 9 is true.
    case squidKit
}

/// Strings read as numbers and Booleans by the two rules.
enum JSONStringReading {
    /// Returns the number that all of a text is, in JSON's grammar but for a leading `+` and leading zeros.
    static func exactNumber<R>(_ text: String, _ body: (JSONNumber) -> R?) -> R? {
        var text = text
        return text.withUTF8 { utf8 in
            var rest = utf8[...]
            let isNegative = rest.first == 0x2D
            if isNegative || rest.first == 0x2B { rest = rest.dropFirst() }
            func digits() -> Int {
                let count = rest.prefix { $0 &- 0x30 < 10 }.count
                rest = rest.dropFirst(count)
                return count
            }
            let start = rest.startIndex
            guard digits() > 0 else { return nil }
            if rest.first == 0x2E {
                rest = rest.dropFirst()
                guard digits() > 0 else { return nil }
            }
            if let byte = rest.first, byte | 0x20 == 0x65 {
                rest = rest.dropFirst()
                if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
                guard digits() > 0 else { return nil }
            }
            guard rest.isEmpty else { return nil }
            return body(JSONNumber(text: UnsafeBufferPointer(rebasing: utf8[(isNegative ? start - 1 : start)...])))
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

    /// As `NSString.integerValue`: white space, a sign, digits; 0 without digits; the nearest end where it overflows.
    static func squidKitInt(_ text: String) -> Int {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        var value = 0
        for scalar in rest {
            guard ("0"..."9").contains(scalar) else { break }
            let digit = Int(scalar.value) - 0x30
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return isNegative ? .min : .max }
            value = sum
        }
        return value
    }

    /// As `NSString.doubleValue`: white space and then as much as is a number; 0 if nothing is.
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

    /// As `NSString.boolValue`: after white space, a sign and zeros, whether one of Y, y, T, t or 1–9 follows.
    static func squidKitBool(_ text: String) -> Bool {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        rest = rest.drop { $0 == "0" }
        guard let first = rest.first else { return false }
        return "YyTt".unicodeScalars.contains(first) || ("1"..."9").contains(first)
    }
}
