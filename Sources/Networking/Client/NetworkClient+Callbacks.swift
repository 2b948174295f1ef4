/// A running request of the callback form; releasing it changes nothing.
public final class RequestToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    /// Gives the request up; its callback gets `.cancelled` unless it is over already.
    public func cancel() { task.cancel() }

    /// Waits until the callback has returned.
    public func wait() async { await task.value }
}

extension NetworkClient {
    /// Sends an endpoint and calls back once, on no particular thread.
    ///
    /// - Parameters:
    ///   - endpoint: What to send.
    ///   - then: Takes the output or the error.
    /// - Returns: A token that cancels the request.
    @discardableResult
    public func send<E: Endpoint>(
        _ endpoint: E, then: @escaping @Sendable (Result<E.Output, NetworkError>) -> Void
    ) -> RequestToken {
        start(then) { [self] () throws(NetworkError) in try await send(endpoint) }
    }

    /// Sends a request and calls back once, on no particular thread.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - then: Takes the complete answer or the error.
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
