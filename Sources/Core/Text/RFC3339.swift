/// Dates and times as text, such as `2026-11-20T13:19:38.25+01:00` (RFC 3339).
package enum RFC3339 {
    /// The seconds between 1970-01-01 and 2001-01-01, the reference dates of Unix and of Foundation.
    package static let secondsFrom1970To2001: Int64 = 978_307_200

    /// A point in time: whole seconds and a fraction of a second.
    package struct Moment: Hashable, Sendable {
        /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
        package var seconds: Int64
        /// The fraction of a second after `seconds`, at least 0 and less than 1.
        package var fraction: Double

        package var secondsSince1970: Double { Double(seconds) + fraction }
        package var secondsSince2001: Double { Double(seconds - secondsFrom1970To2001) + fraction }
    }

    /// Reads a date and time, or returns nil.
    ///
    /// `T` and `Z` can be lowercase, and a space can replace `T` (section 5.6). The fraction can have any number of
    /// digits. A leap second (`:60`) is read as the first second of the next minute.
    ///
    /// - Parameters:
    ///   - text: The bytes of the text.
    ///   - allowsDateOnly: Whether a date without a time is read as its first second in UTC.
    /// - Returns: The moment, or nil if the text has another form, or if the day or time doesn't exist.
    package static func parse(_ text: some Sequence<UInt8>, allowsDateOnly: Bool = false) -> Moment? {
        var fields = Fields(bytes: Array(text))
        guard let year = fields.number(4), fields.take("-"), let month = fields.number(2), fields.take("-"),
            let day = fields.number(2), let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let midnight = Int64(date.daysSince1970) * 86_400
        if allowsDateOnly, fields.isAtEnd { return Moment(seconds: midnight, fraction: 0) }
        guard fields.take("Tt "), let hour = fields.number(2), fields.take(":"), let minute = fields.number(2),
            fields.take(":"), let second = fields.number(2), hour < 24, minute < 60, second <= 60,
            let fraction = fields.fraction(), let offset = fields.offset(), fields.isAtEnd
        else { return nil }
        return Moment(seconds: midnight + Int64(hour * 3600 + minute * 60 + second - offset), fraction: fraction)
    }

    /// Writes a moment in UTC: `2026-11-20T13:19:38Z`, with a fraction of `digits` digits, rounded down.
    ///
    /// Years after 9999 have more than four digits, and years before 0 have a sign; RFC 3339 defines neither.
    ///
    /// - Parameters:
    ///   - seconds: Seconds since 1970-01-01T00:00:00Z; days beyond the range of `Int` are clamped.
    ///   - nanoseconds: The nanoseconds after `seconds`, below 1,000,000,000.
    ///   - digits: The number of digits of the fraction, 0 to 9.
    /// - Returns: The text.
    package static func format(seconds: Int64, nanoseconds: Int = 0, digits: Int = 0) -> String {
        let days = Int(clamping: (seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
        let rest = Int(truncatingIfNeeded: seconds - Int64(days) * 86_400)
        let date = CivilDate(daysSince1970: days)
        let day = "\(date.year.digits(4))-\(date.month.digits(2))-\(date.day.digits(2))"
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { $0.digits(2) }.joined(separator: ":")
        let fraction = digits > 0 ? "." + nanoseconds.digits(9).prefix(digits) : ""
        return "\(day)T\(time)\(fraction)Z"
    }

    /// Writes a moment in UTC, rounded to milliseconds, which are omitted if they are zero.
    ///
    /// - Returns: The text, or nil for a moment outside the years 0 to 9999.
    package static func format(secondsSince2001 seconds: Double) -> String? {
        // Less than half a millisecond remains for rounding.
        guard (-63_145_526_400..<252_423_993_599.9994).contains(seconds) else { return nil }
        let milliseconds = Int64((seconds * 1000).rounded()) + secondsFrom1970To2001 * 1000
        let rest = (milliseconds % 1000 + 1000) % 1000
        return format(
            seconds: (milliseconds - rest) / 1000, nanoseconds: Int(rest) * 1_000_000, digits: rest == 0 ? 0 : 3)
    }

    /// A cursor over the fields of a date.
    private struct Fields {
        let bytes: [UInt8]
        var at = 0

        var isAtEnd: Bool { at == bytes.count }

        mutating func number(_ digits: Int) -> Int? {
            guard at + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[at..<(at + digits)] {
                guard byte.isDigit else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            at += digits
            return value
        }

        mutating func take(_ characters: String) -> Bool {
            guard at < bytes.count, characters.utf8.contains(bytes[at]) else { return false }
            at += 1
            return true
        }

        mutating func fraction() -> Double? {
            guard take(".") else { return 0 }
            let digits = bytes[at...].prefix { $0.isDigit }
            guard !digits.isEmpty else { return nil }
            at = digits.endIndex
            // Digits after the seventeenth don't change a `Double`, but many nines would round up to 1.
            let fraction = Double("0." + String(decoding: digits.prefix(17), as: UTF8.self)) ?? 0
            return min(fraction, 1.0.nextDown)
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int? {
            if take("Zz") { return 0 }
            let isWest = at < bytes.count && bytes[at] == UInt8(ascii: "-")
            guard take("+-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
        }
    }
}
