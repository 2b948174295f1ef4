extension NetworkClient {
    /// Opens a WebSocket at a URL with the scheme ws, wss, http or https, with the client's options.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - options: The settings of the WebSocket.
    /// - Returns: The open WebSocket.
    /// - Throws: The errors of the method that takes a request.
    public func webSocket(
        _ url: String, options: WebSocketOptions = .init()
    ) async throws(NetworkError) -> WebSocket {
        var text = url
        for (scheme, http) in [("wss://", "https://"), ("ws://", "http://")]
        where url.lowercased().hasPrefix(scheme) {
            text = http + url.dropFirst(scheme.utf8.count)
        }
        return try await webSocket(NetworkRequest(.get, text, options: configuration.requestOptions), options: options)
    }

    /// Opens a WebSocket with a request.
    ///
    /// The handshake passes through middleware, host selection, cookies, credentials and redirects as other requests do,
    /// and the timeouts of the request apply to it. Each WebSocket has its own connection. Transports without WebSockets
    /// throw `.unsupported`; those of the platforms support them. See <doc:UsingWebSockets>.
    ///
    /// - Parameters:
    ///   - request: A GET without a body.
    ///   - options: The settings of the WebSocket.
    /// - Returns: The open WebSocket.
    /// - Throws: `.unacceptableStatus` if the server refuses, `.badResponse` if its response doesn't belong to the
    ///   handshake, `.invalidConfiguration` for options that can't be used, and any other failure of a request.
    public func webSocket(
        _ request: NetworkRequest, options: WebSocketOptions = .init()
    ) async throws(NetworkError) -> WebSocket {
        try options.validate()
        let handshake = WebSocketHandshake(options)
        var request = request
        guard request.method == .get, request.body.isEmpty, request.body.trailers == nil else {
            throw NetworkError(.unsupported, "a WebSocket needs a GET without a body", phase: .prepare)
        }
        for field in handshake.fields { request.headers.set(field.name, field.value) }
        request.headers.set("Cache-Control", "no-store")
        request.options.acceptedStatuses = [101]
        request.upgrade = handshake
        let context = RequestContext(prepared(request), self)
        context.began()
        do throws(NetworkError) {
            let response = try await answer(context)
            guard let channel = response.channel else {
                throw NetworkError(.unsupported, "the transport has no WebSockets", phase: .prepare)
            }
            context.ended(received: 0, status: response.status)
            return WebSocket(
                channel, head: response.head, selectedProtocol: response.headers["Sec-WebSocket-Protocol"])
        } catch {
            throw context.ended(with: error)
        }
    }
}
