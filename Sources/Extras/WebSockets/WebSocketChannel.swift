internal import AshlarCore
internal import AshlarNetworking

/// The state of a WebSocket, over a connection of any transport.
///
/// A task reads messages ahead and waits while many of them are unread, so that the server has to wait.
final class WebSocketChannel: Sendable {
    struct State {
        var messages: [WebSocketMessage] = []
        var queued = 0
        var receivers: [(id: UInt64, waiter: CheckedContinuation<Void, Never>)] = []
        var pings: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastID: UInt64 = 0
        var room: CheckedContinuation<Void, Never>?
        /// The task that reads, while it waits to send a close frame.
        var answer: CheckedContinuation<Void, Never>?
        /// Whether it has waited long enough.
        var isAnswerOverdue = false
        var endWaiters: [CheckedContinuation<Void, Never>] = []
        var sentClose = false
        var closing: WebSocketClosing?
        var ended = false
        var failure: NetworkError?
        var hasReceived = false
        /// Changes whenever something arrives.
        var activity: UInt64 = 0
        var probe: Task<Void, Never>?

        var isFull: Bool {
            (messages.count >= WebSocketChannel.mostMessages || queued >= WebSocketChannel.mostBytes) && !sentClose
                && !ended
        }

        /// Whether the messages before the server's close frame or violation were received, and their receiver asks for the next one.
        var isRead: Bool {
            ended || sentClose || !hasReceived || isAnswerOverdue || (messages.isEmpty && !receivers.isEmpty)
        }
    }

    private static let mostMessages = 64
    private static let mostBytes = 256 << 10
    /// How long a close frame waits for the receiver of the messages before it.
    private static let answerTime: Duration = .seconds(1)

    let connection: any WebSocketConnection
    let options: WebSocketOptions
    let clock: any Clock<Duration>
    let state = Mutex(State())

    init(
        _ connection: any WebSocketConnection, _ options: WebSocketOptions,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.connection = connection
        self.options = options
        self.clock = clock
    }

    /// The server's reason for closing, or nil.
    var closing: WebSocketClosing? { state.withLock { $0.closing } }

    /// Returns the next message, or nil after a normal end.
    func receive() async throws(NetworkError) -> WebSocketMessage? {
        while true {
            let (message, room, ended, failure) = state.withLock {
                state -> (WebSocketMessage?, CheckedContinuation<Void, Never>?, Bool, NetworkError?) in
                guard !state.messages.isEmpty else { return (nil, nil, state.ended, state.failure) }
                let message = state.messages.removeFirst()
                state.queued -= message.size
                return (message, state.isFull ? nil : state.room.take(), false, nil)
            }
            room?.resume()
            if let message { return message }
            if let failure { throw failure }
            if ended { return nil }
            if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .receive) }
            await waitForMessage()
        }
    }

    private func waitForMessage() async {
        let id = newID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (goesOn, answer) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                    // A cancellation before this is visible here; one after this finds the receiver.
                    if !state.messages.isEmpty || state.ended || Task.isCancelled { return (true, nil) }
                    state.receivers.append((id, continuation))
                    return (false, state.answer.take())
                }
                if goesOn { continuation.resume() }
                answer?.resume()
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.receivers.firstIndex { $0.id == id }.map { state.receivers.remove(at: $0).waiter }
            }
            waiter?.resume()
        }
    }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        try checkOpen()
        do throws(NetworkError) {
            try await connection.send(message)
        } catch {
            // A connection that closed while the message waited doesn't know the reason.
            if error.code == .connectionLost { try checkOpen() }
            throw error
        }
    }

    /// Returns when the server has answered a ping.
    func ping() async throws(NetworkError) {
        try checkOpen()
        let id = newID()
        let answered = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.ended || Task.isCancelled { return false }
                    state.pings[id] = continuation
                    return true
                }
                guard goesOn else { return continuation.resume(returning: false) }
                connection.sendPing(Self.payload(id))
            }
        } onCancel: {
            state.withLock { $0.pings.removeValue(forKey: id) }?.resume(returning: false)
        }
        if answered { return }
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .wait) }
        try checkOpen()
        throw Self.closed
    }

    /// Closes the connection and returns when it is closed.
    func close(_ code: WebSocketCloseCode, _ reason: String) async {
        let (isFirst, waiting) = state.withLock { state in
            defer { state.sentClose = true }
            return (!state.sentClose && !state.ended, [state.room.take(), state.answer.take()])
        }
        for task in waiting { task?.resume() }
        if isFirst { connection.sendClose(code, reason) }
        let limit = Task { [self] in
            try? await clock.sleep(for: options.closeTimeout)
            if !Task.isCancelled { abort() }
        }
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if !state.ended { state.endWaiters.append(continuation) }
                return state.ended
            }
            if goesOn { continuation.resume() }
        }
        limit.cancel()
    }

    /// Ends the connection at once.
    func abort() {
        guard state.withLock({ !$0.ended }) else { return }
        // The task that reads would report a lost connection.
        finish(state.withLock(\.sentClose) ? nil : Self.closed)
        connection.end(afterSending: false)
    }

    private func checkOpen() throws(NetworkError) {
        let (isOpen, failure) = state.withLock { (!$0.ended && !$0.sentClose, $0.failure) }
        if !isOpen { throw failure ?? Self.closed }
    }

    private static let closed = NetworkError(.webSocketClosed, "the WebSocket is closed", phase: .send)

    private func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// The payload of a ping with a number.
    private static func payload(_ id: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: id >> UInt64(56 - 8 * $0)) }
    }
}

