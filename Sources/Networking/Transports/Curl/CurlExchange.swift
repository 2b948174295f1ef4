#if os(Linux)
    import CAshlarCurl

    /// One request that libcurl carries out.
    ///
    /// Other threads only post commands about it; everything else happens on the loop's thread.
    final class CurlExchange: TransferProducer, @unchecked Sendable {
        // Sendable because other threads reach only constants, the pipe and the upload, which lock, and the loop's inbox.
        let request: NetworkRequest
        let pipe = TransferPipe()
        let bodyKind: CurlHandle.Kind
        let uploadLength: Int?
        let loop: CurlLoop
        var table: UnsafePointer<ashlar_curl> { loop.library.table }
        private let upload: CurlUpload?

        /// The proxy to use, or nil for a direct connection.
        let proxy: String?
        private(set) var handle: CurlHandle?
        /// The index among the loop's active exchanges, or nil.
        var place: Int?
        /// The origin whose connections it uses, from its admission to its end.
        var origin: CurlOrigins.Origin?
        /// Whether the loop has listed it for waking its reader.
        var isListed = false
        private var received = 0
        private var raw = 0
        private var chunks: ChunkedReader?
        private var decoder: ContentDecoder?
        private var failure: NetworkError?
        private let idleLimit: UInt64?
        private let connectLimit: UInt64?
        private let totalLimit: UInt64?
        private let limits: ResponseLimits
        private let progress: (@Sendable (TransferProgress) -> Void)?
        private let inflates: Bool
        /// Whether compression is requested; a request with its own Accept-Encoding gets the body unchanged.
        let asksForCompression: Bool
        /// When it reached the loop; the total time starts here.
        var submitted: UInt64 = 0
        private var started: UInt64 = 0
        private var lastActivity: UInt64 = 0
        private var isConnected = false
        private var receivingPaused = false
        private var sendingPaused = false
        private var hasHead = false
        /// How often libcurl was about to send the request; 0 with versions before 7.80, which don't report it.
        private(set) var sendings = 0
        /// The local port of the connection on which the request was sent.
        private(set) var localPort: Int32?
        private var wasRestarted = false
        /// The socket of the connection that was opened for it last.
        private(set) var socket: Int32?
        /// Whether no other request may use the connection.
        private(set) var retiresConnection = false
        /// Whether the response came over HTTP/2, whose connections libcurl itself keeps in order.
        private(set) var isMultiplexed = false
        private var contentLength: Int?

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            self.request = request
            self.loop = loop
            proxy = loop.proxies?.proxy(for: request.url)
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
            if !wasRestarted { upload?.start { [self] in loop.post(.resumeSending(self)) } }
        }

        /// Whether the request must not use an open connection.
        ///
        /// The address of an open connection would be unchecked; and after a restart the open ones are probably dead.
        var needsFreshConnection: Bool { wasRestarted || request.refusesPrivateAddresses }

        /// Whether libcurl's failure is a dead connection and the request can be sent once more, on a new connection.
        ///
        /// libcurl itself repeats a request up to five times, but on other open connections, which may be dead as well.
        func restarts(after result: Int32) -> Bool {
            guard result == 55, !hasHead, failure == nil, !wasRestarted, pipe.isOpen, mayRepeat, rewind(to: 0) else {
                return false
            }
            wasRestarted = true
            (isConnected, sendingPaused, socket, sendings) = (false, false, nil, 0)
            return true
        }

        /// Passes the end on to the reader; the caller takes the handle back.
        func end(result: Int32?) {
            var error = failure
            if error == nil, let result {
                error = result == 0 ? completionError() : CurlFailure.error(result, of: self, hasHead: hasHead)
            } else if error == nil {
                error = NetworkError(.cancelled, "the request was cancelled", phase: hasHead ? .receive : .wait)
            }
            if error?.requestState == nil { error?.requestState = requestState }
            upload?.stop()
            if hasHead { origin?.answered(received) }
            pipe.finish(error)
            handle = nil
        }

        func flush() { pipe.flush() }

        /// Records a failure, after which libcurl ends the transfer; the first one wins.
        func fail(_ error: NetworkError) { failure = failure ?? error }

        private func completionError() -> NetworkError? {
            if !hasHead { return NetworkError(.truncated, "the response ended within its head", phase: .receive) }
            if chunks?.isComplete == false {
                return NetworkError(.truncated, "the body ended within its chunks", phase: .receive)
            }
            if decoder?.isComplete == false {
                return NetworkError(.truncated, "the compressed body ended early", phase: .receive)
            }
            return upload?.surplus
        }

        /// The bytes of the head so far.
        var headBytes: Int { handle?.head.received ?? 0 }

        /// How much of the request the server may have received.
        private var requestState: RequestState {
            if hasHead || headBytes > 0 { return .answered }
            if number(CurlInfo.requestSize) <= 0 { return .notSent }
            if isSending { return .partlySent }
            if bodyKind == .memory, offset(CurlInfo.sizeUpload) < request.body.length ?? 0 { return .partlySent }
            return .sent
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

        /// The time of the next check of the exchange's limits.
        ///
        /// libcurl's own timeouts are not used: its connect timer can fire a fraction of a millisecond early, and only once.
        /// The idle time stops while the exchange waits for its own reader or body.
        var deadline: UInt64? {
            var due: UInt64 = .max
            guard handle != nil else { return totalLimit.map { submitted &+ $0 } }
            if let idleLimit, !receivingPaused, !sendingPaused { due = lastActivity &+ idleLimit }
            if let totalLimit { due = min(due, submitted &+ totalLimit) }
            if let connectLimit, !isConnected { due = min(due, started &+ connectLimit) }
            return due == .max ? nil : due
        }

        /// Whether connecting may take longer than libcurl's default limit of 300 s.
        ///
        /// The limit is raised only then, because libcurl would start and stop a timer for each request.
        var mayConnectLong: Bool { connectLimit.map { $0 >= 300_000_000_000 } ?? true }

        /// Returns the error for a limit that has passed, if one has.
        func overdue(at now: UInt64) -> NetworkError? {
            if let totalLimit, now >= submitted &+ totalLimit {
                guard handle != nil else {
                    return NetworkError(
                        .timedOut, "the total time passed before a connection became free", phase: .connect)
                }
                return timedOut("the total time passed")
            }
            guard handle != nil else { return nil }
            if let connectLimit, !isConnected, now >= started &+ connectLimit {
                isConnected = hasHead || offset(CurlInfo.preTransferTime) > 0
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
            if request.refusesPrivateAddresses, CurlAddress.isPrivate(address) {
                fail(
                    NetworkError(
                        .invalidRedirect, "the redirect leads to a private address, which the policy refuses",
                        phase: .connect))
                return -1
            }
            socket = loop.openSocket(address)
            return socket ?? -1
        }

        /// Whether libcurl may send the request on its current connection.
        ///
        /// libcurl repeats a request when a reused connection ends without a response. The server may have processed it, so
        /// only an idempotent request is repeated (RFC 9110, section 9.2.2), or one of which nothing was sent.
        func maySend(from port: Int32) -> Bool {
            sendings += 1
            localPort = port
            loop.sockets.claim(port: port)
            if sendings == 1 || mayRepeat || number(CurlInfo.requestSize) == 0 { return true }
            var error = NetworkError(
                .connectionLost, "the connection ended without a response; \(request.method) is not repeated",
                phase: .wait)
            error.requestState = isSending ? .partlySent : .sent
            fail(error)
            return false
        }

        private var mayRepeat: Bool { request.method.isIdempotent || request.headers.contains("Idempotency-Key") }

        func receivedHeader(_ line: UnsafeRawBufferPointer, _ reader: CurlHeadReader) -> Bool {
            lastActivity = loop.now
            if hasHead { return true }  // the trailer, which `ChunkedReader` limits
            do throws(NetworkError) {
                guard let head = try reader.read(line, limits: limits) else { return true }
                if head.version == "2", let handle, ashlar_easy_is_http2(table, handle.easy) == 0 {
                    throw NetworkError(.badResponse, "unexpected version HTTP/2 as text", phase: .receive)
                }
                let hasBody = request.method != .head && head.status != 204 && head.status != 304
                contentLength = reader.framing.contentLength
                if hasBody, let limit = limits.bodyBytes, let contentLength, contentLength > limit {
                    throw ResponseBody.tooLarge(limit, "the response announces \(contentLength) bytes")
                }
                if hasBody, reader.framing.isChunked { chunks = ChunkedReader(limit: limits.headBytes) }
                if hasBody, inflates { decoder = try ContentDecoder.make(head.headers) }
                if reader.framing.isAmbiguous { retireConnection() }
                hasHead = true
                isMultiplexed = head.version == "2"
                if isMultiplexed { origin?.isMultiplexed = true }
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
                if chunks == nil, decoder == nil {
                    try count(bytes.count)
                    guard pipe.write(bytes) else {
                        received -= bytes.count
                        return pauseReceiving()
                    }
                } else {
                    // What a reader has read can't be read again, so there must be room beforehand.
                    guard pipe.hasRoom() else { return pauseReceiving() }
                    if chunks == nil {
                        try decode(bytes)
                    } else if try chunks?.read(bytes, emit: decode) == true {
                        retireConnection()
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

        /// Has libcurl close the connection after the exchange, because its next bytes may belong to this response.
        private func retireConnection() {
            retiresConnection = true
            if let handle { _ = ashlar_easy_long(table, handle.easy, CurlOption.forbidReuse, 1) }
        }

        private func decode(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) {
            guard let decoder else {
                try count(bytes.count)
                _ = pipe.write(bytes, limited: false)
                return
            }
            raw += bytes.count
            try decoder.decode(bytes) { piece throws(NetworkError) in
                try count(piece.count)
                _ = pipe.write(piece, limited: false)
            }
        }

        private func pauseReceiving() -> Int {
            receivingPaused = true
            return CurlValue.writePause
        }

        /// Counts bytes of the inflated body against the limits.
        private func count(_ bytes: Int) throws(NetworkError) {
            received += bytes
            if let limit = limits.bodyBytes, received > limit {
                throw ResponseBody.tooLarge(limit, "the response is longer than allowed")
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

        /// Whether a part of the body remains to be sent.
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
