/// A running request with a callback; releasing the token has no effect.
public final class RequestToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    /// Cancels the request; its callback receives `.cancelled` unless it has already been called.
    public func cancel() { task.cancel() }

    /// Waits until the callback returns.
    public func wait() async { await task.value }
}

extension NetworkClient {
    /// Sends an endpoint and calls back once, on an arbitrary thread.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - then: Receives the output or the error.
    /// - Returns: A token that cancels the request.
    @discardableResult
    public func send<E: Endpoint>(
        _ endpoint: E, then: @escaping @Sendable (Result<E.Output, NetworkError>) -> Void
    ) -> RequestToken {
        start(then) { [self] () throws(NetworkError) in try await send(endpoint) }
    }

    /// Sends a request and calls back once, on an arbitrary thread.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - then: Receives the complete response or the error.
    /// - Returns: A token that cancels the request.
    @discardableResult
    public func send(
        _ request: NetworkRequest, then: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> RequestToken {
        start(then) { [self] () throws(NetworkError) in try await send(request) }
    }

    private func start<Output: Sendable>(
        _ then: @escaping @Sendable (Result<Output, NetworkError>) -> Void,
        _ operation: @escaping @Sendable () async throws(NetworkError) -> Output
    ) -> RequestToken {
        RequestToken(
            Task {
                do throws(NetworkError) {
                    then(.success(try await operation()))
                } catch {
                    then(.failure(error))
                }
            })
    }
}
