internal import AshlarCore
import Foundation

/// Sends failed requests again according to a `RetryPolicy`.
///
/// ``ClientConfiguration/retry`` adds it behind the authentication. To place it elsewhere, leave that property nil and add the
/// middleware to ``ClientConfiguration/middleware``, or with ``ClientConfiguration/insert(_:_:)``.
public struct RetryMiddleware: NetworkMiddleware {
    private let policy: RetryPolicy
    private let budget: Budget
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let jitter: @Sendable () -> Double

    private final class Budget: Sendable {
        let state: Mutex<RetryBudget>
        init(_ share: Double) { state = Mutex(RetryBudget(share: share)) }
    }

    /// Creates a middleware with its own budget.
    ///
    /// - Parameters:
    ///   - policy: The rules.
    ///   - clock: The clock for delays and the total timeout; a test can use a virtual one.
    public init(_ policy: RetryPolicy = .standard, clock: some Clock<Duration> = ContinuousClock()) {
        self.init(policy, clock: clock, jitter: { .random(in: 0...1) })
    }

    init<C: Clock>(
        _ policy: RetryPolicy, clock: C, jitter: @escaping @Sendable () -> Double
    ) where C.Duration == Duration {
        let start = clock.now
        (self.policy, self.jitter, budget) = (policy, jitter, Budget(policy.budget))
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Sends a request until it succeeds, its failure is final, or no retry is available.
    ///
    /// - Throws: The failure of the last attempt; `.cancelled` if the task is cancelled during a delay.
    public nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        let (start, host) = (elapsed(), request.canonicalHost?.name ?? request.url.host)
        budget.state.withLock { $0.addRequest(to: host, at: start) }
        var attempt = 1
        while true {
            attempt += 1
            let delay: Duration
            do throws(NetworkError) {
                let response = try await next(request)
                let outcome = RetryPolicy.Outcome.response(status: response.status, headers: response.headers)
                guard let pause = pause(beforeAttempt: attempt, of: request, outcome, since: start, host) else {
                    return response
                }
                await response.body.discard(upTo: 64 << 10)
                delay = pause
            } catch {
                guard let pause = pause(beforeAttempt: attempt, of: request, .failure(error), since: start, host) else {
                    throw error
                }
                delay = pause
            }
            try await wait(delay, next)
        }
    }

    /// Returns the delay before another attempt, which is then taken from the budget, or nil if there is no attempt.
    private func pause(
        beforeAttempt attempt: Int, of request: NetworkRequest, _ outcome: RetryPolicy.Outcome, since start: Duration,
        _ host: String
    ) -> Duration? {
        let pause = policy.pause(
            beforeAttempt: attempt, of: request, after: outcome, now: Int64(Date().timeIntervalSince1970),
            jitter: jitter())
        guard let pause, !Task.isCancelled else { return nil }
        let time = elapsed()
        if let limit = request.options.totalTimeout, time - start + pause >= limit { return nil }
        return budget.state.withLock { $0.takeRetry(of: host, at: time) } ? pause : nil
    }

    private func wait(_ pause: Duration, _ next: NetworkNext) async throws(NetworkError) {
        next.report(.retrying(after: pause))
        do {
            try await sleep(pause)
        } catch {
            throw NetworkError(wrapping: error, phase: .wait)
        }
    }
}
