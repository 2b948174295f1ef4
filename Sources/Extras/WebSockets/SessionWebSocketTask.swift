internal import AshlarCore
internal import AshlarNetworking

#if canImport(Darwin)
    import Foundation

    /// A session's WebSocket task, with this module's messages and errors.
    final class SessionWebSocketTask: WebSocketTask {
        private let task: URLSessionWebSocketTask

        init(_ task: URLSessionWebSocketTask) { self.task = task }

        func receive(_ handler: @escaping @Sendable (Result<WebSocketMessage, NetworkError>) -> Void) {
            task.receive { result in
                switch result {
                case .success(let message): handler(Self.message(message))
                case .failure(let error): handler(.failure(Self.error(error)))
                }
            }
        }

        private static func message(
            _ message: URLSessionWebSocketTask.Message
        ) -> Result<WebSocketMessage, NetworkError> {
            if case .string(let text) = message { return .success(.text(text)) }
            if case .data(let data) = message { return .success(.binary(Array(data))) }
            return .failure(NetworkError(.badResponse, "a message of an unknown kind", phase: .receive))
        }

        func send(_ message: WebSocketMessage, _ handler: @escaping @Sendable (NetworkError?) -> Void) {
            let content: URLSessionWebSocketTask.Message =
                switch message {
                case .text(let text): .string(text)
                case .binary(let bytes): .data(Data(bytes))
                }
            task.send(content) { handler($0.map(Self.error)) }
        }

        func ping(_ handler: @escaping @Sendable (NetworkError?) -> Void) {
            task.sendPing { handler($0.map(Self.error)) }
        }

        func close(_ code: WebSocketCloseCode, _ reason: String) {
            // The framework's type contains every number.
            let code = URLSessionWebSocketTask.CloseCode(rawValue: code.rawValue) ?? .normalClosure
            task.cancel(with: code, reason: Data(reason.utf8))
        }

        func cancel() { task.cancel() }

        /// Returns the error for a failure after the handshake.
        static func error(_ error: any Error) -> NetworkError {
            let reason = error as NSError
            if reason.domain == NSPOSIXErrorDomain, reason.code == Int(EMSGSIZE) {
                return NetworkError(.bodyTooLarge, "a message is too long", phase: .receive)
            }
            if reason.domain == NSPOSIXErrorDomain, reason.code == Int(EPROTO) {
                return NetworkError(.badResponse, "the server violates the protocol", phase: .receive)
            }
            let result = URLSessionHead.error(error, hasHead: true)
            guard result.code == .truncated else { return result }
            return NetworkError(
                .connectionLost, result.message, phase: .receive, underlying: result.underlying)
        }
    }

    extension WebSocketCloseCode {
        /// The server's code, or nil if its close frame has none.
        init?(_ code: URLSessionWebSocketTask.CloseCode) {
            if code == .noStatusReceived || code == .invalid { return nil }
            self.init(rawValue: code.rawValue)
        }
    }

    extension WebSocketHandshake: SessionUpgrade {
        /// Opens a WebSocket, or returns the head of the response of a server that refuses.
        ///
        /// The session sends the fields of the handshake itself, checks `Sec-WebSocket-Accept`, and may use compression.
        func open(
            _ request: NetworkRequest, over transport: URLSessionTransport
        ) async throws(NetworkError) -> StreamedResponse {
            let task = transport.webSocketTask(with: try Self.webSocketRequest(request), for: request.url)
            task.maximumMessageSize = options.messageBytes
            let connection = TaskConnection(SessionWebSocketTask(task), limit: options.messageBytes)
            let handlers = SessionSocketHandlers(
                received: { connection.received($0) },
                closed: { connection.closed(WebSocketCloseCode($0), String(decoding: $1 ?? Data(), as: UTF8.self)) },
                ended: { error in
                    let isOpen = connection.isOpen
                    connection.ended(
                        error.map { isOpen ? SessionWebSocketTask.error($0) : URLSessionHead.error($0, hasHead: false) }
                    )
                })
            transport.start(task, for: request.url, handlers)
            let timeout = [request.options.idleTimeout, request.options.totalTimeout].compactMap { $0 }.min()
            let head = try await connection.head(timeout: timeout)
            var response = StreamedResponse(head: head, body: ResponseBody(), url: request.url)
            if head.status == 101 { response.upgraded = connection }
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
