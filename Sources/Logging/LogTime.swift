/// A moment of the wall clock, in nanoseconds since 1970-01-01 00:00:00 UTC.
///
/// The wall clock may be set back, so later lines can carry earlier times; `LogRecord.sequence` never goes back.
public struct LogTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    public var nanoseconds: Int64

    /// Creates the moment that many nanoseconds after 1970-01-01 00:00:00 UTC.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The present moment.
    public static var now: LogTime { LogTime(nanoseconds: SystemCalls.wallClock()) }

    /// Seconds since 1970-01-01 00:00:00 UTC, as Foundation's `Date(timeIntervalSince1970:)` takes them.
    public var secondsSince1970: Double { Double(nanoseconds) / 1e9 }

    /// Orders moments in time.
    public static func < (left: LogTime, right: LogTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Year, month and day of a number of days since 1970-01-01, in the proleptic Gregorian calendar.
    ///
    /// Counts years from March, so that the leap day is the last of a year and months have a closed form.
    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468  // days from 0000-03-01
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// Seconds since 1970, rounded down, and the milliseconds after them.
    var parts: (second: Int64, millisecond: Int) {
        let (second, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0
            ? (second - 1, Int((rest + 1_000_000_000) / 1_000_000)) : (second, Int(rest / 1_000_000))
    }

    /// Appends `2026-11-20T13:22:32`.
    static func append(second: Int64, to buffer: ByteBuffer) {
        let dayNumber = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
        let secondOfDay = Int(second - dayNumber * 86_400)
        let date = date(ofDay: Int(dayNumber))
        buffer.append(date.year, digits: 4)
        buffer.append(byte: 45)
        buffer.append(date.month, digits: 2)
        buffer.append(byte: 45)
        buffer.append(date.day, digits: 2)
        buffer.append(byte: 84)
        buffer.append(secondOfDay / 3600, digits: 2)
        buffer.append(byte: 58)
        buffer.append(secondOfDay / 60 % 60, digits: 2)
        buffer.append(byte: 58)
        buffer.append(secondOfDay % 60, digits: 2)
    }

    /// A duration in the largest unit that gives at least one: `12ns`, `1.500ms`, `2.000s`.
    static func text(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        switch nanoseconds.magnitude {
        case ..<1000: return LogFloatFormat.fixed(0).text(of: nanoseconds) + "ns"
        case ..<1e6: return LogFloatFormat.fixed(3).text(of: nanoseconds / 1e3) + "us"
        case ..<1e9: return LogFloatFormat.fixed(3).text(of: nanoseconds / 1e6) + "ms"
        default: return LogFloatFormat.fixed(3).text(of: nanoseconds / 1e9) + "s"
        }
    }
}

extension LogTime: CustomStringConvertible {
    /// The moment in ISO 8601, UTC, with milliseconds: `2026-11-20T13:22:32.123Z`.
    public var description: String {
        let buffer = ByteBuffer(capacity: 32)
        defer { buffer.deallocate() }
        Self.append(second: parts.second, to: buffer)
        buffer.append(byte: 46)
        buffer.append(parts.millisecond, digits: 3)
        buffer.append(byte: 90)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }
}
