/// The body of a request: nothing, bytes, a file, or a stream that is pulled as it is sent.
///
/// Building a body does no I/O; files are opened when the request is sent, and read in pieces.
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
    /// The `Content-Type` that is sent unless the request's fields name another, or nil.
    public var contentType: String?
    /// The length in bytes if it is known before sending; nil for files (measured when sent) and open streams.
    public let length: Int?
    /// Whether the body can be sent again, for a redirect or a retry.
    public let isReplayable: Bool

    init(_ content: Content, contentType: String?, length: Int?, isReplayable: Bool = true) {
        (self.content, self.contentType, self.length, self.isReplayable) = (content, contentType, length, isReplayable)
    }

    /// No body at all.
    public static let empty = RequestBody(.empty, contentType: nil, length: 0)

    /// The given bytes.
    public static func bytes(_ bytes: [UInt8], contentType: String? = "application/octet-stream") -> RequestBody {
        RequestBody(.bytes(bytes), contentType: contentType, length: bytes.count)
    }

    /// A text as UTF-8.
    public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
        .bytes(Array(text.utf8), contentType: contentType)
    }

    /// The contents of a file, opened and measured when sent.
    ///
    /// A missing or unreadable file makes the request fail with `.fileFailed`.
    public static func file(_ path: String, contentType: String = "application/octet-stream") -> RequestBody {
        RequestBody(.file(path), contentType: contentType, length: nil)
    }

    /// A sequence of chunks that is made anew whenever the body has to be sent.
    ///
    /// With a length the body is framed by it, and a sequence that yields less or more makes the request fail
    /// with `.invalidBody`; without one it is sent in chunks. The sequence is pulled no faster than it is sent.
    public static func stream<S: AsyncSequence & Sendable>(
        length: Int? = nil, contentType: String = "application/octet-stream", _ make: @escaping @Sendable () throws -> S
    ) -> RequestBody where S.Element == [UInt8] {
        RequestBody(.stream { SequenceBodyReader(try make()) }, contentType: contentType, length: length)
    }

    /// A sequence of chunks that can be sent only once.
    ///
    /// A redirect that would have to send it again fails with `.bodyNotReplayable`.
    public static func once<S: AsyncSequence & Sendable>(
        length: Int? = nil, contentType: String = "application/octet-stream", _ sequence: S
    ) -> RequestBody where S.Element == [UInt8] {
        RequestBody(
            .stream { SequenceBodyReader(sequence) }, contentType: contentType, length: length, isReplayable: false)
    }

    /// Whether there is no body.
    public var isEmpty: Bool { if case .empty = content { true } else { false } }

    /// The body's bytes if they are in memory, else nil.
    public var inMemory: [UInt8]? {
        switch content {
        case .empty: []
        case .bytes(let bytes): bytes
        default: nil
        }
    }
}

/// Yields a body piece by piece, in order, to one reader.
public protocol RequestBodyReader: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end; an empty array is not the end.
    func next() async throws -> [UInt8]?
}

extension RequestBody {
    /// Opens the body for reading from its start.
    ///
    /// For own transports. Reading a body that is not replayable twice gives what its sequence gives.
    ///
    /// - Throws: `.fileFailed` for a file that cannot be opened, `.encodingFailed` or `.invalidBody` for a body that
    ///   could not be built.
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

    /// The length to announce, measuring a file; nil means that the body is sent in chunks.
    ///
    /// - Throws: as ``makeReader()``.
    public func measuredLength() throws(NetworkError) -> Int? {
        switch content {
        case .file(let path): return try FileBodyReader.length(of: path)
        case .multipart(let form): return try form.measured().length
        case .failed(let error): throw error
        default: return length
        }
    }
}
