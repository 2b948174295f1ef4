import AshlarCore
public import AshlarCustomization
public import Foundation

/// Formats dates and amounts of money in messages with Foundation.
///
/// `AshlarApp` uses one for its customization, so `{when, date, short}` and `{price, number, ::currency/EUR}` work in its
/// messages. Without an app, pass one to the policy:
///
/// ```swift
/// import Foundation
///
/// let policy = CustomizationPolicy(formatter: FoundationFormatter())
/// let strings = Customization(path: "Resources", policy: policy)
/// print(strings.message("due", ["when": Date()]))  // Due on 22/11/2026
/// print(strings.conventions.text(Date(), .lengths(date: .long, time: nil)))  // 22 November 2026
/// ```
///
/// The notation is that of the language, and the calendar that of its region.
public final class FoundationFormatter: DateAndCurrencyFormatter {
    private enum Key: Hashable {
        case date(MessageDateStyle, LanguageTag)
        case currency(String, ClosedRange<Int>?, LanguageTag)
    }

    /// The formatters in use; creating one takes up to a millisecond.
    private struct Formatters {
        var dates: [Key: DateFormatter] = [:]
        var currencies: [Key: NumberFormatter] = [:]
    }

    /// The number of formatters above which all are created again; patterns and currencies of a server are endless.
    private static let mostFormatters = 200
    /// The seconds of the years 1 to 9999; Foundation's calendars are wrong or slow far outside of them.
    private static let supportedTimes = -62_135_596_800.0..<253_402_300_800

    private let timeZone: TimeZone
    // Foundation's formatters are used under the lock only, because they are not safe to share on every system.
    private let formatters = Mutex(Formatters())

    /// Creates a formatter for a time zone; the default follows that of the system.
    public init(timeZone: TimeZone = .autoupdatingCurrent) { self.timeZone = timeZone }

    /// Returns the text of a point in time, or nil for a time outside the years 1 to 9999.
    public func text(secondsSince1970 seconds: Double, style: MessageDateStyle, language: LanguageTag) -> String? {
        guard Self.supportedTimes.contains(seconds) else { return nil }
        if style == .relative {
            let locale = Self.locale(of: language)
            // The days of "tomorrow" are those of the time zone.
            var calendar = locale.calendar
            calendar.timeZone = timeZone
            let relative = Date.RelativeFormatStyle(
                presentation: .named, unitsStyle: .wide, locale: locale, calendar: calendar)
            return relative.format(Date(timeIntervalSince1970: seconds))
        }
        let key = Key.date(style, language)
        return formatters.withLock { formatters in
            if formatters.dates.count >= Self.mostFormatters { formatters.dates = [:] }
            let formatter = formatters.dates[key] ?? Self.formatter(style, language, timeZone)
            formatters.dates[key] = formatter
            return formatter.string(from: Date(timeIntervalSince1970: seconds))
        }
    }

