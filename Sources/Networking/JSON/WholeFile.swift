import Foundation

/// Files that are read whole, and replaced whole or not at all.
enum WholeFile {
    /// Reads a file of at most `limit` bytes.
    ///
    /// - Throws: `.fileFailed`, or `code` if the file is longer; both with `file`.
    static func read(_ path: String, limit: Int, as code: NetworkError.Code) throws(NetworkError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "cannot be opened", errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path, "cannot be read", errno)
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            if bytes.count > limit {
                var error = NetworkError(code, "the file is longer than the \(limit) bytes that are allowed")
                error.file = path
                error.limit = limit
                throw error
            }
        }
    }

    /// Replaces a file: whoever reads it sees the old content or the new one, also after a crash at any moment.
    ///
    /// The new content is written beside the file (`.tmp` appended), brought to the disk and renamed.
    /// Writers of several processes wait for each other.
    ///
    /// - Throws: `.fileFailed` with `file`; the old content is still there.
    static func replace(_ path: String, with bytes: [UInt8]) throws(NetworkError) {
        let temporary = path + ".tmp"
        let descriptor = try openAlone(temporary, for: path)
        defer { close(descriptor) }
        guard ftruncate(descriptor, 0) == 0 else { throw failure(path, "cannot be written", errno) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path, "cannot be written", errno)
            }
            written += count
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw failure(path, "cannot be replaced", errno)
        }
    }

    /// Opens the temporary file and locks it; what another writer has renamed meanwhile is not it any more.
    private static func openAlone(_ temporary: String, for path: String) throws(NetworkError) -> Int32 {
        while true {
            let descriptor = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure(path, "cannot be written", errno) }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    close(descriptor)
                    throw failure(path, "cannot be locked", errno)
                }
            }
            var (mine, current) = (stat(), stat())
            if fstat(descriptor, &mine) == 0, stat(temporary, &current) == 0, mine.st_ino == current.st_ino {
                return descriptor
            }
            close(descriptor)
        }
    }

    private static func failure(_ path: String, _ what: String, _ code: Int32) -> NetworkError {
        var error = NetworkError(.fileFailed, "the file \(what): \(String(cString: strerror(code)))")
        error.file = path
        return error
    }
}
