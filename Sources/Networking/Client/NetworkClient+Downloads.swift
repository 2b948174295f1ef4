internal import AshlarCore
import Foundation

extension NetworkClient {
    /// Downloads to a file in pieces and resumes an earlier partial download.
    ///
    /// The bytes are written to `<path>.partial`, which is moved to `path` once it is complete. A failed download leaves
    /// this file, and in `<path>.partial.validator` the `ETag` or `Last-Modified` of its content, a hash of its URL and
    /// its length. With `resume`, the next download of the same URL requests the rest with `If-Range`, again until
    /// everything has arrived: a server may send less than was requested. If the server's content has changed, the
    /// server sends the whole content and the download starts over. A part that doesn't fit the earlier content throws
    /// `.badResponse`, and the next download starts over. The length of the whole content is limited only by the
    /// options' `bodyBytes`. A resumable download isn't compressed: the request permits no content coding, and a response
    /// that has one nevertheless isn't resumed. A request with its own `Range`, with a body, or with another method than
    /// GET isn't resumed.
    ///
    /// Only the owner can read the file. Of two downloads to one path at the same time, the second one fails.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: The file to create; an existing regular file, or a symbolic link to one, is replaced at the end.
    ///   - resume: Whether to resume a partial download.
    ///   - progress: Receives the number of bytes, including earlier downloads; see ``RequestOptions/progress``.
    /// - Returns: The head, URL and history of the last response; `bytes` is empty.
    /// - Throws: Any failure; `.fileFailed` for the file, or if `path` isn't a regular file.
    @discardableResult
    public func download(
        _ request: NetworkRequest, to path: String, resume: Bool = true,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkError) -> NetworkResponse {
        var file = PartialFile(path, of: request)
        do throws(NetworkError) {
            try file.lock(resumes: resume)
            let response = try await fill(&file, request, progress.map { ProgressReporter($0) })
            file.close()
            return response
        } catch {
            file.close()
            var error = error
            error.request = error.request ?? configuration.redaction.redact(request)
            throw error
        }
    }

    /// Sends requests until the file is complete.
    private func fill(
        _ file: inout PartialFile, _ request: NetworkRequest, _ reporter: ProgressReporter?
    ) async throws(NetworkError) -> NetworkResponse {
        while true {
            let response = try await stream(file.request(from: request))
            do throws(NetworkError) {
                guard try await file.receive(response, reporter) else { continue }
                try file.finish()
                reporter?.finish()
            } catch {
                response.body.cancel()
                var error = error
                error.status = response.status
                error.history = response.history.map { configuration.redaction.redact($0) }
                error.attempts = max(error.attempts, response.history.count + 1)
                throw error
            }
            return response.complete([], format: .init())
        }
    }
}

/// The file of an incomplete download, locked against other downloads.
private struct PartialFile {
    private let path: String
    private var partial: String { path + ".partial" }
    private var note: String { path + ".partial.validator" }
    /// A hash of the URL, whose query may contain secrets.
    private let url: String
    /// Whether the caller requests a part of the content.
    private let isPart: Bool
    /// Whether the rest can be requested later: ranges exist only for GET, and another body has another content.
    private let isResumable: Bool
    private let limit: Int?
    private var handle: FileHandle?
    private var length = 0
    /// The validator of the content so far, or nil if it can't be continued.
    private var validator: String?
    /// The length of the whole content, if it is known.
    private var total: Int?

    init(_ path: String, of request: NetworkRequest) {
        self.path = path
        url = SHA256.hexadecimal(Array(request.url.requestText.utf8))
        isPart = request.headers.contains("Range")
        isResumable = request.method == .get && request.body.isEmpty && !isPart
        limit = request.options.limits.bodyBytes
    }

