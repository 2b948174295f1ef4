/// The operations of an open WebSocket, by whatever performs them.
protocol WebSocketChannel: AnyObject, Sendable {
    /// Returns the next message, or nil after a normal end.
    func receive() async throws(NetworkError) -> WebSocketMessage?
    func send(_ message: WebSocketMessage) async throws(NetworkError)
    /// Returns when the server has answered a ping.
    func ping() async throws(NetworkError)
    /// Closes the connection and returns when it is closed.
    func close(_ code: WebSocketCloseCode, _ reason: String) async
    /// Ends the connection at once.
    func abort()
    /// The server's reason for closing, or nil.
    var closing: WebSocketClosing? { get }
    /// Whether the connection has ended without a failure.
    var hasEndedNormally: Bool { get }
    /// Whether a message has arrived.
    var hasReceived: Bool { get }
}

/// The content of a close frame.
struct WebSocketClosing: Hashable, Sendable {
    let code: WebSocketCloseCode?
    let reason: String

    /// Whether the end isn't a failure.
    var isNormal: Bool { code == nil || code == .normal || code == .goingAway }
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
