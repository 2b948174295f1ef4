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
        private let loop: CurlLoop
        var table: UnsafePointer<ashlar_curl> { loop.library.table }
        private let upload: CurlUpload?

        private(set) var handle: CurlHandle?
        private var head = CurlHeadReader()
        private var received = 0
        private var raw = 0
        private var decoder: ContentDecoder?
        private var failure: NetworkError?
        private let idleLimit: UInt64?
        private let connectLimit: UInt64?
        private let totalLimit: UInt64?
        private var started: UInt64 = 0
        private var lastActivity: UInt64 = 0
        private var isConnected = false
        private var receivingPaused = false
        private var sendingPaused = false
        private var hasHead = false

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            self.request = request
            self.loop = loop
            idleLimit = Self.nanoseconds(request.options.idleTimeout)
            connectLimit = Self.nanoseconds(request.options.connectTimeout)
            totalLimit = Self.nanoseconds(request.options.totalTimeout)
            var length = request.body.length
            if request.method == .head, request.body.isEmpty {
                bodyKind = .head
            } else if request.body.isEmpty {
                bodyKind = [.post, .put, .patch].contains(request.method) ? .memory : .none
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
            return nil
        }

        /// Whether compression is asked for and undone; a request that names its own codings gets the body as it comes.
        var asksForCompression: Bool {
            request.options.decompresses && !request.headers.contains("Accept-Encoding")
                && !request.headers.contains("Range") && !ContentDecoder.acceptEncoding.isEmpty
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
            if let idleLimit, !receivingPaused, !sendingPaused { due = lastActivity &+ idleLimit }
            if let totalLimit { due = min(due, started &+ totalLimit) }
            if let connectLimit, !isConnected { due = min(due, started &+ connectLimit) }
            return due == .max ? nil : due
        }

        /// What has run out, if anything has.
        func overdue(at now: UInt64) -> NetworkError? {
            if let totalLimit, now >= started &+ totalLimit { return timedOut("the total time ran out") }
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

        func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
            lastActivity = loop.now
            guard !hasHead else { return true }  // trailers
            do throws(NetworkError) {
                guard let head = try head.read(line, limits: request.options.limits) else { return true }
                if let limit = request.options.limits.bodyBytes, let length = head.contentLength, length > limit,
                    request.method != .head
                {
                    throw ResponseBody.tooLarge(limit, "the answer announces \(length) bytes")
                }
                if request.options.decompresses, !request.headers.contains("Accept-Encoding"), request.method != .head {
                    decoder = try ContentDecoder.make(head.headers)
                }
                hasHead = true
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
            if let progress = request.options.progress { progress(currentProgress) }
            return bytes.count
        }

        private func pauseReceiving() -> Int {
            receivingPaused = true
            return CurlValue.writePause
        }

        /// Counts bytes of the inflated body against the limits.
        private func count(_ bytes: Int) throws(NetworkError) {
            received += bytes
            let limits = request.options.limits
            if let limit = limits.bodyBytes, received > limit {
                throw ResponseBody.tooLarge(limit, "the answer is longer than allowed")
            }
            guard let ratio = limits.inflationRatio, decoder != nil, received > 1 << 20, received / raw >= ratio else {
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
                if let progress = request.options.progress { progress(currentProgress) }
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

        func rewind(to offset: Int) -> Bool { upload?.rewind(to: offset) ?? true }

        private var currentProgress: TransferProgress {
            TransferProgress(
                sent: upload?.taken ?? request.body.length ?? 0, toSend: uploadLength, received: received,
                toReceive: head.contentLength)
        }

        private func timings() -> TransportTimings {
            guard let handle else { return TransportTimings() }
            func time(_ info: Int32) -> Duration? {
                let microseconds = ashlar_easy_info_off(loop.library.table, handle.easy, info)
                return microseconds > 0 ? .microseconds(microseconds) : nil
            }
            var timings = TransportTimings()
            timings.resolved = time(CurlInfo.nameLookupTime)
            timings.connected = time(CurlInfo.connectTime)
            timings.secured = time(CurlInfo.appConnectTime)
            timings.firstByte = time(CurlInfo.startTransferTime)
            let opened = ashlar_easy_info_long(loop.library.table, handle.easy, CurlInfo.newConnections)
            timings.reusedConnection = opened == 0
            return timings
        }
    }
#endif
