import Foundation

/// A value behind a lock.
///
/// It stands for the standard mutex in these tests, whose hand-over from thread to thread the thread sanitizer does not
/// see on Linux, so that it would report every use of one.
final class Mutex<Value>: @unchecked Sendable {
    // Unchecked because the value is reached behind the lock only.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs the body while no other thread is inside.
    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
