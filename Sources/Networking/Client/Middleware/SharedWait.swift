import struct Synchronization.Atomic

/// Waits for a result of another task, until the task is cancelled or its time expires.
enum SharedWait {
    /// Receives the result.
    typealias Waiter<Value> = @Sendable (Result<Value, NetworkError>) -> Void

    private static let lastID = Atomic<UInt64>(0)

    /// Registers a waiter and returns its result.
    ///
    /// - Parameters:
    ///   - timeout: The time until the wait fails, or nil for no limit.
    ///   - sleep: Sleeps on the clock of the timeout.
    ///   - join: Registers a waiter under a number, or calls it immediately.
    ///   - leave: Removes the waiter of a number and returns it, or returns nil if it is no longer registered.
    /// - Returns: The result.
    /// - Throws: The failure that the waiter receives, `.cancelled` or `.timedOut`.
    static func outcome<Value: Sendable>(
        timeout: Duration?,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        join: (UInt64, @escaping Waiter<Value>) -> Void, leave: @escaping @Sendable (UInt64) -> Waiter<Value>?
    ) async throws(NetworkError) -> Value {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        var timer: Task<Void, any Error>?
        let result: Result<Value, NetworkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(id) { continuation.resume(returning: $0) }
                // The cancellation may have come before the waiter.
                if Task.isCancelled { leave(id)?(.failure(cancelled)) }
                timer = timeout.map { timeout in
                    Task {
                        try await sleep(timeout)
                        leave(id)?(.failure(timedOut))
                    }
                }
            }
        } onCancel: {
            leave(id)?(.failure(cancelled))
        }
        timer?.cancel()
        return try result.get()
    }

    private static var cancelled: NetworkError { NetworkError(.cancelled, "the task was cancelled", phase: .wait) }
    private static var timedOut: NetworkError {
        NetworkError(.timedOut, "the total timeout expired while the request waited for another one", phase: .wait)
    }
}
