internal import AshlarCore

/// The bound of received messages that wait, with those that are being handled.
final class WaitingBound: Sendable {
    private let state = Mutex((count: 0, bytes: 0))
    private let options: FleetOptions

    init(_ options: FleetOptions) { self.options = options }

    /// Adds a message if there is room for it.
    func add(_ message: NatsMessage) -> Bool {
        let size = message.payload.count
        return state.withLock { state in
            guard state.count < options.maximumWaiting, state.bytes + size <= options.maximumWaitingBytes else {
                return false
            }
            state = (state.count + 1, state.bytes + size)
            return true
        }
    }

    func remove(_ message: NatsMessage) {
        state.withLock { $0 = ($0.count - 1, $0.bytes - message.payload.count) }
    }
}

/// Received messages that wait for an asynchronous handler, which handles one after the other.
final class MessageQueue: Sendable {
    private struct State: Sendable {
        /// The messages that the task hasn't taken, the oldest first.
        var waiting: [NatsMessage] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let bound: WaitingBound
    private let handle: @Sendable (NatsMessage) async -> Void

    init(_ options: FleetOptions, handle: @escaping @Sendable (NatsMessage) async -> Void) {
        bound = WaitingBound(options)
        self.handle = handle
    }

    /// Adds a message, on any thread; returns whether there was room.
    func put(_ message: NatsMessage) -> Bool {
        guard bound.add(message) else { return false }
        let mustStart = state.withLock { state in
            state.waiting.append(message)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { Task.detached { await self.drain() } }
        return true
    }

    /// Handles all that waits in one task, so that a burst costs one change of threads.
    private func drain() async {
        while let batch = take() {
            for message in batch {
                await handle(message)
                bound.remove(message)
            }
        }
    }

    /// Returns all waiting messages; nil ends the task.
    private func take() -> [NatsMessage]? {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            guard state.isRunning else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
