internal import AshlarCore

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
            join(name, id, priority, waiter)
        } leave: { id in
            self.hosts.withLock { hosts in
                hosts[name]?.queue.remove(id)
                return hosts[name]?.waiters.removeValue(forKey: id)
            }
        }
    }

    private func join(_ name: String, _ id: UInt64, _ priority: RequestPriority, _ waiter: @escaping Waiter) {
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
