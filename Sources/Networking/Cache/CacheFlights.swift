internal import AshlarCore

/// The exchanges in progress, which identical requests share.
final class CacheFlights: Sendable {
    /// The properties of requests that can share an exchange.
    struct Key: Hashable {
        let key: CacheKey
        let headers: HTTPHeaders
        let decompresses: Bool

        init(_ request: NetworkRequest) {
            (key, headers) = (CacheKey(request.url), request.headers)
            decompresses = request.options.decompresses
        }
    }

    /// The result for a request that waits for another one's exchange.
    enum Outcome: Sendable {
        /// The request leads: it performs the exchange.
        case lead
        /// The response that the exchange stored.
        case stored(CacheEntry)
        /// The response can't be shared, so that each request performs its own exchange.
        case unshared
        case failed(NetworkError)
    }

    typealias Waiter = @Sendable (Result<Outcome, NetworkError>) -> Void

    /// The failures that result from the timeouts, limits and redirect policy of the request that leads.
    private static let ownFailures: Set<NetworkError.Code> = [
        .timedOut, .badResponse, .bodyTooLarge, .decompressionLimit, .insecureRedirect, .tooManyRedirects,
    ]

    private let flights = Mutex<[Key: [UInt64: Waiter]]>([:])

    /// The number of waiting requests.
    var waiterCount: Int { flights.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// Makes a request the leader if there is no exchange.
    func takeLead(_ key: Key) -> Bool {
        flights.withLock { flights in
            guard flights[key] == nil else { return false }
            flights[key] = [:]
            return true
        }
    }

    /// Makes a request the leader, or waits for the exchange of another request.
    ///
    /// - Throws: `.cancelled` or `.timedOut`.
    func join(_ key: Key, timeout: Duration?) async throws(NetworkError) -> Outcome {
        if takeLead(key) { return .lead }
        return try await SharedWait.outcome(timeout: timeout, sleep: Self.sleep) { id, waiter in
            let isWaiting = self.flights.withLock { flights in
                guard flights[key] != nil else {
                    flights[key] = [:]
                    return false
                }
                flights[key]?[id] = waiter
                return true
            }
            if !isWaiting { waiter(.success(.lead)) }
        } leave: { id in
            self.flights.withLock { $0[key]?.removeValue(forKey: id) }
        }
    }

    private static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    /// Ends an exchange and returns its outcome to the waiting requests.
    ///
    /// If it was cancelled, one of them leads. If it failed because of its own options, each performs its own exchange.
    func finish(_ key: Key, _ outcome: Outcome) {
        var outcome = outcome
        if case .failed(let error) = outcome, Self.ownFailures.contains(error.code) { outcome = .unshared }
        let waiters = flights.withLock { flights -> [Waiter] in
            guard var waiting = flights.removeValue(forKey: key) else { return [] }
            guard case .failed(let error) = outcome, error.code == .cancelled else { return Array(waiting.values) }
            guard let next = waiting.keys.min(), let leader = waiting.removeValue(forKey: next) else { return [] }
            flights[key] = waiting
            return [{ _ in leader(.success(.lead)) }]
        }
        for waiter in waiters { waiter(.success(outcome)) }
    }
}
