/// The retries available to each host: a proportion of its requests, and three every ten seconds.
///
/// Without a budget, the retries of all clients multiply the load of a server that is already overloaded.
struct RetryBudget {
    private struct Bucket {
        var tokens: Double
        var time: Duration
    }

    private static let most = 10.0
    private static let perSecond = 0.3
    private static let initial = 3.0
    /// The number of hosts at which all buckets are removed, so that a crawler needs no unbounded memory.
    private static let manyHosts = 1000

    private let share: Double
    private var buckets: [String: Bucket] = [:]

    init(share: Double) { self.share = max(0, share) }

    /// Adds the retry share of one request.
    mutating func addRequest(to host: String, at time: Duration) {
        if buckets.count >= Self.manyHosts, buckets[host] == nil { buckets.removeAll(keepingCapacity: true) }
        var bucket = current(host, time)
        bucket.tokens = min(Self.most, bucket.tokens + share)
        buckets[host] = bucket
    }

    /// Takes one retry; returns false if there is none.
    mutating func takeRetry(of host: String, at time: Duration) -> Bool {
        var bucket = current(host, time)
        defer { buckets[host] = bucket }
        guard bucket.tokens >= 1 else { return false }
        bucket.tokens -= 1
        return true
    }

    private func current(_ host: String, _ time: Duration) -> Bucket {
        guard var bucket = buckets[host] else { return Bucket(tokens: Self.initial, time: time) }
        let elapsed = time - bucket.time
        bucket.tokens = min(Self.most, bucket.tokens + Self.perSecond * (elapsed / .seconds(1)))
        bucket.time = time
        return bucket
    }
}
