/// The waiting requests of one host, and the times at which the next ones may start; a value without I/O.
struct RateLimitQueue {
    private struct Entry {
        let id: UInt64
        /// The number of its arrival.
        let order: UInt64
    }

    /// The ratio of starts that take the request that has waited the longest.
    private static let turnsOfOldest = 8

    private let interval: Duration
    private let tolerance: Duration
    /// The time at which the next request would start if all were spaced evenly.
    private var due: Duration?
    /// The requests of each priority in order of arrival; cancelled ones are removed when their turn comes.
    private var queues = [[Entry]](repeating: [], count: RequestPriority.allCases.count)
    private var live: Set<UInt64> = []
    private var arrivals: UInt64 = 0
    private var starts = 0

    init(_ limit: RateLimit) {
        interval = limit.period / limit.requests
        tolerance = interval * (limit.burst - 1)
    }

    var isEmpty: Bool { live.isEmpty }

    /// The time at which the next request may start.
    var nextStart: Duration { (due ?? .zero) - tolerance }

    /// Whether the queue is empty and any earlier request has no effect anymore.
    func isIdle(at time: Duration) -> Bool { isEmpty && (due ?? time) <= time }

    mutating func add(_ id: UInt64, _ priority: RequestPriority) {
        arrivals += 1
        live.insert(id)
        queues[priority.rawValue].append(Entry(id: id, order: arrivals))
    }

    mutating func remove(_ id: UInt64) {
        guard live.remove(id) != nil else { return }
        let entries = queues.reduce(0) { $0 + $1.count }
        guard entries > 32, entries > 2 * live.count else { return }
        for index in queues.indices { queues[index].removeAll { !live.contains($0.id) } }
    }

    /// Uses the limit for a request that needn't wait; returns false if it must.
    mutating func startImmediately(at time: Duration) -> Bool { isEmpty && use(time) }

    /// Removes and returns the next request, or returns nil if it is too early or nothing waits.
    mutating func start(at time: Duration) -> UInt64? {
        guard !isEmpty, use(time) else { return nil }
        starts += 1
        for index in queues.indices {
            let dead = queues[index].prefix { !live.contains($0.id) }.count
            queues[index].removeFirst(dead)
        }
        let heads = queues.indices.filter { !queues[$0].isEmpty }
        let isTurnOfOldest = starts.isMultiple(of: Self.turnsOfOldest)
        let oldest = heads.min { queues[$0][0].order < queues[$1][0].order }
        guard let index = isTurnOfOldest ? oldest : heads.last else { return nil }
        let entry = queues[index].removeFirst()
        live.remove(entry.id)
        return entry.id
    }

    private mutating func use(_ time: Duration) -> Bool {
        let due = due ?? time
        guard time >= due - tolerance else { return false }
        self.due = max(due, time) + interval
        return true
    }
}
