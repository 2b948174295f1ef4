internal import AshlarCore

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
            let isReply = state.withLock { state in
                defer { (state.closing, state.sentClose) = (closing, true) }
                return state.sentClose
            }
            if !isReply { connection.sendClose(code, "") }
            connection.end(afterSending: true)
            finish(isReply ? nil : closing.error)
            return false
        case .progress: break
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
            (state.ended, state.failure) = (true, failure)
            (state.receivers, state.pings, state.endWaiters, state.room, state.probe) = ([], [:], [], nil, nil)
            return before
        }
        guard let end else { return }
        for receiver in end.receivers { receiver.waiter.resume() }
        for ping in end.pings.values { ping.resume(returning: false) }
        for waiter in end.endWaiters { waiter.resume() }
        end.room?.resume()
        end.probe?.cancel()
    }
}
