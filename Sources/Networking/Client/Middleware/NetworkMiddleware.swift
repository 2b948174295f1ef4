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
///
/// ``ClientConfiguration/middleware`` contains the outermost steps; ``ClientConfiguration/insert(_:_:)`` places a step
/// behind the client's own.
public protocol NetworkMiddleware: Sendable {
    /// Handles a request, usually by passing it to `next`.
    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse
}

/// The rest of the middleware chain, called like a function.
public struct NetworkNext: Sendable {
    private enum Rest {
        case function(@Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse)
        // No closure, so that a step of a client's chain costs no allocation.
        case steps(any MiddlewareRun, from: Int)
    }

    private let rest: Rest

    /// Creates a chain from a function, for testing a middleware alone.
    public init(_ run: @escaping @Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse) {
        rest = .function(run)
    }

    /// Creates the rest of a client's chain.
    init(_ run: any MiddlewareRun, from index: Int) { rest = .steps(run, from: index) }

    /// Runs the rest of the chain for a request and returns the response.
    public nonisolated(nonsending) func callAsFunction(
        _ request: NetworkRequest
    ) async throws(NetworkError) -> StreamedResponse {
        switch rest {
        case .function(let run): return try await run(request)
        case .steps(let run, let index):
            guard let step = run.step(at: index) else { return try await run.send(request) }
            return try await step.intercept(request, next: NetworkNext(run, from: index + 1))
        }
    }

    /// Returns a request as it will be sent, with its actual host and cookies but without credentials.
    func preview(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest {
        switch rest {
        case .function: request
        case .steps(let run, _): try run.preview(request)
        }
    }

    /// Returns the URL to which a request will be sent, with its actual host.
    func actualURL(of request: NetworkRequest) throws(NetworkError) -> HTTPURL {
        switch rest {
        case .function: request.url
        case .steps(let run, _): try run.actualURL(of: request)
        }
    }

    /// Runs an operation over the same rest of the chain as a call of its own, with its own events and timeout.
    ///
    /// - Parameters:
    ///   - request: The request of the call.
    ///   - operation: Sends the request and returns the status.
    func apart(
        _ request: NetworkRequest, _ operation: @Sendable (NetworkNext) async throws(NetworkError) -> Int
    ) async {
        switch rest {
        case .function: _ = try? await operation(self)
        case .steps(let run, let index): await run.apart(request, from: index, operation)
        }
    }

    /// Reports an event of the request to the client's observers.
    func report(_ event: MiddlewareEvent) {
        if case .steps(let run, _) = rest { run.report(event) }
    }
}

/// A call of a client, which runs the rest of its chain.
protocol MiddlewareRun: AnyObject, Sendable {
    /// Returns the step with an index in the chain, or nil after the last one.
    func step(at index: Int) -> (any NetworkMiddleware)?
    /// Sends a request to its actual host, behind all steps.
    nonisolated(nonsending) func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse
    /// Returns a request with its actual host and cookies.
    func preview(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest
    /// Returns the URL of a request with its actual host.
    func actualURL(of request: NetworkRequest) throws(NetworkError) -> HTTPURL
    /// Runs an operation as a call of its own.
    func apart(
        _ request: NetworkRequest, from index: Int,
        _ operation: @Sendable (NetworkNext) async throws(NetworkError) -> Int) async
    /// Notifies the observers.
    func report(_ event: MiddlewareEvent)
}

/// An event that a middleware of the client reports to the observers.
enum MiddlewareEvent {
    /// The cache answered with a status.
    case cached(status: Int)
    /// The request will be sent again after a pause.
    case retrying(after: Duration)
}
