#if os(Linux)
    import CAshlarCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The loop's records about descriptors, by number.
    struct CurlSockets {
        struct Known {
            /// Whether the loop opened it for libcurl, so that the loop is notified when it is closed.
            var isOwn = false
            /// The events that epoll watches: 1 reading, 2 writing; 0 if it isn't watched.
            var events: Int32 = 0
            /// Whether libcurl waits for it.
            var isWanted = false
            /// The connection, if it is an HTTP/1 connection without a request.
            var idle: CurlConnection?
        }

        /// The user of a connection.
        private enum Use {
            case request(CurlExchange)
            case idle(descriptor: Int32)
        }

        private var known: [Known] = []
        private var uses: [CurlConnection: Use] = [:]

        @inline(__always)
        subscript(descriptor: Int32) -> Known { Int(descriptor) < known.count ? known[Int(descriptor)] : Known() }

        /// Changes a record; a change of `idle` is made by `release` and `wake`.
        mutating func update(_ descriptor: Int32, _ change: (inout Known) -> Void) {
            while known.count <= Int(descriptor) { known.append(Known()) }
            change(&known[Int(descriptor)])
        }

        /// Records that a connection is no longer idle.
        mutating func wake(_ descriptor: Int32) {
            guard let connection = self[descriptor].idle else { return }
            known[Int(descriptor)].idle = nil
            uses[connection] = nil
        }

        /// Records that a request is about to be sent on a connection.
        ///
        /// libcurl may send it, receive a part of the response, and pause before it waits for the connection again.
        ///
        /// - Returns: The descriptor of the connection if it was idle.
        mutating func claim(_ connection: CurlConnection, by exchange: CurlExchange) -> Int32? {
            guard case .idle(let descriptor) = uses.updateValue(.request(exchange), forKey: connection) else {
                return nil
            }
            known[Int(descriptor)].idle = nil
            return descriptor
        }

        /// Records that an exchange doesn't use its connection any longer, which is idle if a descriptor is given.
        ///
        /// - Returns: Whether it did; libcurl may already have given the connection to another exchange.
        @discardableResult
        mutating func release(by exchange: CurlExchange, idle descriptor: Int32? = nil) -> Bool {
            guard let connection = exchange.connection, case .request(let user) = uses[connection], user === exchange
            else { return false }
            uses[connection] = descriptor.map { .idle(descriptor: $0) }
            if let descriptor { update(descriptor) { $0.idle = connection } }
            return true
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

    extension CurlLoop {
        func configureMulti() {
            let table = library.table
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = ashlar_multi_socket(table, multi, CurlMultiOption.socketFunction) { _, socket, what, context, _ in
                Unmanaged<CurlLoop>.fromOpaque(context!)._withUnsafeGuaranteedRef {
                    $0.socketChanged(socket, what: what)
                }
                return 0
            }
            _ = ashlar_multi_pointer(table, multi, CurlMultiOption.socketData, context)
            _ = ashlar_multi_timer(table, multi, CurlMultiOption.timerFunction) { _, milliseconds, context in
                // Called several times per request while the loop exists, so it isn't retained.
                Unmanaged<CurlLoop>.fromOpaque(context!)._withUnsafeGuaranteedRef { loop in
                    switch milliseconds {
                    case ..<0: loop.timerDue = nil
                    case 0: loop.timerDue = 0
                    default: loop.timerDue = CurlLoop.clock() + UInt64(milliseconds) * 1_000_000
                    }
                }
                return 0
            }
            _ = ashlar_multi_pointer(table, multi, CurlMultiOption.timerData, context)
            let (perHost, total) = (configuration.connectionsPerHost, configuration.connections)
            _ = ashlar_multi_long(table, multi, CurlMultiOption.maximumHostConnections, perHost)
            _ = ashlar_multi_long(table, multi, CurlMultiOption.maximumTotalConnections, total)
            _ = ashlar_multi_long(table, multi, CurlMultiOption.maximumConnects, total)
        }

        /// Makes the loop open and close libcurl's connections, so that their descriptors are known.
        func watchConnections(of handle: CurlHandle) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = ashlar_easy_pointer(library.table, handle.easy, CurlOption.closeSocketData, context)
            _ = ashlar_easy_close(library.table, handle.easy, CurlOption.closeSocketFunction) { context, socket in
                let loop = Unmanaged<CurlLoop>.fromOpaque(context!).takeUnretainedValue()
                loop.sockets.wake(socket)
                loop.sockets.update(socket) { $0 = CurlSockets.Known() }
                ashlar_socket_close(socket)
                return 0
            }
        }

        /// Opens a socket for a connection of libcurl; returns -1 on failure.
        func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            let socket = ashlar_socket_open(address)
            if socket >= 0 { sockets.update(socket) { $0 = CurlSockets.Known(isOwn: true) } }
            return socket
        }

        /// Records the events that libcurl waits for.
        ///
        /// A connection is watched between two requests, too. This saves a system call per request and detects bytes
        /// that a server sends without a request.
        private func socketChanged(_ socket: Int32, what: Int32) {
            let wanted = what == CurlValue.pollRemove ? 0 : what & 3
            sockets.update(socket) { $0.isWanted = wanted != 0 }
            if wanted != 0 {
                sockets.wake(socket)
                watch(socket, for: wanted)
            } else if !sockets[socket].isOwn {
                forget(socket)
            }
        }

        private func watch(_ socket: Int32, for events: Int32) {
            let watched = sockets[socket].events
            guard events != watched else { return }
            ashlar_poller_watch(poller, socket, events, watched == 0 ? 0 : 1)
            sockets.update(socket) { $0.events = events }
        }

        /// Records that a finished exchange doesn't use its connection any longer.
        ///
        /// libcurl reports the connection of an exchange since 7.80; for older versions, idle connections aren't
        /// checked. HTTP/2 connections are left to libcurl: a server may send control frames at any time.
        func releaseConnection(of exchange: CurlExchange, result: Int32?) {
            var socket: Int32 = -1
            if result == 0, !exchange.isMultiplexed, let handle = exchange.handle {
                // libcurl searches through all its connections.
                socket =
                    exchange.descriptor ?? ashlar_easy_info_socket(library.table, handle.easy, CurlInfo.activeSocket)
            }
            let isIdle = socket >= 0 && sockets[socket].isOwn && !sockets[socket].isWanted
            if sockets.release(by: exchange, idle: isIdle ? socket : nil), isIdle { watch(socket, for: 1) }
        }

        /// Whether libcurl must process an event.
        ///
        /// An idle connection that becomes readable has ended, or carries bytes that would answer the next request.
        func isForLibrary(_ socket: Int32) -> Bool {
            let known = sockets[socket]
            if known.isWanted { return true }
            if known.idle != nil {
                closeIdle(socket)
            } else {
                forget(socket)
            }
            return false
        }

        private func forget(_ socket: Int32) {
            guard sockets[socket].events != 0 else { return }
            ashlar_poller_forget(poller, socket)
            sockets.update(socket) { $0.events = 0 }
        }

        /// Closes a connection that libcurl still stores, and discards the bytes that have arrived on it.
        ///
        /// libcurl has no function for this. When it is about to reuse the connection, it detects its end and opens
        /// another.
        private func closeIdle(_ socket: Int32) {
            forget(socket)
            sockets.wake(socket)
            shutdown(socket, Int32(SHUT_RDWR))  // what arrives from now on, the system rejects
            while recv(socket, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)) > 0 {}
        }
    }
#endif