// The tasks that read from the connection and probe it.
extension WebSocketChannel {
    /// Starts to read.
    func start() {
        Task { await read() }
        guard let interval = options.pingInterval else { return }
        let probe = Task { await self.probe(every: interval) }
        let ended = state.withLock { state in
            if !state.ended { state.probe = probe }
            return state.ended
        }
        if ended { probe.cancel() }
    }

    private func read() async {
        do throws(NetworkError) {
            while await handle(try await connection.next()) {}
        } catch {
            finish(state.withLock(\.sentClose) ? nil : error)
        }
    }

    /// Performs an event; returns whether others can follow.
    private func handle(_ event: WebSocketEvent) async -> Bool {
        state.withLock { $0.activity &+= 1 }
        switch event {
        case .message(let message): await deliver(message)
        case .pong(let payload):
            let id = payload.count == 8 ? payload.reduce(0) { $0 << 8 | UInt64($1) } : 0
            state.withLock { $0.pings.removeValue(forKey: id) }?.resume(returning: true)
        case .close(let code, let reason):
            let closing = WebSocketClosing(code: code, reason: reason)
            state.withLock { $0.closing = closing }
            await end(code, "", closing.error)
            return false
        case .violation(let violation):
            var error = NetworkError(violation.errorCode, violation.message, phase: .receive)
            if violation.code == .tooLarge { error.limit = options.messageBytes }
            await end(violation.code, violation.message, error)
            return false
        case .progress: break
        }
        return true
    }

    /// Sends a close frame, unless one was sent, when the messages before were answered, and ends the WebSocket.
    private func end(_ code: WebSocketCloseCode?, _ reason: String, _ failure: NetworkError?) async {
        await waitForReader()
        let isReply = state.withLock { state in
            defer { state.sentClose = true }
            return state.sentClose
        }
        if !isReply { connection.sendClose(code, reason) }
        connection.end(afterSending: true)
        finish(isReply ? nil : failure)
    }

    /// Waits until the messages before the end were received and answered; nothing can be sent after the own frame.
    private func waitForReader() async {
        if state.withLock(\.isRead) { return }
        let limit = Task { [self] in
            try? await clock.sleep(for: Self.answerTime)
            let answer = state.withLock { state in
                state.isAnswerOverdue = true
                return state.answer.take()
            }
            answer?.resume()
        }
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if !state.isRead { state.answer = continuation }
                return state.isRead
            }
            if goesOn { continuation.resume() }
        }
        limit.cancel()
    }

    private func deliver(_ message: WebSocketMessage) async {
        let receiver = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.sentClose, !state.ended else { return nil }
            state.messages.append(message)
            state.queued += message.size
            state.hasReceived = true
            return state.receivers.isEmpty ? nil : state.receivers.removeFirst().waiter
        }
        receiver?.resume()
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isFull { state.room = continuation }
                return !state.isFull
            }
            if goesOn { continuation.resume() }
        }
    }

    /// Probes a silent connection, and ends it if a probe has no answer.
    private func probe(every interval: Duration) async {
        var last: UInt64 = 0
        var isProbed = false
        while (try? await clock.sleep(for: interval)) != nil {
            let (activity, isWaiting, ended) = state.withLock { ($0.activity, $0.room != nil, $0.ended) }
            if ended { return }
            if activity != last || isWaiting {
                last = activity
                isProbed = false
            } else if isProbed {
                finish(NetworkError(.timedOut, "no answer to a ping within \(interval)", phase: .receive))
                return connection.end(afterSending: false)
            } else {
                isProbed = true
                connection.sendPing([])
            }
        }
    }

    /// Ends the WebSocket for its callers; only the first end has an effect.
    func finish(_ failure: NetworkError?) {
        let end = state.withLock { state -> State? in
            guard !state.ended else { return nil }
            let before = state
            state.ended = true
            state.failure = failure
            state.receivers = []
            state.pings = [:]
            state.endWaiters = []
            state.room = nil
            state.answer = nil
            state.probe = nil
            return before
        }
        guard let end else { return }
        for receiver in end.receivers { receiver.waiter.resume() }
        for ping in end.pings.values { ping.resume(returning: false) }
        for waiter in end.endWaiters { waiter.resume() }
        end.room?.resume()
        end.answer?.resume()
        end.probe?.cancel()
    }
}
