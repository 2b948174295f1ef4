public import AshlarNetworking

/// A message of a WebSocket.
public enum WebSocketMessage: Hashable, Sendable {
    /// A text, which is sent in UTF-8.
    case text(String)
    /// Bytes.
    case binary([UInt8])

    /// The number of payload bytes.
    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

extension NetworkError.Code {
    /// The WebSocket is closed, or the server closed it with a code that means a failure.
    public static let webSocketClosed = Self(rawValue: "webSocketClosed")
}

/// The reason for which a WebSocket was closed.
public struct WebSocketCloseCode: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The number, such as 1000.
    public let rawValue: Int
    /// Creates a code; an endpoint may send 1000–1014 except 1004–1006, and 3000–4999.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The number.
    public var description: String { String(rawValue) }

    /// The purpose of the connection is fulfilled.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The server shuts down, or the user leaves.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The other side violated the protocol.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The other side sent a text that isn't UTF-8.
    public static let invalidText = WebSocketCloseCode(rawValue: 1007)
    /// A message is too large.
    public static let tooLarge = WebSocketCloseCode(rawValue: 1009)

    /// Whether an endpoint may send the code (RFC 6455, section 7.4).
    var isSendable: Bool {
        (1000...1003).contains(rawValue) || (1007...1014).contains(rawValue) || (3000...4999).contains(rawValue)
    }
}
