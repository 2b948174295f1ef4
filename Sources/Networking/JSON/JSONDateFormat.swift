import Foundation

/// How dates are written in a JSON document.
public enum JSONDateFormat: Hashable, Sendable {
    /// Strings such as `2026-11-20T13:19:38Z` or `2026-11-20T14:19:38.25+01:00` (RFC 3339).
    case rfc3339
    /// Numbers: seconds since 1970 began in UTC.
    case secondsSince1970
    /// Numbers: milliseconds since 1970 began in UTC.
    case millisecondsSince1970
    /// Numbers: seconds since 2001 began in UTC, as `JSONEncoder` writes dates unless told otherwise.
    case secondsSince2001

    /// Reads a date and time of RFC 3339 (5.6), with any number of fraction digits; nil for everything else.
    ///
    /// A leap second (`:60`) is read as the first second of the next minute.
    static func rfc3339Date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        func number(_ start: Int, _ count: Int) -> Int? {
            guard start + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[start..<(start + count)] {
                guard byte &- 0x30 < 10 else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        func isByte(_ index: Int, _ expected: UInt8) -> Bool { index < bytes.count && bytes[index] == expected }
        guard let year = number(0, 4), isByte(4, 0x2D), let month = number(5, 2), isByte(7, 0x2D),
            let day = number(8, 2), bytes.count > 10, bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20,
            let hour = number(11, 2), isByte(13, 0x3A), let minute = number(14, 2), isByte(16, 0x3A),
            let second = number(17, 2)
        else { return nil }
        guard (1...12).contains(month), day >= 1, day <= daysInMonth(month, year), hour < 24, minute < 60, second <= 60
        else { return nil }
        var index = 19
        var fraction = 0.0
        if isByte(index, 0x2E) {
            let start = index + 1
            index = start
            while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
            guard index > start else { return nil }
            fraction = Double("0." + String(decoding: bytes[start..<index], as: UTF8.self)) ?? 0
        }
        guard index < bytes.count else { return nil }
        var offset = 0
        if bytes[index] | 0x20 == 0x7A {
            guard index + 1 == bytes.count else { return nil }
        } else {
            guard bytes[index] == 0x2B || bytes[index] == 0x2D, let hours = number(index + 1, 2),
                isByte(index + 3, 0x3A), let minutes = number(index + 4, 2), index + 6 == bytes.count, hours < 24,
                minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * 60 * (bytes[index] == 0x2D ? -1 : 1)
        }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func daysInMonth(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days in the Gregorian calendar, by counting whole 400-year cycles of years that begin in March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let cycle = (year >= 0 ? year : year - 399) / 400
        let yearOfCycle = year - cycle * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * 146_097 + dayOfCycle - 719_468
    }
}
