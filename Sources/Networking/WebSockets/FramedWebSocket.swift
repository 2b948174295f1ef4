internal import AshlarCore

/// A WebSocket over the bytes of a connection.
///
/// A task reads frames ahead, answers pings, and waits while many messages are unread, so that the server has to wait.
final class FramedWebSocket: WebSocketChannel {
    private struct State {
        var messages: [WebSocketMessage] = []
        var queued = 0
        var receivers: [(id: UInt64, waiter: CheckedContinuation<Void, Never>)] = []
        var pings: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastID: UInt64 = 0
        var room: CheckedContinuation<Void, Never>?
        var endWaiters: [CheckedContinuation<Void, Never>] = []
        var sentClose = false
        var closing: WebSocketClosing?
        var ended = false
        var failure: NetworkError?
        var hasReceived = false
        /// Changes whenever bytes arrive.
        var activity: UInt64 = 0
        var tasks: [Task<Void, Never>] = []

        var isFull: Bool {
            (messages.count >= FramedWebSocket.mostMessages || queued >= FramedWebSocket.mostBytes) && !sentClose
                && !ended
        }
    }

    private static let mostMessages = 64
    private static let mostBytes = 256 << 10

    private let link: any WebSocketLink
    private let options: WebSocketOptions
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    init(_ link: any WebSocketLink, _ options: WebSocketOptions, clock: any Clock<Duration> = ContinuousClock()) {
        (self.link, self.options, self.clock) = (link, options, clock)
    }

    /// Starts to read.
    func start() {
        let pump = Task { await self.pump() }
        let probe = options.pingInterval.map { interval in Task { await self.probe(every: interval) } }
        let ended = state.withLock { state in
            state.tasks += [pump] + (probe.map { [$0] } ?? [])
            return state.ended
        }
        if ended { probe?.cancel() }
    }

    var closing: WebSocketClosing? { state.withLock { $0.closing } }

    var hasEndedNormally: Bool { state.withLock { $0.ended && $0.failure == nil } }
    var hasReceived: Bool { state.withLock(\.hasReceived) }

    // MARK: Callers

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
                let goesOn = state.withLock { state in
                    // A cancellation before this is visible here; one after this finds the receiver.
                    if !state.messages.isEmpty || state.ended || Task.isCancelled { return true }
                    state.receivers.append((id, continuation))
                    return false
                }
                if goesOn { continuation.resume() }
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
        switch message {
        case .text(let text): try await link.write(WebSocketFrame.encode(.text, text.utf8))
        case .binary(let bytes): try await link.write(WebSocketFrame.encode(.binary, bytes))
        }
    }

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
                link.writeControl(WebSocketFrame.encode(.ping, Self.bytes(id)))
            }
        } onCancel: {
            state.withLock { $0.pings.removeValue(forKey: id) }?.resume(returning: false)
        }
        if answered { return }
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .wait) }
        try checkOpen()
        throw Self.closed
    }

    func close(_ code: WebSocketCloseCode, _ reason: String) async {
        let (isFirst, room) = state.withLock { state in
            defer { state.sentClose = true }
            return (!state.sentClose && !state.ended, state.room.take())
        }
        room?.resume()
        if isFirst { link.writeControl(WebSocketFrame.close(code, reason)) }
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

    func abort() {
        guard state.withLock({ !$0.ended }) else { return }
        // The pump would report the end of the link as a lost connection.
        finish(state.withLock(\.sentClose) ? nil : Self.closed)
        link.end(afterSending: false)
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

    private static func bytes(_ id: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: id >> UInt64(56 - 8 * $0)) }
    }

    // MARK: The tasks

    private func pump() async {
        var reader = WebSocketReader(limit: options.messageBytes)
        do {
            while let bytes = try await link.next() {
                state.withLock { $0.activity &+= 1 }
                reader.append(bytes)
                while let event = try reader.next() {
                    guard await handle(event) else { return }
                }
            }
            let isExpected = state.withLock(\.sentClose)
            let code: NetworkError.Code = reader.isWithinMessage ? .truncated : .connectionLost
            finish(isExpected ? nil : NetworkError(code, "the connection ended without a close frame", phase: .receive))
        } catch let violation as WebSocketReader.Violation {
            link.writeControl(WebSocketFrame.close(violation.code, violation.message))
            link.end(afterSending: true)
            finish(Self.error(violation, limit: options.messageBytes))
        } catch {
            finish(state.withLock(\.sentClose) ? nil : NetworkError(wrapping: error, phase: .receive))
        }
    }

    /// Performs an event; returns whether others can follow.
    private func handle(_ event: WebSocketReader.Event) async -> Bool {
        switch event {
        case .message(let message): await deliver(message)
        case .ping(let payload): link.writePong(WebSocketFrame.encode(.pong, payload))
        case .pong(let payload):
            let id = payload.count == 8 ? payload.reduce(0) { $0 << 8 | UInt64($1) } : 0
            state.withLock { $0.pings.removeValue(forKey: id) }?.resume(returning: true)
        case .close(let code, let reason):
            let isReply = state.withLock { state in
                defer { (state.closing, state.sentClose) = (WebSocketClosing(code: code, reason: reason), true) }
                return state.sentClose
            }
            if !isReply { link.writeControl(WebSocketFrame.close(code, "")) }
            link.end(afterSending: true)
            finish(isReply ? nil : Self.error(code, reason))
            return false
        }
        return true
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
                (last, isProbed) = (activity, false)
            } else if isProbed {
                finish(NetworkError(.timedOut, "no answer to a ping within \(interval)", phase: .receive))
                return link.end(afterSending: false)
            } else {
                isProbed = true
                link.writeControl(WebSocketFrame.encode(.ping, []))
            }
        }
    }

    /// Ends the WebSocket for its callers; only the first end has an effect.
    private func finish(_ failure: NetworkError?) {
        let end = state.withLock { state -> State? in
            guard !state.ended else { return nil }
            let before = state
            (state.ended, state.failure) = (true, failure)
            (state.receivers, state.pings, state.endWaiters, state.room, state.tasks) = ([], [:], [], nil, [])
            return before
        }
        guard let end else { return }
        for receiver in end.receivers { receiver.waiter.resume() }
        for ping in end.pings.values { ping.resume(returning: false) }
        for waiter in end.endWaiters { waiter.resume() }
        end.room?.resume()
        for task in end.tasks.dropFirst() { task.cancel() }
    }

    private static func error(_ code: WebSocketCloseCode?, _ reason: String) -> NetworkError? {
        guard !WebSocketClosing(code: code, reason: reason).isNormal else { return nil }
        let text = reason.isEmpty ? "" : ": " + HTTPSyntax.printable(reason)
        return NetworkError(
            .webSocketClosed, "the server closed the WebSocket with \(code?.rawValue ?? 0)\(text)", phase: .receive)
    }

    private static func error(_ violation: WebSocketReader.Violation, limit: Int) -> NetworkError {
        let code: NetworkError.Code =
            violation.code == .tooLarge ? .bodyTooLarge : violation.code == .invalidText ? .invalidText : .badResponse
        var error = NetworkError(code, violation.message, phase: .receive)
        if violation.code == .tooLarge { error.limit = limit }
        return error
    }
}

extension WebSocketMessage {
    /// The number of payload bytes.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
