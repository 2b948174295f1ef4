#if os(Linux)
    internal import AshlarCore
    import CAshlarCurl

    /// A connection that libcurl opens for another protocol than HTTP.
    ///
    /// libcurl connects, through proxies and with TLS (`CURLOPT_CONNECT_ONLY`); the upgrade is the module's own. So
    /// WebSockets work with every version of libcurl that the transport supports: `curl_ws_send` needs a library that was
    /// built with it, and doesn't check texts or close codes. It has a thread of its own, which ends with it.
    package final class CurlDuplex: ResponseProducer, UpgradedConnection, @unchecked Sendable {
        // Sendable because other threads reach only the outbox, the window and the pipe, which lock; the rest belongs to the
        // connection's thread.
        private struct Outbox {
            /// Frames that precede all others, each of them whole.
            var urgent: [(bytes: [UInt8], mayDrop: Bool)] = []
            var frames: [(bytes: [UInt8], messageBytes: Int)] = []
            var isDrained = false
            var endsAfterSending = false
            var ended = false
            /// Whether the thread was woken and hasn't looked at the outbox since.
            var isWoken = false
            /// Whether the thread can't be woken any longer.
            var isFinished = false

            var isClosing: Bool { ended || endsAfterSending }
        }

        /// How far sending or receiving has come without waiting.
        private enum Progress {
            case idle
            /// The socket is full.
            case blocked
            /// More can be sent or may have arrived.
            case more
            /// The server has ended the connection as it may.
            case ended
        }

        /// The number of urgent frames that wait and may be dropped; of more, the latest remain.
        private static let mostUrgent = 64
        /// The number of bytes that are taken from the outbox at once, except for longer frames.
        private static let batch = 16 << 10
        /// How long the server's end is awaited after the last frame; data that arrives after the end would make the
        /// system reset the connection, and the server could lose the frame.
        private static let closingTime: UInt64 = 5_000_000_000

        private let transfer: CurlTransfer
        private let library: CurlLibrary
        private let handle: CurlHandle
        /// Opens the connection, and wakes the thread.
        private let multi: UnsafeMutableRawPointer
        private let outbox = Mutex(Outbox())
        private let window = SendWindow()
        private var table: UnsafePointer<ashlar_curl> { library.table }
        var pipe: ResponsePipe { transfer.pipe }

        // The rest belongs to the thread.
        private var sending: [UInt8] = []
        private var sent = 0
        /// The length of the messages in `sending`.
        private var unsentMessages = 0
        private var upgrade = CurlUpgrade()
        private var begun: UInt64 = 0
        private var handshakeDue: UInt64?
        private var closingDue: UInt64?

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            library = loop.library
            transfer = try CurlTransfer(request, loop: loop)
            handle = try CurlHandle(loop, isShared: false)
            guard let multi = library.table.pointee.multi_init() else {
                handle.destroy()
                throw NetworkError(.unsupported, "libcurl can't create a connection", phase: .prepare)
            }
            self.multi = multi
        }

        /// Starts the thread; called once.
        func start() throws(NetworkError) {
            pipe.attach(self)
            let isStarted = HelperThread.start { [self] in
                do throws(NetworkError) {
                    try run()
                    finish(nil)
                } catch {
                    finish(error)
                }
            }
            if isStarted { return }
            finish(nil)
            throw NetworkError(.unsupported, "the system can't create a thread for the connection", phase: .prepare)
        }

        // MARK: Any thread

        func readerWants(more: Bool) {
            if more { change { $0.isDrained = true } } else { end(afterSending: false) }
        }

        /// Returns the next bytes, or nil at the end.
        package func next() async throws(NetworkError) -> [UInt8]? { try await pipe.next() }

        /// Waits until there is room for a message; the caller sends it with `write`.
        package func waitForRoom(_ bytes: Int) async throws(NetworkError) { try await window.add(bytes) }

        /// Sends a frame without waiting, behind earlier ones.
        ///
        /// `messageBytes` is the number of bytes for which `waitForRoom` was called.
        package func write(_ frame: [UInt8], messageBytes: Int = 0) {
            change { if !$0.isClosing { $0.frames.append((frame, messageBytes)) } }
        }

        /// Sends a frame without waiting, before those that wait; of many frames that may be dropped, the latest are sent.
        package func writeFirst(_ frame: [UInt8], mayDrop: Bool) {
            change { outbox in
                guard !outbox.isClosing else { return }
                if mayDrop, outbox.urgent.count(where: \.mayDrop) == Self.mostUrgent {
                    outbox.urgent.firstIndex(where: \.mayDrop).map { _ = outbox.urgent.remove(at: $0) }
                }
                outbox.urgent.append((frame, mayDrop))
            }
        }

        package func end(afterSending: Bool) {
            window.close()
            change { if afterSending { $0.endsAfterSending = true } else { $0.ended = true } }
        }

        private func change(_ body: (inout Outbox) -> Void) {
            outbox.withLock { outbox in
                body(&outbox)
                guard !outbox.isWoken, !outbox.isFinished else { return }
                outbox.isWoken = true
                _ = table.pointee.multi_wakeup(multi)  // within the lock, so that it still exists
            }
        }

        // MARK: The thread

        /// Connects, and sends and receives until the connection ends.
        private func run() throws(NetworkError) {
            prepare()
            guard table.pointee.multi_add_handle(multi, handle.easy) == 0 else {
                throw NetworkError(.unsupported, "libcurl refuses the request", phase: .prepare)
            }
            guard let result = connect() else { return }
            let socket = try connected(result)
            while !takesEnd() {
                let isClosing = outbox.withLock { $0.endsAfterSending }
                if isClosing { closingDue = closingDue ?? CurlLoop.clock() + Self.closingTime }
                let wasOpen = upgrade.isOpen
                let sends = try send()
                let receives = try receive(discarding: isClosing)
                if receives == .ended { return }
                pipe.flush()
                if let due, CurlLoop.clock() >= due {
                    if isClosing { return }
                    throw NetworkError(.timedOut, "no response to the upgrade", phase: .wait)
                }
                // What was written before the response can be sent now.
                if sends == .more || receives == .more || upgrade.isOpen != wasOpen { continue }
                var events = upgrade.isPaused && !isClosing ? 0 : CurlValue.waitToRead
                if sends == .blocked { events |= CurlValue.waitToWrite }
                wait(for: socket, events)
            }
        }

        private func prepare() {
            begun = CurlLoop.clock()
            transfer.connect(on: handle)
            let options = transfer.request.options
            let limit = min(options.connectLimit, options.totalTimeout ?? options.connectLimit)
            let milliseconds = Int(min(max(limit.seconds * 1000, 1), 1e9))
            _ = ashlar_easy_long(table, handle.easy, CurlOption.connectTimeout, milliseconds)
        }

        /// Returns libcurl's result when it has connected or failed, or nil if the reader has cancelled.
        private func connect() -> Int32? {
            while !takesEnd() {
                var count: Int32 = 0
                _ = table.pointee.multi_perform(multi, &count)
                while let raw = table.pointee.multi_info_read(multi, &count) {
                    let message = raw.assumingMemoryBound(to: ashlar_curl_message.self).pointee
                    if message.message == CurlValue.messageDone { return message.data.result }
                }
                // libcurl waits for its own sockets and timers, too.
                _ = table.pointee.multi_poll(multi, nil, 0, .max, nil)
            }
            return nil
        }

        /// Begins a look at the outbox; returns whether the connection must end.
        private func takesEnd() -> Bool {
            outbox.withLock { outbox in
                outbox.isWoken = false
                return outbox.ended
            }
        }

        /// Waits for events of the socket, a change of the outbox, or the time at which the connection ends.
        private func wait(for socket: Int32, _ events: Int16) {
            var milliseconds = Int32.max
            if let due {
                let now = CurlLoop.clock()
                milliseconds = due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000)
            }
            // Without events, not even the end of the connection is reported.
            var waited = ashlar_curl_wait(descriptor: socket, events: events, ready: 0)
            _ = table.pointee.multi_poll(multi, &waited, events == 0 ? 0 : 1, milliseconds, nil)
        }

        /// Continues after libcurl has connected or failed; returns the descriptor.
        private func connected(_ result: Int32) throws(NetworkError) -> Int32 {
            if result != 0 {
                var error = transfer.failure ?? CurlFailure.error(result, of: transfer)
                error.requestState = error.requestState ?? .notSent
                throw error
            }
            let socket = ashlar_easy_info_socket(table, handle.easy, CurlInfo.activeSocket)
            guard socket >= 0 else { throw lost("libcurl has no connection") }
            sending = CurlUpgrade.request(transfer.request)
            let idleDue = transfer.idleLimit.map { CurlLoop.clock() &+ $0 }
            handshakeDue = [idleDue, transfer.totalLimit.map { begun &+ $0 }].compactMap { $0 }.min()
            return socket
        }

        /// The time at which the connection ends if nothing happens.
        private var due: UInt64? { closingDue ?? (upgrade.isOpen ? nil : handshakeDue) }

        /// Ends the connection for its reader, and closes it.
        private func finish(_ failure: NetworkError?) {
            outbox.withLock { outbox in
                outbox.ended = true
                outbox.isFinished = true
            }
            window.close()
            pipe.finish(failure)
            pipe.flush()
            transfer.disconnect()
            // Before libcurl 7.87, this waits until the system has resolved the name.
            _ = table.pointee.multi_remove_handle(multi, handle.easy)
            handle.destroy()
            _ = table.pointee.multi_cleanup(multi)
        }

        /// Sends waiting bytes until the socket is full, up to a limit.
        private func send() throws(NetworkError) -> Progress {
            for _ in 0..<16 {
                if sent == sending.count, !takeOutbox() { return .idle }
                var count = 0
                let code = sending.withUnsafeBytes { bytes in
                    table.pointee.easy_send(handle.easy, bytes.baseAddress! + sent, bytes.count - sent, &count)
                }
                if code == CurlValue.again { return .blocked }
                guard code == 0 else { throw lost(code) }
                sent += count
            }
            return .more
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
                for frame in outbox.urgent { sending += frame.bytes }
                outbox.urgent = []
                var count = 0
                for frame in outbox.frames where sending.count < Self.batch {
                    sending += frame.bytes
                    unsentMessages += frame.messageBytes
                    count += 1
                }
                outbox.frames.removeFirst(count)
            }
            return !sending.isEmpty
        }

        /// Receives what has arrived, up to a limit.
        private func receive(discarding: Bool) throws(NetworkError) -> Progress {
            let isDrained = outbox.withLock { outbox in
                defer { outbox.isDrained = false }
                return outbox.isDrained
            }
            if isDrained { upgrade.resume(pipe) }
            for _ in 0..<16 {
                guard !upgrade.isPaused || discarding else { return .idle }
                var count = 0
                var code: Int32 = 0
                let piece = [UInt8](unsafeUninitializedCapacity: 16 << 10) { space, used in
                    code = table.pointee.easy_recv(handle.easy, space.baseAddress, space.count, &count)
                    used = code == 0 ? count : 0
                }
                if code == CurlValue.again { return .idle }
                guard code == 0 else { throw lost(code) }
                if count == 0 {
                    if !discarding, let error = upgrade.atEnd() { throw error }
                    return .ended
                }
                if !discarding, try upgrade.receive(piece, &handle.head, pipe) { return .ended }
            }
            return .more
        }

        private func lost(_ code: Int32) -> NetworkError {
            // With TLS 1.3, a server rejects a client certificate after the handshake.
            if !upgrade.isAnswered, CurlFailure.isAlert(code, of: transfer) {
                var error = CurlFailure.error(code, of: transfer)
                error.requestState = .sent
                return error
            }
            return lost(transfer.strerror(code) ?? "the connection failed")
        }

        private func lost(_ message: String) -> NetworkError {
            var error = NetworkError(.connectionLost, message, phase: upgrade.isOpen ? .receive : .wait)
            error.requestState = .sent
            return error
        }
    }
#endif
