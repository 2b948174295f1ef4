package import AshlarNetworking

extension NetworkClient {
    /// Creates a request with the client's options.
    package func request(
        _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: RequestBody = .empty
    ) throws(NetworkError) -> NetworkRequest {
        try NetworkRequest(method, url, headers: headers, body: body, options: configuration.options)
    }
}
