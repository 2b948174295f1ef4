#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Replaces files so that readers see either the old or the new content, even after a crash.
package enum AtomicFile {
    /// Replaces the content of a file, or creates the file.
    ///
    /// The content is written to a temporary file (the path with `.tmp` appended) and synchronized with the disk. Then
    /// the temporary file replaces the file. Writers in several processes wait for each other. If the path is a
    /// symbolic link, its target is replaced. The file's permissions are preserved; a new file gets `permissions`.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - permissions: The permissions of a new file.
    ///   - isDurable: Whether the content is synchronized with the disk. Otherwise a power cut can lose or damage it; a killed
    ///     process can't.
    ///   - content: Makes the new content. No other writer replaces the file between this call and the end, so that the
    ///     content can depend on the old one.
    /// - Throws: The system's error; the old content is then unchanged.
    package static func replace(
        _ path: String, permissions: UInt16 = 0o600, isDurable: Bool = true, with content: () -> [UInt8]
    ) throws(FileFailure) {
        let path = target(of: path)
        let temporary = path + ".tmp"
        let descriptor = try openExclusively(temporary, mode_t(permissions))
        defer { FileLock.release(descriptor) }
        let bytes = content()
        var old = stat()
        let mode = stat(path, &old) == 0 ? old.st_mode & 0o7777 : mode_t(permissions)
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, mode) == 0 else { throw .last(path) }
        var written = 0
        while written < bytes.count {
            let count = retrying { bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
            guard count >= 0 else { throw .last(path) }
            written += count
        }
        guard !isDurable || fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw .last(path) }
        if isDurable { synchronizeFolder(of: path) }
    }

    /// Writes a file with new content, or creates it.
    package static func replace(
        _ path: String, with bytes: [UInt8], permissions: UInt16 = 0o600, isDurable: Bool = true
    ) throws(FileFailure) {
        try replace(path, permissions: permissions, isDurable: isDurable) { bytes }
    }

    /// The path with all links resolved, or the path itself.
    private static func target(of path: String) -> String {
        guard FileStatus(path, followingLinks: false)?.kind == .link, let real = realpath(path, nil) else {
            return path
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// Opens the temporary file and locks it.
    ///
    /// Another writer can rename the file while this one waits for the lock. Then this method opens it again.
    private static func openExclusively(_ temporary: String, _ permissions: mode_t) throws(FileFailure) -> Int32 {
        while true {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
            let descriptor = try FileLock.openLocked(temporary, flags, permissions: permissions, LOCK_EX)
            let current = FileStatus(temporary, followingLinks: false)?.signature.inode
            if let current, current == FileStatus(descriptor: descriptor)?.signature.inode { return descriptor }
            FileLock.release(descriptor)
        }
    }

    /// Synchronizes the folder with the disk, so that the rename survives a power failure.
    ///
    /// Some file systems don't support this; the content of the file is complete in any case.
    private static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
