internal import AshlarCore

/// A transport that responds from code instead of a network, and records its requests.
///
/// Instances are independent, so tests can run in parallel. A request without a stub fails with `.notRecorded` and a
/// message that lists the stubs.
///
/// ```swift
/// let stub = StubTransport(["GET /notes": .json(#"[{"id": 1}]"#), "DELETE /notes/1": .status(204)])
/// let client = NetworkClient(transport: stub)
/// ```
public final class StubTransport: NetworkTransport {
    private let handler: @Sendable (NetworkRequest) async throws(NetworkError) -> StubResponse
    private let seen = Mutex<[NetworkRequest]>([])

    /// Creates a transport that calls a closure for each response.
    public init(_ handler: @escaping @Sendable (NetworkRequest) async throws(NetworkError) -> StubResponse) {
        self.handler = handler
    }

    /// Creates a transport with a response for each `METHOD /path` or `METHOD /path?query`; the latter takes
    /// precedence.
    public convenience init(_ responses: [String: StubResponse]) {
        self.init { request throws(NetworkError) in
            let keys = ["\(request.method) \(request.url.target)", "\(request.method) \(request.url.path)"]
            if let response = keys.lazy.compactMap({ responses[$0] }).first { return response }
            let known = responses.keys.sorted().joined(separator: ", ")
            throw NetworkError(.notRecorded, "nothing responds to \(keys[1]); stubbed are: \(known)", phase: .send)
        }
    }

    /// The requests so far, oldest first, with their actual hosts and cookies.
    public var requests: [NetworkRequest] { seen.withLock { $0 } }

    /// Returns the response of the closure or dictionary.
    public func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .send) }
        seen.withLock { $0.append(request) }
        let stub = try await handler(request)
        if let delay = stub.delay {
            let limit = [request.options.idleTimeout, request.options.totalTimeout].compactMap { $0 }.min()
            do { try await Task.sleep(for: min(delay, limit ?? delay)) } catch {
                throw NetworkError(wrapping: error, phase: .wait)
            }
            if let limit, limit < delay { throw NetworkError(.timedOut, "no response within \(limit)", phase: .wait) }
        }
        if let failure = stub.failure { throw failure }
        var (chunks, end) = (stub.chunks, stub.bodyFailure)
        if let limit = request.options.maximumBodyBytes, chunks.reduce(0, { $0 + $1.count }) > limit {
            var rest = limit
            chunks = Array(
                chunks.prefix { chunk in
                    rest -= chunk.count
                    return rest >= 0
                })
            end = ResponseBody.tooLarge(limit, "the response is longer than allowed")
        }
        return StreamedResponse(
            head: stub.head, body: ResponseBody(ChunkBodySource(chunks, failure: end)), url: request.url)
    }
}

/// A response of a `StubTransport`: a head, a body in pieces, and optionally a delay or a failure.
public struct StubResponse: Sendable {
    /// The status and fields.
    public var head: ResponseHead
    /// The pieces of the body, one for each read.
    public var chunks: [[UInt8]]
    /// The delay before the head arrives; if the request's idle or total timeout is shorter, the request fails.
    package var delay: Duration?
    /// The error that replaces the response.
    package var failure: NetworkError?
    /// The error after the last piece of the body.
    public var bodyFailure: NetworkError?

    /// Creates a response.
    public init(status: Int = 200, headers: HTTPHeaders = [:], chunks: [[UInt8]] = []) {
        head = ResponseHead(status: status, headers: headers, version: "1.1")
        self.chunks = chunks
    }

    /// Returns a response without a body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubResponse {
        StubResponse(status: status, headers: headers)
    }

    /// Returns a response with a JSON text.
    public static func json(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(status: status, headers: ["Content-Type": "application/json"], chunks: [Array(text.utf8)])
    }

    /// Returns a response with plain text.
    public static func text(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], chunks: [Array(text.utf8)])
    }

    /// Returns a failure instead of a response.
    public static func failing(_ error: NetworkError) -> StubResponse {
        var response = StubResponse()
        response.failure = error
        return response
    }

    /// Returns the same response after a delay.
    public func delayed(_ delay: Duration) -> StubResponse {
        var copy = self
        copy.delay = delay
        return copy
    }
}
