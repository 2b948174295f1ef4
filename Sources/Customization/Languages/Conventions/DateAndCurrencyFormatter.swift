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
        formatter?.text(amount: amount, currency: currency, fractionDigits: fractionDigits, language: language)
    }

    /// The text of a number in a notation with words; nil if the formatter is absent or does not support it.
    package func text(
        number: Double, notation: MessageNumberNotation, fractionDigits: ClosedRange<Int>?
    ) -> String? {
        formatter?.text(number: number, notation: notation, fractionDigits: fractionDigits, language: language)
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
