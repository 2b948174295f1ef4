internal import AshlarCore
internal import AshlarTrees

/// The rules for reading a value of one type as another.
public struct ConfigCoercion: Hashable, Sendable {
    enum Kind { case standard, strict, seed }
    let kind: Kind

    /// Strings are converted if the whole string matches, and numbers if the conversion is exact.
    ///
    /// Booleans: `true yes on y t 1` and `false no off n f 0` in any case, and the numbers 1 and 0. Integers: a string
    /// of digits with an optional sign or `0x`, and a real without a fraction. Strings: numbers and booleans. All other
    /// conversions fail: `"12abc"` isn't 12, `"maybe"` isn't false, `true` isn't 1, and NaN and infinity aren't
    /// numbers.
    public static let standard: ConfigCoercion = ConfigCoercion(kind: .standard)

    /// Each value is read only as its own type; an integer is also a real.
    public static let strict: ConfigCoercion = ConfigCoercion(kind: .strict)

    /// The rules of NEIApplicationConfig, which used NSString and NSNumber.
    ///
    /// `"YES please"` is true, `"12abc"` is 12, `"abc"` is 0, and integers are truncated to 32 bits. Containers, dates
    /// and data, which crashed there, are mismatches.
    public static let seed: ConfigCoercion = ConfigCoercion(kind: .seed)
}

extension ConfigCoercion {
    func bool(_ value: ConfigValue) -> Bool? {
        switch (value, kind) {
        case (.boolean(let value), _): return value
        case (.integer(let number), .seed): return number != 0
        case (.unsigned, .seed): return true
        case (.real(let number), .seed): return number != 0
        case (.string(let text), .seed): return SeedText.bool(text)
        case (.integer(1), .standard): return true
        case (.integer(0), .standard): return false
        case (.string(let text), .standard):
            switch text.lowercased() {
            case "true", "yes", "on", "y", "t", "1": return true
            case "false", "no", "off", "n", "f", "0": return false
            default: return nil
            }
        default: return nil
        }
    }

    func integer<T: FixedWidthInteger>(_ value: ConfigValue, as: T.Type = T.self) -> T? {
        switch (value, kind) {
        case (.integer(let number), .seed): return T(truncatingIfNeeded: Int32(truncatingIfNeeded: number))
        case (.unsigned(let number), .seed): return T(truncatingIfNeeded: Int32(truncatingIfNeeded: number))
        case (.integer(let number), _): return T(exactly: number)
        case (.unsigned(let number), _): return T(exactly: number)
        case (.real(let number), .standard): return T(exactly: number)
        case (.real(let number), .seed):
            if number.isNaN { return 0 }
            return T(truncatingIfNeeded: Int32(max(min(number, Double(Int32.max)), Double(Int32.min))))
        case (.string(let text), .standard):
            switch text.utf8.contains(where: { $0 <= UInt8(ascii: " ") })
                ? nil : NumberText.integer(Array(text.utf8)[...])
            {
            case .signed(let number): return T(exactly: number)
            case .unsigned(let number): return T(exactly: number)
            case nil: return nil
            }
        case (.string(let text), .seed): return T(truncatingIfNeeded: SeedText.int(text))
        case (.boolean(let flag), .seed): return flag ? 1 : 0
        default: return nil
        }
    }

    func double(_ value: ConfigValue) -> Double? {
        switch (value, kind) {
        case (.real(let number), .seed): return number
        case (.real(let number), _): return number.isFinite ? number : nil
        case (.integer(let number), .seed): return Double(number)
        case (.unsigned(let number), .seed): return Double(number)
        case (.integer(let number), _):
            // Above 2^53, not every integer is a double.
            return Int64(exactly: Double(number)) == number ? Double(number) : nil
        case (.unsigned(let number), _): return UInt64(exactly: Double(number)) == number ? Double(number) : nil
        case (.string(let text), .standard):
            guard let first = text.utf8.first, first.isDigit || "+-.".utf8.contains(first),
                !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }), let number = Double(text),
                number.isFinite
            else { return nil }
            return number
        case (.string(let text), .seed): return SeedText.double(text)
        case (.boolean(let flag), .seed): return flag ? 1 : 0
        default: return nil
        }
    }

    func string(_ value: ConfigValue) -> String? {
        switch (value, kind) {
        case (.string(let text), _): return text
        case (_, .strict): return nil
        case (.integer(let number), _): return String(number)
        case (.unsigned(let number), _): return String(number)
        case (.real(let number), _): return ConfigText.real(number)
        case (.boolean(let flag), .seed): return flag ? "1" : "0"
        case (.boolean(let flag), _): return flag ? "true" : "false"
        default: return nil
        }
    }
}

