internal import AshlarCore

/// The exchanges in progress, which identical requests share.
final class CacheFlights: Sendable {
    /// The properties of requests that can share an exchange.
    struct Key: Hashable {
        let key: CacheKey
        let headers: HTTPHeaders

        init(_ request: NetworkRequest) { (key, headers) = (CacheKey(request), request.headers) }
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

    private let flights = Mutex<[Key: [UInt64: Waiter]]>([:])

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

    /// Ends an exchange and returns its outcome to the waiting requests; if it was cancelled, one of them leads.
    func finish(_ key: Key, _ outcome: Outcome) {
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
