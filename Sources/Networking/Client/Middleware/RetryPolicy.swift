internal import AshlarCore

/// The rules for sending a failed request again.
///
/// A request is sent again only if its body can be sent again and one of these is true: its method is idempotent, it
/// has an `Idempotency-Key`, or the failure occurred before anything was sent. The delays are random between zero and a
/// bound that doubles with each attempt, so that clients don't retry at the same time. A `Retry-After` field is the
/// lower bound of the delay. A retry never starts after the request's total timeout.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.retry = .standard
/// configuration.retry?.attempts = 5
/// let client = NetworkClient(configuration)
/// ```
public struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of times that a request is sent, unless its options have another; 3 by default.
    public var attempts: Int = 3
    /// The upper bound of the first delay; 200 ms by default.
    public var firstPause: Duration = .milliseconds(200)
    /// The upper bound of all delays; 20 s by default.
    public var longestPause: Duration = .seconds(20)
    /// The statuses that are retried: 408, 425, 429, 500, 502, 503 and 504 by default.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// The maximum `Retry-After` to wait for; a response with a greater one is returned.
    private static let longestRetryAfter: Duration = .seconds(60)

    /// The default policy.
    public static let standard: RetryPolicy = RetryPolicy()

    /// Returns the delay before an attempt, or nil if there is no attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the next attempt; the first retry has the number 2.
    ///   - request: The request.
    ///   - outcome: The result of the last attempt.
    ///   - now: The seconds since 1970, for a `Retry-After` with a date; evaluated only for a retry.
    ///   - seed: Makes the delays repeatable; random if nil.
    /// - Returns: The delay, or nil.
    func pause(
        beforeAttempt attempt: Int, of request: NetworkRequest, after outcome: Result<ResponseHead, NetworkError>,
        now: @autoclosure () -> Int64, seed: UInt64? = nil
    ) -> Duration? {
        var isRepeatable: Bool { request.method.isIdempotent || request.headers.contains("Idempotency-Key") }
        var least = Duration.zero
        switch outcome {
        case .failure(let error):
            guard error.isTransient, isRepeatable || error.isBeforeSending else { return nil }
        case .success(let head):
            guard !request.options.accepts(head.status), statuses.contains(head.status), isRepeatable else {
                return nil
            }
            least = Self.retryAfter(head.headers, now: now()) ?? .zero
            guard least <= Self.longestRetryAfter else { return nil }
        }
        guard attempt <= request.options.attempts ?? attempts, request.body.isReplayable else { return nil }
        let backoff = Backoff(first: firstPause, ceiling: longestPause, seed: seed)
        return max(least, backoff.pause(beforeRetry: attempt - 1))
    }

    /// Returns the duration of a `Retry-After` field in either format.
    ///
    /// A date is compared with the server's own `Date`, so that a wrong clock on this machine has no effect.
    package static func retryAfter(_ headers: HTTPHeaders, now: Int64) -> Duration? {
        guard let value = headers["Retry-After"]?.trimmingHTTPSpace() else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) { return .seconds(Int32(value) ?? .max) }
        guard let date = HTTPDate.seconds(value) else { return nil }
        return .seconds(max(0, date - (headers["Date"].flatMap(HTTPDate.seconds) ?? now)))
    }
}

extension NetworkError {
    /// Whether nothing of the request was sent; the phase decides if the transport doesn't report the state.
    package var isBeforeSending: Bool {
        if let requestState { return requestState == .notSent }
        return phase == .resolve || phase == .connect || phase == .tls
    }
}
