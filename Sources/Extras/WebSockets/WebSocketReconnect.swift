internal import AshlarCore
public import AshlarNetworking

/// The delays between attempts to open a WebSocket again, each random between zero and its bound.
///
/// The bound doubles with each consecutive failure. The delays are random, so that the clients of a restarted server
/// don't return at the same moment.
public struct WebSocketReconnect: Hashable, Sendable {
    /// The bound of the first delay; 1 s by default.
    public var firstPause: Duration = .seconds(1)
    /// The bound of all delays; 60 s by default.
    public var longestPause: Duration = .seconds(60)
    /// The maximum number of consecutive failures before the last one is thrown; nil, the default, for no limit.
    ///
    /// A WebSocket that has received a message ends a series of failures, unless the server closed it because it rejects
    /// the client (1002, 1003 and 1007–1010, such as 1008 for a policy).
    public var attempts: Int?

    /// The default delays.
    public static let standard: WebSocketReconnect = WebSocketReconnect()

    /// Creates the default delays.
    public init() {}

    var backoff: Backoff { Backoff(first: firstPause, ceiling: longestPause) }
}

extension NetworkClient {
    /// Returns WebSockets one after another: the next one is opened when the previous one has failed.
    ///
    /// The sequence ends when a WebSocket was closed normally by either side. It throws failures of a handshake that
    /// another attempt can't repair. Receive the messages of each WebSocket until they end before asking for the next.
    ///
    /// - Parameters:
    ///   - request: A GET without a body.
    ///   - options: The settings of each WebSocket.
    ///   - reconnect: The delays between attempts.
    ///   - clock: The clock for the delays; a test can use a virtual one.
    /// - Returns: The open WebSockets.
    public func webSockets(
        _ request: NetworkRequest, options: WebSocketOptions = .init(), reconnect: WebSocketReconnect = .standard,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> WebSockets {
        WebSockets(client: self, request: request, options: options, reconnect: reconnect, clock: clock)
    }
}

/// WebSockets that replace each other; see `NetworkClient.webSockets(_:options:reconnect:clock:)`.
public struct WebSockets: AsyncSequence, Sendable {
    /// An open WebSocket.
    public typealias Element = WebSocket
    /// The failure that ends the sequence.
    public typealias Failure = NetworkError

    fileprivate let client: NetworkClient
    fileprivate let request: NetworkRequest
    fileprivate let options: WebSocketOptions
    fileprivate let reconnect: WebSocketReconnect
    fileprivate let clock: any Clock<Duration>

    /// Returns an iterator that connects when its first WebSocket is awaited.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }

    /// Opens the WebSockets.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: WebSockets
        private var current: WebSocket?
        private var failures = 0
        private var isEnded = false

        fileprivate init(source: WebSockets) { self.source = source }

        /// Returns the next WebSocket, or nil after a normal close.
        public nonisolated(nonsending) mutating func next() async throws(NetworkError) -> WebSocket? {
            if let socket = current.take() {
                if socket.hasEndedNormally { isEnded = true }
                failures = socket.hasReceived && !socket.isRejected ? 1 : failures + 1
                // A server that accepts each handshake and closes at once fails, too.
                if !isEnded, let most = source.reconnect.attempts, failures >= most {
                    isEnded = true
                    throw socket.failure
                        ?? NetworkError(
                            .connectionLost, "\(failures) WebSockets ended without a message", phase: .receive)
                }
            }
            while !isEnded {
                do throws(NetworkError) {
                    if failures > 0 { try await sleep() }
                    let socket = try await source.client.webSocket(source.request, options: source.options)
                    current = socket
                    return socket
                } catch {
                    failures += 1
                    let isLast = source.reconnect.attempts.map { failures >= $0 } ?? false
                    guard error.isTransient, !isLast else {
                        isEnded = true
                        throw error
                    }
                }
            }
            return nil
        }

        /// Returns the next WebSocket, or nil after a normal close.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> WebSocket? { try await next() }

        private nonisolated(nonsending) func sleep() async throws(NetworkError) {
            do {
                try await source.clock.sleep(for: source.reconnect.backoff.pause(beforeRetry: failures))
            } catch {
                throw NetworkError(wrapping: error, phase: .wait)
            }
        }
    }
}
