extension NetworkClient {
    /// Sends a request with an ``NetworkRequest/upgrade``, and continues on the connection of the response.
    ///
    /// The request passes through middleware, host selection, cookies, credentials and redirects as others do.
    ///
    /// - Parameters:
    ///   - request: A GET without a body.
    ///   - open: Checks the response and takes over the connection, which ends if the closure throws.
    /// - Returns: The result of the closure.
    /// - Throws: `.unacceptableStatus` if the server refuses, `.unsupported` if the request has a body or the transport
    ///   can't upgrade connections, and any other failure of a request.
    package func upgrade<Output: Sendable>(
        _ request: NetworkRequest,
        _ open: (StreamedResponse, any UpgradedConnection) throws(NetworkError) -> Output
    ) async throws(NetworkError) -> Output {
        guard request.method == .get, request.body.isEmpty else {
            throw NetworkError(.unsupported, "only a GET without a body can upgrade a connection", phase: .prepare)
        }
        var request = request
        request.headers.set("Cache-Control", "no-store")
        request.options.acceptedStatuses = [101]
        let call = try begin(prepared(request))
        do throws(NetworkError) {
            let response = try await self.response(to: call)
            guard let connection = response.upgraded else {
                throw NetworkError(.unsupported, "the transport can't upgrade connections", phase: .prepare)
            }
            do throws(NetworkError) {
                let output = try open(response, connection)
                call.ended(received: 0, status: response.status)
                return output
            } catch {
                connection.end(afterSending: false)
                throw error
            }
        } catch {
            throw call.ended(with: error)
        }
    }
}
