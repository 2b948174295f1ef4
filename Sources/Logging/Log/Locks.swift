#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mutual-exclusion lock that a forking thread holds during the fork, and that can wait for changes.
///
/// `Synchronization.Mutex` can't be released in a forked child. Each lock adds itself to ``ForkRegistry``.
package final class ForkSafeLock: Sendable {
    /// What a fork does with a lock.
    package enum ForkRule: Sendable {
        /// The forking thread acquires the lock, so that the child inherits a consistent state.
        case held
        /// The fork doesn't wait for the lock, which is held during slow work; in the child it is free.
        case ignored
    }

    let memory: LockMemory

    package init(inForks rule: ForkRule = .held) {
        memory = LockMemory()
        ForkRegistry.add(memory, rule)
    }

    deinit { ForkRegistry.remove(memory) }

    @inline(__always) package func lock() { pthread_mutex_lock(memory.mutex) }
    @inline(__always) package func unlock() { pthread_mutex_unlock(memory.mutex) }

    /// Runs `body` while the lock is held.
    package func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }

    /// Releases the lock until ``wakeAll()``.
    package func wait() { pthread_cond_wait(memory.condition, memory.mutex) }

    /// Releases the lock until ``wakeAll()``, at most for a number of nanoseconds.
    package func wait(nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        #if canImport(Darwin)
            var pause = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_cond_timedwait_relative_np(memory.condition, memory.mutex, &pause)
        #else
            let end = SystemCalls.monotonicClock() &+ min(nanoseconds, 3_600_000_000_000)
            var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
            pthread_cond_timedwait(memory.condition, memory.mutex, &moment)
        #endif
    }

    package func wakeAll() { pthread_cond_broadcast(memory.condition) }
}

/// The memory of a lock.
///
/// The registry knows locks by their memory and not by references, which it could be the last one to release.
struct LockMemory: Sendable {
    // Unsafe because they are pointers; only the system uses what they point to.
    nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        reset()
    }

    /// Makes the lock free, also if its owner is a thread of the parent.
    func reset() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    func destroy() {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }
}

/// A value behind a lock that can be held across `fork`.
package final class Guarded<Value>: @unchecked Sendable {  // `value` is used under `lock` only
    package let lock = ForkSafeLock()
    // The lock makes each access exclusive, so the runtime doesn't have to check it.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` with the value.
    ///
    /// `body` must not call user code.
    @inline(__always)
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }

    /// The value, for a caller that holds the lock.
    package var held: Value {
        @inline(__always) _read { yield value }
        @inline(__always) _modify { yield &value }
    }
}
