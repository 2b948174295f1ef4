#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    /// The thread that opens, sends and receives on all upgraded connections of the process.
    ///
    /// It exists while there are connections. It isn't a transport's loop, so that a burst of messages doesn't delay
    /// responses; a WebSocket outlives its client, and clients share the thread.
    final class CurlDuplexLoop: @unchecked Sendable {
        // Sendable because `inbox` is locked, and everything else mutable is used only by the thread. libcurl's callbacks
        // need the state in place, so that it can't be the value of a mutex.

        /// The running loops by the library's number.
        private static let running = Mutex<[Int: CurlDuplexLoop]>([:])

        private let library: CurlLibrary
        private let poller: ashlar_poller
        private let multi: UnsafeMutableRawPointer
        /// The connections that need attention, or nil after the end.
        private let inbox = Mutex<[CurlDuplex]?>([])

        // The rest belongs to the thread.
        private var duplexes: [ObjectIdentifier: CurlDuplex] = [:]
        /// The connections that libcurl is opening, by their handles.
        private var connecting: [UnsafeMutableRawPointer: CurlDuplex] = [:]
        /// The users of watched descriptors.
        private var watched: [Int32: (duplex: CurlDuplex?, events: Int32)] = [:]
        /// The connections with a time limit.
        private var limited: [ObjectIdentifier: CurlDuplex] = [:]
        /// The connections that have more to receive than one round permits.
        private var busy: [CurlDuplex] = []
        private var timerDue: UInt64?

        /// Adds a connection to the running loop, or starts one.
        ///
        /// - Throws: `.unsupported` if the process has no descriptors left or can't create a thread.
        static func add(_ duplex: CurlDuplex, _ library: CurlLibrary) throws(NetworkError) {
            try running.withLock { running throws(NetworkError) in
                let loop: CurlDuplexLoop
                if let existing = running[library.id] { loop = existing } else { loop = try CurlDuplexLoop(library) }
                running[library.id] = loop
                duplex.join(loop)
                loop.attend(to: duplex)
            }
        }

        private init(_ library: CurlLibrary) throws(NetworkError) {
            self.library = library
            var poller = ashlar_poller()
            let opened = ashlar_poller_open(&poller) == 0
            guard opened, let multi = library.table.pointee.multi_init() else {
                if opened { ashlar_poller_close(poller) }
                throw NetworkError(.unsupported, "no descriptors left for the connection", phase: .prepare)
            }
            self.poller = poller
            self.multi = multi
            configure()
            guard HelperThread.start({ [self] in run() }) else {
                _ = library.table.pointee.multi_cleanup(multi)
                throw NetworkError(.unsupported, "the system can't create a thread for the connection", phase: .prepare)
            }
        }

        // Another thread may wake the loop at its end.
        deinit { ashlar_poller_close(poller) }

        private func configure() {
            let table = library.table
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = ashlar_multi_socket(table, multi, CurlMultiOption.socketFunction) { _, socket, what, context, _ in
                let loop = Unmanaged<CurlDuplexLoop>.fromOpaque(context!).takeUnretainedValue()
                // An open connection isn't libcurl's concern any longer.
                if loop.watched[socket]?.duplex == nil {
                    loop.watch(socket, for: nil, what == CurlValue.pollRemove ? 0 : what & 3)
                }
                return 0
            }
            _ = ashlar_multi_pointer(table, multi, CurlMultiOption.socketData, context)
            _ = ashlar_multi_timer(table, multi, CurlMultiOption.timerFunction) { _, milliseconds, context in
                let loop = Unmanaged<CurlDuplexLoop>.fromOpaque(context!).takeUnretainedValue()
                loop.timerDue = milliseconds < 0 ? nil : CurlLoop.clock() + UInt64(milliseconds) * 1_000_000
                return 0
            }
            _ = ashlar_multi_pointer(table, multi, CurlMultiOption.timerData, context)
        }

        // MARK: Any thread

        /// Makes the thread look at a connection; called once until it has.
        func attend(to duplex: CurlDuplex) {
            let isFirst = inbox.withLock { inbox in
                inbox?.append(duplex)
                return inbox?.count == 1
            }
            if isFirst { ashlar_poller_wake(poller) }
        }

        // MARK: The thread

        private func run() {
            let ready = UnsafeMutableBufferPointer<ashlar_ready>.allocate(capacity: 64)
            defer { ready.deallocate() }
            repeat {
                let count = ashlar_poller_wait(poller, ready.baseAddress, Int32(ready.count), timeout())
                for event in ready[..<Int(max(count, 0))] { deliver(event) }
                let waiting = inbox.withLock { inbox in
                    defer { inbox = [] }
                    return inbox
                }
                for duplex in waiting ?? [] { visit(duplex) }
                let more = busy
                busy = []
                for duplex in more { serve(duplex) }
                runTimers()
            } while !duplexes.isEmpty || !hasEnded()
        }

        /// Ends the loop unless a connection was added.
        private func hasEnded() -> Bool {
            let hasEnded = Self.running.withLock { running in
                let isEmpty = inbox.withLock { inbox in
                    guard inbox?.isEmpty == true else { return false }
                    inbox = nil
                    return true
                }
                if isEmpty { running[library.id] = nil }
                return isEmpty
            }
            if hasEnded { _ = library.table.pointee.multi_cleanup(multi) }
            return hasEnded
        }

        private func timeout() -> Int32 {
            if !busy.isEmpty { return 0 }
            let due = limited.values.reduce(timerDue ?? .max) { min($0, $1.due ?? .max) }
            guard due < .max else { return -1 }
            let now = CurlLoop.clock()
            return due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000)
        }

        private func deliver(_ event: ashlar_ready) {
            guard let user = watched[event.descriptor] else { return }
            guard let duplex = user.duplex else { return act(event.descriptor, event.mask) }
            serve(duplex)
        }

        /// Performs a visit that another thread asked for.
        private func visit(_ duplex: CurlDuplex) {
            duplex.willVisit()
            guard let easy = duplex.connect() else { return serve(duplex) }
            duplexes[ObjectIdentifier(duplex)] = duplex
            connecting[easy] = duplex
            if library.table.pointee.multi_add_handle(multi, easy) != 0 {
                remove(duplex, NetworkError(.unsupported, "libcurl refuses the request", phase: .prepare))
            }
            serve(duplex)
        }

        private func act(_ socket: Int32, _ mask: Int32) {
            var count: Int32 = 0
            _ = library.table.pointee.multi_socket_action(multi, socket, mask, &count)
            var left: Int32 = 0
            while let raw = library.table.pointee.multi_info_read(multi, &left) {
                let message = raw.assumingMemoryBound(to: ashlar_curl_message.self).pointee
                guard message.message == CurlValue.messageDone, let easy = message.easy,
                    let duplex = connecting.removeValue(forKey: easy)
                else { continue }
                if let failure = duplex.connected(message.data.result) {
                    remove(duplex, failure)
                } else {
                    serve(duplex)
                }
            }
        }

        private func runTimers() {
            let now = CurlLoop.clock()
            if let due = timerDue, due <= now {
                timerDue = nil
                act(CurlValue.socketTimeout, 0)
            }
            for duplex in limited.values where duplex.due.map({ $0 <= now }) == true { serve(duplex) }
        }

        /// Sends and receives on an open connection.
        private func serve(_ duplex: CurlDuplex) {
            let id = ObjectIdentifier(duplex)
            guard duplexes[id] != nil else { return }
            switch duplex.exchangeBytes() {
            case .ended(let failure): remove(duplex, failure)
            case .connecting: break
            case .open(let socket, let events, let hasMore):
                watch(socket, for: duplex, events)
                limited[id] = duplex.due == nil ? nil : duplex
                if hasMore { busy.append(duplex) }
            }
        }

        private func remove(_ duplex: CurlDuplex, _ failure: NetworkError?) {
            let id = ObjectIdentifier(duplex)
            guard duplexes.removeValue(forKey: id) != nil else { return }
            limited[id] = nil
            if let socket = duplex.socket { watch(socket, for: nil, 0) }
            let easy = duplex.handle.easy
            connecting[easy] = nil
            _ = library.table.pointee.multi_remove_handle(multi, easy)
            duplex.finish(failure)
        }

        /// Watches a descriptor for a connection, or for libcurl while it connects; without events, not even its end is
        /// reported.
        private func watch(_ socket: Int32, for duplex: CurlDuplex?, _ events: Int32) {
            let old = watched[socket]
            if events == 0 {
                if old != nil { ashlar_poller_forget(poller, socket) }
                watched[socket] = nil
            } else if old?.events != events || old?.duplex !== duplex {
                ashlar_poller_watch(poller, socket, events, old == nil ? 0 : 1)
                watched[socket] = (duplex, events)
            }
        }
    }
#endif
