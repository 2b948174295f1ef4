import Foundation

/// A value protected by a lock, which closures can share.
///
/// It replaces the standard mutex in tests. The standard mutex of Linux transfers ownership inside the kernel, so the
/// thread sanitizer would report each contended use as a race.
public final class Locked<Value>: @unchecked Sendable {
    // Unchecked because the value is used only inside the lock.
    private let lock = NSLock()
    private var value: Value

    /// Creates a lock around a value.
    public init(_ value: Value) { self.value = value }

    /// Runs the body with exclusive access to the value.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// A counter that tasks and threads share.
public final class LockedCounter: Sendable {
    private let count = Locked(0)

    /// Creates a counter at zero.
    public init() {}

    /// The number of calls of ``next()``.
    public var value: Int { count.withLock { $0 } }

    /// Returns the number of earlier calls.
    @discardableResult
    public func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