    /// Opens and locks the file, and reads what is known about its content.
    mutating func lock(resumes: Bool) throws(NetworkError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw failed("needs the path of a file") }
        if let status = FileStatus(path), status.kind != .regular { throw failed("needs a regular file") }
        var status: FileStatus?
        // Another download may have moved or removed the file since it was opened.
        while status == nil || FileStatus(partial, followingLinks: false)?.identity != status?.identity {
            close()
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let descriptor = Foundation.open(partial, flags, 0o600)
            guard descriptor >= 0 else { throw failed("can't be created", POSIXError(.init(rawValue: errno) ?? .EIO)) }
            let opened = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw failed("can't start: another download writes to the same file")
            }
            handle = opened
            status = FileStatus(descriptor: descriptor)
            length = Int(clamping: status?.size ?? 0)
        }
        guard status?.kind == .regular, status?.links == 1, status?.owner == geteuid() else {
            length = -1  // another file, which isn't removed
            throw failed("needs a regular file")
        }
        guard resumes, isResumable, length > 0, let bytes = try? WholeFile.readOwn(note, limit: 1 << 16) else { return }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[1] == url, !lines[0].isEmpty else { return }
        validator = String(lines[0])
        total = Int(lines[2])
    }

    /// Returns the request for the whole content or the rest of it.
    func request(from request: NetworkRequest) -> NetworkRequest {
        var request = request
        // Ranges count the transferred bytes, so a resumable download must not be decompressed.
        request.options.decompresses = false
        guard let validator else { return request }
        request.headers.set("Range", "bytes=\(length)-")
        request.headers.set("If-Range", validator)
        request.options.acceptedStatuses?.formUnion([206, 416])
        return request
    }

    /// Writes the body of a response; returns whether the content is complete.
    mutating func receive(
        _ response: StreamedResponse, _ reporter: ProgressReporter?
    ) async throws(NetworkError) -> Bool {
        var end: Int?
        if validator != nil, response.status == 416 {
            response.body.cancel()
            if let range = ContentRange(response.headers), range.bytes == nil, range.total == length { return true }
            try restart()
            return false
        } else if validator != nil, response.status == 206 {
            end = try checkedEnd(of: response)
        } else {
            guard response.status != 206 || isPart else {
                throw wrong("the server returned only part of the content")
            }
            try restart()
            describe(response)
        }
        while let chunk = try await response.body.next() {
            if let end, chunk.count > end - length { throw contradiction("the part is longer than its Content-Range") }
            if let limit, chunk.count > limit - length {
                throw ResponseBody.tooLarge(limit, "the content is longer than allowed")
            }
            do { try handle?.write(contentsOf: Data(chunk)) } catch { throw failed("can't be written", error) }
            length += chunk.count
            reporter?.report(TransferProgress(received: length, toReceive: total))
        }
        guard let end else { return true }
        guard length == end else {
            throw NetworkError(.truncated, "the part is shorter than its Content-Range", phase: .receive)
        }
        // Without a known total, a 416 at the end of the content states it.
        return length == total
    }

    /// Returns the end of a part that continues the file.
    private mutating func checkedEnd(of response: StreamedResponse) throws(NetworkError) -> Int {
        let (tag, date) = (response.headers["ETag"], response.headers["Last-Modified"])
        let isSame =
            validator?.hasPrefix("\"") == true ? tag == nil || tag == validator : date == nil || date == validator
        guard let range = ContentRange(response.headers), let bytes = range.bytes, bytes.lowerBound == length else {
            let found = response.headers["Content-Range"].map(HTTPSyntax.printable) ?? "none"
            throw contradiction("expected the bytes from \(length) on, found Content-Range " + found)
        }
        let announced = response.head.contentLength ?? bytes.count
        guard isSame, !isEncoded(response), announced == bytes.count,
            total == nil || range.total == nil || range.total == total
        else {
            throw contradiction("the server's content differs from the partial download")
        }
        do { try handle?.seekToEnd() } catch { throw failed("can't be written", error) }
        total = total ?? range.total
        return bytes.upperBound
    }

    /// Whether a response has a content coding although the request permits none.
    ///
    /// A session decodes it, and then the length of the file isn't an offset for a range.
    private func isEncoded(_ response: StreamedResponse) -> Bool {
        response.headers.values(for: "Content-Encoding").contains {
            !$0.trimmingHTTPSpace().equalsIgnoringASCIICase("identity")
        }
    }

    /// Removes the content.
    private mutating func restart() throws(NetworkError) {
        do { try handle?.truncate(atOffset: 0) } catch { throw failed("can't be written", error) }
        unlink(note)
        length = 0
        total = nil
        validator = nil
    }

    /// Stores what identifies the content of a response.
    private mutating func describe(_ response: StreamedResponse) {
        total = response.head.contentLength
        // Only a strong validator guarantees identical bytes (RFC 9110, 13.1.5).
        let tag = response.headers["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        guard isResumable, !isEncoded(response), let found = tag ?? response.headers["Last-Modified"] else { return }
        let text = [found, url, total.map(String.init) ?? ""].joined(separator: "\n")
        // A download without this file starts over.
        try? AtomicFile.replace(note, with: Array(text.utf8), isDurable: false)
        validator = found
    }

    mutating func finish() throws(NetworkError) {
        guard rename(partial, path) == 0 else { throw failed("can't be moved to its place") }
        unlink(note)
        length = -1
    }

    /// Ends the lock; a file without content is removed.
    mutating func close() {
        guard let handle else { return }
        if length == 0 {
            unlink(partial)
            unlink(note)
        }
        // Closing isn't enough: a child that was forked in the meantime shares the lock.
        flock(handle.fileDescriptor, LOCK_UN)
        try? handle.close()
        self.handle = nil
    }

    /// Removes the content, so that the next download starts over, and returns the error for a part that contradicts it.
    private mutating func contradiction(_ message: String) -> NetworkError {
        try? restart()
        return wrong(message)
    }

    private func wrong(_ message: String) -> NetworkError { NetworkError(.badResponse, message, phase: .receive) }

    private func failed(_ reason: String, _ underlying: (any Error)? = nil) -> NetworkError {
        NetworkError(.fileFailed, "the download \(reason)", phase: .receive, file: path, underlying: underlying)
    }
}

/// A `Content-Range` in bytes (RFC 9110, section 14.4).
private struct ContentRange {
    /// The bytes of a part, or nil for a range that can't be satisfied.
    var bytes: Range<Int>?
    var total: Int?

    init?(_ headers: HTTPHeaders) {
        guard let text = headers["Content-Range"], text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        guard parts.count == 2, parts[1] == "*" || Self.number(parts[1]) != nil else { return nil }
        total = Self.number(parts[1])
        if parts[0] == "*" { return }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number(String($0)) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
            return nil
        }
        bytes = first..<(last + 1)
    }

    private static func trimmed(_ text: Substring) -> String { text.trimmingHTTPSpace() }
    private static func number(_ text: String) -> Int? { text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil }
}
