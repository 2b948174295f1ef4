internal import AshlarCore

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
///         if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return String(decoding: line[..<end], as: UTF8.self) }
///     }
///     return String(decoding: line, as: UTF8.self)
/// }
/// ```
public final class ResponseBody: AsyncSequence, Sendable {

    private let source: any ResponseBodySource
    /// The client's format of JSON.
    let format: JSONFormat

    /// Creates a body from a source.
    public convenience init(_ source: some ResponseBodySource) { self.init(source, format: JSONFormat()) }

    init(_ source: some ResponseBodySource, format: JSONFormat) {
        self.source = source
        self.format = format
    }

    /// Creates a body in memory.
    public convenience init(_ bytes: [UInt8] = []) {
        self.init(ChunkBodySource(bytes.isEmpty ? [] : [bytes]))
    }

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
    package func collect(upTo limit: Int? = 16 << 20, announced: Int? = nil) async throws(NetworkError) -> [UInt8] {
        if let limit, let announced, announced > limit {
            cancel()
            throw Self.tooLarge(limit, "the response announces \(announced) bytes")
        }
        var all: [UInt8] = []
        do throws(NetworkError) {
            while let chunk = try await source.next() {
                if let limit, all.count + chunk.count > limit {
                    cancel()
                    throw Self.tooLarge(limit, "the response is longer than allowed")
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

    package static func tooLarge(_ limit: Int, _ reason: String) -> NetworkError {
        NetworkError(.bodyTooLarge, "\(reason); the limit is \(limit) bytes", phase: .receive, limit: limit)
    }

    /// Returns an iterator over the pieces.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<[UInt8], NetworkError> { Pieces(body: self) }

    /// Pulls the pieces of a body.
    private struct Pieces: AsyncIteratorProtocol {
        let body: ResponseBody

        mutating func next(
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

extension ResponseBody {
    /// Reads at most `count` bytes and cancels the rest; an early end is ignored.
    func prefix(_ count: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let chunk = try? await next() { bytes += chunk }
        if bytes.count >= count { cancel() }
        return Array(bytes.prefix(count))
    }

    /// Reads the rest of a body, up to `count` bytes and for a short time, so that the connection can be reused.
    func discard(upTo count: Int) async {
        // A new connection costs less than waiting for a long unused body.
        let limit = Task { [self] in
            try await Task.sleep(for: .milliseconds(250))
            cancel()
        }
        _ = await prefix(count)
        limit.cancel()
    }
}

/// Pieces in memory, and what follows them: a failure, or the rest of another body.
final class ChunkBodySource: ResponseBodySource {
    private struct State {
        var chunks: ArraySlice<[UInt8]>
        var failure: NetworkError?
    }

    private let state: Mutex<State>
    private let rest: ResponseBody?

    init(_ chunks: [[UInt8]], rest: ResponseBody? = nil, failure: NetworkError? = nil) {
        state = Mutex(State(chunks: chunks[...], failure: failure))
        self.rest = rest
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        let (chunk, failure) = state.withLock { ($0.chunks.popFirst(), $0.failure) }
        if let chunk { return chunk }
        if let failure { throw failure }
        return try await rest?.next()
    }

    func cancel() {
        rest?.cancel()
        state.withLock { state in
            guard !state.chunks.isEmpty else { return }
            state.chunks = []
            state.failure = NetworkError(.cancelled, "the body was cancelled", phase: .receive)
        }
    }
}
