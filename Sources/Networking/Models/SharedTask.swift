internal import AshlarCore

/// A task with several waiting tasks; it is cancelled when all of them are cancelled.
final class SharedTask: Sendable {
    private let task: Task<Void, any Error>
    /// The number of waiting tasks; −1 after the end or the cancellation.
    private let waiting: Waiting

    private final class Waiting: Sendable {
        let count = Mutex(1)
    }

    init(_ operation: @escaping @Sendable () async throws -> Void) {
        let waiting = Waiting()
        self.waiting = waiting
        task = Task {
            defer { waiting.count.withLock { $0 = -1 } }
            try await operation()
        }
    }

    /// Counts another waiting task; returns false after the end or the cancellation.
    func join() -> Bool {
        waiting.count.withLock { count in
            guard count >= 0 else { return false }
            count += 1
            return true
        }
    }

    private func leave() {
        let isLast = waiting.count.withLock { count in
            guard count >= 0 else { return false }
            count = count == 1 ? -1 : count - 1
            return count < 0
        }
        if isLast { task.cancel() }
    }

    /// Waits for the end of the task, as one of the counted waiting tasks.
    func wait() async throws(NetworkError) {
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            leave()
        }
        if case .failure(let error) = result { throw NetworkError(wrapping: error) }
    }

    /// Waits for the end of the task without being counted.
    func end() async { _ = await task.result }
}
