/// The body of an answer, pulled piece by piece.
///
/// One reader, once: what was handed out is gone. As long as nobody reads, the transport stops receiving once its
/// buffer is full. A body that is released before its end is cancelled, which closes or reclaims the connection.
///
/// ```swift
/// func firstLine(of body: ResponseBody) async throws -> String {
///     var line: [UInt8] = []
///     for try await chunk in body {
///         line += chunk
///         if let end = line.firstIndex(of: 10) { return String(decoding: line[..<end], as: UTF8.self) }
///     }
///     return String(decoding: line, as: UTF8.self)
/// }
/// ```
public final class ResponseBody: AsyncSequence, Sendable {
    /// The bytes that arrived since the last piece; never empty.
    public typealias Element = [UInt8]
    /// What ends a body early.
    public typealias Failure = NetworkError

    private let source: any ResponseBodySource

    /// Creates a body over a source.
    public init(_ source: some ResponseBodySource) { self.source = source }

    /// Creates a body that is in memory.
    public convenience init(_ bytes: [UInt8] = []) { self.init(MemoryBodySource(bytes)) }

    deinit { source.cancel() }

    /// Returns the next bytes, or nil at the end.
    ///
    /// - Throws: What ended the body early, such as `.truncated`, `.timedOut` or `.cancelled`.
    public func next() async throws(NetworkError) -> [UInt8]? {
        while let chunk = try await source.next() {
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }

    /// Gives the rest of the body up; the next read throws `.cancelled`.
    public func cancel() { source.cancel() }

    /// Reads the rest of the body.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to collect; nil is no limit.
    ///   - announced: The length that the head announced, to refuse a long body before reading it.
    /// - Returns: The rest of the body in one piece.
    /// - Throws: `.bodyTooLarge`, or what ended the body early, with the first of the bytes that had come.
    public func collect(upTo limit: Int? = 16 << 20, announced: Int? = nil) async throws(NetworkError) -> [UInt8] {
        if let limit, let announced, announced > limit {
            cancel()
            throw Self.tooLarge(limit, "the answer announces \(announced) bytes")
        }
        var all: [UInt8] = []
        do throws(NetworkError) {
            while let chunk = try await next() {
                if let limit, all.count + chunk.count > limit {
                    cancel()
                    throw Self.tooLarge(limit, "the answer is longer than allowed")
                }
                if all.isEmpty {
                    all = chunk
                    // What is announced need not come.
                    if let announced, announced > chunk.count { all.reserveCapacity(Swift.min(announced, 16 << 20)) }
                } else {
                    all += chunk
                }
            }
        } catch {
            var error = error
            if error.bodyPrefix.isEmpty { error.bodyPrefix = Array(all.prefix(NetworkError.bodyPrefixLimit)) }
            throw error
        }
        return all
    }

    static func tooLarge(_ limit: Int, _ reason: String) -> NetworkError {
        var error = NetworkError(.bodyTooLarge, "\(reason); allowed are \(limit) bytes", phase: .receive)
        error.limit = limit
        return error
    }

    /// Returns an iterator over the pieces.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    /// Pulls the pieces of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let body: ResponseBody

        /// Returns the next bytes, or nil at the end.
        public mutating func next() async throws(NetworkError) -> [UInt8]? { try await body.next() }

        /// Returns the next bytes, or nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> [UInt8]? { try await body.next() }
    }
}

/// Where the pieces of a body come from; for own transports.
public protocol ResponseBodySource: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end; called by one reader at a time.
    func next() async throws(NetworkError) -> [UInt8]?
    /// Gives the rest up; called from any thread, perhaps more than once, also after the end.
    func cancel()
}
