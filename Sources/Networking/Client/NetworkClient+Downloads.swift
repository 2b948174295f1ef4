internal import AshlarCore
import Foundation

extension NetworkClient {
    /// Downloads to a file in pieces, and resumes an earlier download of this process that failed.
    ///
    /// The bytes are written to `<path>.partial`, which only the owner can read, and which is moved to `path` once it is
    /// complete. If a GET with a strong `ETag` fails, the next download of its URL to the same path requests the rest with
    /// `If-Range`. A rest that doesn't fit or has no `ETag` throws `.badResponse`, and the next download starts over. Of two
    /// downloads to one path at the same time, the second one fails.
    ///
    /// The request permits no content coding (`Accept-Encoding: identity`), and a compressed response throws `.badResponse`.
    /// A request with its own `Accept-Encoding` stores the bytes as the server sends them.
    ///
    /// - Parameters:
    ///   - request: The request, whose `maximumBodyBytes` limit the whole content.
    ///   - path: The file to create; an existing regular file, or a symbolic link to one, is replaced at the end.
    ///   - resume: Whether to resume a failed download.
    ///   - progress: Receives the number of bytes, including the failed download's; see ``RequestOptions/progress``.
    /// - Returns: The head, URL and history of the response; `bytes` is empty.
    /// - Throws: Any failure; `.fileFailed` for the file, or if `path` isn't a regular file.
    @discardableResult
    public func download(
        _ request: NetworkRequest, to path: String, resume: Bool = true,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkError) -> NetworkResponse {
        var response: StreamedResponse?
        do throws(NetworkError) {
            // The rest of a file comes from the host that sent its start.
            var resolved = prepared(request)
            try resolve(&resolved)
            var file = try PartialFile(
                path, of: resolved, permitsCodings: request.headers.contains("Accept-Encoding"), resumes: resume)
            defer { file.close() }
            let streamed = try await stream(started(file.request))
            response = streamed
            try await file.receive(streamed, progress.map { ProgressReporter($0) })
            return streamed.complete([], format: .init())
        } catch {
            var error = error
            error.request = error.request ?? configuration.redaction.redact(request)
            guard let response else { throw error }
            response.body.cancel()
            error.status = response.status
            error.history = response.history.map { configuration.redaction.redact($0) }
            error.attempts = max(error.attempts, response.history.count + 1)
            throw error
        }
    }
}

/// The file of an incomplete download, locked against other downloads.
private struct PartialFile {
    private typealias Rest = (url: HTTPURL, tag: String, signature: FileSignature)
    /// What failed downloads left, by the path of the whole file.
    private static let rests = Mutex<[String: Rest]>([:])

    private let path: String
    private let handle: FileHandle
    private(set) var request: NetworkRequest
    private let isResumable: Bool
    /// Whether the caller's own `Accept-Encoding` asks for encoded bytes.
    private let permitsCodings: Bool
    private var length = 0
    /// The strong tag of the content so far (RFC 9110, 13.1.5), or nil if it can't be resumed.
    private var tag: String?
    private var total: Int?
    private var isComplete = false

    init(
        _ path: String, of request: NetworkRequest, permitsCodings: Bool, resumes: Bool
    ) throws(NetworkError) {
        self.path = path
        self.request = request
        self.permitsCodings = permitsCodings
        if !permitsCodings { self.request.headers.set("Accept-Encoding", "identity") }
        isResumable = request.method == .get && request.body.isEmpty && !request.headers.contains("Range")
        guard !path.isEmpty, !path.utf8.contains(0), FileStatus(path).map({ $0.kind == .regular }) != false else {
            throw .download(path, "needs a regular file")
        }
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = Foundation.open(path + ".partial", flags, 0o600)
        guard descriptor >= 0 else { throw .download(path, "can't be created: \(String(cString: strerror(errno)))") }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Another download may have moved the file since it was opened.
        guard let status = FileStatus(descriptor: descriptor), status.isOwn, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            FileStatus(path + ".partial", followingLinks: false)?.identity == status.identity
        else { throw .download(path, "needs a file of its own, to which no other download writes") }
        let rest = Self.rests.withLock { $0.removeValue(forKey: path) }
        guard resumes, isResumable, let rest, rest.url == request.url, rest.signature == status.signature
        else { return }
        length = Int(clamping: status.size)
        tag = rest.tag
        self.request.headers.set("Range", "bytes=\(length)-")
        self.request.headers.set("If-Range", rest.tag)
        self.request.options.acceptedStatuses?.formUnion([206, 416])
    }

