internal import AshlarBase

/// A point in time of the wall clock, in nanoseconds since 1970-01-01 00:00:00 UTC.
///
/// The wall clock can be set back, so a later line can have an earlier time. `LogRecord.sequence` never decreases.
public struct LogTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    ///
    /// `Date(timeIntervalSince1970: Double(time.nanoseconds) / 1e9)` is Foundation's form.
    public var nanoseconds: Int64

    /// Creates a time from nanoseconds since 1970-01-01 00:00:00 UTC.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The current time.
    public static var now: LogTime { LogTime(nanoseconds: SystemCalls.wallClock()) }

    /// Orders times from past to future.
    public static func < (left: LogTime, right: LogTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Seconds since 1970, rounded down, and the nanoseconds after them.
    package var parts: (second: Int64, nanosecond: Int) {
        let (second, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (second - 1, Int(rest + 1_000_000_000)) : (second, Int(rest))
    }

    /// Appends `2026-11-20T13:22:32`.
    static func append(second: Int64, to line: inout [UInt8]) {
        let day = Int(clamping: second >= 0 ? second / 86_400 : (second - 86_399) / 86_400)
        let date = CivilDate(daysSince1970: day)
        line.append(date.year, digits: 4)
        line.add(UInt8(ascii: "-"))
        line.append(date.month, digits: 2)
        line.add(UInt8(ascii: "-"))
        line.append(date.day, digits: 2)
        line.add(UInt8(ascii: "T"))
        appendTimeOfDay(Int(truncatingIfNeeded: second - Int64(day) * 86_400), to: &line)
    }

    /// Appends `13:22:32`.
    static func appendTimeOfDay(_ second: Int, to line: inout [UInt8]) {
        line.append(second / 3600, digits: 2)
        line.add(UInt8(ascii: ":"))
        line.append(second / 60 % 60, digits: 2)
        line.add(UInt8(ascii: ":"))
        line.append(second % 60, digits: 2)
    }

    /// Returns a duration in the largest unit in which it is at least one: `12ns`, `1.500ms`, `2.000s`.
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
    /// The time in RFC 3339, in UTC with milliseconds: `2026-11-20T13:22:32.123Z`.
    public var description: String {
        var text: [UInt8] = []
        Self.append(second: parts.second, to: &text)
        text.add(UInt8(ascii: "."))
        text.append(parts.nanosecond / 1_000_000, digits: 3)
        text.add(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}
