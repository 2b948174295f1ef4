#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An exclusive lock of a file or folder that threads and processes share by its path.
///
/// The lock ends when the object is released or when its process ends.
package final class FileLock: Sendable {
    package enum Target: Sendable {
        /// An empty file, which is created and remains.
        case file
        case folder
    }

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Self.release(descriptor) }

    /// Unlocks and closes a file.
    ///
    /// Closing it isn't enough: a child that was forked in the meantime shares the lock.
    static func release(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Locks a file or folder without waiting.
    ///
    /// - Returns: Nil if another object, in this process or another one, holds the lock.
    /// - Throws: The system's error if the path can't be opened, or its file system has no locks.
    package static func attempt(_ path: String, _ target: Target = .file) throws(FileFailure) -> FileLock? {
        let flags =
            switch target {
            case .file: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
            case .folder: O_RDONLY | O_DIRECTORY
            }
        do throws(FileFailure) {
            return FileLock(descriptor: try openLocked(path, flags, permissions: 0o600, LOCK_EX | LOCK_NB))
        } catch {
            if error.reason == .system(EWOULDBLOCK) { return nil }
            throw error
        }
    }

    /// Opens and locks a file or folder, and returns its descriptor.
    static func openLocked(
        _ path: String, _ flags: Int32, permissions: mode_t, _ operation: Int32
    ) throws(FileFailure) -> Int32 {
        let descriptor = retrying { open(path, flags | O_CLOEXEC, permissions) }
        guard descriptor >= 0 else { throw .last(path) }
        guard retrying({ flock(descriptor, operation) }) == 0 else {
            let failure = FileFailure.last(path)
            close(descriptor)
            throw failure
        }
        return descriptor
    }
}
