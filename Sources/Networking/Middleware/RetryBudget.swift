/// The retries available to each host: a proportion of its requests, and three every ten seconds.
///
/// Without a budget, the retries of all clients multiply the load of a server that is already overloaded.
struct RetryBudget {
    private struct Bucket {
        private static let most = 10.0
        private static let perSecond = 0.3

        let host: String
        var tokens = 3.0
        /// The time up to which `tokens` contains the tokens that come with time.
        var time: Duration

        init(_ host: String, at time: Duration) { (self.host, self.time) = (host, time) }

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
    private var buckets: [Bucket] = []
    private var indices: [String: Int] = [:]
    /// The bucket of the previous request, whose host is usually also that of the next one.
    private var latest = 0

    init(share: Double) { self.share = max(0, share) }

    /// Adds the retry share of one request.
    mutating func addRequest(to host: String, at time: Duration) {
        buckets[index(of: host, at: time)].add(share)
    }

    /// Takes one retry; returns false if there is none.
    mutating func takeRetry(of host: String, at time: Duration) -> Bool {
        buckets[index(of: host, at: time)].take(at: time)
    }

    private mutating func index(of host: String, at time: Duration) -> Int {
        if latest < buckets.count, buckets[latest].host == host { return latest }
        if let known = indices[host] {
            latest = known
        } else {
            if buckets.count >= Self.manyHosts { (buckets, indices) = ([], [:]) }
            latest = buckets.count
            indices[host] = latest
            buckets.append(Bucket(host, at: time))
        }
        return latest
    }
}
