#if os(Linux)
    import CAshlarCurl

    /// What a loop knows of descriptors, by their number.
    struct CurlSockets {
        struct Known {
            /// Opened for libcurl by the loop, which is told when it is closed.
            var isOwn = false
            /// What epoll watches for: 1 reading, 2 writing; 0 is not watched.
            var events: Int32 = 0
            /// Whether libcurl wants to hear of it.
            var isWanted = false
        }

        private var known: [Known] = []

        subscript(descriptor: Int32) -> Known {
            get { Int(descriptor) < known.count ? known[Int(descriptor)] : Known() }
            set {
                while known.count <= Int(descriptor) { known.append(Known()) }
                known[Int(descriptor)] = newValue
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
                // Called several times a request, by a loop that is there: not worth retaining it.
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

        /// Has libcurl's connections opened and closed here, so that their descriptors are known.
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

        /// Opens a socket for a connection of libcurl's; -1 is a failure.
        func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            let socket = ashlar_socket_open(address)
            if socket >= 0 { sockets[socket] = CurlSockets.Known(isOwn: true) }
            return socket
        }

        /// libcurl forgets a connection between two requests; it stays watched, which saves a call of the system a request.
        ///
        /// Should it become ready in the meantime it is forgotten after all.
        private func socketChanged(_ socket: Int32, what: Int32) {
            let wanted = what == CurlValue.pollRemove ? 0 : what & 3
            var known = sockets[socket]
            known.isWanted = wanted != 0
            if wanted == 0, !known.isOwn {
                withUnsafePointer(to: poller) { ashlar_poller_forget($0, socket) }
                known.events = 0
            } else if wanted != 0, wanted != known.events {
                withUnsafePointer(to: poller) { ashlar_poller_watch($0, socket, wanted, known.events == 0 ? 0 : 1) }
                known.events = wanted
            }
            sockets[socket] = known
        }

        func isStray(_ socket: Int32) -> Bool {
            guard !sockets[socket].isWanted else { return false }
            withUnsafePointer(to: poller) { ashlar_poller_forget($0, socket) }
            sockets[socket].events = 0
            return true
        }
    }
#endif
