/// A value that arrives once, for any number of waiting tasks.
///
/// ```swift
/// let promise = Promise<Int>()
/// Task { promise.fulfill(7) }
/// let number = await promise.value(within: .seconds(1))  // 7
/// ```
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of waiting tasks.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Passes a value to the waiting tasks and to later ones; only the first call has an effect.
    package func fulfill(_ value: Value) {
        let waiters = state.withLock { state -> [Int: CheckedContinuation<Value?, Never>] in
            guard state.value == nil else { return [:] }
            state.value = value
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: value) }
    }

    /// Waits for the value.
    ///
    /// - Parameters:
    ///   - limit: The longest wait, or nil for no limit.
    ///   - sleep: Sleeps on the clock of the limit.
    /// - Returns: The value, or nil if the task is cancelled or the limit expires first.
    package nonisolated(nonsending) func value(
        within limit: Duration? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async -> Value? {
        let (id, present) = state.withLock { state in
            state.lastID += 1
            return (state.lastID, state.value)
        }
        if let present { return present }
        var timer: Task<Void, any Error>?
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(id, continuation)
                // The cancellation may have come before the continuation.
                if Task.isCancelled { leave(id) }
                timer = limit.map { limit in
                    Task {
                        try await sleep(limit)
                        self.leave(id)
                    }
                }
            }
        } onCancel: {
            leave(id)
        }
        timer?.cancel()
        return value
    }

    private func join(_ id: Int, _ continuation: CheckedContinuation<Value?, Never>) {
        let value = state.withLock { state in
            if state.value == nil { state.waiters[id] = continuation }
            return state.value
        }
        if let value { continuation.resume(returning: value) }
    }

    /// Ends the wait of one task without a value.
    private func leave(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
    }
}
