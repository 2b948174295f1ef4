#if os(Linux)
    import CAshlarCurl
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread that serves all exchanges of a transport: libcurl's multi interface over epoll.
    ///
    /// Other threads only post commands; everything else belongs to the loop's thread. Readers are woken at the end of a
    /// round, when all that has arrived for them is in their pipes.
    final class CurlLoop: @unchecked Sendable {
        // Sendable because `inbox` is locked and everything mutable behind it is touched by the loop's own thread alone.
        enum Command {
            case start(CurlExchange)
            case cancel(CurlExchange)
            case resumeReceiving(CurlExchange)
            case resumeSending(CurlExchange)
            case run(UnownedJob)
            case stop
        }

        private struct Inbox {
            var commands: [Command] = []
            var sleeping = false
            var closed = false
        }

        let library: CurlLibrary
        let configuration: ClientConfiguration
        private let inbox = Mutex(Inbox())
        private let poller: ashlar_poller
        private let multi: UnsafeMutableRawPointer

        private var active: [ObjectIdentifier: CurlExchange] = [:]
        private var pool: [CurlHandle] = []
        private var news: [CurlExchange] = []
        private var commands: [Command] = []
        private struct Watched {
            let events: Int32
            let isWanted: Bool
        }

        private var watched: [Int32: Watched] = [:]
        private var timerDue: UInt64?
        private var deadlineDue: UInt64?
        private var stopping = false
        /// The time of this round, in nanoseconds of the monotonic clock.
        private(set) var now: UInt64 = 0

        init(_ library: CurlLibrary, _ configuration: ClientConfiguration) throws(NetworkError) {
            self.library = library
            self.configuration = configuration
            var poller = ashlar_poller()
            let opened = ashlar_poller_open(&poller) == 0
            guard opened, let multi = library.table.pointee.multi_init() else {
                if opened { ashlar_poller_close(&poller) }
                throw NetworkError(.unsupported, "no descriptors are left for the transport's loop", phase: .prepare)
            }
            self.poller = poller
            self.multi = multi
            configureMulti()
            executor.attach(self)
            startThread()
        }

        // MARK: Any thread

        @discardableResult
        func post(_ command: Command) -> Bool {
            let (accepted, wakes) = inbox.withLock { inbox in
                guard !inbox.closed else { return (false, false) }
                inbox.commands.append(command)
                defer { inbox.sleeping = false }
                return (true, inbox.sleeping)
            }
            if wakes { withUnsafePointer(to: poller) { ashlar_poller_wake($0) } }
            if !accepted, case .start(let exchange) = command {
                exchange.pipe.finish(NetworkError(.cancelled, "the transport is closed", phase: .prepare))
                exchange.pipe.flush()
            }
            return accepted
        }

        /// Ends the thread once the running exchanges are over.
        func stopWhenIdle() { post(.stop) }

        /// Runs the jobs of tasks on the loop's thread.
        let executor = CurlExecutor()

        // MARK: The thread

        private func startThread() {
            var thread = pthread_t()
            let context = Unmanaged.passRetained(self).toOpaque()
            let failed = pthread_create(
                &thread, nil,
                { context in
                    let loop = Unmanaged<CurlLoop>.fromOpaque(context!).takeRetainedValue()
                    loop.run()
                    return nil
                }, context)
            precondition(failed == 0, "the system has no thread left for a transport")
            pthread_detach(thread)
        }

        private func run() {
            ashlar_block_sigpipe()  // TLS libraries write without MSG_NOSIGNAL
            var poller = poller
            var ready = [ashlar_ready](repeating: ashlar_ready(), count: 64)
            var timeout: Int32 = 0
            while true {
                let count = ashlar_poller_wait(&poller, &ready, Int32(ready.count), timeout)
                now = Self.clock()
                inbox.withLock { inbox in
                    inbox.sleeping = false
                    swap(&inbox.commands, &commands)
                }
                for event in ready.prefix(Int(count)) where !isStray(event.descriptor) {
                    var running: Int32 = 0
                    _ = library.table.pointee.multi_socket_action(multi, event.descriptor, event.mask, &running)
                }
                runCommands()
                runTimers()
                collectFinished()
                for exchange in news { exchange.flush() }
                news.removeAll(keepingCapacity: true)
                if stopping, active.isEmpty, close() { return }
                timeout = timeoutBeforeSleep()
            }
        }

        private func timeoutBeforeSleep() -> Int32 {
            let hasCommands = inbox.withLock { inbox in
                inbox.sleeping = inbox.commands.isEmpty
                return !inbox.sleeping
            }
            if hasCommands { return 0 }
            guard let due = [timerDue, deadlineDue].compactMap({ $0 }).min() else { return -1 }
            let time = Self.clock()
            return due <= time ? 0 : Int32(clamping: (due - time + 999_999) / 1_000_000)
        }

        private func runCommands() {
            for command in commands {
                switch command {
                case .start(let exchange): start(exchange)
                case .cancel(let exchange): finish(exchange, result: nil)
                case .resumeReceiving(let exchange): exchange.resumeReceiving()
                case .resumeSending(let exchange): exchange.resumeSending()
                case .run(let job): job.runSynchronously(on: executor.asUnownedTaskExecutor())
                case .stop: stopping = true
                }
            }
            commands.removeAll(keepingCapacity: true)
        }

        private func runTimers() {
            // A callback may ask to be called again at once; more than a few rounds would starve the sockets.
            for _ in 0..<8 {
                guard let due = timerDue, due <= now else { break }
                timerDue = nil
                var running: Int32 = 0
                _ = library.table.pointee.multi_socket_action(multi, CurlValue.socketTimeout, 0, &running)
            }
            guard let due = deadlineDue, due <= now else { return }
            deadlineDue = nil
            for exchange in Array(active.values) {
                if let deadline = exchange.deadline, deadline <= now, let error = exchange.overdue(at: now) {
                    exchange.fail(error)
                    finish(exchange, result: nil)
                } else {
                    watchDeadline(of: exchange)
                }
            }
        }

        // MARK: Exchanges

        private func start(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else { return }
            let handle: CurlHandle
            if let pooled = pool.popLast() {
                handle = pooled
            } else if let fresh = CurlHandle(library, configuration) {
                handle = fresh
            } else {
                exchange.fail(NetworkError(.unsupported, "libcurl has no handle left", phase: .prepare))
                exchange.end(result: nil)
                news.append(exchange)
                return
            }
            active[ObjectIdentifier(exchange)] = exchange
            exchange.begin(on: handle)
            watchDeadline(of: exchange)
            let code = library.table.pointee.multi_add_handle(multi, handle.easy)
            if code != 0 {
                exchange.fail(
                    NetworkError(.unsupported, "libcurl does not take the request (\(code))", phase: .prepare))
                finish(exchange, result: nil)
            }
        }

        // The result is libcurl's, or nil if the exchange is taken away from it.
        private func finish(_ exchange: CurlExchange, result: Int32?) {
            guard active.removeValue(forKey: ObjectIdentifier(exchange)) != nil, let handle = exchange.handle else {
                return
            }
            exchange.end(result: result)
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.release()
            if pool.count < 64 { pool.append(handle) } else { handle.destroy() }
            news.append(exchange)
        }

        private func collectFinished() {
            var left: Int32 = 0
            while let raw = library.table.pointee.multi_info_read(multi, &left) {
                let message = raw.assumingMemoryBound(to: ashlar_curl_message.self).pointee
                guard message.message == CurlValue.messageDone, let easy = message.easy,
                    let handle = CurlHandle.of(easy, library), let exchange = handle.exchange
                else { continue }
                finish(exchange, result: message.data.result)
            }
        }

        /// Notes that an exchange has something for its reader.
        func hasNews(_ exchange: CurlExchange) { news.append(exchange) }

        /// Notes that an exchange has a deadline.
        func watchDeadline(of exchange: CurlExchange) {
            if let deadline = exchange.deadline { deadlineDue = min(deadlineDue ?? deadline, deadline) }
        }

        /// Frees everything unless a new exchange has been posted; then the thread ends.
        private func close() -> Bool {
            let closed = inbox.withLock { inbox in
                inbox.closed = inbox.commands.isEmpty
                return inbox.closed
            }
            guard closed else { return false }
            for handle in pool { handle.destroy() }
            pool = []
            _ = library.table.pointee.multi_cleanup(multi)
            withUnsafePointer(to: poller) { ashlar_poller_close($0) }
            return true
        }

        static func clock() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }

        // MARK: Sockets and timers of libcurl

        private func configureMulti() {
            let table = library.table
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = ashlar_multi_socket(table, multi, CurlMultiOption.socketFunction) { _, socket, what, context, known in
                let loop = Unmanaged<CurlLoop>.fromOpaque(context!).takeUnretainedValue()
                loop.socketChanged(socket, what: what, isKnown: known != nil)
                return 0
            }
            _ = ashlar_multi_pointer(table, multi, CurlMultiOption.socketData, context)
            _ = ashlar_multi_timer(table, multi, CurlMultiOption.timerFunction) { _, milliseconds, context in
                let loop = Unmanaged<CurlLoop>.fromOpaque(context!).takeUnretainedValue()
                loop.timerDue = milliseconds < 0 ? nil : CurlLoop.clock() + UInt64(milliseconds) * 1_000_000
                if milliseconds == 0 { loop.timerDue = 0 }
                return 0
            }
            _ = ashlar_multi_pointer(table, multi, CurlMultiOption.timerData, context)
            let (perHost, total) = (configuration.connectionsPerHost, configuration.connections)
            _ = ashlar_multi_long(table, multi, CurlMultiOption.maximumHostConnections, perHost)
            _ = ashlar_multi_long(table, multi, CurlMultiOption.maximumTotalConnections, total)
            _ = ashlar_multi_long(table, multi, CurlMultiOption.maximumConnects, total)
        }

        /// libcurl forgets a socket between two requests; it stays watched, which saves a call of the system a request.
        ///
        /// Should it become ready in the meantime it is forgotten after all. A socket that is wanted again is always set
        /// anew, because another one may have got its number.
        private func socketChanged(_ socket: Int32, what: Int32, isKnown: Bool) {
            let wanted = what == CurlValue.pollRemove ? 0 : what & 3
            let old = watched[socket]
            if wanted == 0 {
                if let old { watched[socket] = Watched(events: old.events, isWanted: false) }
            } else {
                if old?.events != wanted || old?.isWanted == false {
                    withUnsafePointer(to: poller) { ashlar_poller_watch($0, socket, wanted, old == nil ? 0 : 1) }
                }
                watched[socket] = Watched(events: wanted, isWanted: true)
            }
        }

        private func isStray(_ socket: Int32) -> Bool {
            guard let known = watched[socket], !known.isWanted else { return false }
            withUnsafePointer(to: poller) { ashlar_poller_forget($0, socket) }
            watched[socket] = nil
            return true
        }
    }
#endif
