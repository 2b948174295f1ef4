internal import AshlarCore

/// Formats dates, amounts of money, and numbers with words, in a language.
///
/// This module contains no calendar, time zones, or names of currencies and units. The module `Ashlar` has a formatter that uses
/// Foundation, and `AshlarApp` sets it. Without a formatter, dates are displayed as `2026-11-22T09:50:11Z` and amounts as
/// `9.99 EUR`, and a problem is reported.
///
/// Any thread may call a formatter.
public protocol DateAndCurrencyFormatter: Sendable {
    /// Returns the text of a point in time, or nil if the formatter does not support the time or the style.
    func text(secondsSince1970: Double, style: MessageDateStyle, language: LanguageTag) -> String?

    /// Returns the text of an amount of money, or nil if the formatter does not support the amount or the currency.
    ///
    /// - Parameters:
    ///   - amount: The amount.
    ///   - currency: The ISO 4217 code of the currency, such as `EUR`.
    ///   - fractionDigits: The smallest and the largest number of decimals; nil for those of the currency.
    ///   - language: The language.
    /// - Returns: The text, or nil.
    func text(amount: Double, currency: String, fractionDigits: ClosedRange<Int>?, language: LanguageTag) -> String?

    /// Returns the text of a number in a notation with words, or nil if the formatter does not support the notation.
    ///
    /// The default implementation returns nil.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - notation: The notation.
    ///   - fractionDigits: The smallest and the largest number of decimals; nil for those of the notation.
    ///   - language: The language.
    /// - Returns: The text, or nil.
    func text(
        number: Double, notation: MessageNumberNotation, fractionDigits: ClosedRange<Int>?, language: LanguageTag
    ) -> String?
}

extension DateAndCurrencyFormatter {
    /// Returns nil.
    public func text(
        number: Double, notation: MessageNumberNotation, fractionDigits: ClosedRange<Int>?, language: LanguageTag
    ) -> String? { nil }
}

/// A notation of numbers that needs words of the language.
public enum MessageNumberNotation: Hashable, Sendable {
    /// A rounded number such as `1.2K`, or `1.2 thousand` if it is long.
    case compact(isLong: Bool)
    /// A quantity such as `3 hr`, or `3 hours` if it is long; the unit has the name of CLDR, such as `hour`.
    case unit(String, isLong: Bool)
}

extension LanguageConventions {
    /// The text of a point in time; nil if the formatter is absent or does not support it.
    package func text(secondsSince1970 seconds: Double, style: MessageDateStyle) -> String? {
        formatter?.text(secondsSince1970: seconds, style: style, language: language)
    }

    /// The text of an amount of money; nil if the formatter is absent or does not support it.
    package func text(amount: Double, currency: String, fractionDigits: ClosedRange<Int>?) -> String? {
        text(amount: amount, currency: currency, MessageNumberStyle(fractionDigits: fractionDigits))
    }

    /// The text of an amount of money; nil if the formatter is absent or does not support it.
    ///
    /// The formatter determines the place of the currency and the usual decimals. The digits and separators are those of
    /// ``number(_:fractionDigits:)``, so that a sentence has one notation.
    func text(amount: Double, currency: String, _ style: MessageNumberStyle) -> String? {
        func text(_ amount: Double) -> String? {
            formatter?.text(
                amount: amount, currency: currency, fractionDigits: style.fractionDigits, language: language)
        }
        guard let written = text(amount) else { return nil }
        var style = style
        if style.fractionDigits == nil {
            let digits = (text(0) ?? "").unicodeScalars.count { $0.properties.numericType == .decimal }
            style.fractionDigits = max(digits - 1, 0)...max(digits - 1, 0)
        }
        return written.replacingNumber { _ in data.numbers.digits(of: amount, style) }
    }

    /// The text of a number in a notation with words; nil if the formatter is absent or does not support it.
    ///
    /// The digits and separators of a quantity are those of ``number(_:fractionDigits:)``.
    func text(number: Double, notation: MessageNumberNotation, _ style: MessageNumberStyle) -> String? {
        guard case .unit = notation, number.isFinite else {
            return formatter?.text(
                number: number, notation: notation, fractionDigits: style.fractionDigits, language: language)
        }
        let decimals = data.numbers.rounded(number, style).decimals
        return formatter?.text(
            number: number, notation: notation, fractionDigits: decimals...decimals, language: language
        )?.replacingNumber { _ in data.numbers.digits(of: number, style) }
    }

    /// Returns a number of another notation with the separators of the language.
    package func separating(_ number: String, decimal: String?, group: String?) -> String {
        number.reduce(into: "") { text, character in
            let written = String(character)
            text += written == decimal ? data.numbers.decimal : written == group ? data.numbers.group : written
        }
    }

    /// The text of an amount without a formatter: `9.90 EUR`, `10 EUR`.
    package func plainText(amount: Double, currency: String) -> String {
        number(amount, fractionDigits: (amount.rounded() == amount ? 0 : 2)...3) + "\u{A0}" + currency
    }
}

extension MessageDateStyle {
    /// The text of a point in time without a formatter: the UTC date, the UTC time, or both.
    package func plainText(secondsSince1970 seconds: Double) -> String {
        // The years 1 to 9999.
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return "\(seconds) s since 1970" }
        let text = RFC3339.format(seconds: Int64(seconds.rounded(.down)))
        let parts = text.split(separator: "T")
        switch self {
        case .lengths(date: _, time: nil): return String(parts[0])
        case .lengths(date: nil, time: _): return String(parts[1])
        default: return text
        }
    }
}

/// The form in which a date or a time is displayed.
public enum MessageDateStyle: Hashable, Sendable {
    /// How much of a date or time is displayed; the notation is that of the language.
    public enum Length: String, Hashable, Sendable {
        /// The shortest form: `22/11/2026`, `09:50`.
        case short
        /// An abbreviated form: `22 Nov 2026`, `09:50:11`.
        case medium
        /// A form in words: `22 November 2026`, `09:50:11 GMT`.
        case long
        /// The complete form: `Sunday 22 November 2026`.
        case full
    }

    /// A date and a time of certain lengths; nil omits one of them.
    case lengths(date: Length?, time: Length?)
    /// Fields in the order of the language, such as `yMMMd`; the letters are those of UTS #35.
    case skeleton(String)
    /// A fixed pattern, such as `yyyy-MM-dd`; the letters are those of UTS #35.
    case pattern(String)
    /// The time from now: `3 hours ago`, `tomorrow`.
    case relative
}

extension String {
    /// Returns the text with its first number replaced: digits with at most one character between two of them.
    package func replacingNumber(_ number: (String) -> String) -> String {
        let scalars = Array(unicodeScalars)
        func isDigit(_ index: Int) -> Bool {
            index < scalars.count && scalars[index].properties.numericType == .decimal
        }
        guard let start = scalars.indices.first(where: isDigit) else { return self }
        var end = start + 1
        while isDigit(end) || isDigit(end + 1) && !scalars[end].properties.isAlphabetic { end += 1 }
        func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(scalars)) }
        return text(scalars[..<start]) + number(text(scalars[start..<end])) + text(scalars[end...])
    }
}
