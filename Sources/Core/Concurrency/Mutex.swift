public import Synchronization

// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

/// A mutual-exclusion lock around a value: the standard library's `Mutex`, visible to the thread sanitizer.
///
/// On Linux, the standard mutex transfers ownership inside the kernel. The thread sanitizer can't see this, so it
/// reports every contended use as a race. In debug builds, which the sanitizer checks, an atomic pair makes the transfer
/// visible. Release builds contain the standard mutex only, so the sanitizer's reports about them are meaningless.
@frozen
public struct Mutex<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Synchronization.Mutex<Value>
    #if DEBUG
        @usableFromInline let isReleased = Atomic(false)
    #endif

    /// Creates an unlocked mutex around a value.
    @inlinable
    public init(_ initialValue: consuming sending Value) { mutex = Synchronization.Mutex(initialValue) }

    /// Runs `body` with exclusive access to the value.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            #if DEBUG
                _ = isReleased.load(ordering: .acquiring)
                defer { isReleased.store(true, ordering: .releasing) }
            #endif
            return try body(&value)
        }
    }
}

extension Mutex: Sendable where Value: ~Copyable {}
