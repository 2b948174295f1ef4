#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads whole files.
package enum WholeFile {
    /// Returns the bytes of a regular file.
    ///
    /// The file is opened without blocking, so reading a pipe fails instead of waiting for a writer. Links are
    /// followed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes from the start of the file to its end.
    /// - Throws: `.notRegular` for directories, pipes, sockets and devices; `.tooLarge` for a file longer than `limit`.
    package static func read(_ path: String, limit: Int = .max) throws(FileFailure) -> [UInt8] {
        try read(path, O_RDONLY, limit: limit, isOwn: false)
    }

    /// Returns the bytes of a file that only this user can have written.
    ///
    /// In a folder that others can write to, another user can put a file of theirs in the place of one of the program, or
    /// a link to a file that the program can read.
    ///
    /// - Throws: As ``read(_:limit:)``, and `.foreign` for the files that ``FileStatus/isOwn`` excludes and for links of
    ///   other users.
    package static func readOwn(_ path: String, limit: Int = .max) throws(FileFailure) -> [UInt8] {
        try read(AtomicFile.target(of: path, isOwn: true), O_RDONLY | O_NOFOLLOW, limit: limit, isOwn: true)
    }

    private static func read(_ path: String, _ flags: Int32, limit: Int, isOwn: Bool) throws(FileFailure) -> [UInt8] {
        let descriptor = retrying { open(path, flags | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else { throw .last(path) }
        guard status.kind == .regular else { throw FileFailure(path, .notRegular) }
        guard !isOwn || status.isOwn else { throw FileFailure(path, .foreign) }
        // Files of /proc have a size of 0, and a file can grow while it is read, so the size is only a hint. Reading
        // one byte more than the limit is enough to reject a file.
        let most = limit == .max ? limit : limit + 1
        var bytes: [UInt8] = []
        var room = min(max(Int(clamping: status.signature.size &+ 1), 4096), most)
        while bytes.count < most {
            var failure: Int32 = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                let result = retrying { systemRead(descriptor, buffer.baseAddress, room) }
                if result < 0 { failure = errno }
                count = max(result, 0)
            }
            if failure != 0 { throw FileFailure(path, .system(failure)) }
            if chunk.isEmpty { break }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            room = min(65_536, max(most - bytes.count, 1))
        }
        guard bytes.count <= limit else { throw FileFailure(path, .tooLarge(limit: limit)) }
        return bytes
    }
}

// Outside of the type, where the name of the system's function is not hidden.
private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, start, count)
}
