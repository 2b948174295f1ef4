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
    private let maximumBytes: Int
    private let handle: @Sendable (NatsMessage) async -> Void
    private let dropped: @Sendable () -> Void

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - count: The number of messages that can wait.
    ///   - bytes: The size of the payloads that can wait.
    ///   - dropped: Called for each message for which there is no room.
    ///   - handle: Handles a message.
    init(
        count: Int, bytes: Int = 64 << 20, dropped: @escaping @Sendable () -> Void,
        handle: @escaping @Sendable (NatsMessage) async -> Void
    ) {
        maximumCount = count
        maximumBytes = bytes
        self.dropped = dropped
        self.handle = handle
    }

    /// Adds a message, on any thread.
    func put(_ message: NatsMessage) {
        let (hasRoom, mustStart) = state.withLock { state in
            let size = message.payload.count
            guard state.waiting.count < maximumCount, state.bytes + size <= maximumBytes else { return (false, false) }
            state.waiting.append(message)
            state.bytes += size
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if !hasRoom { return dropped() }
        if mustStart { Task.detached { await self.drain() } }
    }

    private func drain() async {
        while let batch = take() {
            for message in batch { await handle(message) }
        }
    }

    /// Returns all waiting messages; nil if the drain ends.
    private func take() -> [NatsMessage]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            let batch = state.waiting
            state.waiting = []
            state.bytes = 0
            return batch
        }
    }
}
