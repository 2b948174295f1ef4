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
#endif
