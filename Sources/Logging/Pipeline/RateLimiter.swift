internal import AshlarBase

/// Rate limits with the counts of recent call sites.
///
/// Each suppressed line is in the count of one later line: the next one of its call site, or else a notice.
final class RateLimiter: Sendable {
    enum Verdict: Equatable {
        case admitted(suppressed: Int)
        case held
    }

    private struct Site {
        let rule: LogRateLimit.Rule
        let file: String
        let function: String
        let line: UInt
        /// The level and the context of the last suppressed line.
        var level: LogLevel
        var context: String
        var windowStart: Int64
        var lastSeen: Int64
        var passed = 0
        var suppressed = 0
        var seen = 0

        /// Counts a line; returns whether it is written.
        mutating func admits(at now: Int64) -> Bool {
            lastSeen = now
            switch rule {
            case .sample(let every):
                defer { seen += 1 }
                return seen % every == 0
            case .burst(let lines, let window):
                if now - windowStart >= window.clampedNanoseconds {
                    windowStart = now
                    passed = 0
                }
                passed += 1
                return passed <= lines
            }
        }

        /// Whether the counts no longer affect later lines.
        func isOver(at now: Int64) -> Bool {
            switch rule {
            case .sample: now - lastSeen >= RateLimiter.longestSilence
            case .burst(_, let window): now - windowStart >= window.clampedNanoseconds
            }
        }

        mutating func takeSuppressed() -> Int {
            defer { suppressed = 0 }
            return suppressed
        }

        mutating func takeNotice() -> LogRecord? {
            guard suppressed > 0 else { return nil }
            let count = takeSuppressed()
            return LogRecord(
                sequence: 0, level: level, time: .now, depth: 0, context: context,
                message: count == 1 ? "1 line suppressed" : "\(count) lines suppressed", fields: ["suppressed": count],
                file: file, function: function, line: line, threadID: 0)
        }
    }

    private struct State {
        var sites: [Int: Site] = [:]
        var nextSweep: Int64

        mutating func takeNotices(where isDue: (Site) -> Bool = { _ in true }) -> [LogRecord] {
            sites.keys.compactMap { key in
                sites[key].flatMap { $0.suppressed > 0 && isDue($0) ? sites[key]?.takeNotice() : nil }
            }
        }
    }

    /// The maximum number of call sites, which bounds the memory.
    static let mostSites = 4096
    /// The time after which lines of a sampled call site are reported without a further line of it.
    static let longestSilence: Int64 = 60_000_000_000
    private static let sweepInterval: Int64 = 1_000_000_000

    private let limit: LogRateLimit?
    /// Limits by context, which take precedence, the longest one first.
    private let contextLimits: [(context: String, limit: LogRateLimit)]
    private let clock: @Sendable () -> Int64
    private let state: Guarded<State>

    init(
        _ limit: LogRateLimit?, contexts: [String: LogRateLimit] = [:],
        clock: @escaping @Sendable () -> Int64 = { SystemCalls.monotonicClock() }
    ) {
        self.limit = limit
        contextLimits = contexts.map { ($0.key, $0.value) }.sorted { $0.0.utf8.count > $1.0.utf8.count }
        self.clock = clock
        state = Guarded(State(nextSweep: clock() + Self.sweepInterval))
    }

    private func limit(of context: LogContext) -> LogRateLimit? {
        contextLimits.first { LogThresholds.matches($0.context, context.name) }?.limit ?? limit
    }

    /// Call sites whose lines have different limits by context count separately.
    private static func key(_ record: borrowing LineRecord, _ limit: LogRateLimit) -> Int {
        var hasher = Hasher()
        hasher.combine(record.place.file)
        hasher.combine(record.line)
        hasher.combine(limit)
        return hasher.finalize()
    }

    /// Decides whether a line is written, and returns notices about lines of other call sites.
    func admit(_ record: borrowing LineRecord) -> (Verdict, notices: [LogRecord]) {
        guard record.level > .error, let limit = limit(of: record.source) else { return (.admitted(suppressed: 0), []) }
        let key = Self.key(record, limit)
        let now = clock()
        return state.withLock { state in
            var notices: [LogRecord] = []
            if state.sites[key] == nil {
                if state.sites.count >= Self.mostSites { notices = Self.makeRoom(in: &state, now: now) }
                state.sites[key] = Self.site(of: record, limit, now: now)
            }
            let isAdmitted = state.sites[key]?.admits(at: now) != false
            let suppressed = isAdmitted ? state.sites[key]?.takeSuppressed() ?? 0 : 0
            if !isAdmitted {
                state.sites[key]?.suppressed += 1
                state.sites[key]?.level = record.level
                state.sites[key]?.context = record.context
            }
            if now >= state.nextSweep {
                state.nextSweep = now + Self.sweepInterval
                notices += state.takeNotices { $0.isOver(at: now) }
            }
            return (isAdmitted ? .admitted(suppressed: suppressed) : .held, notices)
        }
    }

    private static func site(of record: borrowing LineRecord, _ limit: LogRateLimit, now: Int64) -> Site {
        Site(
            rule: limit.rule, file: record.file, function: record.function, line: record.line, level: record.level,
            context: record.context, windowStart: now, lastSeen: now)
    }

    /// Removes the call sites whose counts are over, or else the half that has been silent longest.
    private static func makeRoom(in state: inout State, now: Int64) -> [LogRecord] {
        var removed = state.sites.filter { $0.value.isOver(at: now) }
        if removed.isEmpty {
            let oldest = state.sites.sorted { $0.value.lastSeen < $1.value.lastSeen }.prefix(mostSites / 2)
            removed = Dictionary(uniqueKeysWithValues: oldest.map { ($0.key, $0.value) })
        }
        for key in removed.keys { state.sites[key] = nil }
        return removed.values.compactMap { site in
            var site = site
            return site.takeNotice()
        }
    }

    /// Returns the count of an admitted line that another filter suppresses.
    func giveBack(_ suppressed: Int, to record: borrowing LineRecord) {
        guard let limit = limit(of: record.source) else { return }
        let key = Self.key(record, limit)
        let now = clock()
        state.withLock { state in
            var site = state.sites[key] ?? Self.site(of: record, limit, now: now)
            site.suppressed += suppressed
            state.sites[key] = site
        }
    }

    /// Ends the counts before a flush and returns notices about suppressed lines.
    func takeNotices() -> [LogRecord] { state.withLock { $0.takeNotices() } }
}
