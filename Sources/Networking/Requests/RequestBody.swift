internal import AshlarCore
import Foundation

/// The body of a request: nothing, bytes, a file, or a stream that is read while it is sent.
///
/// Creating a body performs no I/O; a file is opened when the request is sent, and read in pieces.
public struct RequestBody: Sendable {
    enum Content: Sendable {
        case empty
        case bytes([UInt8])
        case file(String)
        case multipart(MultipartForm)
        case stream(@Sendable () throws -> any RequestBodyReader)
        case failed(NetworkError)
    }

    let content: Content
    /// The JSON of a value whose text depends on the format of the client that sends it; nil for other bodies.
    private var json: EncodedJSON?
    /// The `Content-Type` to send unless the request's fields contain one, or nil.
    public var contentType: String?
    /// The length in bytes, or nil for files, which are measured when sent, and for streams without a length.
    public let length: Int?
    /// Whether a redirect or retry can send the body again.
    package let isReplayable: Bool

    init(_ content: Content, contentType: String?, length: Int?, isReplayable: Bool = true) {
        self.content = content
        self.contentType = contentType
        self.length = length
        self.isReplayable = isReplayable
    }

    /// Creates a body with the JSON of a value in the default format, until a client sends it.
    init(_ json: EncodedJSON, contentType: String) {
        self = Self.written(json, JSONFormat(), contentType)
        if !json.hasOneFormat { self.json = json }
    }

    /// Returns the body with its JSON in the format of a client, if its value was encoded without one.
    func encoded(in format: JSONFormat) -> RequestBody {
        guard let json, format != JSONFormat() else { return self }
        return Self.written(json, format, contentType)
    }

    private static func written(_ json: EncodedJSON, _ format: JSONFormat, _ contentType: String?) -> RequestBody {
        do throws(NetworkError) {
            return .bytes(try json.bytes(format), contentType: contentType)
        } catch {
            return .failed(error, contentType: contentType)
        }
    }

    /// An empty body.
    public static let empty = RequestBody(.empty, contentType: nil, length: 0)

    /// Returns a body of bytes.
    public static func bytes(_ bytes: [UInt8], contentType: String? = "application/octet-stream") -> RequestBody {
        RequestBody(.bytes(bytes), contentType: contentType, length: bytes.count)
    }

    /// Returns a body of UTF-8 text.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
        .bytes(Array(text.utf8), contentType: contentType)
    }

    /// Returns a body with the contents of a file, which is opened and measured when sent.
    ///
    /// If the file is missing or unreadable, sending the request throws `.fileFailed`.
    public static func file(_ path: String, contentType: String = "application/octet-stream") -> RequestBody {
        RequestBody(.file(path), contentType: contentType, length: nil)
    }

    /// Returns a body of chunks, whose sequence is created each time the body is sent.
    ///
    /// With a length, a sequence with fewer or more bytes makes the request fail with `.invalidBody`. Without a length,
    /// the body is sent in chunks. The sequence is read only as fast as it is sent.
    public static func stream<S: AsyncSequence & Sendable>(
        length: Int? = nil, contentType: String = "application/octet-stream", _ make: @escaping @Sendable () throws -> S
    ) -> RequestBody where S.Element == [UInt8] {
        RequestBody(.stream { SequenceBodyReader(try make()) }, contentType: contentType, length: length)
    }

    /// Returns a body of chunks that can be sent only once.
    ///
    /// A redirect that needs the body again fails with `.bodyNotReplayable`.
    public static func once<S: AsyncSequence & Sendable>(
        length: Int? = nil, contentType: String = "application/octet-stream", _ sequence: S
    ) -> RequestBody where S.Element == [UInt8] {
        RequestBody(
            .stream { SequenceBodyReader(sequence) }, contentType: contentType, length: length, isReplayable: false)
    }

    /// Whether the body is empty.
    package var isEmpty: Bool { if case .empty = content { true } else { false } }

    /// The body's bytes if they are in memory, or nil.
    public var inMemory: [UInt8]? {
        switch content {
        case .empty: []
        case .bytes(let bytes): bytes
        default: nil
        }
    }
}

/// Yields the pieces of a body in order to one reader.
public protocol RequestBodyReader: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end; an empty array doesn't mean the end.
    func next() async throws -> [UInt8]?
}

extension RequestBody {
    /// Opens the body for reading from its start.
    ///
    /// Custom transports call it. If the body isn't replayable, a second reader continues the same sequence.
    ///
    /// - Throws: `.fileFailed` for a file that can't be opened; `.encodingFailed` or `.invalidBody` for a body that
    ///   can't be built.
    public func makeReader() throws(NetworkError) -> any RequestBodyReader {
        switch content {
        case .empty: return ChunkBodyReader([])
        case .bytes(let bytes): return ChunkBodyReader(bytes)
        case .file(let path): return try FileBodyReader(path: path)
        case .multipart(let form): return try form.makeReader()
        case .stream(let make):
            do { return try make() } catch { throw NetworkError(wrapping: error, as: .invalidBody, phase: .prepare) }
        case .failed(let error): throw error
        }
    }

    /// Returns the length to announce, or nil for a body sent in chunks; a file is measured.
    ///
    /// - Throws: The errors of ``makeReader()``.
    package func measuredLength() throws(NetworkError) -> Int? {
        switch content {
        case .file(let path): return try FileBodyReader.length(of: path)
        case .multipart(let form): return try form.measured().length
        case .failed(let error): throw error
        default: return length
        }
    }
}

extension RequestBody {
    /// Returns a body with names and values in the format of an HTML form.
    public static func form(_ query: HTTPQuery) -> RequestBody {
        .bytes(Array(query.formText.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// Returns a body that fails when it is sent.
    package static func failed(_ error: NetworkError, contentType: String? = nil) -> RequestBody {
        RequestBody(.failed(error), contentType: contentType, length: nil)
    }
}

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
