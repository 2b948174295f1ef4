/// A value behind a lock that a fork can hold.
final class Guarded<Value>: @unchecked Sendable {  // `value` is read and written under `lock` only
    let lock = ForkSafeLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs `body` with the value; no user code may run inside.
    @inline(__always)
    func withLock<R>(_ body: (inout Value) -> R) -> R {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