    /// Returns the text of an amount of money, or nil for an amount that is not finite or a malformed currency code.
    public func text(
        amount: Double, currency: String, fractionDigits: ClosedRange<Int>?, language: LanguageTag
    ) -> String? {
        guard amount.isFinite, currency.utf8.count == 3, currency.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            return nil
        }
        let key = Key.currency(currency, fractionDigits, language)
        return formatters.withLock { formatters in
            if formatters.currencies.count >= Self.mostFormatters { formatters.currencies = [:] }
            let formatter = formatters.currencies[key] ?? Self.formatter(currency, fractionDigits, language)
            formatters.currencies[key] = formatter
            return formatter.string(from: NSNumber(value: amount))
        }
    }

    /// The locale with the digits that this package uses for the language, so that a sentence has one system of digits.
    private static func locale(of language: LanguageTag) -> Locale {
        var components = Locale.Components(identifier: language.description)
        let system = LanguageConventions(language).numberingSystem
        components.numberingSystem = components.numberingSystem ?? Locale.NumberingSystem(system)
        return Locale(components: components)
    }

    /// Returns the text of a short compact number or of a quantity of time, or nil for other units.
    public func text(
        number: Double, notation: MessageNumberNotation, fractionDigits: ClosedRange<Int>?, language: LanguageTag
    ) -> String? {
        let locale = Self.locale(of: language)
        switch notation {
        case .compact(isLong: false) where number.isFinite:
            let style = FloatingPointFormatStyle<Double>(locale: locale).notation(.compactName)
            let text = (fractionDigits.map { style.precision(.fractionLength($0)) } ?? style).format(number)
            return text.replacingNumber {
                LanguageConventions(language).separating(
                    $0, decimal: locale.decimalSeparator, group: locale.groupingSeparator)
            }
        case .unit(let name, let isLong) where number.magnitude < 1e15:
            // `Duration` holds no more.
            guard let (unit, seconds) = Self.units[name], (number * seconds).magnitude < 9e18 else { return nil }
            let style = Duration.UnitsFormatStyle(
                allowedUnits: [unit], width: isLong ? .wide : .abbreviated,
                fractionalPart: .show(length: fractionDigits?.upperBound ?? 0))
            return style.locale(locale).format(.seconds(number * seconds))
        default: return nil
        }
    }

    /// The units of time with their seconds.
    private static let units: [String: (Duration.UnitsFormatStyle.Unit, Double)] = [
        "week": (.weeks, 604_800), "day": (.days, 86_400), "hour": (.hours, 3_600), "minute": (.minutes, 60),
        "second": (.seconds, 1), "millisecond": (.milliseconds, 0.001),
    ]

    private static func formatter(
        _ style: MessageDateStyle, _ language: LanguageTag, _ timeZone: TimeZone
    ) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Self.locale(of: language)
        formatter.timeZone = timeZone
        switch style {
        case .lengths(let date, let time):
            formatter.dateStyle = date.formatterStyle
            formatter.timeStyle = time.formatterStyle
        case .skeleton(let fields): formatter.setLocalizedDateFormatFromTemplate(fields)
        case .pattern(let pattern): formatter.dateFormat = pattern
        case .relative: break  // The style of a duration, which isn't a date formatter.
        }
        return formatter
    }

    private static func formatter(
        _ currency: String, _ fractionDigits: ClosedRange<Int>?, _ language: LanguageTag
    ) -> NumberFormatter {
        let formatter = NumberFormatter()
        formatter.locale = Self.locale(of: language)
        formatter.numberStyle = .currency
        formatter.currencyCode = currency.uppercased()
        if let fractionDigits {
            formatter.minimumFractionDigits = fractionDigits.lowerBound
            formatter.maximumFractionDigits = fractionDigits.upperBound
        }
        return formatter
    }

    fileprivate static let shared = FoundationFormatter()
}

extension MessageDateStyle.Length? {
    fileprivate var formatterStyle: DateFormatter.Style {
        switch self {
        case .short: .short
        case .medium: .medium
        case .long: .long
        case .full: .full
        case nil: .none
        }
    }
}

extension LanguageConventions {
    /// A point in time in the notation of the language, in a style such as `.lengths(date: .short, time: .short)` or
    /// `.skeleton("yMMMMd")`.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// let strings = Customization(path: "Resources", languages: ["fr"])
    /// let due = Date(timeIntervalSince1970: 1_795_341_011)
    /// print(strings.conventions.text(due, .lengths(date: .long, time: nil)))  // 22 novembre 2026
    /// ```
    ///
    /// The time zone is that of the customization's ``FoundationFormatter``, or the system's.
    public func text(_ date: Date, _ style: MessageDateStyle) -> String {
        let seconds = date.timeIntervalSince1970
        return text(secondsSince1970: seconds, style: style)
            ?? FoundationFormatter.shared.text(secondsSince1970: seconds, style: style, language: language)
            ?? style.plainText(secondsSince1970: seconds)
    }

    /// An amount of money in the notation of the language: `1.234,50 €`.
    ///
    /// - Parameters:
    ///   - amount: The amount; its first 15 digits are displayed exactly.
    ///   - currency: The ISO 4217 code of the currency, such as `EUR`.
    ///   - fractionDigits: The smallest and the largest number of decimals; nil for those of the currency.
    /// - Returns: The text.
    public func currency(_ amount: Decimal, _ currency: String, fractionDigits: ClosedRange<Int>? = nil) -> String {
        let number = NSDecimalNumber(decimal: amount).doubleValue
        return text(amount: number, currency: currency, fractionDigits: fractionDigits)
            ?? LanguageConventions(language, formatter: FoundationFormatter.shared).text(
                amount: number, currency: currency, fractionDigits: fractionDigits)
            ?? plainText(amount: number, currency: currency)
    }
}

extension Date: FormatArgument {
    /// The point in time.
    public var formatValue: FormatValue { .date(secondsSince1970: timeIntervalSince1970) }
}

extension Decimal: FormatArgument {
    /// The number, rounded to a `Double`.
    public var formatValue: FormatValue { .double(NSDecimalNumber(decimal: self).doubleValue) }

    /// The number as an amount in a currency, given by its ISO 4217 code, for messages such as `{price}`.
    public func amount(in currency: String) -> FormatValue {
        .amount(NSDecimalNumber(decimal: self).doubleValue, currency: currency)
    }
}
