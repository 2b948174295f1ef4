#if os(Linux)
    import CAshlarCurl

    /// One request that libcurl performs.
    ///
    /// Other threads only post commands for it; everything else happens on the loop's thread.
    final class CurlTransfer: ResponseProducer, @unchecked Sendable {
        // Sendable because other threads reach only constants, the pipe and the upload, which lock, and the loop's inbox;
        // the rest is used only by the loop's thread.

        /// The way in which a request's body is sent.
        enum BodyKind {
            case none
            case head
            case memory
            case upload
        }

        let request: NetworkRequest
        let pipe = ResponsePipe()
        let loop: CurlLoop
        var table: UnsafePointer<ashlar_curl> { loop.library.table }
        let bodyKind: BodyKind
        let uploadLength: Int?
        let upload: CurlUpload?
        /// The proxy to use, or nil for a direct connection.
        let proxy: String?
        let idleLimit: UInt64?
        let connectLimit: UInt64?
        let totalLimit: UInt64?

        /// The index among the loop's active transfers, or nil.
        var place: Int?
        /// The origin whose connections it uses, from its admission to its end.
        var origin: CurlOrigins.Origin?
        /// The origin whose connections get no new request until it has ended, or nil.
        private(set) var retiring: CurlOrigins.Origin?
        /// Whether the loop wakes the reader at the end of the round.
        var isNotified = false

        private(set) var handle: CurlHandle?
        private var state = TransferState()
        private(set) var failure: NetworkError?
        private var hasEnded = false
        /// The connection on which the request was sent.
        var connection: CurlConnection?
        /// The socket of the connection that was opened last for it.
        var socket: Int32?
        /// The time when it reached the loop; the total time starts here.
        var submitted: UInt64 = 0
        private(set) var started: UInt64 = 0
        var lastActivity: UInt64 = 0
        var isConnected = false
        var receivingPaused = false
        var sendingPaused = false
        /// The head of a 401 that libcurl may answer with the digest credentials.
        var challenge: ResponseHead?
        /// Whether the response came over HTTP/2, for which libcurl itself keeps the responses apart.
        var isMultiplexed = false
        /// The body of the response; see `receivedBody`.
        var body = TransferBody()
        /// The version of HTTP of the response; only if the transfer is measured.
        var version: String?
        /// The number of TLS's version, such as 0x0304 for 1.3, or 0; only if the transfer is measured.
        var tlsVersion: Int32 = 0

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            self.loop = loop
            proxy = loop.proxies?.proxy(for: request.url)
            let options = request.options
            idleLimit = Self.nanoseconds(options.idleTimeout)
            connectLimit = Self.nanoseconds(options.connectLimit)
            totalLimit = Self.nanoseconds(options.totalTimeout)
            var length = request.body.length
            let method = request.method
            if request.body.isEmpty {
                let announces = method == .post || method == .put || method == .patch
                bodyKind = method == .head ? .head : announces ? .memory : .none
            } else if let bytes = request.body.inMemory, bytes.count <= 64 << 10 {
                bodyKind = .memory
            } else {
                bodyKind = .upload
                length = try request.body.measuredLength()
            }
            uploadLength = length
            upload = bodyKind == .upload ? try CurlUpload(request.body, length: length) : nil
            self.request = request
        }

        /// Whether addresses, bytes and times are measured.
        var measures: Bool { request.isMeasured }
        /// Whether libcurl only connects.
        var isUpgrade: Bool { request.upgrade != nil }
        /// Whether compression is requested.
        var asksForCompression: Bool {
            request.inflates && !request.headers.contains("Range") && !ContentDecoder.acceptEncoding.isEmpty
        }
        var phase: TransferState.Phase { state.phase }
        var hasHead: Bool { state.hasHead }
        /// The bytes of the head so far.
        var headBytes: Int { handle?.head.received ?? 0 }
        /// Whether a part of the body remains to be sent.
        var isSending: Bool { upload?.isSent == false }
        /// Whether the server has refused the request as often as libcurl and the transport repeat it.
        var isRefused: Bool { state.isRefused }

        // MARK: From the reader, any thread

        func readerWants(more: Bool) { loop.post(more ? .resume(self) : .cancel(self)) }

        // MARK: From the loop

        /// Begins the request, or begins it again, on a handle.
        func begin(on handle: CurlHandle) {
            self.handle = handle
            started = loop.now
            lastActivity = loop.now
            _ = state.on(.began)
            handle.prepare(self)
            if state.repetitions == 0 { upload?.start { [self] in loop.post(.resume(self)) } }
        }

        /// Prepares a handle that connects for another protocol, without the loop.
        func connect(on handle: CurlHandle) {
            self.handle = handle
            _ = state.on(.began)
            handle.prepare(self)
        }

        func disconnect() { handle = nil }

        /// Tells the state about an event; returns whether libcurl may continue.
        func proceeds(after event: TransferState.Event) -> Bool {
            if case .proceed = state.on(event) { true } else { false }
        }

        /// Whether the request must not use an open connection: open ones are probably dead after a repetition.
        var needsFreshConnection: Bool { state.repetitions > 0 || origin?.isRetiring == true }

        /// Makes libcurl close the connection of the transfer after its end.
        func retire(from origin: CurlOrigins.Origin) {
            guard let handle else { return }
            handle.closesConnection()
            if phase == .connecting { handle.usesNewConnection() }
            retiring = origin
            origin.retiring += 1
        }

        func endRetiring() {
            retiring?.retiring -= 1
            retiring = nil
        }

        /// Whether the request is sent again after libcurl's result, on a new handle.
        func sendsAgain(after result: Int32) -> Bool {
            guard failure == nil, pipe.isOpen else { return false }
            guard case .sendAgain = state.on(.ended(ending(result))), rewind(to: 0) else { return false }
            endRetiring()
            isConnected = false
            sendingPaused = false
            socket = nil
            connection = nil
            return true
        }

        private func ending(_ result: Int32) -> TransferState.Ending {
            guard !hasHead, headBytes == 0, result == 0 || CurlFailure.lostConnections.contains(result),
                !CurlFailure.isAlert(result, of: self)
            else { return .final }
            let mayRepeat = request.method.isIdempotent || request.headers.contains("Idempotency-Key")
            return .lost(
                wasOpen: socket == nil || origin?.isMultiplexed == true,
                mayRepeat: mayRepeat || requestState == .notSent)
        }

        /// Whether its handle can be used again after it has ended; see ``CurlHandle``.
        var leavesHandleUsable: Bool {
            bodyKind != .upload && state.repetitions == 0 && failure == nil && request.digest == nil && hasHead
        }

        /// Ends the transfer for its reader; the caller takes the handle back.
        func end(result: Int32?) {
            guard !hasEnded else { return }
            hasEnded = true
            if result == 0 { deliverChallenge() }
            var error = failure
            if error == nil, let result {
                error = result == 0 ? completionError() : CurlFailure.error(result, of: self)
            } else if error == nil {
                error = NetworkError(.cancelled, "the request was cancelled", phase: hasHead ? .receive : .wait)
            }
            if error?.requestState == nil { error?.requestState = requestState }
            upload?.stop()
            endRetiring()
            if measures { finishMeasured(error) } else { pipe.finish(error) }
            handle = nil
        }

        /// Records a failure, after which libcurl ends the transfer; only the first failure is recorded.
        func fail(_ error: NetworkError) { failure = failure ?? error }

        private func completionError() -> NetworkError? {
            if !hasHead {
                return headBytes == 0
                    ? NetworkError(.connectionLost, "the connection ended without a response", phase: .wait)
                    : NetworkError(.truncated, "the response ended within its head", phase: .receive)
            }
            return body.truncation ?? upload?.surplus
        }

        /// How much of the request the server may have received.
        private var requestState: RequestState {
            if hasHead || headBytes > 0 { return .answered }
            // The bytes so far are those of CONNECT.
            if isRefused || asksProxyForTunnel || number(CurlInfo.requestSize) <= 0 { return .notSent }
            if isSending { return .partlySent }
            if bodyKind == .memory, offset(CurlInfo.sizeUpload) < request.body.length ?? 0 { return .partlySent }
            return .sent
        }

        /// Continues after the reader has made room or the body has been read.
        func resume() {
            guard receivingPaused || sendingPaused, let handle else { return }
            receivingPaused = false
            sendingPaused = false
            lastActivity = loop.now
            loop.watchDeadline(of: self)
            _ = table.pointee.easy_pause(handle.easy, CurlValue.pauseNothing)
        }

        // MARK: Information of libcurl

        /// Returns a 64-bit value that libcurl reports for the transfer.
        func offset(_ info: Int32) -> Int64 { handle.map { ashlar_easy_info_off(table, $0.easy, info) } ?? 0 }

        /// Returns a long value that libcurl reports for the transfer.
        func number(_ info: Int32) -> Int64 { handle.map { ashlar_easy_info_long(table, $0.easy, info) } ?? 0 }
    }
#endif
