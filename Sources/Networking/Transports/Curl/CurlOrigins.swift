#if os(Linux)
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
            fileprivate var queue = CurlQueue<CurlExchange>()
            private var smallAnswers = 0

            static let largeBuffer = 16 << 10

            /// The number of bytes that libcurl reads at once; it allocates as many for each request.
            var bufferSize: Int { smallAnswers < 8 ? Self.largeBuffer : 4 << 10 }

            /// Records the length of a response's body.
            func answered(_ bytes: Int) { smallAnswers = bytes <= 2 << 10 ? min(smallAnswers + 1, 8) : 0 }

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

        /// The ratio of starts that take the exchange that has waited the longest.
        private static let turnsOfOldest: UInt64 = 8

        private var origins: [Key: Origin] = [:]
        private var last: Origin?
        private var crowded: [Origin] = []
        private var running = 0
        private var arrivals: UInt64 = 0
        private var starts: UInt64 = 0
        /// The number of waiting exchanges.
        private(set) var waiting = 0

        /// Returns whether an exchange may start now; if not, queues it.
        mutating func admit(_ exchange: CurlExchange, _ limits: TransportConfiguration) -> Bool {
            let origin = origin(of: exchange.request.url)
            exchange.origin = origin
            if origin.queue.isEmpty, hasRoom(origin, limits) {
                take(origin)
                return true
            }
            if origin.queue.isEmpty { crowded.append(origin) }
            arrivals += 1
            origin.queue.add(exchange, exchange.request.options.priority, order: arrivals)
            waiting += 1
            return false
        }

        /// Frees the slot of an exchange.
        mutating func leave(_ exchange: CurlExchange) {
            guard let origin = exchange.origin else { return }
            exchange.origin = nil
            origin.running -= 1
            running -= 1
            if origins.count > 1024, origin.running == 0, origin.queue.isEmpty { origins[origin.key] = nil }
        }

        /// Returns the next queued exchange that may start, admitted, or nil.
        ///
        /// - Complexity: O(*n*) in the number of origins whose exchanges wait.
        mutating func next(_ limits: TransportConfiguration) -> CurlExchange? {
            guard waiting > 0 else { return nil }
            let isTurnOfOldest = (starts + 1).isMultiple(of: Self.turnsOfOldest)
            var best: (index: Int, place: CurlQueue<CurlExchange>.Place)?
            for (index, origin) in crowded.enumerated() where hasRoom(origin, limits) {
                guard let place = origin.queue.next(oldest: isTurnOfOldest) else { continue }
                if let best, !place.precedes(best.place, oldest: isTurnOfOldest) { continue }
                best = (index, place)
            }
            guard let (index, place) = best else { return nil }
            let origin = crowded[index]
            let exchange = origin.queue.remove(place)
            // A cancelled exchange takes no turn.
            if exchange.pipe.isOpen { starts += 1 }
            waiting -= 1
            if origin.queue.isEmpty { crowded.remove(at: index) }
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
