import Foundation

/// Does blocking work on a thread of its own.
///
/// Swift's pool has as many threads as there are processors; whoever blocks one delays the clocks of all other tests.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
