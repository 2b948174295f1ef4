internal import AshlarCore
internal import AshlarNetworking

/// A task that exchanges whole messages, such as `URLSessionWebSocketTask`; tests replace it.
///
/// The task answers pings and close frames itself, and reports its start and end to its ``TaskConnection``.
protocol WebSocketTask: AnyObject, Sendable {
    /// Receives one message.
    func receive(_ handler: @escaping @Sendable (Result<WebSocketMessage, NetworkError>) -> Void)
    /// Sends a message; the handler is called when it has been sent.
    func send(_ message: WebSocketMessage, _ handler: @escaping @Sendable (NetworkError?) -> Void)
    /// Sends a ping; the handler is called without an error when the server has answered.
    func ping(_ handler: @escaping @Sendable (NetworkError?) -> Void)
    /// Sends a close frame.
    func close(_ code: WebSocketCloseCode, _ reason: String)
    /// Ends the connection at once.
    func cancel()
}

/// A WebSocket's connection over a task that exchanges whole messages.
///
/// It asks the task for a message only when the channel asks for an event and no other message is awaited. The task may
/// report the server's close frame before or after the messages and the failure that surround it.
final class TaskConnection: WebSocketConnection {
    private struct State {
        var head: ResponseHead?
        var events: [WebSocketEvent] = []
        var isReceiving = false
        /// Whether a receive or send has failed.
        var hasFailed = false
        /// The server's close frame, until the messages before it have been received.
        var closing: WebSocketEvent?
        var timer: Task<Void, Never>?
        var failure: NetworkError?
        /// The task that waits for the head, or later for an event.
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// The time within which a close frame may follow a failure, and a message a close frame.
    static let closingTime: Duration = .seconds(1)

    private let task: any WebSocketTask
    private let limit: Int
    private let clock: any Clock<Duration>
    private let window = SendWindow()
    private let state = Mutex(State())

    /// Creates a connection that rejects messages of more than `limit` bytes.
    init(_ task: any WebSocketTask, limit: Int, clock: any Clock<Duration> = ContinuousClock()) {
        self.task = task
        self.limit = limit
        self.clock = clock
    }

    // MARK: From the task

    /// Records the response: 101 opens the connection, any other refuses it.
    func received(_ head: ResponseHead) { change { $0.head = $0.head ?? head } }

    /// Records the server's close frame.
    func closed(_ code: WebSocketCloseCode?, _ reason: String) {
        change { $0.closing = .close(code, reason) }
        if state.withLock(\.hasFailed) { finish(nil) }
    }

    /// Records the end of the task.
    func ended(_ failure: NetworkError?) {
        if state.withLock({ $0.closing == nil }) { finish(failure) }
    }

    /// Ends the events; only the first end has an effect.
    private func finish(_ failure: NetworkError?) {
        let timer = state.withLock { $0.timer.take() }
        timer?.cancel()
        change { state in
            guard state.failure == nil else { return }
            if let closing = state.closing.take() { state.events.append(closing) }
            state.failure =
                failure
                ?? NetworkError(.connectionLost, "the connection ended without a close frame", phase: .receive)
        }
        window.close()
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Whether the server has agreed.
    var isOpen: Bool { state.withLock { $0.head?.status == 101 } }

    // MARK: The handshake

    /// Returns the head of the response.
    ///
    /// - Throws: `.timedOut` after `timeout`, `.cancelled`, or the failure of the task.
    func head(timeout: Duration?) async throws(NetworkError) -> ResponseHead {
        let limit = timeout.map { timeout in
            Task { [self] in
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                stop(NetworkError(.timedOut, "no response to the upgrade", phase: .wait))
            }
        }
        await withTaskCancellationHandler {
            await wait { $0.head != nil || $0.failure != nil }
        } onCancel: {
            stop(NetworkError(.cancelled, "the request was cancelled", phase: .wait))
        }
        limit?.cancel()
        let (head, failure) = state.withLock { ($0.head, $0.failure) }
        if let head { return head }
        throw failure ?? NetworkError(.connectionLost, "the exchange ended without a response", phase: .wait)
    }

    private func stop(_ failure: NetworkError) {
        finish(failure)
        task.cancel()
    }

    private func wait(until isDone: (State) -> Bool) async {
        while !state.withLock({ isDone($0) }) {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if isDone(state) { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    // MARK: From the channel

    func next() async throws(NetworkError) -> WebSocketEvent {
        while true {
            let (event, failure, asks, isClosing) = state.withLock {
                state -> (WebSocketEvent?, NetworkError?, Bool, Bool) in
                if !state.events.isEmpty { return (state.events.removeFirst(), nil, false, false) }
                if let failure = state.failure { return (nil, failure, false, false) }
                defer { state.isReceiving = true }
                return (nil, nil, !state.isReceiving, state.closing != nil)
            }
            if let event { return event }
            if let failure { throw failure }
            if asks { task.receive { [weak self] in self?.received($0) } }
            if isClosing { finishLater(nil) }
            await wait { state in
                !state.events.isEmpty || state.failure != nil || (!isClosing && state.closing != nil)
            }
        }
    }

    private func received(_ result: Result<WebSocketMessage, NetworkError>) {
        switch result {
        case .success(let message) where message.size > limit: tooLarge()
        case .success(let message):
            let timer = state.withLock { $0.timer.take() }
            timer?.cancel()
            change { state in
                state.isReceiving = false
                state.events.append(.message(message))
            }
        case .failure(let error) where error.code == .bodyTooLarge: tooLarge()
        case .failure(let error): failed(error)
        }
    }

    private func failed(_ error: NetworkError) {
        let isClosed = state.withLock { state in
            state.hasFailed = true
            return state.closing != nil
        }
        if isClosed { finish(nil) } else { finishLater(error) }
    }

    /// Ends the events unless something else happens before the closing time has passed.
    private func finishLater(_ error: NetworkError?) {
        let timer = Task { [self] in
            if (try? await clock.sleep(for: Self.closingTime)) != nil { finish(error) }
        }
        let old = state.withLock { state -> Task<Void, Never>? in
            if state.failure != nil { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    private func tooLarge() {
        var error = NetworkError(.bodyTooLarge, "a message is longer than \(limit) bytes", phase: .receive)
        error.limit = limit
        finish(error)
        task.close(.tooLarge, error.message)
    }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        let size = message.size
        try await window.add(size)
        task.send(message) { [weak self] error in
            guard let self else { return }
            window.remove(size)
            if let error { failed(error) }
        }
    }

    func sendPing(_ payload: [UInt8]) {
        task.ping { [weak self] error in
            if error == nil { self?.change { $0.events.append(.pong(payload)) } }
        }
    }

    func sendClose(_ code: WebSocketCloseCode?, _ reason: String) {
        // The task has answered a close frame without a code.
        if let code { task.close(code, WebSocketFrame.shortened(reason)) }
    }

    func end(afterSending: Bool) {
        stop(NetworkError(.webSocketClosed, "the WebSocket is closed", phase: .receive))
    }
}
