import Synchronization

/// The standard library's mutex, with a hand-over that the thread sanitizer can see; it stands for it in this module.
///
/// On Linux the standard mutex passes from thread to thread inside of the kernel and of a library that is not
/// instrumented, so the sanitizer takes each contended use for a race and real ones drown. The release and acquire
/// below say what is true anyway, and cost nothing next to the lock.
struct Mutex<Value: ~Copyable>: ~Copyable {
    private let mutex: Synchronization.Mutex<Value>
    private let handOver = Atomic(false)

    init(_ initialValue: consuming sending Value) { mutex = Synchronization.Mutex(initialValue) }

    /// Runs the body while no other thread is inside.
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}

// The value is reached through the lock only.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
