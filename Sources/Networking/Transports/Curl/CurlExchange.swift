#if os(Linux)
    import CAshlarCurl

    /// One request on its way through libcurl, from the loop's side.
    ///
    /// `post`ing is all that other threads do with it; the rest belongs to the loop's thread.
    final class CurlExchange: TransferProducer, @unchecked Sendable {
        // Sendable because other threads reach only `let`s, the pipe and the upload, which lock, and the loop's inbox.
        let request: NetworkRequest
        let pipe = TransferPipe()
        let bodyKind: CurlHandle.Kind
        let uploadLength: Int?
        let loop: CurlLoop
        var table: UnsafePointer<ashlar_curl> { loop.library.table }
        private let upload: CurlUpload?

        /// Whether the task that sends prefers the loop's own executor, which saves it a turn when it goes on.
        let readerIsOwn: Bool
        private(set) var handle: CurlHandle?
        /// Its index among the loop's active exchanges, or nil while it is none of them.
        var place: Int?
        /// Whose connections it uses, from when it is admitted until it ends.
        var origin: CurlOrigins.Origin?
        /// Whether the loop has noted it for its reader.
        var isListed = false
        private var received = 0
        private var raw = 0
        private var decoder: ContentDecoder?
        private var failure: NetworkError?
        private let idleLimit: UInt64?
        private let connectLimit: UInt64?
        private let totalLimit: UInt64?
        private let limits: ResponseLimits
        private let progress: (@Sendable (TransferProgress) -> Void)?
        private let inflates: Bool
        /// Whether compression is asked for; a request that names its own codings gets the body as it comes.
        let asksForCompression: Bool
        /// When it came to the loop; its total time counts from here.
        var submitted: UInt64 = 0
        private var started: UInt64 = 0
        private var lastActivity: UInt64 = 0
        private var isConnected = false
        private var receivingPaused = false
        private var sendingPaused = false
        private var hasHead = false
        private var sendings = 0
        /// The socket of the connection that was opened for it last.
        private(set) var socket: Int32?
        private var contentLength: Int?

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            self.request = request
            self.loop = loop
            readerIsOwn = withUnsafeCurrentTask { $0?.unownedTaskExecutor == loop.ownExecutor }
            let options = request.options
            idleLimit = Self.nanoseconds(options.idleTimeout)
            connectLimit = Self.nanoseconds(options.connectTimeout)
            totalLimit = Self.nanoseconds(options.totalTimeout)
            (limits, progress) = (options.limits, options.progress)
            inflates = options.decompresses && !request.headers.contains("Accept-Encoding")
            asksForCompression =
                inflates && !request.headers.contains("Range") && !ContentDecoder.acceptEncoding.isEmpty
            var length = request.body.length
            let method = request.method
            if method == .get, request.body.isEmpty {
                bodyKind = .none
            } else if method == .head, request.body.isEmpty {
                bodyKind = .head
            } else if request.body.isEmpty {
                bodyKind = method == .post || method == .put || method == .patch ? .memory : .none
            } else if let bytes = request.body.inMemory, bytes.count <= 64 << 10 {
                bodyKind = .memory
            } else {
                bodyKind = .upload
                length = try request.body.measuredLength()
            }
            uploadLength = length
            upload = bodyKind == .upload ? CurlUpload(try request.body.makeReader(), length: length) : nil
        }

        // MARK: From the reader, any thread

        func readerCancelled() { loop.post(.cancel(self)) }
        func readerDrained() { loop.post(.resumeReceiving(self)) }

        // MARK: From the loop

        func begin(on handle: CurlHandle) {
            self.handle = handle
            (started, lastActivity) = (loop.now, loop.now)
            handle.prepare(self)
            upload?.start { [self] in loop.post(.resumeSending(self)) }
        }

        /// Hands the end on to the reader; the caller takes the handle back.
        func end(result: Int32?) {
            var error = failure
            if error == nil, let result {
                error = result == 0 ? completionError() : CurlFailure.error(result, of: self, hasHead: hasHead)
            } else if error == nil {
                error = NetworkError(.cancelled, "the request was cancelled", phase: hasHead ? .receive : .wait)
            }
            upload?.stop()
            if hasHead { origin?.answered(received) }
            pipe.finish(error)
            handle = nil
        }

        func flush() { pipe.flush() }

        /// The first failure counts; libcurl then ends the transfer.
        func fail(_ error: NetworkError) { failure = failure ?? error }

        private func completionError() -> NetworkError? {
            if !hasHead { return NetworkError(.truncated, "the answer ended within its head", phase: .receive) }
            if decoder?.isComplete == false {
                return NetworkError(.truncated, "the compressed body ended early", phase: .receive)
            }
            return upload?.surplus
        }

        func resumeReceiving() {
            guard receivingPaused, let handle else { return }
            receivingPaused = false
            lastActivity = loop.now
            loop.watchDeadline(of: self)
            _ = loop.library.table.pointee.easy_pause(handle.easy, pauseMask)
        }

        func resumeSending() {
            guard sendingPaused, let handle else { return }
            sendingPaused = false
            lastActivity = loop.now
            loop.watchDeadline(of: self)
            _ = loop.library.table.pointee.easy_pause(handle.easy, pauseMask)
        }

        private var pauseMask: Int32 {
            (receivingPaused ? CurlValue.pauseReceive : 0) | (sendingPaused ? CurlValue.pauseSend : 0)
        }

        // MARK: Deadlines

        /// When it is time to look at the exchange again.
        ///
        /// libcurl's own timeouts are not used: its connect timer can fire a fraction of a millisecond too early and is
        /// then gone. The idle time stands still while the exchange waits for its own reader or body.
        var deadline: UInt64? {
            var due: UInt64 = .max
            guard handle != nil else { return totalLimit.map { submitted &+ $0 } }
            if let idleLimit, !receivingPaused, !sendingPaused { due = lastActivity &+ idleLimit }
            if let totalLimit { due = min(due, submitted &+ totalLimit) }
            if let connectLimit, !isConnected { due = min(due, started &+ connectLimit) }
            return due == .max ? nil : due
        }

        /// Whether connecting may take longer than the 300 s after which libcurl gives up of its own accord.
        ///
        /// Its timer is set only then, because it would be started and stopped with every request.
        var mayConnectLong: Bool { connectLimit.map { $0 >= 300_000_000_000 } ?? true }

        /// What has run out, if anything has.
        func overdue(at now: UInt64) -> NetworkError? {
            if let totalLimit, now >= submitted &+ totalLimit {
                guard handle != nil else {
                    return NetworkError(
                        .timedOut, "the total time ran out before a connection became free", phase: .connect)
                }
                return timedOut("the total time ran out")
            }
            guard handle != nil else { return nil }
            if let connectLimit, !isConnected, now >= started &+ connectLimit {
                isConnected = hasHead || information(CurlInfo.preTransferTime) > 0
                if !isConnected { return timedOut("no connection within \(request.options.connectTimeout ?? .zero)") }
            }
            guard let idleLimit, !receivingPaused, !sendingPaused, now >= lastActivity &+ idleLimit else { return nil }
            return timedOut("nothing was sent or received for \(request.options.idleTimeout ?? .zero)")
        }

        private func timedOut(_ message: String) -> NetworkError {
            NetworkError(.timedOut, message, phase: CurlFailure.phase(of: self, hasHead: hasHead))
        }

        private static func nanoseconds(_ limit: Duration?) -> UInt64? {
            guard let (seconds, attoseconds) = limit?.components, seconds < 4_000_000_000 else { return nil }
            return UInt64(max(seconds, 0)) &* 1_000_000_000 &+ UInt64(max(attoseconds, 0) / 1_000_000_000)
        }

        // MARK: Callbacks of libcurl

        /// Opens the socket of a new connection for this exchange; -1 refuses.
        func openSocket(_ address: UnsafeRawPointer) -> Int32 {
            if request.refusesPrivateAddresses, ashlar_address_is_private(address) != 0 {
                fail(
                    NetworkError(
                        .invalidRedirect, "the redirect leads to a private address, which the policy refuses",
                        phase: .connect))
                return -1
            }
            socket = loop.openSocket(address)
            return socket ?? -1
        }

        /// Whether the request may go out on the connection there is now.
        ///
        /// When a kept connection ends without an answer libcurl sends the request once more on another one. The server
        /// may have carried out the first, so only what may be done twice is (RFC 9110, 9.2.2).
        func maySend() -> Bool {
            sendings += 1
            if sendings == 1 || request.method.isIdempotent || request.headers.contains("Idempotency-Key") {
                return true
            }
            fail(
                NetworkError(
                    .connectionLost, "the connection ended without an answer; \(request.method) is not sent twice",
                    phase: .wait))
            return false
        }

        func receivedHeader(_ line: UnsafeRawBufferPointer, _ reader: CurlHeadReader) -> Bool {
            lastActivity = loop.now
            do throws(NetworkError) {
                guard !hasHead else {
                    try reader.skipTrailer(line, limits: limits)
                    return true
                }
                guard let head = try reader.read(line, limits: limits) else { return true }
                contentLength = reader.contentLength
                if let limit = limits.bodyBytes, let length = head.contentLength, length > limit,
                    request.method != .head, head.status != 304
                {
                    throw ResponseBody.tooLarge(limit, "the answer announces \(length) bytes")
                }
                if inflates, request.method != .head, head.status != 204, head.status != 304 {
                    decoder = try ContentDecoder.make(head.headers)
                }
                hasHead = true
                if let origin, !origin.isMultiplexed, head.version?.first == "2" { origin.isMultiplexed = true }
                pipe.write(head: head, timings: timings())
                loop.hasNews(self)
                return true
            } catch {
                fail(error)
                return false
            }
        }

        func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            lastActivity = loop.now
            do throws(NetworkError) {
                if let decoder {
                    guard pipe.hasRoom() else { return pauseReceiving() }
                    raw += bytes.count
                    try decoder.decode(bytes) { piece throws(NetworkError) in
                        try count(piece.count)
                        _ = pipe.write(piece, limited: false)
                    }
                } else {
                    try count(bytes.count)
                    guard pipe.write(bytes) else {
                        received -= bytes.count
                        return pauseReceiving()
                    }
                }
            } catch {
                fail(error)
                return 0
            }
            loop.hasNews(self)
            if let progress { progress(currentProgress) }
            return bytes.count
        }

        private func pauseReceiving() -> Int {
            receivingPaused = true
            return CurlValue.writePause
        }

        /// Counts bytes of the inflated body against the limits.
        private func count(_ bytes: Int) throws(NetworkError) {
            received += bytes
            if let limit = limits.bodyBytes, received > limit {
                throw ResponseBody.tooLarge(limit, "the answer is longer than allowed")
            }
            guard let ratio = limits.inflationRatio, decoder != nil, received > 1 << 20, received > raw &* ratio else {
                return
            }
            var error = NetworkError(
                .decompressionLimit, "\(raw) bytes received inflate to more than \(ratio) times as much",
                phase: .receive)
            error.limit = ratio
            throw error
        }

        func send(into space: UnsafeMutableRawBufferPointer) -> Int {
            lastActivity = loop.now
            guard let upload else { return 0 }
            switch upload.take(into: space) {
            case .bytes(let count):
                if let progress { progress(currentProgress) }
                return count
            case .end: return 0
            case .wait:
                sendingPaused = true
                return CurlValue.readPause
            case .failed(let error):
                fail(error)
                return CurlValue.readAbort
            }
        }

        /// Whether some of the body has still to be sent.
        var isSending: Bool { upload?.isSent == false }

        func rewind(to offset: Int) -> Bool { upload?.rewind(to: offset) ?? true }

        private var currentProgress: TransferProgress {
            TransferProgress(
                sent: upload?.taken ?? request.body.length ?? 0, toSend: uploadLength, received: received,
                toReceive: contentLength)
        }

        private func timings() -> TransportTimings {
            guard let handle else { return TransportTimings() }
            func time(_ info: Int32) -> Duration? {
                let microseconds = ashlar_easy_info_off(loop.library.table, handle.easy, info)
                return microseconds > 0 ? .microseconds(microseconds) : nil
            }
            var timings = TransportTimings()
            timings.firstByte = time(CurlInfo.startTransferTime)
            let opened = ashlar_easy_info_long(loop.library.table, handle.easy, CurlInfo.newConnections)
            timings.reusedConnection = opened == 0
            guard opened != 0 else { return timings }
            timings.resolved = time(CurlInfo.nameLookupTime)
            timings.connected = time(CurlInfo.connectTime)
            timings.secured = time(CurlInfo.appConnectTime)
            return timings
        }
    }
#endif
