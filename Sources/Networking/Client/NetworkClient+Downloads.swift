import Foundation

extension NetworkClient {
    /// Downloads to a file in pieces and resumes an earlier partial download.
    ///
    /// The bytes are written to `<path>.partial`, which is moved to `path` at the end. A failed download leaves this
    /// file, and its validator (`ETag` or `Last-Modified`) in `<path>.partial.validator`. With `resume`, the next
    /// download requests the rest with `If-Range`. If the server's content has changed, the server sends the whole
    /// content and the download starts over. The length is limited only by the options' `bodyBytes`. A resumable
    /// download is never compressed.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: The file to create; an existing file is replaced at the end.
    ///   - resume: Whether to resume a partial download.
    ///   - progress: Receives the number of bytes, including earlier downloads; see ``RequestOptions/progress``.
    /// - Returns: The head, URL and history of the response; `bytes` is empty.
    /// - Throws: Any failure; `.fileFailed` for the file.
    @discardableResult
    public func download(
        _ request: NetworkRequest, to path: String, resume: Bool = true,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkError) -> NetworkResponse {
        var file = PartialFile(path)
        var request = request
        let start = resume ? file.resumable() : nil
        if let start {
            request.headers.set("Range", "bytes=\(start.length)-")
            request.headers.set("If-Range", start.validator)
            request.options.acceptedStatuses?.formUnion([206, 416])
        }
        // Ranges count the transferred bytes, so a resumable download must not be decompressed.
        request.options.decompresses = false
        let response = try await stream(request)
        if start != nil, response.status == 416 {
            response.body.cancel()
            file.discard()
            return try await download(request.withoutRange, to: path, resume: false, progress: progress)
        }
        do throws(NetworkError) {
            if start == nil, response.status == 206, !request.headers.contains("Range") {
                throw NetworkError(
                    .badResponse, "the server returned only part of the content", phase: .receive)
            }
            try await fill(&file, with: response, from: start, progress)
        } catch {
            response.body.cancel()
            file.close()
            var error = error
            error.request = error.request ?? configuration.redaction.redact(request)
            error.status = response.status
            error.attempts = max(error.attempts, response.history.count + 1)
            throw error
        }
        var result = NetworkResponse(head: response.head, bytes: [], url: response.url, history: response.history)
        result.timings = response.timings
        result.end = response.ending?.end
        return result
    }

    private func fill(
        _ file: inout PartialFile, with response: StreamedResponse, from start: PartialFile.Start?,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkError) {
        let offset = try file.open(response, from: start)
        let total = response.head.contentLength.flatMap { $0 <= Int.max - offset ? $0 + offset : nil }
        var received = offset
        let reporter = progress.map { ProgressReporter($0) }
        while let chunk = try await response.body.next() {
            try file.write(chunk)
            received += chunk.count
            reporter?.report(TransferProgress(received: received, toReceive: total))
        }
        try file.finish()
        reporter?.finish()
    }
}

extension NetworkRequest {
    fileprivate var withoutRange: NetworkRequest {
        var request = self
        request.headers.remove("Range")
        request.headers.remove("If-Range")
        return request
    }
}

/// The file of an incomplete download.
private struct PartialFile {
    private let path: String
    private var partial: String { path + ".partial" }
    private var note: String { path + ".partial.validator" }
    private var handle: FileHandle?

    init(_ path: String) { self.path = path }

    /// The length of the file and the validator of its content.
    typealias Start = (length: Int, validator: String)

    /// Returns the length and validator of an earlier download, if both are known.
    func resumable() -> Start? {
        guard let validator = try? String(contentsOfFile: note, encoding: .utf8), !validator.isEmpty,
            let length = try? FileBodyReader.length(of: partial), length > 0
        else { return nil }
        return (length, validator)
    }

    /// Opens the file for the response's bytes and returns their offset.
    mutating func open(_ response: StreamedResponse, from start: Start?) throws(NetworkError) -> Int {
        let manager = FileManager.default
        if let start, response.status == 206 {
            let tag = response.headers["ETag"]
            guard tag == nil || tag == start.validator || !start.validator.hasPrefix("\"") else {
                throw NetworkError(
                    .badResponse, "the server's content differs from the partial download", phase: .receive)
            }
            guard response.headers["Content-Range"]?.hasPrefix("bytes \(start.length)-") == true else {
                throw NetworkError(
                    .badResponse,
                    "expected the bytes from \(start.length) on, found Content-Range "
                        + (response.headers["Content-Range"].map(HTTPSyntax.printable) ?? "none"), phase: .receive)
            }
            handle = FileHandle(forWritingAtPath: partial)
            do { try handle?.seekToEnd() } catch { throw failed("can't be written", error) }
            guard handle != nil else { throw failed("can't be opened") }
            return start.length
        }
        discard()
        guard manager.createFile(atPath: partial, contents: nil), let opened = FileHandle(forWritingAtPath: partial)
        else { throw failed("can't be created") }
        handle = opened
        // Only a strong validator guarantees identical bytes (RFC 9110, 13.1.5).
        let tag = response.headers["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        if let validator = tag ?? response.headers["Last-Modified"] {
            try? validator.write(toFile: note, atomically: true, encoding: .utf8)
        }
        return 0
    }

    func write(_ bytes: [UInt8]) throws(NetworkError) {
        do { try handle?.write(contentsOf: Data(bytes)) } catch { throw failed("can't be written", error) }
    }

    mutating func finish() throws(NetworkError) {
        close()
        guard rename(partial, path) == 0 else { throw failed("can't be moved to its place") }
        try? FileManager.default.removeItem(atPath: note)
    }

    mutating func close() {
        try? handle?.close()
        handle = nil
    }

    func discard() {
        try? FileManager.default.removeItem(atPath: partial)
        try? FileManager.default.removeItem(atPath: note)
    }

    private func failed(_ reason: String, _ underlying: (any Error)? = nil) -> NetworkError {
        var error = NetworkError(.fileFailed, "the download \(reason)", phase: .receive, underlying: underlying)
        error.file = path
        return error
    }
}
