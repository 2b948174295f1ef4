#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Limits the number of transfers per origin and in total; the others wait in order of arrival.
    ///
    /// Origins take turns if only the total limits them.
    ///
    /// libcurl also has a queue, but doesn't report which transfers wait in it, so their connect and idle times would
    /// expire.
    struct CurlOrigins {
        /// One scheme, host and port.
        final class Origin {
            fileprivate let key: Key
            fileprivate var running = 0
            /// The waiting transfers in order of arrival.
            fileprivate var queue: [CurlTransfer] = []

            /// The number of transfers on connections that get no new request.
            var retiring = 0
            var isRetiring: Bool { retiring > 0 }

            /// Whether it uses HTTP/2, where one connection carries many transfers; nil before its first response.
            private(set) var isMultiplexed: Bool?

            fileprivate init(_ key: Key) { self.key = key }

            /// Notes the version of a response to a request that could use HTTP/2.
            func received(isMultiplexed: Bool) {
                // A server that has used it can still answer some requests with HTTP/1.1.
                if self.isMultiplexed != true { self.isMultiplexed = isMultiplexed }
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
        /// The origins whose transfers wait; the first one is next.
        private var crowded: [Origin] = []
        private var running = 0
        /// The number of waiting transfers.
        private(set) var waiting = 0

        /// Returns whether an transfer may start now; if not, queues it.
        mutating func admit(_ transfer: CurlTransfer, _ limits: TransportConfiguration) -> Bool {
            let origin = origin(of: transfer.request.url)
            transfer.origin = origin
            if origin.queue.isEmpty, hasRoom(origin, limits) {
                take(origin)
                return true
            }
            if origin.queue.isEmpty { crowded.append(origin) }
            origin.queue.append(transfer)
            waiting += 1
            return false
        }

        /// Ends the use of a connection by an transfer.
        mutating func leave(_ transfer: CurlTransfer) {
            guard let origin = transfer.origin else { return }
            transfer.origin = nil
            origin.running -= 1
            running -= 1
            if origins.count > 1024, origin.running == 0, origin.queue.isEmpty {
                origins[origin.key] = nil
                if last === origin { last = nil }
            }
        }

        /// Returns the next queued transfer that may start, admitted, or nil.
        ///
        /// - Complexity: O(*n*) in the number of origins whose transfers wait.
        mutating func next(_ limits: TransportConfiguration) -> CurlTransfer? {
            guard let index = crowded.firstIndex(where: { hasRoom($0, limits) }) else { return nil }
            let origin = crowded.remove(at: index)
            let transfer = origin.queue.removeFirst()
            waiting -= 1
            if !origin.queue.isEmpty { crowded.append(origin) }
            take(origin)
            return transfer
        }

        /// The waiting transfers.
        var queued: [CurlTransfer] { crowded.flatMap(\.queue) }

        private mutating func take(_ origin: Origin) {
            origin.running += 1
            running += 1
        }

        private func hasRoom(_ origin: Origin, _ limits: TransportConfiguration) -> Bool {
            let perHost = limits.connectionsPerHost
            // Beside the connections that get no new request, each request has one of its own.
            let most =
                origin.isRetiring
                ? perHost + origin.retiring : origin.isMultiplexed == true ? max(Self.streams, perHost) : perHost
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

    /// A TCP connection, by its two ends.
    ///
    /// The system may give one local port to connections with different remote ends.
    struct CurlConnection: Hashable {
        let localPort: Int32
        let remotePort: Int32
        let localAddress: String
        let remoteAddress: String

        /// Hashes the local port, which is nearly unique.
        func hash(into hasher: inout Hasher) { hasher.combine(localPort) }
    }

    /// The sockets of the HTTP/1 connections that have no request.
    ///
    /// libcurl 7.88 reuses a connection on which bytes have arrived, and would return them as the response to the next
    /// request. Newer versions check it only after some seconds. So the transport looks at the socket itself before it
    /// sends a request. HTTP/2 connections are left to libcurl: a server may send control frames at any time.
    struct IdleConnections {
        private var sockets: [CurlConnection: Int32] = [:]

        /// Adds the connection of a transfer that has ended.
        mutating func add(_ socket: Int32, _ connection: CurlConnection) { sockets[connection] = socket }

        /// Removes a connection that gets a request; returns whether bytes or the end have arrived since the last one.
        mutating func take(_ connection: CurlConnection) -> Bool {
            guard let socket = sockets.removeValue(forKey: connection) else { return false }
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
                || (errno != EAGAIN && errno != EINTR)
        }

        /// Removes a socket that libcurl closes.
        mutating func close(_ socket: Int32) {
            if let index = sockets.firstIndex(where: { $0.value == socket }) { sockets.remove(at: index) }
        }
    }
#endif
