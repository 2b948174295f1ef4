/// A limit for the lines of one call site.
///
/// By default, there is no limit.
///
/// A call site is a file and a line. Lines of ``LogLevel/error`` and above are always written. The next written line
/// has a field `suppressed` with the number of suppressed lines before it.
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

/// A rate limit with the counts of recent call sites.
final class RateLimiter: Sendable {
    enum Verdict: Equatable {
        case admitted(suppressed: Int)
        case held
    }

    private struct Site {
        var windowStart: Int64
        var passed = 0
        var suppressed = 0
        var seen = 0

        mutating func pass() -> Verdict {
            defer { suppressed = 0 }
            return .admitted(suppressed: suppressed)
        }

        mutating func hold() -> Verdict {
            suppressed += 1
            return .held
        }
    }

    /// The maximum number of call sites, which bounds the memory; beyond it, all counts are reset.
    static let mostSites = 4096

    private let limit: LogRateLimit?
    /// Limits by context, which take precedence.
    private let contextLimits: [String: LogRateLimit]
    private let clock: @Sendable () -> Int64
    private let sites = Guarded<[Int: Site]>([:])

    init(
        _ limit: LogRateLimit?, contexts: [String: LogRateLimit] = [:],
        clock: @escaping @Sendable () -> Int64 = { SystemCalls.monotonicClock() }
    ) {
        self.limit = limit
        contextLimits = contexts
        self.clock = clock
    }

    private func limit(of context: LogContext) -> LogRateLimit? {
        guard !contextLimits.isEmpty else { return limit }
        let rule = contextLimits.filter { LogThresholds.matches($0.key, context.name) }.max {
            $0.key.count < $1.key.count
        }
        return rule?.value ?? limit
    }

    func admit(_ level: LogLevel, _ context: LogContext, place: LogPlace, line: UInt) -> Verdict {
        guard level > .error, let limit = limit(of: context) else { return .admitted(suppressed: 0) }
        var hasher = Hasher()
        hasher.combine(place.file)
        hasher.combine(line)
        let key = hasher.finalize()
        let now = clock()
        return sites.withLock { sites in
            if sites.count >= Self.mostSites, sites[key] == nil { sites.removeAll(keepingCapacity: true) }
            var site = sites[key] ?? Site(windowStart: now)
            defer { sites[key] = site }
            switch limit.rule {
            case .sample(let every):
                defer { site.seen += 1 }
                return site.seen % every == 0 ? site.pass() : site.hold()
            case .burst(let lines, let window):
                if now - site.windowStart >= window.clampedNanoseconds {
                    site.windowStart = now
                    site.passed = 0
                }
                guard site.passed < lines else { return site.hold() }
                site.passed += 1
                return site.pass()
            }
        }
    }
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
