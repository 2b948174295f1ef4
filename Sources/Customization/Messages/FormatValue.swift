/// A value for formatting: strings, characters, numbers and booleans, and values of your own types.
///
/// The module `Ashlar` adds Foundation's `Date` and `Decimal`.
///
/// ```swift
/// struct Seat: FormatArgument {
///     let row: Int, letter: String
///     var formatValue: FormatValue { .string("\(row)\(letter)") }
/// }
/// print(CustomizationMessage("Seat %@").formatted(Seat(row: 12, letter: "F")).text)  // Seat 12F
/// ```
public protocol FormatArgument {
    /// The value to format.
    var formatValue: FormatValue { get }
}

extension FormatArgument {
    /// The value between Unicode isolates, which separate its writing direction from the surrounding text.
    ///
    /// Use it for names and other strings of unknown direction in `%@`. The isolates are invisible characters.
    ///
    /// ```swift
    /// let text = CustomizationMessage("%@: 3 files").formatted("Zoë".isolated).text
    /// print(text == "\u{2068}Zoë\u{2069}: 3 files")  // true
    /// ```
    public var isolated: FormatValue { .string("\u{2068}" + formatValue.text + "\u{2069}") }
}

/// A value for the formatter.
public enum FormatValue: Hashable, Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case int(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case double(Double)
    /// A boolean, which is 1 or 0 for a numeric placeholder, and otherwise "true" or "false".
    case bool(Bool)
    /// A point in time.
    case date(secondsSince1970: Double)
    /// An amount of money in a currency, given by its ISO 4217 code; a number for plural forms and numeric placeholders.
    indirect case amount(Double, currency: String)

    init(_ number: some FixedWidthInteger) {
        if let signed = Int64(exactly: number) {
            self = .int(signed)
        } else if let unsigned = UInt64(exactly: number) {
            self = .unsigned(unsigned)
        } else {
            self = .string(String(number))
        }
    }

    /// The value in the form of `%@`: numbers in their shortest form, dates as `2026-11-22T09:50:11Z`.
    package var text: String {
        switch self {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .bool(let value): return String(value)
        case .date(let seconds):
            return MessageDateStyle.lengths(date: .short, time: .short).plainText(secondsSince1970: seconds)
        case .amount(let number, let currency): return FormatValue.double(number).text + " " + currency
        case .double(let number):
            guard number.isFinite else { return number.isNaN ? "nan" : number < 0 ? "-inf" : "inf" }
            let digits = DecimalDigits(shortest: number)
            guard (-5...20).contains(digits.exponent) else { return number.description }
            return (digits.isNegative ? "-" : "") + digits.plainText
        }
    }
}

extension FormatValue: FormatArgument {
    /// The value itself.
    public var formatValue: FormatValue { self }
}

extension FormatArgument where Self: LosslessStringConvertible {
    /// The value as a string.
    public var formatValue: FormatValue { .string(description) }
}

extension String: FormatArgument {}
extension Substring: FormatArgument {}
extension Character: FormatArgument {}

extension Bool: FormatArgument {
    /// The boolean.
    public var formatValue: FormatValue { .bool(self) }
}

extension Double: FormatArgument {
    /// The number.
    public var formatValue: FormatValue { .double(self) }
}

extension Float: FormatArgument {
    /// The number, with the digits of the `Float`'s shortest form.
    public var formatValue: FormatValue { .double(Double(description) ?? Double(self)) }
}

extension FormatArgument where Self: FixedWidthInteger {
    /// The number.
    public var formatValue: FormatValue { FormatValue(self) }
}

extension Int: FormatArgument {}
extension Int8: FormatArgument {}
extension Int16: FormatArgument {}
extension Int32: FormatArgument {}
extension Int64: FormatArgument {}
extension UInt: FormatArgument {}
extension UInt8: FormatArgument {}
extension UInt16: FormatArgument {}
extension UInt32: FormatArgument {}
extension UInt64: FormatArgument {}
