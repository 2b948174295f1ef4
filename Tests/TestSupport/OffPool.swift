import Foundation

/// Runs blocking work on a new thread.
///
/// Swift's pool has as many threads as there are processors; a blocked thread delays the clocks of all other tests.
package func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
