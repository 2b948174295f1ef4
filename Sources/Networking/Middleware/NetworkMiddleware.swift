/// A step around every request of a client: it may change the request, answer itself, send again, or change the answer.
///
/// Middleware sees the request with its canonical host, before redirects; `next` runs the rest of the chain, host
/// choice, redirects and transport included, and may be called any number of times. The answer's body is still to
/// be pulled: whoever throws an answer away should `cancel()` its body.
///
/// ```swift
/// struct AppVersion: NetworkMiddleware {
///     func intercept(
///         _ request: NetworkRequest, next: NetworkNext
///     ) async throws(NetworkError) -> StreamedResponse {
///         var request = request
///         request.headers["X-App-Version"] = "1.4.2"
///         return try await next(request)
///     }
/// }
/// ```
public protocol NetworkMiddleware: Sendable {
    /// Handles a request, usually by handing it on to `next`.
    func intercept(_ request: NetworkRequest, next: NetworkNext) async throws(NetworkError) -> StreamedResponse
}

/// The rest of the chain behind a middleware; called like a function.
public struct NetworkNext: Sendable {
    private let run: @Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse

    /// Creates a rest from a function, for testing a middleware alone.
    public init(_ run: @escaping @Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse) {
        self.run = run
    }

    /// Hands the request on and returns the answer.
    public func callAsFunction(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await run(request)
    }
}
