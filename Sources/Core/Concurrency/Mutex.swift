public import Synchronization

// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

/// A mutual-exclusion lock around a value, like the standard library's `Mutex`.
///
/// On Linux, the standard mutex transfers ownership inside the kernel. The thread sanitizer can't see this, so it
/// reports every contended use as a race. The atomic pair in this type makes the transfer visible to the sanitizer. Its
/// cost is negligible compared with the lock.
@frozen
public struct Mutex<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Synchronization.Mutex<Value>
    @usableFromInline let isReleased = Atomic(false)

    /// Creates an unlocked mutex around a value.
    @inlinable
    public init(_ initialValue: consuming sending Value) { mutex = Synchronization.Mutex(initialValue) }

    /// Runs `body` with exclusive access to the value.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = isReleased.load(ordering: .acquiring)
            defer { isReleased.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}

// Unchecked because the value is reachable only through the lock.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
