internal import AshlarCore
import Foundation

/// Sends failed requests again according to a `RetryPolicy`.
///
/// ``ClientConfiguration/retry`` adds it behind the authentication.
struct RetryMiddleware: NetworkMiddleware {
    private let policy: RetryPolicy
    private let budget: Budget
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let seed: UInt64?

    private final class Budget: Sendable {
        let state: Mutex<RetryBudget>
        init(_ share: Double) { state = Mutex(RetryBudget(share: share)) }
    }

    /// Creates a middleware with its own budget; a seed makes its delays repeatable.
    init<C: Clock>(
        _ policy: RetryPolicy = .standard, clock: C = ContinuousClock(),
        seed: UInt64? = nil
    ) where C.Duration == Duration {
        let start = clock.now
        self.policy = policy
        self.seed = seed
        budget = Budget(policy.budget)
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Sends a request until it succeeds, its failure is final, or no retry is available.
    ///
    /// - Throws: The failure of the last attempt; `.cancelled` if the task is cancelled during a delay.
    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        let (start, host) = (elapsed(), request.canonicalHost?.name ?? request.url.host)
        budget.state.withLock { $0.addRequest(to: host, at: start) }
        var attempt = 1
        while true {
            attempt += 1
            let result: Result<StreamedResponse, NetworkError>
            do throws(NetworkError) {
                result = .success(try await next(request))
            } catch {
                result = .failure(error)
            }
            let outcome = result.map(\.head)
            guard let pause = pause(beforeAttempt: attempt, of: request, outcome, since: start, host) else {
                return try result.get()
            }
            if case .success(let response) = result { await response.body.discard(upTo: 64 << 10) }
            try await wait(pause, next)
        }
    }

    /// Returns the delay before another attempt, which is then taken from the budget, or nil if there is no attempt.
    private func pause(
        beforeAttempt attempt: Int, of request: NetworkRequest, _ outcome: Result<ResponseHead, NetworkError>,
        since start: Duration, _ host: String
    ) -> Duration? {
        let pause = policy.pause(
            beforeAttempt: attempt, of: request, after: outcome, now: Int64(Date().timeIntervalSince1970),
            seed: seed)
        guard let pause, !Task.isCancelled else { return nil }
        let time = elapsed()
        if let limit = request.options.totalTimeout, time - start + pause >= limit { return nil }
        return budget.state.withLock { $0.takeRetry(of: host, at: time) } ? pause : nil
    }

    private func wait(_ pause: Duration, _ next: NetworkNext) async throws(NetworkError) {
        next.call?.retrying(after: pause)
        do {
            try await sleep(pause)
        } catch {
            throw NetworkError(wrapping: error, phase: .wait)
        }
    }
}

/// The retries available to each host: a proportion of its requests, and three every ten seconds.
///
/// Without a budget, the retries of all clients multiply the load of a server that is already overloaded.
struct RetryBudget {
    private struct Bucket {
        private static let most = 10.0
        private static let perSecond = 0.3

        var tokens = 3.0
        /// The time up to which `tokens` contains the tokens that come with time.
        var time: Duration

        init(at time: Duration) { self.time = time }

        /// The tokens that come with time are added by `take` only, which has the same result.
        mutating func add(_ more: Double) { tokens = min(Self.most, tokens + more) }

        mutating func take(at time: Duration) -> Bool {
            add(Self.perSecond * ((time - self.time) / .seconds(1)))
            self.time = time
            guard tokens >= 1 else { return false }
            tokens -= 1
            return true
        }
    }

    /// The number of hosts at which all buckets are removed, so that a crawler needs no unbounded memory.
    private static let manyHosts = 1000

    private let share: Double
    private var buckets: [String: Bucket] = [:]

    init(share: Double) { self.share = max(0, share) }

    /// Adds the retry share of one request.
    mutating func addRequest(to host: String, at time: Duration) {
        if buckets.count >= Self.manyHosts, buckets[host] == nil { buckets = [:] }
        buckets[host, default: Bucket(at: time)].add(share)
    }

    /// Takes one retry; returns false if there is none.
    mutating func takeRetry(of host: String, at time: Duration) -> Bool {
        buckets[host, default: Bucket(at: time)].take(at: time)
    }
}
