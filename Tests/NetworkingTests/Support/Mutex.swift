import Foundation

/// A value protected by a lock.
///
/// It replaces the standard mutex in these tests, whose hand-over from thread to thread the thread sanitizer does not
/// see on Linux, so that it would report every use of one.
final class Mutex<Value>: @unchecked Sendable {
    // Unchecked because the value is used only inside the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs the body with exclusive access.
    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
