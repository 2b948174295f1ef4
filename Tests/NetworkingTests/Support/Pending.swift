import AshlarTestSupport
import Testing

/// An operation that runs beside a test, whose result is awaited for at most 30 seconds.
struct Pending<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let task: Task<Void, Never>

    init(_ operation: @escaping @Sendable () async -> Value) {
        let result = result
        task = Task {
            let value = await operation()
            result.withLock { $0 = value }
        }
    }

    func cancel() { task.cancel() }

    func value() async throws -> Value {
        try await until { result.withLock { $0 != nil } }
        return try #require(result.withLock { $0 })
    }
}
