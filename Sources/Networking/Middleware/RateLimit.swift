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
        (self.requests, self.period, self.burst) = (requests, period, burst)
    }
}
