internal import AshlarCore
public import AshlarNetworking

/// An open WebSocket: messages in both directions until one side closes it.
///
/// It is created by `NetworkClient.webSocket(_:options:)`. Messages can be sent from any number of tasks; received
/// messages go to one reader each. At most 64 messages or 256 KiB are received before they are read; then the server has
/// to wait. Pings of the server are answered automatically. Releasing the WebSocket ends the connection.
///
/// The sequence ends when either side closes normally (1000, 1001 or without a code) and throws otherwise.
///
/// ```swift
/// func chat(_ client: NetworkClient) async throws {
///     let socket = try await client.webSocket("wss://chat.example.com/room")
///     try await socket.send(.text("hello"))
///     for try await message in socket {
///         if case .text(let text) = message { print(text) }
///     }
/// }
/// ```
public final class WebSocket: AsyncSequence, Sendable {
    private let channel: WebSocketChannel
    /// The head of the response that opened the WebSocket.
    public let head: ResponseHead
    /// The protocol that the server selected, or nil.
    public let selectedProtocol: String?

    init(_ channel: WebSocketChannel, head: ResponseHead, selectedProtocol: String?) {
        self.channel = channel
        self.head = head
        self.selectedProtocol = selectedProtocol
    }

    deinit { channel.abort() }

    /// Returns the next message, or nil after a normal end.
    ///
    /// Cancelling the task loses no message and leaves the WebSocket open.
    ///
    /// - Throws: `.webSocketClosed` if the server closed with another code; `.connectionLost` or `.truncated` if the
    ///   connection ended without a close frame; `.timedOut` without an answer to a ping; `.bodyTooLarge`, `.invalidText` or
    ///   `.badResponse` for frames that violate the limit or the protocol.
    public func receive() async throws(NetworkError) -> WebSocketMessage? { try await channel.receive() }

    /// Sends a message; waits while more than 256 KiB are unsent.
    ///
    /// - Throws: `.webSocketClosed` or the failure that ended the connection.
    public func send(_ message: WebSocketMessage) async throws(NetworkError) { try await channel.send(message) }

    /// Sends a ping and returns when the server has answered it.
    ///
    /// - Throws: `.webSocketClosed` or the failure that ended the connection.
    public func ping() async throws(NetworkError) { try await channel.ping() }

    /// Closes the WebSocket and returns when the server has answered, at the latest after the close timeout.
    ///
    /// Messages that arrive meanwhile are discarded. Closing twice has no further effect.
    ///
    /// - Parameters:
    ///   - code: The reason as a number.
    ///   - reason: The reason as a text, at most 123 bytes in UTF-8; a longer one is shortened.
    /// - Precondition: `code` is 1000–1003, 1007–1014 or 3000–4999.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async {
        precondition(code.isSendable, "the close code \(code) can't be sent")
        await channel.close(code, reason)
    }

    /// The code with which the server closed, or nil if it hasn't or sent none.
    public var closeCode: WebSocketCloseCode? { channel.closing?.code }
    /// The reason with which the server closed, or nil if it hasn't.
    public var closeReason: String? { channel.closing?.reason }

    /// Returns an iterator over the messages.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<WebSocketMessage, NetworkError> {
        Messages(socket: self)
    }

    /// Receives the messages in order.
    private struct Messages: AsyncIteratorProtocol {
        let socket: WebSocket

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> WebSocketMessage? { try await socket.receive() }
    }
}

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
        for field in handshake.fields { request.headers.set(field.name, field.value) }
        request.upgrade = handshake
        return try await upgrade(request) { response, connection throws(NetworkError) in
            let channel = WebSocketChannel(try handshake.connection(response.head, connection), options)
            channel.start()
            return WebSocket(
                channel, head: response.head, selectedProtocol: response.headers["Sec-WebSocket-Protocol"])
        }
    }
}

extension WebSocketHandshake {
    /// Checks a response with status 101, and returns the connection that carries messages.
    fileprivate func connection(
        _ head: ResponseHead, _ connection: any UpgradedConnection
    ) throws(NetworkError) -> any WebSocketConnection {
        #if os(Linux)
            if let stream = connection as? CurlDuplex {
                _ = try check(head)
                return FramedConnection(stream, limit: options.messageBytes, try agreement(head))
            }
        #endif
        if let task = connection as? TaskConnection {
            _ = try selectedProtocol(head)
            return task
        }
        throw NetworkError(.unsupported, "the transport has no WebSockets", phase: .prepare)
    }
}
