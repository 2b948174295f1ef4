#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mutual exclusion lock that may be held across `fork` and released on both sides.
///
/// `Synchronization.Mutex` notes the owning thread's identity, which a forked child does not keep, so the locks that
/// the logger takes before a fork are of the C library.
class ForkSafeLock: ForkLock, @unchecked Sendable {
    // The pointer never changes, and the lock behind it is made for threads.
    fileprivate let handle: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        handle = .allocate(capacity: 1)
        handle.initialize(to: pthread_mutex_t())
        pthread_mutex_init(handle, nil)
    }

    deinit {
        pthread_mutex_destroy(handle)
        handle.deallocate()
    }

    @inline(__always)
    final func lock() { pthread_mutex_lock(handle) }

    @inline(__always)
    final func tryLock() -> Bool { pthread_mutex_trylock(handle) == 0 }

    @inline(__always)
    final func unlock() { pthread_mutex_unlock(handle) }

    @inline(__always)
    final func withLock<R>(_ body: () -> R) -> R {
        lock()
        defer { unlock() }
        return body()
    }
}

/// A lock on which a thread can wait until another has changed something.
final class WaitingLock: ForkSafeLock, @unchecked Sendable {  // as its superclass
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    override init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
        super.init()
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Lets go of the lock and waits until `wakeAll`; may return without one.
    func wait() { pthread_cond_wait(condition, handle) }

    /// The same for at most that many nanoseconds.
    func wait(nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        #if canImport(Darwin)
            var pause = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_cond_timedwait_relative_np(condition, handle, &pause)
        #else
            let end = SystemCalls.monotonicClock() &+ min(nanoseconds, 3_600_000_000_000)
            var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
            pthread_cond_timedwait(condition, handle, &moment)
        #endif
    }

    func wakeAll() { pthread_cond_broadcast(condition) }
}
