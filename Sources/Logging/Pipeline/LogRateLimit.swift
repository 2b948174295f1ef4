/// A limit for the lines of one call site.
///
/// By default, there is no limit.
///
/// A call site is a file and a line. Lines of ``LogLevel/error`` and above are always written. The next written line
/// of the call site has a field `suppressed` with the number of suppressed lines before it. If the call site isn't reached
/// again, a line such as `37 lines suppressed` has this field: with a later line of any call site after the period (for
/// ``oneOf(_:)`` after a minute), with a flush, or at the end of the run. 4,096 call sites are counted at a time.
public struct LogRateLimit: Hashable, Sendable {
    enum Rule: Hashable, Sendable {
        case burst(lines: Int, window: Duration)
        case sample(every: Int)
    }

    let rule: Rule

    /// Writes a number of lines of a call site in each period.
    public static func lines(_ lines: Int, per window: Duration) -> LogRateLimit {
        LogRateLimit(rule: .burst(lines: max(1, lines), window: window))
    }

    /// Writes the first of every `count` lines of a call site.
    public static func oneOf(_ count: Int) -> LogRateLimit { LogRateLimit(rule: .sample(every: max(1, count))) }
}

/// Counts repeated lines, which one line replaces.
final class RepeatFilter: Sendable {
    private struct State {
        var last: Int?
        var level = LogLevel.verbose
        var context = ""
        var repeats = 0
    }

    private let state = Guarded(State())

    enum Verdict {
        /// The line repeats the previous one.
        case held
        /// The line differs; a notice about the repeats precedes it.
        case admitted(notice: LogRecord?)
    }

    /// Decides whether a line is written.
    ///
    /// Lines are equal if their level, context, message and fields are equal.
    func admit(_ level: LogLevel, _ context: LogContext, text: LogText, fields: LogFields) -> Verdict {
        var hasher = Hasher()
        hasher.combine(level)
        hasher.combine(context.name)
        hasher.combine(text)
        hasher.combine(fields)
        let key = hasher.finalize()
        return state.withLock {
            if $0.last == key {
                $0.repeats += 1
                return .held
            }
            let notice = Self.notice(&$0)
            $0 = State(last: key, level: level, context: context.name)
            return .admitted(notice: notice)
        }
    }

    /// Ends the count before a flush and returns the notice.
    func takeNotice() -> LogRecord? { state.withLock { Self.notice(&$0) } }

    private static func notice(_ state: inout State) -> LogRecord? {
        guard state.repeats > 0 else { return nil }
        let times = state.repeats == 1 ? "once" : "\(state.repeats) times"
        state.repeats = 0
        return LogRecord.notice("last line repeated \(times)", level: state.level, context: state.context)
    }
}
