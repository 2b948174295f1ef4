/// How many lines of one call site pass.
///
/// Off by default.
///
/// A call site is a file and a line. Lines of ``LogLevel/error`` and worse always pass. The next line of the call site
/// that passes says in a field `suppressed` how many were held back before it, and ``LogCounters/suppressed`` counts
/// them all.
public struct LogRateLimit: Hashable, Sendable {
    enum Rule: Hashable, Sendable {
        case burst(lines: Int, window: Duration)
        case sample(every: Int)
    }

    let rule: Rule

    /// Lets through that many lines of a call site in each stretch of time.
    public static func lines(_ lines: Int, per window: Duration) -> LogRateLimit {
        LogRateLimit(rule: .burst(lines: max(1, lines), window: window))
    }

    /// Lets through the first of every `count` lines of a call site.
    public static func oneOf(_ count: Int) -> LogRateLimit { LogRateLimit(rule: .sample(every: max(1, count))) }
}

/// A rate limit at work, for the call sites seen last.
final class RateLimiter: Sendable {
    enum Verdict: Equatable {
        case admitted(suppressed: Int)
        case held
    }

    fileprivate struct Site {
        var windowStart: Int64
        var passed = 0
        var suppressed = 0
        var seen = 0
    }

    /// More call sites than this, and all are forgotten: the limit bounds memory and is not a promise of exactness.
    static let mostSites = 4096

    private let limit: LogRateLimit
    private let clock: @Sendable () -> Int64
    private let sites = Guarded<[Int: Site]>([:])

    init(_ limit: LogRateLimit, clock: @escaping @Sendable () -> Int64 = { SystemCalls.monotonicClock() }) {
        (self.limit, self.clock) = (limit, clock)
    }

    func admit(_ level: LogLevel, _ place: LogPlace, _ line: UInt) -> Verdict {
        guard level > .error else { return .admitted(suppressed: 0) }
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(start: place.file.start, count: place.file.count))
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
                if now - site.windowStart >= window.clampedNanoseconds { (site.windowStart, site.passed) = (now, 0) }
                guard site.passed < lines else { return site.hold() }
                site.passed += 1
                return site.pass()
            }
        }
    }
}

extension RateLimiter.Site {
    fileprivate mutating func pass() -> RateLimiter.Verdict {
        defer { suppressed = 0 }
        return .admitted(suppressed: suppressed)
    }

    fileprivate mutating func hold() -> RateLimiter.Verdict {
        suppressed += 1
        return .held
    }
}
