#if os(Linux)
    import CAshlarCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

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
