#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl
    import struct Synchronization.Atomic

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread that performs all exchanges of a transport, with libcurl's multi interface and epoll.
    ///
    /// Other threads only post commands. Readers are woken at the end of a round, when everything that has arrived for
    /// them is in their pipes. At high rates their code resumes on the loop's thread, which saves a thread switch (see
    /// `CurlPace`). If such code blocks, another thread drives the loop (see `StallWatch`).
    final class CurlLoop: @unchecked Sendable {
        // Sendable because `inbox` is locked, and everything else mutable is used only by the thread that drives the
        // loop; `turn` hands it from one thread to the next.
        enum Command {
            case start(CurlExchange)
            case cancel(CurlExchange)
            case resumeReceiving(CurlExchange)
            case resumeSending(CurlExchange)
            case stop
        }

        private struct Inbox {
            var commands: [Command] = []
            var sleeping = false
            var closed = false
        }

        let library: CurlLibrary
        let configuration: TransportConfiguration
        let pins: PinnedKeys
        let certificates: HostSettings<ClientCertificate>
        /// The proxies, or nil if none are used.
        let proxies: ProxyRules?
        private let inbox = Mutex(Inbox())
        let poller: ashlar_poller
        let multi: UnsafeMutableRawPointer

        /// Twice the number of jobs; odd while one runs, and the thread that makes it even again drives the loop.
        let turn = Atomic<UInt64>(0)
        /// Whether the stall watch checks this loop.
        let isWatched = Atomic<Bool>(false)

        // The rest belongs to the thread that drives the loop.
        var active: [CurlExchange] = []
        var pool: [CurlHandle] = []
        var origins = CurlOrigins()
        var sockets = CurlSockets()
        var timerDue: UInt64?
        var deadlineDue: UInt64?
        private let ready = UnsafeMutableBufferPointer<ashlar_ready>.allocate(capacity: 64)
        var news: [CurlExchange] = []
        private var commands: [Command] = []
        var jobs: [UnownedJob] = []
        var nextJob = 0
        private var stopping = false
        var pace = CurlPace()
        /// The time of the current round, in nanoseconds of the monotonic clock.
        private(set) var now: UInt64 = 0

        init(_ library: CurlLibrary, _ configuration: TransportConfiguration) throws(NetworkError) {
            self.library = library
            self.configuration = configuration
            pins = try PinnedKeys(configuration.pinnedKeys)
            certificates = try ClientCertificate.table(configuration.clientCertificates)
            proxies = try Self.proxies(library, configuration)
            var poller = ashlar_poller()
            let opened = ashlar_poller_open(&poller) == 0
            guard opened, let multi = library.table.pointee.multi_init() else {
                if opened { ashlar_poller_close(poller) }
                throw NetworkError(.unsupported, "no descriptors left for the transport's loop", phase: .prepare)
            }
            self.poller = poller
            self.multi = multi
            configureMulti()
            do throws(NetworkError) {
                // Reports settings that TLS can't honor now, not at the first request.
                pool.append(try CurlHandle(self))
            } catch {
                free()
                throw error
            }
            guard HelperThread.start({ [self] in run() }) else {
                free()
                throw NetworkError(.unsupported, "the system cannot create a thread for the transport", phase: .prepare)
            }
        }

        deinit { ready.deallocate() }

        private static func proxies(
            _ library: CurlLibrary, _ configuration: TransportConfiguration
        ) throws(NetworkError) -> ProxyRules? {
            if let proxy = configuration.proxy {
                if proxy.isSecure, !library.supportsSecureProxies {
                    throw CurlHandle.unsupported("proxy", "https proxies")
                }
                return ProxyRules(proxy)
            }
            guard configuration.usesEnvironmentProxies else { return nil }
            let values = ProxyRules.variables.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
            return ProxyRules(environment: Dictionary(values) { first, _ in first })
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
            if wakes { ashlar_poller_wake(poller) }
            if !accepted, case .start(let exchange) = command {
                exchange.pipe.finish(NetworkError(.cancelled, "the transport is closed", phase: .prepare))
                exchange.pipe.flush()
            }
            return accepted
        }

        /// Ends the thread after the running exchanges.
        func stopWhenIdle() { post(.stop) }

        // MARK: The thread

        func run() {
            // A thread that takes over finds jobs that the previous one didn't reach.
            guard runJobs() else { return }
            while true {
                deliver(waitForEvents())
                // Performs commands that jobs post before the next wait, but only a limited number of times.
                for _ in 0..<16 {
                    takeCommands()
                    runCommands()
                    runTimers()
                    collectFinished()
                    startWaiting()
                    wakeReaders()
                    guard runJobs() else { return }
                    guard hasWork() else { break }
                    now = Self.clock()
                }
                if stopping, active.isEmpty, origins.waiting == 0, close() { return }
            }
        }

        private func deliver(_ count: Int) {
            now = Self.clock()
            for event in ready[..<count] where isForLibrary(event.descriptor) {
                var running: Int32 = 0
                _ = library.table.pointee.multi_socket_action(multi, event.descriptor, event.mask, &running)
                collectFinished()
            }
        }

        private func takeCommands() {
            inbox.withLock { inbox in
                inbox.sleeping = false
                swap(&inbox.commands, &commands)
            }
        }

        private func hasWork() -> Bool {
            if let timerDue, timerDue <= now { return true }
            return inbox.withLock { !$0.commands.isEmpty }
        }

        /// Waits for sockets, commands and timers: first by polling if that is promising, then asleep.
        private func waitForEvents() -> Int {
            if pace.spins(active.count) {
                let end = Self.clock() + CurlPace.spinTime
                repeat {
                    let count = poll(0)
                    if count > 0 { return count }
                    if hasWork() { return 0 }
                } while Self.clock() < end
                pace.spunInVain()
            }
            let isBusy = inbox.withLock { inbox in
                inbox.sleeping = inbox.commands.isEmpty
                return !inbox.sleeping
            }
            if isBusy { return poll(0) }
            let start = Self.clock()
            var timeout: Int32 = -1
            let due = min(timerDue ?? .max, deadlineDue ?? .max)
            if due < .max {
                timeout = due <= start ? 0 : Int32(clamping: (due - start + 999_999) / 1_000_000)
            }
            let count = poll(timeout)
            pace.slept(Self.clock() - start, active.count)
            return count
        }

        private func poll(_ milliseconds: Int32) -> Int {
            Int(ashlar_poller_wait(poller, ready.baseAddress, Int32(ready.count), milliseconds))
        }

        private func runCommands() {
            // A connection that became readable while idle must not be reused. So the connections are checked after a
            // request has arrived, before libcurl selects one.
            if commands.contains(where: { if case .start = $0 { true } else { false } }) { deliver(poll(0)) }
            for command in commands {
                switch command {
                case .start(let exchange): admit(exchange)
                case .cancel(let exchange): finish(exchange, result: nil)
                case .resumeReceiving(let exchange): exchange.resumeReceiving()
                case .resumeSending(let exchange): exchange.resumeSending()
                case .stop: stopping = true
                }
            }
            commands.removeAll(keepingCapacity: true)
        }

        private func runTimers() {
            // A callback may request another call immediately; more than a few rounds would starve the sockets.
            for _ in 0..<8 {
                guard let due = timerDue, due <= now else { break }
                timerDue = nil
                var running: Int32 = 0
                _ = library.table.pointee.multi_socket_action(multi, CurlValue.socketTimeout, 0, &running)
                collectFinished()
            }
            guard let due = deadlineDue, due <= now else { return }
            deadlineDue = nil
            checkDeadlines()
        }

        /// Records that an exchange has something for its reader.
        func hasNews(_ exchange: CurlExchange) {
            guard !exchange.isListed else { return }
            exchange.isListed = true
            news.append(exchange)
        }

        /// Frees everything unless a new exchange was posted; the thread then ends.
        private func close() -> Bool {
            let closed = inbox.withLock { inbox in
                inbox.closed = inbox.commands.isEmpty
                return inbox.closed
            }
            if closed { free() }
            return closed
        }

        private func free() {
            for handle in pool { handle.destroy() }
            pool = []
            _ = library.table.pointee.multi_cleanup(multi)
            ashlar_poller_close(poller)
        }

        static func clock() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }
#endif
