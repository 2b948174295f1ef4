internal import AshlarCore

/// A WebSocket's connection that reads and writes the frames itself.
///
/// It answers pings, and closes the connection with the code that belongs to a violation.
final class FramedConnection: WebSocketConnection {
    private let link: any WebSocketLink
    private let limit: Int
    private let reader: Mutex<WebSocketReader>

    /// Creates a connection that rejects messages of more than `limit` bytes.
    init(_ link: any WebSocketLink, limit: Int) {
        (self.link, self.limit) = (link, limit)
        reader = Mutex(WebSocketReader(limit: limit))
    }

    func next() async throws(NetworkError) -> WebSocketEvent {
        do throws(WebSocketReader.Violation) {
            switch try readFrame() {
            case .message(let message): return .message(message)
            case .ping(let payload):
                link.writePong(WebSocketFrame.encode(.pong, payload))
                return .progress
            case .pong(let payload): return .pong(payload)
            case .close(let code, let reason): return .close(code, reason)
            case nil: break
            }
        } catch {
            link.writeControl(WebSocketFrame.close(error.code, error.message))
            link.end(afterSending: true)
            throw failure(error)
        }
        guard let bytes = try await link.next() else {
            let code: NetworkError.Code = reader.withLock(\.isWithinMessage) ? .truncated : .connectionLost
            throw NetworkError(code, "the connection ended without a close frame", phase: .receive)
        }
        reader.withLock { $0.append(bytes) }
        return .progress
    }

    private func readFrame() throws(WebSocketReader.Violation) -> WebSocketReader.Event? {
        try reader.withLock { reader throws(WebSocketReader.Violation) in try reader.next() }
    }

    private func failure(_ violation: WebSocketReader.Violation) -> NetworkError {
        let code: NetworkError.Code =
            violation.code == .tooLarge ? .bodyTooLarge : violation.code == .invalidText ? .invalidText : .badResponse
        var error = NetworkError(code, violation.message, phase: .receive)
        if violation.code == .tooLarge { error.limit = limit }
        return error
    }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        switch message {
        case .text(let text): try await link.write(WebSocketFrame.encode(.text, text.utf8))
        case .binary(let bytes): try await link.write(WebSocketFrame.encode(.binary, bytes))
        }
    }

    func sendPing(_ payload: [UInt8]) { link.writeControl(WebSocketFrame.encode(.ping, payload)) }

    func sendClose(_ code: WebSocketCloseCode?, _ reason: String) {
        link.writeControl(WebSocketFrame.close(code, reason))
    }

    func end(afterSending: Bool) { link.end(afterSending: afterSending) }
}