    /// Writes the body of a response, and moves the file to its place once it is complete.
    mutating func receive(_ response: StreamedResponse, _ reporter: ProgressReporter?) async throws(NetworkError) {
        let found = response.headers["ETag"]
        guard permitsCodings || !response.headers.isCompressed else {
            throw rejected("the server compresses the content all the same; only an own Accept-Encoding stores it so")
        }
        let isIdentity = response.headers["Content-Encoding"] == nil
        let isRest = tag != nil && [206, 416].contains(response.status)
        if isRest {
            let range = response.headers["Content-Range"] ?? ""
            let whole = range.split(separator: "/").last.flatMap { Int($0) } ?? 0
            guard whole > length, range.lowercased() == "bytes \(length)-\(whole - 1)/\(whole)", isIdentity,
                found == tag
            else { throw misfit() }
            total = whole
        } else {
            guard response.status != 206 || request.headers.contains("Range") && tag == nil else { throw misfit() }
            length = 0
            total = response.head.contentLength
            tag = isResumable && isIdentity && found?.hasPrefix("\"") == true ? found : nil
        }
        do { try handle.truncate(atOffset: UInt64(length)) } catch { throw .download(path, "can't be written", error) }
        while let chunk = try await response.body.next() {
            if let limit = request.options.maximumBodyBytes, chunk.count > limit - length {
                throw ResponseBody.tooLarge(limit, "the content is longer than allowed")
            }
            do { try handle.write(contentsOf: Data(chunk)) } catch { throw .download(path, "can't be written", error) }
            length += chunk.count
            reporter?.report(TransferProgress(received: length, toReceive: total))
        }
        if isRest, length != total { throw misfit() }
        guard rename(path + ".partial", path) == 0 else { throw .download(path, "can't be moved to its place") }
        isComplete = true
        reporter?.finish()
    }

    /// Ends the lock, and removes content that the next download can't resume.
    func close() {
        if !isComplete, let tag, length > 0, let status = FileStatus(descriptor: handle.fileDescriptor) {
            Self.rests.withLock { $0[path] = (request.url, tag, status.signature) }
        } else if !isComplete {
            unlink(path + ".partial")
        }
        // Closing isn't enough: a child that was forked in the meantime shares the lock.
        flock(handle.fileDescriptor, LOCK_UN)
        try? handle.close()
    }

    /// Returns the error for a part that doesn't fit.
    private mutating func misfit() -> NetworkError {
        rejected("the part of the content isn't the rest of a partial file")
    }

    /// Returns the error for a response that can't be stored; the next download starts over.
    private mutating func rejected(_ reason: String) -> NetworkError {
        tag = nil
        return NetworkError(.badResponse, reason, phase: .receive)
    }
}

extension HTTPHeaders {
    /// Whether the bytes of the body are compressed; servers also send other values, such as `utf-8`, with plain bodies.
    fileprivate var isCompressed: Bool {
        let codings = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress"]
        return list(for: "Content-Encoding").contains { codings.contains($0.lowercased()) }
    }
}

extension NetworkError {
    fileprivate static func download(
        _ path: String, _ reason: String, _ underlying: (any Error)? = nil
    ) -> NetworkError {
        NetworkError(.fileFailed, "the download \(reason)", phase: .receive, file: path, underlying: underlying)
    }
}
