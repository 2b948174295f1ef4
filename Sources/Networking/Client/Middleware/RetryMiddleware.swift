import Foundation

/// Sends failed requests again according to a `RetryPolicy`.
///
/// ``ClientConfiguration/retry`` adds it behind the authentication.
struct RetryMiddleware: NetworkMiddleware {
    private let policy: RetryPolicy
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let seed: UInt64?

    /// Creates a middleware; a seed makes its delays repeatable.
    init<C: Clock>(
        _ policy: RetryPolicy = .standard, clock: C = ContinuousClock(), seed: UInt64? = nil
    ) where C.Duration == Duration {
        let start = clock.now
        self.policy = policy
        self.seed = seed
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Sends a request until it succeeds, its failure is final, or no retry is available.
    ///
    /// - Throws: The failure of the last attempt; `.cancelled` if the task is cancelled during a delay.
    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        let start = elapsed()
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
            guard let pause = pause(beforeAttempt: attempt, of: request, outcome, since: start),
                next.call?.rest.map({ pause < $0 }) != false
            else {
                return try result.get()
            }
            if case .success(let response) = result { await response.body.discard(upTo: 64 << 10) }
            try await wait(pause, next)
        }
    }

    /// Returns the delay before another attempt, or nil if there is none.
    private func pause(
        beforeAttempt attempt: Int, of request: NetworkRequest, _ outcome: Result<ResponseHead, NetworkError>,
        since start: Duration
    ) -> Duration? {
        let pause = policy.pause(
            beforeAttempt: attempt, of: request, after: outcome, now: Int64(Date().timeIntervalSince1970),
            seed: seed)
        guard let pause, !Task.isCancelled else { return nil }
        if let limit = request.options.totalTimeout, elapsed() - start + pause >= limit { return nil }
        return pause
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
