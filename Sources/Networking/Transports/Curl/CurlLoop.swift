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
        var spare: [CurlHandle] = []
        /// The handles without an exchange whose names are being resolved; see ``CurlLibrary/waitsForResolver``.
        var abandoned: [CurlHandle] = []
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
            // OpenSSL reads the file only for a connection.
            if let roots = configuration.trustRoots,
                (try? WholeFile.read(roots).firstRange(of: "CERTIFICATE-----".utf8)) == nil
            {
                var error = NetworkError(
                    .invalidConfiguration, "the trust roots can't be read or contain no certificate", phase: .prepare)
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
                wakeReaders()
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
            for handle in abandoned { destroy(handle) }
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
