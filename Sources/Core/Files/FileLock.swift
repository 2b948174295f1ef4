#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An exclusive lock that processes and threads share by the path of a file.
package enum FileLock {
    /// Runs `body` while no other thread or process runs one with the same path.
    ///
    /// The lock is that of an empty file, which is created and stays. The system releases it when a process ends.
    ///
    /// - Throws: The system's error if the file cannot be created.
    package static func withLock<Result>(on path: String, _ body: () -> Result) throws(FileFailure) -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .last(path) }
        }
        return body()
    }
}
