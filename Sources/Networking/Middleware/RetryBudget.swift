/// The retries available to each host: a proportion of its requests, and three every ten seconds.
///
/// Without a budget, the retries of all clients multiply the load of a server that is already overloaded.
struct RetryBudget {
    private struct Bucket {
        private static let most = 10.0
        private static let perSecond = 0.3

        var tokens = 3.0
        var time: Duration

        init(at time: Duration) { self.time = time }

        mutating func add(_ more: Double, at time: Duration) {
            let refilled = min(Self.most, tokens + Self.perSecond * ((time - self.time) / .seconds(1)))
            (tokens, self.time) = (min(Self.most, refilled + more), time)
        }

        mutating func take(at time: Duration) -> Bool {
            add(0, at: time)
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
        if buckets.count >= Self.manyHosts, buckets[host] == nil { buckets.removeAll(keepingCapacity: true) }
        buckets[host, default: Bucket(at: time)].add(share, at: time)
    }

    /// Takes one retry; returns false if there is none.
    mutating func takeRetry(of host: String, at time: Duration) -> Bool {
        buckets[host, default: Bucket(at: time)].take(at: time)
    }
}
