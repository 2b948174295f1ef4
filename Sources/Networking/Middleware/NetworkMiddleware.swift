/// A step around every request of a client.
///
/// Middleware can change the request, answer it, send it again, or change the response. It receives the request with
/// its canonical host, before redirects. `next` runs the rest of the chain, including host selection, redirects and the
/// transport, and can be called any number of times. Call `cancel()` on the body of a response that you discard.
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
    /// Handles a request, usually by passing it to `next`.
    func intercept(_ request: NetworkRequest, next: NetworkNext) async throws(NetworkError) -> StreamedResponse
}

/// The rest of the middleware chain, called like a function.
public struct NetworkNext: Sendable {
    private let run: @Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse

    /// Creates a chain from a function, for testing a middleware alone.
    public init(_ run: @escaping @Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse) {
        self.run = run
    }

    /// Runs the rest of the chain for a request and returns the response.
    public func callAsFunction(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await run(request)
    }
}
