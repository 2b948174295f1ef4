/// Counts repeated lines, which one line replaces.
final class RepeatFilter: Sendable {
    private struct State {
        var last: Int?
        var level = LogLevel.verbose
        var context = ""
        var repeats = 0
    }

    private let state = Guarded(State())
    var forkLock: ForkSafeLock { state.lock }

    enum Verdict {
        /// The line repeats the previous one.
        case held
        /// The line differs; a notice about the repeats precedes it.
        case admitted(notice: LogRecord.Copy?)
    }

    /// Decides whether a line is written.
    ///
    /// Lines are equal if their level, context, message and fields are equal.
    func admit(_ level: LogLevel, _ context: LogContext, _ text: LogText, _ fields: LogFields) -> Verdict {
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
    func takeNotice() -> LogRecord.Copy? { state.withLock { Self.notice(&$0) } }

    private static func notice(_ state: inout State) -> LogRecord.Copy? {
        guard state.repeats > 0 else { return nil }
        let times = state.repeats == 1 ? "once" : "\(state.repeats) times"
        state.repeats = 0
        return LogRecord.Copy.notice("last line repeated \(times)", level: state.level, context: state.context)
    }
}
