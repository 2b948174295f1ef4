#if os(Linux)
    /// Limits the number of exchanges per origin and in total; the others wait in order of priority, then of arrival.
    ///
    /// libcurl also has a queue, but doesn't report which transfers wait in it, so their connect and idle times would
    /// expire.
    struct CurlOrigins {
        /// One scheme, host and port.
        final class Origin {
            fileprivate let key: Key
            fileprivate var running = 0
            fileprivate var queue: [CurlExchange] = []
            fileprivate var head = 0
            private var smallAnswers = 0

            static let largeBuffer = 16 << 10

            /// The number of bytes that libcurl reads at once; it allocates as many for each request.
            var bufferSize: Int { smallAnswers < 8 ? Self.largeBuffer : 4 << 10 }

            /// Records the length of a response's body.
            func answered(_ bytes: Int) { smallAnswers = bytes <= 2 << 10 ? min(smallAnswers + 1, 8) : 0 }

            /// Whether it uses HTTP/2, where one connection carries many exchanges.
            var isMultiplexed = false

            fileprivate init(_ key: Key) { self.key = key }
            fileprivate var isWaiting: Bool { head < queue.count }

            /// Adds an exchange behind those of the same or a higher priority.
            fileprivate func enqueue(_ exchange: CurlExchange) {
                let priority = exchange.request.options.priority
                var index = queue.count
                while index > head, queue[index - 1].request.options.priority < priority { index -= 1 }
                queue.insert(exchange, at: index)
            }
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
        private var crowded: [Origin] = []
        private var running = 0
        /// The number of waiting exchanges.
        private(set) var waiting = 0

        /// Returns whether an exchange may start now; if not, queues it.
        mutating func admit(_ exchange: CurlExchange, _ limits: TransportConfiguration) -> Bool {
            let origin = origin(of: exchange.request.url)
            exchange.origin = origin
            if !origin.isWaiting, hasRoom(origin, limits) {
                take(origin)
                return true
            }
            if !origin.isWaiting { crowded.append(origin) }
            origin.enqueue(exchange)
            waiting += 1
            return false
        }

        /// Frees the slot of an exchange.
        mutating func leave(_ exchange: CurlExchange) {
            guard let origin = exchange.origin else { return }
            exchange.origin = nil
            origin.running -= 1
            running -= 1
            if origins.count > 1024, origin.running == 0, !origin.isWaiting { origins[origin.key] = nil }
        }

        /// Returns the next queued exchange that may start, admitted, or nil.
        mutating func next(_ limits: TransportConfiguration) -> CurlExchange? {
            guard waiting > 0, let index = crowded.firstIndex(where: { hasRoom($0, limits) }) else { return nil }
            let origin = crowded[index]
            let exchange = origin.queue[origin.head]
            origin.head += 1
            waiting -= 1
            if origin.head == origin.queue.count {
                origin.queue = []
                origin.head = 0
                crowded.remove(at: index)
            } else if origin.head >= 1024, origin.head * 2 > origin.queue.count {
                origin.queue.removeFirst(origin.head)
                origin.head = 0
            }
            take(origin)
            return exchange
        }

        /// The waiting exchanges.
        var queued: [CurlExchange] { crowded.flatMap { $0.queue[$0.head...] } }

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
