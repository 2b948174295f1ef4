internal import AshlarCore
internal import AshlarNetworking

/// A connection that carries the messages and control frames of a WebSocket.
///
/// ``FramedConnection`` implements it over bytes, ``TaskConnection`` over a task that exchanges whole messages.
protocol WebSocketConnection: UpgradedConnection {
    /// Waits for the next event; one task calls it. Nothing more is received until the next call.
    ///
    /// - Throws: The failure that ended the connection.
    func next() async throws(NetworkError) -> WebSocketEvent
    /// Sends a message; waits while many bytes are unsent.
    func send(_ message: WebSocketMessage) async throws(NetworkError)
    /// Sends a ping without waiting; `.pong` with the same payload follows.
    func sendPing(_ payload: [UInt8])
    /// Sends a close frame without waiting.
    func sendClose(_ code: WebSocketCloseCode?, _ reason: String)
}

/// Something that a connection has received.
enum WebSocketEvent: Hashable {
    case message(WebSocketMessage)
    /// A ping, which the connection has answered.
    case ping([UInt8])
    case pong([UInt8])
    case close(WebSocketCloseCode?, String)
    /// Bytes that violate the protocol, after which nothing is received.
    case violation(WebSocketReader.Violation)
    /// Bytes that complete none of the others.
    case progress
}

/// The content of a close frame.
struct WebSocketClosing: Hashable, Sendable {
    let code: WebSocketCloseCode?
    let reason: String

    /// The failure, or nil after a normal end.
    var error: NetworkError? {
        guard let code, code != .normal, code != .goingAway else { return nil }
        let text = reason.isEmpty ? "" : ": " + HTTPSyntax.printable(reason)
        return NetworkError(
            .webSocketClosed, "the server closed the WebSocket with \(code)\(text)", phase: .receive)
    }
}

#if os(Linux)
    /// A WebSocket's connection that reads and writes the frames itself.
    ///
    /// It answers pings.
    final class FramedConnection: WebSocketConnection {
        private let stream: CurlDuplex
        private let reader: Mutex<WebSocketReader>
        private let writer: Mutex<WebSocketWriter>

        /// Creates a connection that rejects messages of more than `limit` bytes.
        init(_ stream: CurlDuplex, limit: Int, _ compression: WebSocketAgreement?) {
            self.stream = stream
            reader = Mutex(WebSocketReader(limit: limit, compression))
            writer = Mutex(WebSocketWriter(compression))
        }

        func next() async throws(NetworkError) -> WebSocketEvent {
            do throws(WebSocketReader.Violation) {
                let event = try reader.withLock { reader throws(WebSocketReader.Violation) in try reader.next() }
                if case .ping(let payload) = event {
                    stream.writeFirst(WebSocketFrame.encode(.pong, payload), mayDrop: true)
                }
                if let event { return event }
            } catch {
                return .violation(error)
            }
            guard let bytes = try await stream.next() else {
                let code: NetworkError.Code = reader.withLock(\.isWithinMessage) ? .truncated : .connectionLost
                throw NetworkError(code, "the connection ended without a close frame", phase: .receive)
            }
            reader.withLock { $0.append(bytes) }
            return .progress
        }

        func send(_ message: WebSocketMessage) async throws(NetworkError) {
            let size = message.size
            try await stream.waitForRoom(size)
            // A compressed message refers to those before, so the order of the frames is that of their compression.
            let isSent = writer.withLock { writer in
                if !writer.hasClosed { stream.write(writer.frame(message), messageBytes: size) }
                return !writer.hasClosed
            }
            if !isSent { throw NetworkError(.connectionLost, "the connection is closed", phase: .send) }
        }

        func sendPing(_ payload: [UInt8]) {
            stream.writeFirst(WebSocketFrame.encode(.ping, payload), mayDrop: false)
        }

        /// Sends a close frame, which no message follows (RFC 6455, section 5.5.1).
        func sendClose(_ code: WebSocketCloseCode?, _ reason: String) {
            writer.withLock { writer in
                writer.hasClosed = true
                stream.write(WebSocketFrame.close(code, reason))
            }
        }

        func end(afterSending: Bool) { stream.end(afterSending: afterSending) }
    }
#endif
