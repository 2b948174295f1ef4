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
final class ForkSafeLock: @unchecked Sendable {  // the pointer never changes; the lock behind it is made for threads
    private let handle: UnsafeMutablePointer<pthread_mutex_t>

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
    func lock() { pthread_mutex_lock(handle) }

    @inline(__always)
    func tryLock() -> Bool { pthread_mutex_trylock(handle) == 0 }

    @inline(__always)
    func unlock() { pthread_mutex_unlock(handle) }

    @inline(__always)
    func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
