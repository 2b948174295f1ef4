internal import AshlarCore

extension ResponseBody {
    /// Returns the lines of a text in UTF-8 as they arrive, without their line ends.
    ///
    /// A line ends with LF, CRLF or CR; the last line needs no end. A byte order mark at the start is skipped. Nothing
    /// is read in advance: the server waits until the next line is requested.
    ///
    /// ```swift
    /// func follow(_ client: NetworkClient) async throws {
    ///     let request = try NetworkRequest(.get, "https://api.example.com/log")
    ///     for try await line in try await client.stream(request).body.lines() {
    ///         print(line)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter limit: The maximum number of bytes of one line; 1 MiB by default.
    /// - Returns: The lines. Only one iterator receives them.
    public func lines(upTo limit: Int = 1 << 20) -> some AsyncSequence<String, NetworkError> & Sendable {
        BodyLines(body: self, limit: limit)
    }
}

/// The lines of a body; see ``ResponseBody/lines(upTo:)``.
struct BodyLines: AsyncSequence, Sendable {
    let body: ResponseBody
    let limit: Int

    /// Returns an iterator over the rest of the lines.
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body, splitter: LineSplitter(limit: limit)) }

    /// Receives the lines in order.
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: ResponseBody
        fileprivate var splitter: LineSplitter
        private var isEnded = false

        fileprivate init(body: ResponseBody, splitter: LineSplitter) {
            self.body = body
            self.splitter = splitter
        }

        /// Returns the next line, or nil at the end.
        mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> String? {
            guard let line = try await nextBytes() else { return nil }
            if let text = String(validating: line.bytes, as: UTF8.self) { return text }
            stop()
            throw NetworkError(
                .invalidText, "line \(line.number) is not UTF-8", phase: .receive, line: line.number)
        }

        /// Returns the bytes of the next line with its number from 1.
        nonisolated(nonsending) mutating func nextBytes() async throws(NetworkError) -> LineSplitter.Line? {
            do throws(NetworkError) {
                while !isEnded {
                    if let line = try splitter.next() { return line }
                    guard let chunk = try await body.next() else {
                        isEnded = true
                        return splitter.end()
                    }
                    splitter.append(chunk)
                }
                return nil
            } catch {
                stop()
                throw error
            }
        }

        /// Ends the sequence after a failure.
        mutating func stop() {
            isEnded = true
            body.cancel()
        }
    }
}

/// Splits bytes, which arrive in pieces of any length, into lines.
struct LineSplitter {
    struct Line: Hashable {
        let number: Int
        let bytes: [UInt8]
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    /// The start of the next line.
    private var start = 0
    /// The first byte that wasn't searched for a line end.
    private var searched = 0
    private var number = 0
    private var endedWithReturn = false

    init(limit: Int) { self.limit = limit }

    mutating func append(_ chunk: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += chunk
    }

    /// Returns the next complete line.
    ///
    /// - Throws: `.bodyTooLarge` as soon as a line is longer than the limit.
    mutating func next() throws(NetworkError) -> Line? {
        if endedWithReturn, searched < bytes.count {
            // The LF of a CRLF is part of the previous line's end.
            if bytes[searched] == UInt8(ascii: "\n") {
                start += 1
                searched += 1
            }
            endedWithReturn = false
        }
        while searched < bytes.count {
            let byte = bytes[searched]
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                endedWithReturn = byte == UInt8(ascii: "\r")
                let line = take(upTo: searched)
                searched += 1
                start = searched
                return line
            }
            searched += 1
            guard searched - start <= limit else {
                throw ResponseBody.tooLarge(limit, "line \(number + 1) is longer than allowed")
            }
        }
        return nil
    }

    /// Returns the last line without a line end, or nil if there is none.
    mutating func end() -> Line? {
        guard start < bytes.count else { return nil }
        let line = take(upTo: bytes.count)
        start = bytes.count
        searched = bytes.count
        return line
    }

    private mutating func take(upTo end: Int) -> Line {
        var line = bytes[start..<end]
        if number == 0, line.starts(with: "\u{FEFF}".utf8) { line = line.dropFirst(3) }
        number += 1
        return Line(number: number, bytes: Array(line))
    }
}