// The types that these rules read.

extension Bool: ConfigConvertible {
    /// Reads a boolean.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let value = coercion.bool(value) else { return nil }
        self = value
    }
}

extension String: ConfigConvertible {
    /// Reads a string.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let value = coercion.string(value) else { return nil }
        self = value
    }
}

extension ConfigConvertible where Self: BinaryFloatingPoint {
    /// Reads a number, rounded to the nearest one of the type; returns nil for a number beyond its range.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let value = coercion.double(value) else { return nil }
        self.init(value)
        if value.isFinite, !isFinite, coercion.kind != .seed { return nil }
    }
}

extension Double: ConfigConvertible {}
extension Float: ConfigConvertible {}

extension ConfigConvertible where Self: FixedWidthInteger {
    /// Reads an integer within the range of the type.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let value = coercion.integer(value, as: Self.self) else { return nil }
        self = value
    }
}

extension Int: ConfigConvertible {}
extension Int8: ConfigConvertible {}
extension Int16: ConfigConvertible {}
extension Int32: ConfigConvertible {}
extension Int64: ConfigConvertible {}
extension UInt: ConfigConvertible {}
extension UInt8: ConfigConvertible {}
extension UInt16: ConfigConvertible {}
extension UInt32: ConfigConvertible {}
extension UInt64: ConfigConvertible {}

/// Canonical strings of values.
enum ConfigText {
    /// Returns the shortest text that parses as the number, without a fraction if there is none.
    static func real(_ number: Double) -> String {
        if let whole = Int64(exactly: number), abs(number) < 1e15, !(number == 0 && number.sign == .minus) {
            return String(whole)
        }
        return "\(number)"
    }
}

/// Parses strings like NSString's `boolValue`, `intValue` and `doubleValue`.
enum SeedText {
    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func unsigned(_ text: Substring.UTF8View) -> Substring.UTF8View {
        text.first.map(isSign) == true ? text.dropFirst() : text
    }

    /// Whether the first character after whitespace, signs and zeros is one of `YyTt1…9`.
    static func bool(_ text: String) -> Bool {
        let unsigned = unsigned(text.utf8.drop(while: \.isSpace))
        guard let first = unsigned.drop(while: { $0 == UInt8(ascii: "0") }).first else { return false }
        return first.isDigit || "YyTt".utf8.contains(first)
    }

    /// Returns the integer at the start of the string, clamped to 32 bits; 0 if there is none.
    static func int(_ text: String) -> Int {
        let rest = text.utf8.drop(while: \.isSpace)
        var value: Int64 = 0
        for digit in unsigned(rest).prefix(while: \.isDigit) {
            value = min(value * 10 + Int64(digit - UInt8(ascii: "0")), 1 << 40)
        }
        return Int(Int32(clamping: rest.first == UInt8(ascii: "-") ? -value : value))
    }

    /// Returns the number at the start of the string; 0 if there is none.
    static func double(_ text: String) -> Double {
        let rest = Array(text.utf8.drop(while: \.isSpace).prefix(400))
        var end = 0
        func digits() -> Int {
            let first = end
            while end < rest.count, rest[end].isDigit { end += 1 }
            return end - first
        }
        if end < rest.count, isSign(rest[end]) { end += 1 }
        var count = digits()
        if end < rest.count, rest[end] == UInt8(ascii: ".") {
            end += 1
            count += digits()
        }
        if count == 0 { return 0 }
        let mantissa = end
        if end < rest.count, rest[end] | 0x20 == UInt8(ascii: "e") {
            end += 1
            if end < rest.count, isSign(rest[end]) { end += 1 }
            if digits() == 0 { end = mantissa }
        }
        return Double(String(decoding: rest[0..<end], as: UTF8.self)) ?? 0
    }
}
