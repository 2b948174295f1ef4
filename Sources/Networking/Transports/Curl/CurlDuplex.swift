#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    /// A connection that libcurl opens for another protocol than HTTP, and the thread that sends and receives its bytes.
    ///
    /// libcurl connects, through proxies and with TLS (`CURLOPT_CONNECT_ONLY`); the upgrade is the module's own. So
    /// WebSockets work with every version of libcurl that the transport supports: `curl_ws_send` needs a library that was
    /// built with it, and doesn't check texts or close codes. The connection has a thread because libcurl would close it
    /// among the idle connections that a loop shares.
    package final class CurlDuplex: ResponseProducer, UpgradedConnection, @unchecked Sendable {
        // Sendable because other threads reach only the outbox and the pipe, which lock, and the poller's wake-up; the rest
        // belongs to the thread.
        private struct Outbox {
            var bytes: [UInt8] = []
            /// Bytes that a later write replaces.
            var latest: [UInt8] = []
            /// The length of the messages in `bytes`.
            var messageBytes = 0
            var isDrained = false
            var endsAfterSending = false
            var ended = false

            var isClosing: Bool { ended || endsAfterSending }
        }

        private let exchange: CurlExchange
        private let handle: CurlHandle
        private let poller: ashlar_poller
        private let outbox = Mutex(Outbox())
        private let window = SendWindow()
        private var table: UnsafePointer<ashlar_curl> { exchange.table }
        var pipe: ResponsePipe { exchange.pipe }

        // The rest belongs to the thread.
        private var sending: [UInt8] = []
        private var sent = 0
        /// The length of the messages in `sending`.
        private var unsentMessages = 0
        private var watched: Int32 = 0
        private var upgrade: CurlUpgrade

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            exchange = try CurlExchange(request, loop: loop)
            upgrade = CurlUpgrade(request.options.limits)
            handle = try CurlHandle(loop, isShared: false)
            var poller = ashlar_poller()
            let opened = ashlar_poller_open(&poller) == 0
            self.poller = poller
            guard opened else {
                handle.destroy()
                throw NetworkError(.unsupported, "no descriptors left for the connection", phase: .prepare)
            }
        }

        // Callers wake the thread through the poller, also after its end.
        deinit { ashlar_poller_close(poller) }

        func start() throws(NetworkError) {
            pipe.attach(self)
            guard HelperThread.start({ [self] in run() }) else {
                handle.destroy()
                pipe.finish()  // releases this object
                throw NetworkError(.unsupported, "the system can't create a thread for the connection", phase: .prepare)
            }
        }

        // MARK: Any thread

        func readerCancelled() { end(afterSending: false) }

        func readerDrained() {
            outbox.withLock { $0.isDrained = true }
            ashlar_poller_wake(poller)
        }

        /// Returns the next bytes, or nil at the end.
        package func next() async throws(NetworkError) -> [UInt8]? { try await pipe.next() }

        /// Sends bytes; waits while many are unsent.
        package func write(_ bytes: [UInt8]) async throws(NetworkError) {
            try await window.add(bytes.count)
            outbox.withLock { outbox in
                guard !outbox.isClosing else { return }
                outbox.bytes += bytes
                outbox.messageBytes += bytes.count
            }
            ashlar_poller_wake(poller)
        }

        /// Sends bytes without waiting.
        package func writeNow(_ bytes: [UInt8]) {
            outbox.withLock { if !$0.isClosing { $0.bytes += bytes } }
            ashlar_poller_wake(poller)
        }

        /// Sends bytes without waiting, in place of unsent ones of an earlier call.
        package func writeLatest(_ bytes: [UInt8]) {
            outbox.withLock { $0.latest = bytes }
            ashlar_poller_wake(poller)
        }

        package func end(afterSending: Bool) {
            outbox.withLock { outbox in
                if afterSending { outbox.endsAfterSending = true } else { outbox.ended = true }
            }
            window.close()
            ashlar_poller_wake(poller)
        }

        // MARK: The thread

        private func run() {
            let failure = connect() ?? converse()
            end(afterSending: false)
            pipe.finish(failure)
            pipe.flush()
            exchange.disconnect()
            handle.destroy()  // closes the connection
        }

        private func connect() -> NetworkError? {
            exchange.connect(on: handle)
            let options = exchange.request.options
            let limit = [options.connectTimeout, options.totalTimeout].compactMap { $0 }.min()
            let milliseconds = limit.map { Int(min(max($0.seconds * 1000, 1), 1e9)) } ?? Int(Int32.max)
            _ = ashlar_easy_long(table, handle.easy, CurlOption.connectTimeout, milliseconds)
            stopConnectingAtEnd()
            let code = table.pointee.easy_perform(handle.easy)
            guard code != 0 else { return nil }
            var error = exchange.failure ?? CurlFailure.error(code, of: exchange, hasHead: false)
            error.requestState = error.requestState ?? .notSent
            return error
        }

        /// Makes libcurl stop if the reader cancels.
        ///
        /// libcurl 7.88.1 asks at least once per second; 8.23.0 doesn't ask while it connects.
        private func stopConnectingAtEnd() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = ashlar_easy_long(table, handle.easy, CurlOption.noProgress, 0)
            _ = ashlar_easy_pointer(table, handle.easy, CurlOption.progressData, context)
            _ = ashlar_easy_progress(table, handle.easy, CurlOption.progressFunction) { context, _, _, _, _ in
                guard let context else { return 0 }
                let duplex = Unmanaged<CurlDuplex>.fromOpaque(context).takeUnretainedValue()
                return duplex.outbox.withLock(\.ended) ? 1 : 0
            }
        }

        /// How long the thread waits for the server's end after the last frame; data that arrives after the end would make
        /// the system reset the connection, and the server could lose the frame.
        private static let closingTime: UInt64 = 5_000_000_000

        private func converse() -> NetworkError? {
            let socket = ashlar_easy_info_socket(table, handle.easy, CurlInfo.activeSocket)
            guard socket >= 0 else { return lost("libcurl has no connection") }
            sending = CurlUpgrade.request(exchange.request)
            let options = exchange.request.options
            let limit = [options.idleTimeout, options.totalTimeout].compactMap { $0 }.min()
            let deadline = limit.map { CurlLoop.clock() + UInt64(min(max($0.seconds, 0), 1e9) * 1e9) }
            var ready = ashlar_ready()
            var closingDeadline: UInt64?
            while true {
                let (ended, isClosing) = outbox.withLock { ($0.ended, $0.endsAfterSending) }
                if ended { return nil }
                if isClosing { closingDeadline = closingDeadline ?? CurlLoop.clock() + Self.closingTime }
                let (isBlocked, sendFailure) = send()
                if let sendFailure { return sendFailure }
                let (received, hasMore) = receive(discarding: isClosing)
                pipe.flush()
                if case .ended(let error) = received { return error }
                var timeout: Int32 = hasMore ? 0 : -1
                if let due = closingDeadline ?? (upgrade.isOpen ? nil : deadline) {
                    let now = CurlLoop.clock()
                    guard now < due else {
                        return isClosing ? nil : NetworkError(.timedOut, "no response to the upgrade", phase: .wait)
                    }
                    if !hasMore { timeout = Int32(clamping: (due - now + 999_999) / 1_000_000) }
                }
                watch(socket, (upgrade.isPaused && !isClosing ? 0 : 1) | (isBlocked ? 2 : 0))
                _ = ashlar_poller_wait(poller, &ready, 1, timeout)
            }
        }

        /// Watches the socket; without events, not even its end is reported.
        private func watch(_ socket: Int32, _ events: Int32) {
            guard events != watched else { return }
            if events == 0 {
                ashlar_poller_forget(poller, socket)
            } else {
                ashlar_poller_watch(poller, socket, events, watched == 0 ? 0 : 1)
            }
            watched = events
        }

        /// Sends waiting bytes until the socket is full; returns whether it is, or the failure.
        private func send() -> (isBlocked: Bool, failure: NetworkError?) {
            while true {
                if sent == sending.count, !takeOutbox() { return (false, nil) }
                var count = 0
                let code = sending.withUnsafeBytes { bytes in
                    table.pointee.easy_send(handle.easy, bytes.baseAddress! + sent, bytes.count - sent, &count)
                }
                if code == CurlValue.again { return (true, nil) }
                guard code == 0 else { return (false, lost(exchange.strerror(code) ?? "sending failed")) }
                sent += count
            }
        }

        /// Takes the next bytes to send, after the previous ones were sent; returns whether there are any.
        private func takeOutbox() -> Bool {
            if unsentMessages > 0 { window.remove(unsentMessages) }
            sending = []
            sent = 0
            unsentMessages = 0
            // Nothing of another protocol may precede the server's response.
            guard upgrade.isOpen else { return false }
            outbox.withLock { outbox in
                sending = outbox.bytes + outbox.latest
                unsentMessages = outbox.messageBytes
                outbox.bytes = []
                outbox.latest = []
                outbox.messageBytes = 0
            }
            return !sending.isEmpty
        }

        private enum Received {
            case something
            case ended(NetworkError?)
        }

        /// Receives what has arrived, up to a limit; returns whether more may have arrived.
        private func receive(discarding: Bool) -> (Received, hasMore: Bool) {
            let isDrained = outbox.withLock { outbox in
                defer { outbox.isDrained = false }
                return outbox.isDrained
            }
            if isDrained { upgrade.resume(pipe) }
            for _ in 0..<16 {
                guard !upgrade.isPaused || discarding else { return (.something, false) }
                var count = 0
                var code: Int32 = 0
                let piece = [UInt8](unsafeUninitializedCapacity: 16 << 10) { space, used in
                    code = table.pointee.easy_recv(handle.easy, space.baseAddress, space.count, &count)
                    used = code == 0 ? count : 0
                }
                if code == CurlValue.again { return (.something, false) }
                guard code == 0 else { return (.ended(lost(exchange.strerror(code) ?? "receiving failed")), false) }
                guard count > 0 else { return (.ended(discarding ? nil : upgrade.atEnd()), false) }
                if discarding { continue }
                do throws(NetworkError) {
                    if try upgrade.receive(piece, handle.head, pipe) { return (.ended(nil), false) }
                } catch {
                    return (.ended(error), false)
                }
            }
            return (.something, true)
        }

        private func lost(_ message: String) -> NetworkError {
            var error = NetworkError(.connectionLost, message, phase: upgrade.isOpen ? .receive : .wait)
            error.requestState = .sent
            return error
        }
    }
#endif
