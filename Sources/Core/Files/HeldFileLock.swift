#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An exclusive lock that is held until the object is released.
///
/// The lock is that of an empty file, which is created and stays. The system releases the lock when a process ends.
package final class HeldFileLock: Sendable {
    private let descriptor: Int32

    /// Locks a file without waiting.
    ///
    /// - Returns: Nil if another object, in this process or another one, holds the lock.
    /// - Throws: The system's error if the file can't be created or locked.
    package init?(_ path: String) throws(FileFailure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw .last(path) }
        guard retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
            let failure = FileFailure.last(path)
            close(descriptor)
            if failure.reason == .system(EWOULDBLOCK) { return nil }
            throw failure
        }
    }

    deinit {
        // A process that is being started has a copy of the descriptor until it runs its program, so closing isn't enough.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
