internal import AshlarCore
import Foundation

/// Yields bytes in memory as one piece.
final class ChunkBodyReader: RequestBodyReader {
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes.isEmpty ? nil : bytes) }

    func next() async throws -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }
}

/// Yields a file in pieces of 64 KiB.
final class FileBodyReader: RequestBodyReader {
    private let path: String
    // `FileHandle` is Sendable, and a reader has one caller at a time, so its position has one user.
    private let handle: FileHandle

    init(path: String) throws(NetworkError) {
        self.path = path
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Self.failed(path, "can't be opened") }
        self.handle = handle
    }

    deinit { try? handle.close() }

    func next() async throws -> [UInt8]? {
        do {
            guard let data = try handle.read(upToCount: 64 << 10), !data.isEmpty else { return nil }
            return Array(data)
        } catch {
            throw Self.failed(path, "can't be read", underlying: error)
        }
    }

    static func length(of path: String) throws(NetworkError) -> Int {
        guard let status = FileStatus(path) else { throw failed(path, "can't be measured") }
        guard status.kind == .regular else { throw failed(path, "is not a regular file") }
        return Int(clamping: status.size)
    }

    private static func failed(
        _ path: String, _ reason: String, underlying: (any Error)? = nil
    ) -> NetworkError {
        NetworkError(.fileFailed, "the file \(reason)", phase: .prepare, file: path, underlying: underlying)
    }
}

/// Yields the chunks of an asynchronous sequence.
actor SequenceBodyReader<S: AsyncSequence>: RequestBodyReader where S.Element == [UInt8] {
    private var iterator: S.AsyncIterator

    init(_ sequence: S) { iterator = sequence.makeAsyncIterator() }

    func next() async throws -> [UInt8]? {
        var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next(isolation: self)
    }
}

extension RequestBody {
    /// Returns all bytes of the body.
    package func collected() async throws(NetworkError) -> [UInt8] {
        if let inMemory { return inMemory }
        let reader = try makeReader()
        do {
            var bytes: [UInt8] = []
            while let chunk = try await reader.next() { bytes += chunk }
            // A stream ends early when its task is cancelled; a part of the body must not be returned as the whole.
            try Task.checkCancellation()
            return bytes
        } catch {
            throw NetworkError(wrapping: error, as: .invalidBody, phase: .send)
        }
    }
}
