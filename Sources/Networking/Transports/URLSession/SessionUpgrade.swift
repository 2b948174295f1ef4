#if canImport(Darwin)
    package import Foundation

    /// An upgrade that a session performs with a task of its own.
    package protocol SessionUpgrade: ConnectionUpgrade {
        /// Sends the request, and returns a response with status 101 and a connection, or that of a server that refuses.
        func open(
            _ request: NetworkRequest, over transport: URLSessionTransport
        ) async throws(NetworkError) -> StreamedResponse
    }

    /// The handlers of what a session reports about a WebSocket task.
    package struct SessionSocketHandlers: Sendable {
        let received: @Sendable (ResponseHead) -> Void
        let closed: @Sendable (URLSessionWebSocketTask.CloseCode, Data?) -> Void
        let ended: @Sendable ((any Error)?) -> Void

        /// Creates handlers of the response, of the server's close frame, and of the end of the task.
        package init(
            received: @escaping @Sendable (ResponseHead) -> Void,
            closed: @escaping @Sendable (URLSessionWebSocketTask.CloseCode, Data?) -> Void,
            ended: @escaping @Sendable ((any Error)?) -> Void
        ) {
            self.received = received
            self.closed = closed
            self.ended = ended
        }
    }

    extension URLSessionTransport {
        /// Creates a WebSocket task for a URL with the scheme ws or wss, which connects as requests for `url` do.
        package func webSocketTask(with request: URLRequest, for url: HTTPURL) -> URLSessionWebSocketTask {
            route(for: url).session.webSocketTask(with: request)
        }

        /// Starts a WebSocket task.
        package func start(_ task: URLSessionWebSocketTask, for url: HTTPURL, _ handlers: SessionSocketHandlers) {
            route(for: url).router.add(handlers, for: task, url)
            task.resume()
        }
    }
#endif
