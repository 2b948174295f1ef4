internal import AshlarCore
internal import AshlarNetworking

/// The state of a WebSocket, over a connection of any transport.
///
/// A task reads messages ahead and waits while many of them are unread, so that the server has to wait.
final class WebSocketChannel: Sendable {
    struct State {
        var messages: [WebSocketMessage] = []
        var queued = 0
        /// The tasks that wait for a message, in order.
        var receivers: [Promise<Void>] = []
        /// Whether each ping was answered before the end.
        var pings: [UInt64: Promise<Bool>] = [:]
        var lastID: UInt64 = 0
        /// What the task that reads waits for: room for messages, or their receiver before it sends a close frame.
        var room: Promise<Void>?
        var answer: Promise<Void>?
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
            ended || sentClose || !hasReceived || (messages.isEmpty && !receivers.isEmpty)
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
    private let ending = Promise<Void>()

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
                state -> (WebSocketMessage?, Promise<Void>?, Bool, NetworkError?) in
                guard !state.messages.isEmpty else { return (nil, nil, state.ended, state.failure) }
                let message = state.messages.removeFirst()
                state.queued -= message.size
                return (message, state.isFull ? nil : state.room.take(), false, nil)
            }
            room?.fulfill(())
            if let message { return message }
            if let failure { throw failure }
            if ended { return nil }
            if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .receive) }
            await waitForMessage()
        }
    }

    private func waitForMessage() async {
        let arrival = Promise<Void>()
        let (waits, answer) = state.withLock { state -> (Bool, Promise<Void>?) in
            if !state.messages.isEmpty || state.ended { return (false, nil) }
            state.receivers.append(arrival)
            return (true, state.answer.take())
        }
        answer?.fulfill(())
        guard waits, await arrival.value() == nil else { return }
        state.withLock { $0.receivers.removeAll { $0 === arrival } }
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
        let pong = Promise<Bool>()
        let id = state.withLock { state -> UInt64? in
            if state.ended || Task.isCancelled { return nil }
            state.lastID += 1
            state.pings[state.lastID] = pong
            return state.lastID
        }
        if let id {
            connection.sendPing(Self.payload(id))
            let isAnswered = await pong.value()
            _ = state.withLock { $0.pings.removeValue(forKey: id) }
            if isAnswered == true { return }
        }
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .wait) }
        try checkOpen()
        throw Self.closed
    }

    /// Closes the connection and returns when it is closed.
    func close(_ code: WebSocketCloseCode, _ reason: String) async {
        let waiting = state.withLock { state in
            // Within the lock, so that the reading task doesn't end the connection before.
            if !state.sentClose, !state.ended { connection.sendClose(code, reason) }
            state.sentClose = true
            return [state.room.take(), state.answer.take()]
        }
        for task in waiting { task?.fulfill(()) }
        // A task of its own, because a cancellation doesn't shorten the wait.
        let isEnded = await Task { await ending.value(within: options.closeTimeout, sleep: sleep) != nil }.value
        if !isEnded { abort() }
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

    private var sleep: @Sendable (Duration) async throws -> Void { { [clock] in try await clock.sleep(for: $0) } }

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
        state.withLock { state in
            if !state.ended { state.probe = Task { await probe(every: interval) } }
        }
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
            // A server may answer only the latest of several pings (RFC 6455, section 5.5.3).
            let answered = state.withLock { state in
                id <= state.lastID ? state.pings.filter { $0.key <= id }.map(\.value) : []
            }
            for ping in answered { ping.fulfill(true) }
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
        case .ping, .progress: break
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
        let answer = Promise<Void>()
        let isRead = state.withLock { state in
            if !state.isRead { state.answer = answer }
            return state.isRead
        }
        if !isRead { _ = await answer.value(within: Self.answerTime, sleep: sleep) }
    }

    private func deliver(_ message: WebSocketMessage) async {
        let (receiver, room) = state.withLock { state -> (Promise<Void>?, Promise<Void>?) in
            guard !state.sentClose, !state.ended else { return (nil, nil) }
            state.messages.append(message)
            state.queued += message.size
            state.hasReceived = true
            if state.isFull { state.room = Promise() }
            return (state.receivers.isEmpty ? nil : state.receivers.removeFirst(), state.room)
        }
        receiver?.fulfill(())
        _ = await room?.value()
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
        let before = state.withLock { state -> State? in
            guard !state.ended else { return nil }
            defer {
                state.ended = true
                state.failure = failure
                state.receivers = []
                state.pings = [:]
                state.room = nil
                state.answer = nil
            }
            return state
        }
        guard let before else { return }
        for receiver in before.receivers { receiver.fulfill(()) }
        for ping in before.pings.values { ping.fulfill(false) }
        before.room?.fulfill(())
        before.answer?.fulfill(())
        before.probe?.cancel()
        ending.fulfill(())
    }
}
