/// An operation that runs beside a test, whose result is awaited for a limited time.
package struct Pending<Value: Sendable>: Sendable {
    private let result = Locked<Value?>(nil)
    private let task: Task<Void, Never>

    package init(_ operation: @escaping @Sendable () async -> Value) {
        let result = result
        task = Task {
            let value = await operation()
            result.withLock { $0 = value }
        }
    }

    package func cancel() { task.cancel() }

    package func value() async throws -> Value {
        while true {
            if let value = result.withLock({ $0 }) { return value }
            try await until { result.withLock { $0 != nil } }
        }
    }
}
