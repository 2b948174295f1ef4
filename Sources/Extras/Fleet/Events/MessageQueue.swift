internal import AshlarCore

/// Received messages that wait for an asynchronous handler, which handles one after the other.
final class MessageQueue: Sendable {
    private struct State: Sendable {
        /// The waiting messages, the oldest first.
        var waiting: [NatsMessage] = []
        var bytes = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    private let maximumCount: Int
    private let maximumBytes = 64 << 20
    private let handle: @Sendable (NatsMessage) async -> Void

    init(maximumCount: Int, handle: @escaping @Sendable (NatsMessage) async -> Void) {
        self.maximumCount = maximumCount
        self.handle = handle
    }

    /// Adds a message, on any thread; returns whether there was room.
    func put(_ message: NatsMessage) -> Bool {
        let (hasRoom, mustStart) = state.withLock { state in
            let size = message.payload.count
            guard state.waiting.count < maximumCount, state.bytes + size <= maximumBytes else { return (false, false) }
            state.waiting.append(message)
            state.bytes += size
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if mustStart { Task.detached { await self.drain() } }
        return hasRoom
    }

    /// Handles all that waits in one task, so that a burst costs one change of threads.
    private func drain() async {
        while let batch = take() {
            for message in batch { await handle(message) }
        }
    }

    /// Returns all waiting messages; nil ends the task.
    private func take() -> [NatsMessage]? {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            guard state.isRunning else { return nil }
            defer { (state.waiting, state.bytes) = ([], 0) }
            return state.waiting
        }
    }
}
