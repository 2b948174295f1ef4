#if os(Linux)
    import CAshlarCurl

    /// One request that libcurl performs.
    ///
    /// Other threads only post commands for it; everything else happens on the loop's thread.
    final class CurlExchange: ResponseProducer, @unchecked Sendable {
        // Sendable because other threads reach only constants, the pipe and the upload, which lock, and the loop's inbox;
        // the rest is used only by the loop's thread.

        let request: NetworkRequest
        let pipe = ResponsePipe()
        let bodyKind: CurlHandle.Kind
        /// Whether libcurl only connects.
        let isUpgrade: Bool
        let uploadLength: Int?
        let loop: CurlLoop
        var table: UnsafePointer<ashlar_curl> { loop.library.table }
        let upload: CurlUpload?

        /// The proxy to use, or nil for a direct connection.
        let proxy: String?
        private(set) var handle: CurlHandle?
        /// The index among the loop's active exchanges, or nil.
        var place: Int?
        /// The origin whose connections it uses, from its admission to its end.
        var origin: CurlOrigins.Origin?
        /// Whether the loop wakes the reader at the end of the round.
        var isNotified = false
        var received = 0
        var raw = 0
        /// The received bytes of a body in chunks or with compression, as sent.
        var framed = 0
        var chunks: ChunkedReader?
        var decoder: ContentDecoder?
        /// The number of read bytes that libcurl delivers again after a pause.
        var reread = 0
        var failure: NetworkError?
        let idleLimit: UInt64?
        let connectLimit: UInt64?
        let totalLimit: UInt64?
        let limits: ResponseLimits
        let progress: (@Sendable (TransferProgress) -> Void)?
        /// Whether addresses, bytes and times are measured.
        let measures: Bool
        let inflates: Bool
        /// Whether compression is requested; a request with its own Accept-Encoding receives the body unchanged.
        let asksForCompression: Bool
        /// The time when it reached the loop; the total time starts here.
        var submitted: UInt64 = 0
        var started: UInt64 = 0
        var lastActivity: UInt64 = 0
        var isConnected = false
        var receivingPaused = false
        var sendingPaused = false
        var hasHead = false
        /// The head of a 401 that libcurl may answer with the digest credentials.
        var challenge: ResponseHead?
        /// The number of times that libcurl was about to send the request; 0 before version 7.80, which doesn't report
        /// it.
        var sendings = 0
        /// The connection on which the request was sent.
        var connection: CurlConnection?
        /// The descriptor of the connection if it was idle before.
        var descriptor: Int32?
        /// Whether servers have refused the request as often as libcurl would repeat it.
        var isRefusedRepeatedly = false
        /// Whether the request is sent again without its `Expect`, which the server refused (417) before it read the body.
        private(set) var omitsExpect = false
        /// Whether the server has just refused it.
        private var isExpectRefused = false
        private var restarts = 0
        /// The socket of the connection that was opened last for it.
        var socket: Int32?
        /// Whether its connection uses HTTP/2.
        var usesHTTP2 = false
        /// Whether the response came over HTTP/2, for which libcurl itself keeps the responses apart.
        var isMultiplexed = false
        var contentLength: Int?
        /// The version of HTTP of the response; only if the exchange is measured.
        var version: String?
        /// The number of TLS's version, such as 0x0304 for 1.3, or 0; only if the exchange is measured.
        var tlsVersion: Int32 = 0
        private var hasEnded = false

        init(_ request: NetworkRequest, loop: CurlLoop) throws(NetworkError) {
            self.loop = loop
            proxy = loop.proxies?.proxy(for: request.url)
            isUpgrade = request.upgrade != nil
            let options = request.options
            idleLimit = Self.nanoseconds(options.idleTimeout)
            connectLimit = Self.nanoseconds(options.connectLimit)
            totalLimit = Self.nanoseconds(options.totalTimeout)
            limits = options.limits
            progress = options.progress
            measures = request.isMeasured
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
            upload = bodyKind == .upload ? try CurlUpload(request.body, length: length) : nil
            self.request = request
        }

        // MARK: From the reader, any thread

        func readerCancelled() { loop.post(.cancel(self)) }
        func readerDrained() { loop.post(.resumeReceiving(self)) }

        // MARK: From the loop

        /// Prepares a handle that connects for another protocol, without the loop.
        func connect(on handle: CurlHandle) {
            self.handle = handle
            handle.prepare(self)
        }

        func disconnect() { handle = nil }

        func begin(on handle: CurlHandle) {
            self.handle = handle
            started = loop.now
            lastActivity = loop.now
            handle.prepare(self)
            if restarts == 0 { upload?.start { [self] in loop.post(.resumeSending(self)) } }
        }

        /// Whether the request must not use an open connection, because open ones are probably dead after a restart.
        var needsFreshConnection: Bool { restarts > 0 }

        /// Whether the request can be sent again, on a new connection.
        ///
        /// A server refuses a request without processing it if it is shutting the connection down or has too many
        /// requests; every method may be repeated then (RFC 9113, section 8.7). If a reused connection ends without a
        /// response, the server may have processed the request.
        func restarts(after result: Int32) -> Bool {
            guard failure == nil, pipe.isOpen else { return false }
            if isExpectRefused { return prepareRestart() }
            guard !hasHead, headBytes == 0 else { return false }
            if !isRefusedRepeatedly {
                // On a new HTTP/2 connection, a neighbor may be the reason.
                guard socket == nil || usesHTTP2, result == 0 || Self.deadConnections.contains(result),
                    mayRepeat || requestState == .notSent, !CurlFailure.isAlert(result, of: self)
                else { return false }
            }
            return prepareRestart()
        }

        /// Resets the exchange for another handle; returns false if it can't begin again.
        func prepareRestart() -> Bool {
            guard restarts < Self.mostRestarts, rewind(to: 0) else { return false }
            restarts += 1
            loop.sockets.release(by: self)
            isRefusedRepeatedly = false
            isExpectRefused = false
            isConnected = false
            sendingPaused = false
            socket = nil
            usesHTTP2 = false
            sendings = 0
            return true
        }

        /// Whether a response refuses the `Expect` of the request, which is then sent again without it.
        ///
        /// libcurl would send it again with the field, and append the head of the second response to the first one's body.
        func refusesExpect(_ head: ResponseHead) -> Bool {
            guard head.status == 417, !omitsExpect, request.headers.contains("Expect"), rewind(to: 0) else {
                return false
            }
            omitsExpect = true
            isExpectRefused = true
            return true
        }

        /// Whether its handle can be used again after it has ended; see ``CurlHandle``.
        var leavesHandleUsable: Bool {
            upload == nil && sendings == 1 && restarts == 0 && hasHead && failure == nil && request.digest == nil
        }

        /// libcurl's results if a connection ends, in addition to 0; there is no head, so 16 and 18 mean HTTP/2.
        private static let deadConnections: Set<Int32> = [16, 18, 52, 55, 56]
        private static let mostRestarts = 5

        /// Ends the exchange for its reader; the caller takes the handle back.
        func end(result: Int32?) {
            guard !hasEnded else { return }
            hasEnded = true
            if result == 0 { deliverChallenge() }
            var error = failure
            if error == nil, let result {
                error = result == 0 ? completionError() : CurlFailure.error(result, of: self, hasHead: hasHead)
            } else if error == nil {
                error = NetworkError(.cancelled, "the request was cancelled", phase: hasHead ? .receive : .wait)
            }
            if error?.requestState == nil { error?.requestState = requestState }
            upload?.stop()
            if measures { finishMeasured(error) } else { pipe.finish(error) }
            handle = nil
        }

        func flush() { pipe.flush() }

        /// Records a failure, after which libcurl ends the transfer; only the first failure is recorded.
        func fail(_ error: NetworkError) { failure = failure ?? error }

        private func completionError() -> NetworkError? {
            if !hasHead, headBytes == 0 {
                return NetworkError(.connectionLost, "the connection ended without a response", phase: .wait)
            }
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
            if isRefusedRepeatedly { return .notSent }
            // The bytes so far are those of CONNECT.
            if asksProxyForTunnel { return .notSent }
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

        // MARK: Measurements

        /// Stores the times of the stages that the exchange has reached.
        private func measureTimes(of handle: CurlHandle, in metrics: inout ExchangeMetrics) {
            func time(_ info: Int32) -> Duration? {
                let microseconds = ashlar_easy_info_off(table, handle.easy, info)
                return microseconds > 0 ? .microseconds(microseconds) : nil
            }
            metrics.firstByte = time(CurlInfo.startTransferTime)
            let opened = ashlar_easy_info_long(table, handle.easy, CurlInfo.newConnections)
            metrics.reusedConnection = opened == 0
            guard opened != 0 else { return }
            metrics.resolved = time(CurlInfo.nameLookupTime)
            metrics.connected = time(CurlInfo.connectTime)
            metrics.secured = time(CurlInfo.appConnectTime)
        }

        /// Stores the version of TLS, which libcurl reports only during the transfer.
        func measureTLS() {
            if tlsVersion == 0, let handle, request.url.scheme == .https {
                tlsVersion = ashlar_easy_tls_version(table, handle.easy)
            }
        }

        /// Ends the exchange for its reader, with its measurements.
        func finishMeasured(_ error: NetworkError?) {
            let metrics = metrics()
            let end = ExchangeEnd(metrics)
            guard let measured = request.measured else { return pipe.finish(error, end) }
            pipe.finish(error, end) { measured(metrics) }
        }

        private func metrics() -> ExchangeMetrics {
            var metrics = ExchangeMetrics()
            let now = CurlLoop.clock()
            guard let handle else {
                if submitted > 0 { metrics.queued = .nanoseconds(now - submitted) }
                return metrics
            }
            metrics.queued = .nanoseconds(started - submitted)
            metrics.duration = .nanoseconds(now - started)
            measureTimes(of: handle, in: &metrics)
            metrics.sentBodyBytes = max(Int(offset(CurlInfo.sizeUpload)), 0)
            metrics.receivedBodyBytes = chunks == nil && decoder == nil ? received : framed
            guard sendings > 0 || hasHead || offset(CurlInfo.connectTime) > 0 else {
                metrics.reusedConnection = nil
                return metrics
            }
            metrics.remoteAddress = remoteAddress(handle)
            metrics.protocolName = version.map { $0 == "2" ? "h2" : "http/\($0)" }
            if tlsVersion >= 0x0301 { metrics.tlsVersion = "1.\(tlsVersion - 0x0301)" }
            return metrics
        }

        private func remoteAddress(_ handle: CurlHandle) -> String? {
            guard let text = ashlar_easy_info_text(table, handle.easy, CurlInfo.remoteAddress), text[0] != 0 else {
                return nil
            }
            return ExchangeMetrics.address(String(cString: text), Int(number(CurlInfo.remotePort)))
        }
    }
#endif
