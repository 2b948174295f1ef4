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
            /// The local port, if it is an HTTP/1 connection without a request.
            var idlePort: Int32?
        }

        private var known: [Known] = []

        subscript(descriptor: Int32) -> Known {
            get { Int(descriptor) < known.count ? known[Int(descriptor)] : Known() }
            set {
                while known.count <= Int(descriptor) { known.append(Known()) }
                known[Int(descriptor)] = newValue
            }
        }

        /// Records that a request is about to be sent from a local port.
        ///
        /// libcurl may send it, receive a part of the response, and pause before it waits for the connection again.
        mutating func claim(port: Int32) {
            for descriptor in known.indices where known[descriptor].idlePort == port {
                known[descriptor].idlePort = nil
            }
        }
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
                loop.sockets[socket] = CurlSockets.Known()
                ashlar_socket_close(socket)
                return 0
            }
        }

        /// Opens a socket for a connection of libcurl; returns -1 on failure.
        func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            let socket = ashlar_socket_open(address)
            if socket >= 0 { sockets[socket] = CurlSockets.Known(isOwn: true) }
            return socket
        }

        /// Records the events that libcurl waits for.
        ///
        /// A connection is watched between two requests, too. This saves a system call per request and detects bytes
        /// that a server sends without a request.
        private func socketChanged(_ socket: Int32, what: Int32) {
            let wanted = what == CurlValue.pollRemove ? 0 : what & 3
            var known = sockets[socket]
            known.isWanted = wanted != 0
            if wanted == 0, !known.isOwn {
                ashlar_poller_forget(poller, socket)
                known.events = 0
            } else if wanted != 0 {
                known.idlePort = nil
                watch(socket, for: wanted, &known)
            }
            sockets[socket] = known
        }

        private func watch(_ socket: Int32, for events: Int32, _ known: inout CurlSockets.Known) {
            guard events != known.events else { return }
            ashlar_poller_watch(poller, socket, events, known.events == 0 ? 0 : 1)
            known.events = events
        }

        /// Records that the connection of a finished exchange has no request, unless another exchange already uses it.
        ///
        /// libcurl reports the port of an exchange's connection since 7.80; for older versions, idle connections aren't
        /// checked. HTTP/2 connections are left to libcurl: a server may send control frames at any time.
        func releaseConnection(of exchange: CurlExchange) {
            guard !exchange.isMultiplexed, let handle = exchange.handle, let port = exchange.localPort else { return }
            let socket = ashlar_easy_info_socket(library.table, handle.easy, CurlInfo.activeSocket)
            guard socket >= 0, sockets[socket].isOwn, !sockets[socket].isWanted else { return }
            // libcurl may already have given the connection to an exchange that isn't reading.
            guard !active.contains(where: { $0 !== exchange && $0.localPort == port }) else { return }
            sockets[socket].idlePort = port
            watch(socket, for: 1, &sockets[socket])
        }

        /// Whether libcurl must process an event.
        ///
        /// An idle connection that becomes readable has ended, or carries bytes that would answer the next request.
        func isForLibrary(_ socket: Int32) -> Bool {
            let known = sockets[socket]
            if known.isWanted { return true }
            if known.idlePort != nil {
                closeIdle(socket)
            } else {
                forget(socket)
            }
            return false
        }

        private func forget(_ socket: Int32) {
            guard sockets[socket].events != 0 else { return }
            ashlar_poller_forget(poller, socket)
            sockets[socket].events = 0
        }

        /// Closes a connection that libcurl still stores, and discards the bytes that have arrived on it.
        ///
        /// libcurl has no function for this. When it is about to reuse the connection, it detects its end and opens
        /// another.
        private func closeIdle(_ socket: Int32) {
            forget(socket)
            sockets[socket].idlePort = nil
            shutdown(socket, Int32(SHUT_RDWR))  // what arrives from now on, the system rejects
            while recv(socket, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)) > 0 {}
        }
    }
#endif
