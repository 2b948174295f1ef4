/// A step around every request of a client.
///
/// Middleware can change the request, answer it, send it again, or change the response. It receives the request with
/// its selected host, before redirects. `next` runs the rest of the chain, including redirects and the transport, and can
/// be called any number of times. Call `cancel()` on the body of a response that you discard.
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
/// There are two places for steps: ``ClientConfiguration/middleware``, before the cache, and
/// ``ClientConfiguration/attemptMiddleware``, behind the cache, the authentication and the retries.
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
        case steps(ArraySlice<any NetworkMiddleware>, RequestCall, HopSender)
    }

    private let rest: Rest

    /// Creates a chain from a function, for testing a middleware alone.
    public init(_ run: @escaping @Sendable (NetworkRequest) async throws(NetworkError) -> StreamedResponse) {
        rest = .function(run)
    }

    /// Creates the rest of a client's chain, for one call.
    init(_ steps: ArraySlice<any NetworkMiddleware>, _ call: RequestCall, _ sender: HopSender) {
        rest = .steps(steps, call, sender)
    }

    /// Runs the rest of the chain for a request and returns the response.
    public nonisolated(nonsending) func callAsFunction(
        _ request: NetworkRequest
    ) async throws(NetworkError) -> StreamedResponse {
        switch rest {
        case .function(let run):
            return try await run(request)
        case .steps(let steps, let call, let sender):
            guard let step = steps.first else { return try await sender.send(request, call).formatted(call.json) }
            return try await step.intercept(request, next: NetworkNext(steps.dropFirst(), call, sender))
                .formatted(call.json)
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
        guard case .steps(let steps, let call, let sender) = rest else {
            _ = try? await operation(self)
            return
        }
        let own = call.another(request)
        own.began()
        do throws(NetworkError) {
            let status = try await operation(NetworkNext(steps, own, sender))
            own.ended(received: 0, status: status)
        } catch {
            _ = own.ended(with: error)
        }
    }

    /// The call whose observers receive the events of a middleware, or nil in a test of a middleware alone.
    var call: RequestCall? { if case .steps(_, let call, _) = rest { call } else { nil } }
}
