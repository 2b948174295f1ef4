internal import AshlarCore

/// A limit of the requests that start per host and period.
///
/// Requests over the limit wait in order of their ``RequestOptions/priority``, then of their arrival. Every eighth of
/// them is the one that has waited the longest, so that a low priority never waits forever. A request that is cancelled
/// or times out while it waits doesn't use the limit.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.rateLimit = RateLimit(10, per: .seconds(1))
/// ```
public struct RateLimit: Hashable, Sendable {
    /// The number of requests that start in each period.
    let requests: Int
    /// The length of a period.
    let period: Duration
    /// The number of requests that can start at once after a pause; 1 spaces all requests evenly.
    let burst: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - requests: The number of requests that start in each period.
    ///   - period: The length of a period.
    ///   - burst: The number of requests that can start at once after a pause; 1, the default, spaces requests evenly.
    /// - Precondition: `0 < requests`, `.zero < period`, `0 < burst`.
    public init(_ requests: Int, per period: Duration, burst: Int = 1) {
        precondition(
            requests > 0 && period > .zero && burst > 0, "RateLimit needs requests, period and burst over zero")
        self.requests = requests
        self.period = period
        self.burst = burst
    }
}

/// Delays requests so that each host receives no more than a rate limit.
///
/// ``ClientConfiguration/rateLimit`` adds it inside the retries, so that each attempt uses the limit.
struct RateLimitMiddleware: NetworkMiddleware {
    private let limiter: RateLimiter

    init(_ limit: RateLimit, clock: some Clock<Duration> = ContinuousClock()) {
        limiter = RateLimiter(limit, clock: clock)
    }

    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        let options = request.options
        try await limiter.wait(
            request.canonicalHost?.name ?? request.url.host, options.priority, timeout: options.totalTimeout)
        return try await next(request)
    }
}

/// The queues of all hosts.
private final class RateLimiter: Sendable {
    private typealias Waiter = SharedWait.Waiter<Void>

    private struct Host {
        var queue: RateLimitQueue
        var waiters: [UInt64: Waiter] = [:]
        /// Whether a task starts the waiting requests.
        var hasTask = false
    }

    /// The number of hosts at which idle ones are removed, so that a crawler needs no unbounded memory.
    private static let manyHosts = 1000

    private let limit: RateLimit
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let hosts = Mutex<[String: Host]>([:])

    init<C: Clock>(_ limit: RateLimit, clock: C) where C.Duration == Duration {
        let start = clock.now
        self.limit = limit
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Returns when a request may start.
    ///
    /// - Throws: `.cancelled` or `.timedOut`.
    func wait(_ name: String, _ priority: RequestPriority, timeout: Duration?) async throws(NetworkError) {
        let time = elapsed()
        let starts = hosts.withLock { hosts in
            if hosts.count >= Self.manyHosts { hosts = hosts.filter { !$0.value.queue.isIdle(at: time) } }
            return hosts[name, default: Host(queue: RateLimitQueue(limit))].queue.startImmediately(at: time)
        }
        if starts { return }
        try await SharedWait.outcome(timeout: timeout, sleep: sleep) { id, waiter in
            join(name, id, priority: priority, waiter)
        } leave: { id in
            self.hosts.withLock { hosts in
                hosts[name]?.queue.remove(id)
                return hosts[name]?.waiters.removeValue(forKey: id)
            }
        }
    }

    private func join(_ name: String, _ id: UInt64, priority: RequestPriority, _ waiter: @escaping Waiter) {
        let needsTask = hosts.withLock { hosts in
            var host = hosts[name] ?? Host(queue: RateLimitQueue(limit))
            defer { hosts[name] = host }
            host.queue.add(id, priority)
            host.waiters[id] = waiter
            defer { host.hasTask = true }
            return !host.hasTask
        }
        if needsTask { Task { await startRequests(of: name) } }
    }

    /// Starts requests as soon as they may start, until none waits.
    private func startRequests(of name: String) async {
        while let pause = startReady(of: name) {
            do {
                try await sleep(pause)
            } catch {
                // The clock has ended, so no request can wait for it.
                fail(name, NetworkError(wrapping: error, phase: .wait))
            }
        }
    }

    /// Starts the requests that may start now; returns the time until the next one, or nil if none waits.
    private func startReady(of name: String) -> Duration? {
        let time = elapsed()
        let (ready, pause) = hosts.withLock { hosts -> ([Waiter], Duration?) in
            guard var host = hosts[name] else { return ([], nil) }
            defer { hosts[name] = host }
            var ready: [Waiter] = []
            while let id = host.queue.start(at: time) {
                if let waiter = host.waiters.removeValue(forKey: id) { ready.append(waiter) }
            }
            host.hasTask = !host.queue.isEmpty
            return (ready, host.hasTask ? max(.zero, host.queue.nextStart - time) : nil)
        }
        for waiter in ready { waiter(.success(())) }
        return pause
    }

    private func fail(_ name: String, _ error: NetworkError) {
        let waiters = hosts.withLock { hosts in hosts.removeValue(forKey: name)?.waiters ?? [:] }
        for waiter in waiters.values { waiter(.failure(error)) }
    }
}

/// The waiting requests of one host, and the times at which the next ones may start; a value without I/O.
struct RateLimitQueue {
    private let interval: Duration
    private let tolerance: Duration
    /// The time at which the next request would start if all were spaced evenly.
    private var due: Duration?
    /// The requests in order; cancelled ones are skipped when they would start.
    private var queue = FairQueue<UInt64>(priorities: RequestPriority.allCases.count)
    private var order = FairOrder()
    private var waiting: Set<UInt64> = []

    init(_ limit: RateLimit) {
        interval = limit.period / limit.requests
        tolerance = interval * (limit.burst - 1)
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// The time at which the next request may start.
    var nextStart: Duration { (due ?? .zero) - tolerance }

    /// Whether the queue is empty and any earlier request has no effect anymore.
    func isIdle(at time: Duration) -> Bool { isEmpty && (due ?? time) <= time }

    mutating func add(_ id: UInt64, _ priority: RequestPriority) {
        waiting.insert(id)
        queue.add(id, priority: priority.rawValue, arrival: order.nextArrival())
    }

    mutating func remove(_ id: UInt64) {
        guard waiting.remove(id) != nil, queue.count > 32, queue.count > 2 * waiting.count else { return }
        let waiting = waiting
        queue.removeAll { !waiting.contains($0) }
    }

    /// Uses the limit for a request that needn't wait; returns false if it must.
    mutating func startImmediately(at time: Duration) -> Bool { isEmpty && use(time) }

    /// Removes and returns the next request, or returns nil if it is too early or nothing waits.
    mutating func start(at time: Duration) -> UInt64? {
        guard !isEmpty, use(time) else { return nil }
        let takesOldest = order.takesOldest
        order.countStart()
        while let place = queue.next(oldest: takesOldest) {
            let id = queue.remove(place)
            if waiting.remove(id) != nil { return id }
        }
        return nil
    }

    private mutating func use(_ time: Duration) -> Bool {
        let due = due ?? time
        guard time >= due - tolerance else { return false }
        self.due = max(due, time) + interval
        return true
    }
}
