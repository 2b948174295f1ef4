#if canImport(Darwin)
    internal import AshlarCore
    import Dispatch
    import Foundation

    /// A task of a session, with its timers, limits and pipe.
    final class URLSessionExchange: ResponseProducer {
        private struct State {
            var task: URLSessionDataTask?
            /// The task that writes the body of a streamed request.
            var upload: Task<Void, Never>?
            var idleTimer: DeadlineTimer?
            var totalTimer: DeadlineTimer?
            var sent = 0
            var received = 0
            var head: ResponseHead?
            /// The failure that the session will confirm with the measurements.
            var failure: NetworkError?
            var metrics: ExchangeMetrics?
            /// Whether the task is suspended because the reader is behind.
            var isSuspended = false
            /// The number of times that the reader emptied a full buffer.
            var drains = 0
        }

        private let request: NetworkRequest
        var url: HTTPURL { request.url }
        var digest: BasicCredentials? { request.digest }
        private let bodyLength: Int?
        private let pipe: ResponsePipe
        private let state = Mutex(State())

        /// The queue for timers, and for suspending, resuming and cancelling tasks.
        private static let queue = DispatchQueue(label: "ashlar.urlsession")

        init(_ request: NetworkRequest, bodyLength: Int?, pipe: ResponsePipe) {
            self.request = request
            self.bodyLength = bodyLength
            self.pipe = pipe
        }

        func start(_ task: URLSessionDataTask, router: URLSessionRouter) {
            router.add(self, for: task)
            let total = request.options.totalTimeout.map { timer($0, "the total time passed") }
            let idle = request.options.idleTimeout.map {
                timer($0, "nothing was received for \($0)", isIdleTimer: true)
            }
            state.withLock { state in
                state.task = task
                state.totalTimer = total
                state.idleTimer = idle
            }
            task.resume()
        }

        // MARK: From the session

        func received(_ response: URLResponse) -> Bool {
            guard let http = response as? HTTPURLResponse else {
                fail(NetworkError(.badResponse, "the response is not HTTP", phase: .receive))
                return false
            }
            let head = URLSessionHead.head(of: http)
            state.withLock { $0.head = head }
            if let error = URLSessionHead.defect(of: head) {
                fail(error)
                return false
            }
            if let limit = request.options.maximumBodyBytes, let length = head.contentLength, length > limit,
                request.method != .head, head.status != 304
            {
                fail(ResponseBody.tooLarge(limit, "the response announces \(length) bytes"))
                return false
            }
            pipe.write(head: head)
            pipe.flush()
            touch()
            return true
        }

        func received(_ data: Data) {
            let total = state.withLock { state in
                state.received += data.count
                return state.received
            }
            if let limit = request.options.maximumBodyBytes, total > limit {
                fail(ResponseBody.tooLarge(limit, "the response is longer than allowed"))
                return
            }
            let drains = state.withLock { $0.drains }
            data.withUnsafeBytes { pipe.write($0) }
            let isFull = !pipe.hasRoom()
            pipe.flush()
            reportProgress()
            touch()
            if isFull { suspend(unlessDrainedSince: drains) }
        }

        /// Stops the session from receiving more than the reader has read; a session's own buffers are without a limit.
        private func suspend(unlessDrainedSince drains: Int) {
            state.withLock { state in
                guard state.drains == drains, !state.isSuspended, let task = state.task else { return }
                state.isSuspended = true
                // The queue preserves the order of suspending and resuming.
                Self.queue.async { task.suspend() }
            }
        }

        /// Returns a stream with the body from its start, which is read as fast as it is sent; nil after a failure.
        func openBody() -> InputStream? {
            let isFirst = state.withLock { $0.upload == nil }
            guard isFirst || request.body.isReplayable else {
                fail(NetworkError(.bodyNotReplayable, "the session needs the body again", phase: .send))
                return nil
            }
            var input: InputStream?
            var output: OutputStream?
            Stream.getBoundStreams(withBufferSize: BodyWriter.capacity, inputStream: &input, outputStream: &output)
            guard let output else { return nil }
            let writer = BodyWriter(output)
            let upload = Task { [self] in
                do throws(NetworkError) {
                    try await writer.write(request.body, length: bodyLength)
                } catch {
                    fail(error)
                }
            }
            state.withLock { state in
                let old = state.upload
                state.upload = upload
                return old
            }?.cancel()
            return input
        }

        func sent(_ total: Int) {
            state.withLock { $0.sent = total }
            reportProgress()
            touch()
        }

        private func reportProgress() {
            guard let progress = request.options.progress else { return }
            let now = state.withLock { state in
                TransferProgress(
                    sent: state.head == nil ? state.sent : bodyLength ?? state.sent, toSend: bodyLength,
                    received: state.received, toReceive: state.head?.contentLength)
            }
            progress(now)
        }

        func collected(_ metrics: URLSessionTaskMetrics) {
            guard request.isMeasured else { return }
            state.withLock { $0.metrics = URLSessionMetrics.metrics(of: metrics) }
        }

        func completed(_ error: (any Error)?) {
            let (head, received, failure) = state.withLock { ($0.head, $0.received, $0.failure) }
            if let failure {
                end(failure)
            } else if let error {
                end(URLSessionHead.error(error, hasHead: head != nil))
            } else if let head, let length = head.contentLength, length != received, request.method != .head,
                head.status != 304
            {
                end(NetworkError(.truncated, "received \(received) of \(length) bytes", phase: .receive))
            } else {
                end(nil)
            }
        }

        // MARK: From the reader

        func readerWants(more: Bool) {
            guard more else { return stop() }
            let isResumed = state.withLock { state in
                state.drains += 1
                guard state.isSuspended else { return false }
                state.isSuspended = false
                if let task = state.task { Self.queue.async { task.resume() } }
                return true
            }
            if isResumed { touch() }
        }

        // MARK: End

        /// Ends the exchange; a measured one ends when the session has reported its measurements.
        private func fail(_ error: NetworkError) {
            if request.isMeasured { state.withLock { $0.failure = $0.failure ?? error } } else { end(error) }
            stop()
        }

        private func end(_ error: NetworkError?) {
            let (timers, metrics, upload) = state.withLock { state in
                ([state.idleTimer.take(), state.totalTimer.take()], state.metrics, state.upload.take())
            }
            upload?.cancel()
            for timer in timers { timer?.cancel() }
            let end = metrics.map(ExchangeEnd.init)
            if let metrics, let measured = request.measured {
                pipe.finish(error, end) { measured(metrics) }
            } else {
                pipe.finish(error, end)
            }
            pipe.flush()
        }

        private func stop() {
            let (task, timers) = state.withLock { state in
                (state.task.take(), [state.idleTimer.take(), state.totalTimer.take()])
            }
            for timer in timers { timer?.cancel() }
            guard let task else { return }
            Self.queue.async { task.cancel() }
        }

        /// Restarts the idle time, because something was sent or received.
        func touch() {
            guard let idle = request.options.idleTimeout else { return }
            state.withLock { $0.idleTimer }?.push(by: idle)
        }

        private func timer(_ limit: Duration, _ message: String, isIdleTimer: Bool = false) -> DeadlineTimer {
            DeadlineTimer(Self.queue, after: limit) { [weak self] in
                guard let self else { return }
                // The server waits for the reader.
                if isIdleTimer, self.state.withLock({ $0.isSuspended }) { return self.touch() }
                let phase: NetworkPhase = self.state.withLock { $0.head } == nil ? .wait : .receive
                self.fail(NetworkError(.timedOut, message, phase: phase))
            }
        }
    }

    /// A timer that fires once, a certain time after it was last restarted.
    private final class DeadlineTimer: Sendable {
        // Safe because any thread can schedule and cancel a Dispatch source.
        nonisolated(unsafe) private let source: any DispatchSourceTimer

        init(_ queue: DispatchQueue, after limit: Duration, _ action: @escaping @Sendable () -> Void) {
            source = DispatchSource.makeTimerSource(queue: queue)
            source.setEventHandler(handler: action)
            source.schedule(deadline: .now() + limit.seconds, leeway: .milliseconds(1))
            source.activate()
        }

        func push(by limit: Duration) { source.schedule(deadline: .now() + limit.seconds, leeway: .milliseconds(1)) }

        func cancel() { source.cancel() }
    }
#endif
