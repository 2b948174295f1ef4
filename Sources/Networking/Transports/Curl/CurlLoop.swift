#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread that performs all transfers of a transport, with libcurl's multi interface.
    ///
    /// Other threads only post commands. Readers are woken at the end of a round, when everything that has arrived for
    /// them is in their pipes.
    final class CurlLoop: @unchecked Sendable {
        // Sendable because `inbox` is locked, and everything else mutable is used only by the loop's thread. libcurl's
        // callbacks need the state in place, so that it can't be the value of a mutex.
        enum Command {
            case start(CurlTransfer)
            case resume(CurlTransfer)
            case cancel(CurlTransfer)
            case stop
        }

        private struct Inbox {
            var commands: [Command] = []
            /// Whether the thread waits, and has to be woken for a command.
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
        let multi: UnsafeMutableRawPointer

        // The rest belongs to the loop's thread.
        var active: [CurlTransfer] = []
        /// The handles that can be used again.
        var spare: [CurlHandle] = []
        /// The handles without a transfer whose names are being resolved; see ``CurlLibrary/waitsForResolver``.
        var abandoned: [CurlHandle] = []
        var origins = CurlOrigins()
        var idle = IdleConnections()
        /// The time of the next check of the transfers' limits.
        var deadlineDue: UInt64?
        /// Whether libcurl has a new handle to perform.
        var hasNewHandle = false
        /// The transfers whose readers are woken at the end of the round.
        private var notified: [CurlTransfer] = []
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
            guard let multi = library.table.pointee.multi_init() else {
                throw NetworkError(.unsupported, "no descriptors left for the transport's loop", phase: .prepare)
            }
            self.multi = multi
            // `CurlOrigins` limits those of a host: in libcurl's own queue, the limits of time would run.
            let total = configuration.connections
            _ = ashlar_multi_long(library.table, multi, CurlMultiOption.maximumTotalConnections, total)
            _ = ashlar_multi_long(library.table, multi, CurlMultiOption.maximumConnects, total)
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

        func post(_ command: Command) {
            let accepted = inbox.withLock { inbox in
                guard !inbox.closed else { return false }
                inbox.commands.append(command)
                // Within the lock, so that it still exists.
                if inbox.sleeping { _ = library.table.pointee.multi_wakeup(multi) }
                inbox.sleeping = false
                return true
            }
            if !accepted, case .start(let transfer) = command {
                transfer.pipe.finish(NetworkError(.cancelled, "the transport is closed", phase: .prepare))
                transfer.pipe.flush()
            }
        }

        /// Ends the thread after the running transfers.
        func stopWhenIdle() { post(.stop) }

        // MARK: The thread

        private func run() {
            while true {
                wait()
                now = Self.clock()
                runCommands()
                if let due = deadlineDue, due <= now { checkDeadlines() }
                perform()
                wakeReaders()
                if stopping, active.isEmpty, origins.waiting == 0, close() { return }
            }
        }

        /// Waits for connections, commands and limits.
        private func wait() {
            let isBusy = inbox.withLock { inbox in
                inbox.sleeping = inbox.commands.isEmpty
                return !inbox.sleeping
            }
            if isBusy { return }
            var milliseconds = Int32.max
            if let due = deadlineDue {
                let now = Self.clock()
                milliseconds = due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000)
            }
            // libcurl waits for its own timers, too.
            _ = library.table.pointee.multi_poll(multi, nil, 0, milliseconds, nil)
        }

        private func runCommands() {
            inbox.withLock { inbox in
                inbox.sleeping = false
                swap(&inbox.commands, &commands)
            }
            for command in commands {
                switch command {
                case .start(let transfer): admit(transfer)
                case .cancel(let transfer): finish(transfer, result: nil)
                case .resume(let transfer):
                    transfer.resume()
                    // libcurl ignores a failure to read the bytes that it delivers again.
                    if transfer.failure != nil { finish(transfer, result: nil) }
                case .stop: stopping = true
                }
            }
            commands.removeAll(keepingCapacity: true)
        }

        /// Sends and receives what is possible without waiting, also for transfers that start meanwhile.
        private func perform() {
            repeat {
                hasNewHandle = false
                var running: Int32 = 0
                _ = library.table.pointee.multi_perform(multi, &running)
                collectFinished()
                startWaiting()
            } while hasNewHandle
        }

        /// Wakes the reader of a transfer at the end of the round.
        func notify(_ transfer: CurlTransfer) {
            guard !transfer.isNotified else { return }
            transfer.isNotified = true
            notified.append(transfer)
        }

        private func wakeReaders() {
            for transfer in notified {
                transfer.isNotified = false
                transfer.pipe.flush()
            }
            notified.removeAll(keepingCapacity: true)
        }

        /// Frees everything unless a new transfer was posted; the thread then ends.
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
        }

        static func clock() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }
#endif
