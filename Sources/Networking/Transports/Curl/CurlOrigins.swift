#if os(Linux)
    internal import AshlarCore

    /// Limits the number of exchanges per origin and in total; the others wait in order of priority, then of arrival.
    ///
    /// Every eighth of them is the one that has waited the longest, so that a low priority never waits forever.
    ///
    /// libcurl also has a queue, but doesn't report which transfers wait in it, so their connect and idle times would
    /// expire.
    struct CurlOrigins {
        /// One scheme, host and port.
        final class Origin {
            fileprivate let key: Key
            fileprivate var running = 0
            fileprivate var waiting = 0
            fileprivate var queue = FairQueue<CurlExchange>(priorities: RequestPriority.allCases.count)

            /// Whether it uses HTTP/2, where one connection carries many exchanges.
            var isMultiplexed = false

            fileprivate init(_ key: Key) { self.key = key }
        }

        fileprivate struct Key: Hashable {
            let isSecure: Bool
            let port: Int
            let host: String
        }

        /// The number of streams that every server should allow (RFC 9113, section 6.5.2).
        private static let streams = 100

        private var origins: [Key: Origin] = [:]
        private var last: Origin?
        /// The origins whose exchanges wait.
        private var crowded: [Origin] = []
        private var running = 0
        private var order = FairOrder()
        /// The number of waiting exchanges.
        private(set) var waiting = 0

        /// Returns whether an exchange may start now; if not, queues it.
        mutating func admit(_ exchange: CurlExchange, _ limits: TransportConfiguration) -> Bool {
            let origin = origin(of: exchange.request.url)
            exchange.origin = origin
            if origin.waiting == 0, hasRoom(origin, limits) {
                take(origin)
                return true
            }
            if origin.waiting == 0 { crowded.append(origin) }
            origin.waiting += 1
            let priority = exchange.request.options.priority.rawValue
            origin.queue.add(exchange, priority: priority, arrival: order.nextArrival())
            waiting += 1
            return false
        }

        /// Ends the use of a connection by an exchange.
        mutating func leave(_ exchange: CurlExchange) {
            guard let origin = exchange.origin else { return }
            exchange.origin = nil
            origin.running -= 1
            running -= 1
            if origins.count > 1024, origin.running == 0, origin.waiting == 0 { origins[origin.key] = nil }
        }

        /// Returns the next queued exchange that may start, admitted, or nil.
        ///
        /// - Complexity: O(*n*) in the number of origins whose exchanges wait.
        mutating func next(_ limits: TransportConfiguration) -> CurlExchange? {
            guard waiting > 0 else { return nil }
            let takesOldest = order.takesOldest
            var best: (index: Int, place: FairQueue<CurlExchange>.Place)?
            for (index, origin) in crowded.enumerated() where hasRoom(origin, limits) {
                guard let place = origin.queue.next(oldest: takesOldest) else { continue }
                if let best, !place.precedes(best.place, oldest: takesOldest) { continue }
                best = (index, place)
            }
            guard let (index, place) = best else { return nil }
            let origin = crowded[index]
            let exchange = origin.queue.remove(place)
            if exchange.pipe.isOpen { order.countStart() }
            waiting -= 1
            origin.waiting -= 1
            if origin.waiting == 0 { crowded.remove(at: index) }
            take(origin)
            return exchange
        }

        /// The waiting exchanges.
        var queued: [CurlExchange] { crowded.flatMap(\.queue.elements) }

        private mutating func take(_ origin: Origin) {
            origin.running += 1
            running += 1
        }

        private func hasRoom(_ origin: Origin, _ limits: TransportConfiguration) -> Bool {
            let most = origin.isMultiplexed ? max(Self.streams, limits.connectionsPerHost) : limits.connectionsPerHost
            return origin.running < max(most, 1) && running < max(limits.connections, 1)
        }

        private mutating func origin(of url: HTTPURL) -> Origin {
            let (isSecure, port) = (url.scheme == .https, url.effectivePort)
            if let last, last.key.host == url.host, last.key.port == port, last.key.isSecure == isSecure { return last }
            let key = Key(isSecure: isSecure, port: port, host: url.host)
            let origin = origins[key] ?? Origin(key)
            origins[key] = origin
            last = origin
            return origin
        }
    }
#endif
