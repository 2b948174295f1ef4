/// Waits for results that may be late.
package enum Patience {
    /// Returns a value, or nil if it doesn't arrive in time.
    ///
    /// - Parameters:
    ///   - limit: The longest wait.
    ///   - start: Starts the work, and calls the given closure with the value; a late value is ignored.
    /// - Returns: The value.
    package nonisolated(nonsending) static func value<Value: Sendable>(
        within limit: Duration, _ start: (@escaping @Sendable (Value?) -> Void) -> Void
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let waiter = Waiter(continuation)
            let timer = Task {
                try await Task.sleep(for: limit)
                waiter.resume(nil)
            }
            start { value in
                timer.cancel()
                waiter.resume(value)
            }
        }
    }

    private final class Waiter<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

        init(_ continuation: CheckedContinuation<Value?, Never>) { self.continuation = Mutex(continuation) }

        func resume(_ value: Value?) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(returning: value)
        }
    }
}
