/// A connection that carries the messages and control frames of a WebSocket.
///
/// ``FramedConnection`` implements it over bytes, ``TaskConnection`` over a task that exchanges whole messages.
protocol WebSocketConnection: AnyObject, Sendable {
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
    /// Ends the connection, optionally after everything has been sent.
    func end(afterSending: Bool)
}

/// Something that a connection has received.
enum WebSocketEvent: Hashable {
    case message(WebSocketMessage)
    case pong([UInt8])
    case close(WebSocketCloseCode?, String)
    /// Bytes that complete none of the others.
    case progress
}

/// The content of a close frame.
struct WebSocketClosing: Hashable, Sendable {
    let code: WebSocketCloseCode?
    let reason: String

    /// Whether the end isn't a failure.
    var isNormal: Bool { code == nil || code == .normal || code == .goingAway }

    /// The failure, or nil after a normal end.
    var error: NetworkError? {
        if isNormal { return nil }
        let text = reason.isEmpty ? "" : ": " + HTTPSyntax.printable(reason)
        return NetworkError(
            .webSocketClosed, "the server closed the WebSocket with \(code?.rawValue ?? 0)\(text)", phase: .receive)
    }
}

/// The bytes of an upgraded connection.
protocol WebSocketLink: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end.
    func next() async throws(NetworkError) -> [UInt8]?
    /// Sends a frame; waits while many bytes are unsent.
    func write(_ frame: [UInt8]) async throws(NetworkError)
    /// Sends a control frame without waiting.
    func writeControl(_ frame: [UInt8])
    /// Sends a pong, in place of an unsent one: only the latest ping needs an answer (RFC 6455, section 5.5.3).
    func writePong(_ frame: [UInt8])
    /// Ends the connection, optionally after everything has been sent.
    func end(afterSending: Bool)
}
