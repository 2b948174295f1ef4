package import AshlarCore

/// Reads and writes JSON files: host maps, archives and stored selections.
package enum JSONFile {
    /// Reads a file of at most `limit` bytes.
    ///
    /// - Throws: `.fileFailed`, or `code` if the file is longer; both with `file`. With `isOwn`, also `.fileFailed` for a
    ///   file that another user can have written.
    package static func read(
        _ path: String, limit: Int, as code: NetworkError.Code, isOwn: Bool = false
    ) throws(NetworkError) -> [UInt8] {
        do throws(FileFailure) {
            return try isOwn ? WholeFile.readOwn(path, limit: limit) : WholeFile.read(path, limit: limit)
        } catch {
            guard case .tooLarge(let limit) = error.reason else { throw NetworkError(error) }
            throw NetworkError(code, "the file is longer than \(limit) bytes", file: path, limit: limit)
        }
    }

    /// Replaces a file with content that can depend on the old content; no other writer replaces the file in between.
    ///
    /// Readers find the old content or the new one, even after a crash.
    ///
    /// - Throws: `.fileFailed` with `file`; the old content is then unchanged.
    package static func replace(_ path: String, with content: () -> [UInt8]) throws(NetworkError) {
        do {
            try AtomicFile.replace(path, with: content)
        } catch {
            var failure = NetworkError(error)
            failure.file = path
            throw failure
        }
    }
}

extension NetworkError {
    package init(_ failure: FileFailure) {
        self.init(.fileFailed, failure.description, file: failure.path)
    }
}
