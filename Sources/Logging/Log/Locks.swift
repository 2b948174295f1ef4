#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mutual-exclusion lock that can wait for changes, which `Synchronization.Mutex` can't.
package final class ConditionLock: @unchecked Sendable {
    // Only the system uses what the pointers refer to.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
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

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Runs `body` while the lock is held.
    package func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }

    /// Releases the lock until ``wakeAll()``.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// Releases the lock until ``wakeAll()``, at most for a number of nanoseconds.
    package func wait(nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        #if canImport(Darwin)
            var pause = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_cond_timedwait_relative_np(condition, mutex, &pause)
        #else
            let end = SystemCalls.monotonicClock() &+ min(nanoseconds, 3_600_000_000_000)
            var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
            pthread_cond_timedwait(condition, mutex, &moment)
        #endif
    }

    package func wakeAll() { pthread_cond_broadcast(condition) }
}

/// A value behind a lock that can wait for changes of the value.
package final class Guarded<Value>: @unchecked Sendable {  // `value` is used under `lock` only
    package let lock = ConditionLock()
    // The lock makes each access exclusive, so the runtime doesn't have to check it.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` with the value.
    ///
    /// `body` must not call user code.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }

    /// The value, for a caller that holds the lock.
    package var held: Value {
        _read { yield value }
        _modify { yield &value }
    }
}
