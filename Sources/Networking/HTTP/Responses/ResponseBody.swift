/// The body of a response, read piece by piece.
///
/// A body has one reader and can be read once. If it isn't read, the transport stops receiving when its buffer is full.
/// Releasing a body before its end cancels it, which closes or reclaims the connection.
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
    /// The bytes received since the last piece; never empty.
    public typealias Element = [UInt8]
    /// The error that ends a body early.
    public typealias Failure = NetworkError

    private let source: any ResponseBodySource

    /// Creates a body from a source.
    public init(_ source: some ResponseBodySource) { self.source = source }

    /// Creates a body in memory.
    public convenience init(_ bytes: [UInt8] = []) { self.init(MemoryBodySource(bytes)) }

    deinit { source.cancel() }

    /// Returns the next bytes, or nil at the end.
    ///
    /// - Throws: The reason for an early end, such as `.truncated`, `.timedOut` or `.cancelled`.
    public func next() async throws(NetworkError) -> [UInt8]? {
        while let chunk = try await source.next() {
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }

    /// Cancels the rest of the body; the next read throws `.cancelled`.
    public func cancel() { source.cancel() }

    /// Reads the rest of the body.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to collect; nil for no limit.
    ///   - announced: The length announced in the head, to reject a long body before reading it.
    /// - Returns: The rest of the body in one piece.
    /// - Throws: `.bodyTooLarge`, or the reason for an early end, with the first bytes.
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
                    // The announced bytes may never arrive.
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
        var error = NetworkError(.bodyTooLarge, "\(reason); the limit is \(limit) bytes", phase: .receive)
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

/// A source of the pieces of a body, for custom transports.
public protocol ResponseBodySource: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end; called by one reader at a time.
    func next() async throws(NetworkError) -> [UInt8]?
    /// Cancels the rest; called from any thread, possibly repeatedly and after the end.
    func cancel()
}
