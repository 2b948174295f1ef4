#if canImport(Darwin)
    import Foundation

    extension URLSessionTransport {
        /// Opens a WebSocket, or returns the head of the response of a server that refuses.
        ///
        /// The session sends the fields of the handshake itself, checks `Sec-WebSocket-Accept`, and may use compression.
        func open(
            _ request: NetworkRequest, _ handshake: WebSocketHandshake
        ) async throws(NetworkError) -> StreamedResponse {
            let route = route(for: request.url)
            let task = route.session.webSocketTask(with: try Self.webSocketRequest(request))
            task.maximumMessageSize = handshake.options.messageBytes
            let connection = TaskConnection(SessionWebSocketTask(task), limit: handshake.options.messageBytes)
            route.router.add(connection, for: task, request.url)
            task.resume()
            let timeout = [request.options.idleTimeout, request.options.totalTimeout].compactMap { $0 }.min()
            let head = try await connection.head(timeout: timeout)
            var response = StreamedResponse(head: head, body: ResponseBody(), url: request.url)
            guard head.status == 101 else { return response }
            do throws(NetworkError) { _ = try handshake.selectedProtocol(head) } catch {
                connection.end(afterSending: false)
                throw error
            }
            let channel = WebSocketChannel(connection, handshake.options)
            channel.start()
            response.channel = channel
            return response
        }

        private static func webSocketRequest(_ request: NetworkRequest) throws(NetworkError) -> URLRequest {
            let text = request.url.requestText
            let scheme = request.url.scheme == .https ? "wss" : "ws"
            guard let colon = text.firstIndex(of: ":"), let url = URL(string: scheme + text[colon...]) else {
                throw NetworkError(.invalidURL, "not a URL for Foundation", phase: .prepare)
            }
            var result = URLRequest(url: url)
            result.httpShouldHandleCookies = false
            result.timeoutInterval = 86_400
            let own = ["Connection", "Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key"]
            for field in request.headers where !own.contains(where: { $0.equalsIgnoringASCIICase(field.name) }) {
                result.addValue(field.value, forHTTPHeaderField: field.name)
            }
            return result
        }
    }
#endif
