#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread that performs all exchanges of a transport, with libcurl's multi interface and epoll.
    ///
    /// Other threads only post commands. Readers are woken at the end of a round, when everything that has arrived for
    /// them is in their pipes.
    final class CurlLoop: @unchecked Sendable {
        // Sendable because `inbox` is locked, and everything else mutable is used only by the loop's thread. libcurl's
        // callbacks need the state in place, so that it can't be the value of a mutex.
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
        let pins: HostSettings<String>
        let certificates: HostSettings<ClientCertificate>
        /// The addresses to connect to instead of those of a name, with brackets around those of IPv6.
        let addresses: HostSettings<String>
        /// The proxies, or nil if none are used.
        let proxies: ProxyRules?
        /// The seconds for which libcurl stores an unused connection; 0 would be no limit.
        let connectionAge: Int
        private let inbox = Mutex(Inbox())
        let poller: ashlar_poller
        let multi: UnsafeMutableRawPointer

        // The rest belongs to the loop's thread.
        var active: [CurlExchange] = []
        /// The handles that can be used again.
        private var spare: [CurlHandle] = []
        /// The lanes in use, as bits; see ``CurlHandle/lane``.
        private var lanes: UInt32 = 0
        var origins = CurlOrigins()
        var sockets = CurlSockets()
        var timerDue: UInt64?
        var deadlineDue: UInt64?
        private let ready = UnsafeMutableBufferPointer<ashlar_ready>.allocate(capacity: 64)
        /// The exchanges whose readers are woken at the end of the round.
        private var notified: [CurlExchange] = []
        private var commands: [Command] = []
        private var stopping = false
        /// The time of the current round, in nanoseconds of the monotonic clock.
        private(set) var now: UInt64 = 0

        init(_ library: CurlLibrary, _ configuration: TransportConfiguration) throws(NetworkError) {
            self.library = library
            self.configuration = configuration
            if let roots = configuration.trustRoots, access(roots, R_OK) != 0 || FileStatus(roots)?.kind != .regular {
                var error = NetworkError(.invalidConfiguration, "the trust roots can't be read", phase: .prepare)
                error.key = "trustRoots"
                error.file = roots
                throw error
            }
            pins = try HostSettings(pins: configuration.pinnedKeys)
            certificates = try ClientCertificate.table(configuration.clientCertificates)
            addresses = try Self.addresses(configuration.addresses)
            proxies = try Self.proxies(library, configuration)
            connectionAge = Int(min(max(configuration.connectionIdleTime.seconds.rounded(.up), 1), 1e9))
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
                spare = [try CurlHandle(self)]
            } catch {
                free()
                throw error
            }
            guard HelperThread.start({ [self] in run() }) else {
                free()
                throw NetworkError(.unsupported, "the system can't create a thread for the transport", phase: .prepare)
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

        private static func addresses(
            _ configured: [String: String]
        ) throws(NetworkError) -> HostSettings<String> {
            let setting = "addresses"
            for (host, address) in configured {
                var parsed = in6_addr()
                if inet_pton(AF_INET, address, &parsed) != 1, inet_pton(AF_INET6, address, &parsed) != 1 {
                    throw HostSettings<String>.invalid(
                        "expected an IP address for \(host), found \(address.debugDescription)", host, setting)
                }
            }
            return try HostSettings(configured.mapValues { $0.contains(":") ? "[\($0)]" : $0 }, setting)
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

        private func run() {
            while true {
                deliver(waitForEvents())
                takeCommands()
                runCommands()
                runTimers()
                collectFinished()
                startWaiting()
                sockets.sendHeld()
                wakeReaders()
                if stopping, active.isEmpty, origins.waiting == 0, close() { return }
            }
        }

        private func deliver(_ count: Int) {
            now = Self.clock()
            for event in ready[..<count] where isForLibrary(event.descriptor) {
                var running: Int32 = 0
                // libcurl 7.88 stores the events for the connection, and the request that runs next takes them as its
                // own: a new one would only receive, and its body would wait for the next round. Without events, each
                // request asks the system.
                let events = sockets[event.descriptor].mayMultiplex ? 0 : event.mask
                _ = library.table.pointee.multi_socket_action(multi, event.descriptor, events, &running)
                collectFinished()
            }
        }

        private func takeCommands() {
            inbox.withLock { inbox in
                inbox.sleeping = false
                swap(&inbox.commands, &commands)
            }
        }

        /// Waits for sockets, commands and timers.
        private func waitForEvents() -> Int {
            let isBusy = inbox.withLock { inbox in
                inbox.sleeping = inbox.commands.isEmpty
                return !inbox.sleeping
            }
            if isBusy { return poll(0) }
            let due = min(timerDue ?? .max, deadlineDue ?? .max)
            guard due < .max else { return poll(-1) }
            let now = Self.clock()
            return poll(due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000))
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
                case .resumeReceiving(let exchange):
                    exchange.resumeReceiving()
                    // libcurl ignores a failure to read the bytes that it delivers again.
                    if exchange.failure != nil { finish(exchange, result: nil) }
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

        /// Wakes the reader of an exchange at the end of the round.
        func notify(_ exchange: CurlExchange) {
            guard !exchange.isNotified else { return }
            exchange.isNotified = true
            notified.append(exchange)
        }

        private func wakeReaders() {
            for exchange in notified {
                exchange.isNotified = false
                exchange.flush()
            }
            notified.removeAll(keepingCapacity: true)
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
            for handle in spare { handle.destroy() }
            _ = library.table.pointee.multi_cleanup(multi)
            ashlar_poller_close(poller)
        }

        static func clock() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }

        // MARK: Exchanges

        /// Starts an exchange, or queues it until a connection is free.
        private func admit(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else { return exchange.end(result: nil) }
            exchange.submitted = now
            if origins.admit(exchange, configuration) { start(exchange) } else { watchDeadline(of: exchange) }
        }

        /// Starts an exchange that was admitted.
        private func start(_ exchange: CurlExchange) {
            guard exchange.pipe.isOpen else {
                exchange.end(result: nil)
                origins.leave(exchange)
                return
            }
            do throws(NetworkError) {
                let handle = try takeHandle(for: exchange)
                exchange.place = active.count
                active.append(exchange)
                begin(exchange, on: handle)
            } catch {
                exchange.fail(error)
                exchange.end(result: nil)
                origins.leave(exchange)
                notify(exchange)
            }
        }

        private static let mostSpare = 64

        private func takeHandle(for exchange: CurlExchange) throws(NetworkError) -> CurlHandle {
            let allowsHTTP2 = CurlHandle.allowsHTTP2(exchange)
            if !allowsHTTP2, let handle = spare.popLast() { return handle }
            let lane = allowsHTTP2 ? freeLane(for: exchange) : 0
            let handle = try CurlHandle(self, allowsHTTP2: allowsHTTP2, lane: lane)
            if lane > 0 { lanes |= 1 << UInt32(lane) }
            return handle
        }

        /// Returns a lane for a request; half of the connections of a host are left to the lane of most requests.
        private func freeLane(for exchange: CurlExchange) -> Int {
            guard library.discardsEarlyResponses, exchange.hasLongBody else { return 0 }
            let last = min(configuration.connectionsPerHost / 2, CurlHandle.lanes - 1)
            return (0...max(last, 0)).first { $0 > 0 && lanes & 1 << UInt32($0) == 0 } ?? 0
        }

        private func begin(_ exchange: CurlExchange, on handle: CurlHandle) {
            exchange.begin(on: handle)
            watchDeadline(of: exchange)
            let code = library.table.pointee.multi_add_handle(multi, handle.easy)
            guard code != 0 else { return }
            exchange.fail(NetworkError(.unsupported, "libcurl refuses the request (\(code))", phase: .prepare))
            finish(exchange, result: nil)
        }

        /// Ends an exchange with libcurl's result; without a result, it is first removed from libcurl.
        private func finish(_ exchange: CurlExchange, result: Int32?) {
            guard let place = exchange.place, let handle = exchange.handle else { return }
            if let result, exchange.restarts(after: result), restart(exchange, handle) { return }
            releaseConnection(of: exchange, result: result)
            exchange.place = nil
            let last = active.removeLast()
            if last !== exchange {
                active[place] = last
                last.place = place
            }
            if handle.lane > 0 { lanes &= ~(1 << UInt32(handle.lane)) }
            let isUsable = result == 0 && !handle.allowsHTTP2 && exchange.leavesHandleUsable
            exchange.end(result: result)
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            if isUsable, spare.count < Self.mostSpare {
                handle.clear()
                spare.append(handle)
            } else {
                handle.destroy()
            }
            notify(exchange)
            origins.leave(exchange)
        }

        /// Sends the request of a failed exchange again; returns false if libcurl can't create a handle.
        private func restart(_ exchange: CurlExchange, _ handle: CurlHandle) -> Bool {
            guard let new = try? CurlHandle(self, allowsHTTP2: handle.allowsHTTP2, lane: handle.lane) else {
                return false
            }
            _ = library.table.pointee.multi_remove_handle(multi, handle.easy)
            handle.destroy()
            begin(exchange, on: new)
            return true
        }

        /// Starts queued exchanges for which a connection has become free.
        private func startWaiting() {
            while origins.waiting > 0, let next = origins.next(configuration) { start(next) }
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

        // MARK: Deadlines

        /// Schedules a check for an exchange's deadline.
        func watchDeadline(of exchange: CurlExchange) {
            if let deadline = exchange.deadline { deadlineDue = min(deadlineDue ?? deadline, deadline) }
        }

        private func checkDeadlines() {
            for exchange in active + origins.queued {
                if exchange.isStalled(at: now) {
                    finish(exchange, result: 0)
                } else if let handle = exchange.handle, exchange.leavesQueue(at: now) {
                    _ = restart(exchange, handle)
                } else if let deadline = exchange.deadline, deadline <= now, let error = exchange.overdue(at: now) {
                    exchange.fail(error)
                    if exchange.place == nil { giveUp(exchange) } else { finish(exchange, result: nil) }
                } else {
                    watchDeadline(of: exchange)
                }
            }
        }

        /// Ends a queued exchange; it remains in the queue until it is its front.
        private func giveUp(_ exchange: CurlExchange) {
            exchange.end(result: nil)
            notify(exchange)
        }
    }
#endif
