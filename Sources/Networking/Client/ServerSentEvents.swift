extension NetworkClient {
    /// Returns the events of a stream of server-sent events, and reconnects when it ends or fails.
    ///
    /// The request is sent with `Accept: text/event-stream` when the first event is awaited. After a lost connection,
    /// the sequence reconnects and sends the last identifier in `Last-Event-ID`. It first waits for the server's
    /// `retry`, or 3 s; the delay doubles with each consecutive failure, up to one minute. The sequence ends when the
    /// server answers 204. It throws failures that another attempt can't repair: an unacceptable status that isn't
    /// transient, another content type, or an event of more than 1 MiB. Only the connect and idle timeouts apply; set
    /// the idle timeout to more than the server's longest silence.
    ///
    /// ```swift
    /// func follow(_ client: NetworkClient) async throws {
    ///     let request = try NetworkRequest(.get, "https://api.example.com/updates")
    ///     for try await event in client.events(request) {
    ///         print(event.type, event.data)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request, usually a GET.
    ///   - clock: The clock for the delays; a test can use a virtual one.
    /// - Returns: The events; each iteration has its own connection, which ends with the iterator.
    public func events(
        _ request: NetworkRequest, clock: any Clock<Duration> = ContinuousClock()
    ) -> ServerSentEvents {
        ServerSentEvents(client: self, request: request, clock: clock)
    }
}

/// A stream of server-sent events that survives lost connections; see ``NetworkClient/events(_:clock:)``.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event from the server.
    public typealias Element = ServerSentEvent
    /// The failure that ends the stream.
    public typealias Failure = NetworkError

    fileprivate let client: NetworkClient
    fileprivate let request: NetworkRequest
    fileprivate let clock: any Clock<Duration>

    /// Returns an iterator that connects when its first event is awaited.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Receives the events in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private static let pause = Duration.seconds(3)
        private static let longestPause = Duration.seconds(60)

        private let stream: ServerSentEvents
        private var parser = EventStreamParser()
        private var body: ResponseBody?
        private var events: ArraySlice<ServerSentEvent> = []
        /// The failure after the received events, which ends the stream.
        private var failure: NetworkError?
        private var failures = 0
        private var isFirst = true
        private var isEnded = false

        fileprivate init(_ stream: ServerSentEvents) { self.stream = stream }

        /// Returns the next event, or nil after the server has ended the stream.
        public nonisolated(nonsending) mutating func next() async throws(NetworkError) -> ServerSentEvent? {
            while !isEnded {
                if let event = events.popFirst() { return event }
                if let failure {
                    isEnded = true
                    throw failure
                }
                do throws(NetworkError) {
                    if body == nil { try await connect() }
                    try await receive()
                } catch {
                    guard error.isTransient, error.code != .cancelled else {
                        isEnded = true
                        throw error
                    }
                    disconnect()
                }
            }
            return nil
        }

        /// Returns the next event, or nil after the server has ended the stream.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> ServerSentEvent? { try await next() }

        private nonisolated(nonsending) mutating func receive() async throws(NetworkError) {
            guard let body else { return }
            guard let bytes = try await body.next() else { return disconnect() }
            failures = 0
            var received: [ServerSentEvent] = []
            do throws(NetworkError) {
                try parser.read(bytes) { received.append($0) }
            } catch {
                body.cancel()
                failure = error
            }
            events = received[...]
        }

        private mutating func disconnect() {
            body = nil
            parser.reconnect()
            failures += 1
        }

        private nonisolated(nonsending) mutating func connect() async throws(NetworkError) {
            if !isFirst { try await sleep() }
            isFirst = false
            var request = stream.request
            request.headers.set("Accept", "text/event-stream")
            request.headers.set("Cache-Control", "no-store")
            if let field = Self.field(parser.lastID) { request.headers.set(field.name, field.value) }
            request.options.totalTimeout = nil
            let response = try await stream.client.stream(request)
            guard response.status != 204 else {
                isEnded = true
                return
            }
            let type = response.headers["Content-Type"]?.split(separator: ";").first.map(String.init) ?? ""
            guard type.trimmingHTTPSpace().lowercased() == "text/event-stream" else {
                response.body.cancel()
                throw NetworkError(
                    .badResponse, "expected text/event-stream, found \(HTTPSyntax.printable(type).debugDescription)",
                    phase: .receive)
            }
            body = response.body
        }

        /// Returns the field with an identifier as UTF-8, or nil if it is empty or can't be sent.
        private static func field(_ id: String) -> HTTPField? {
            let bytes = id.trimmingHTTPSpace().utf8.map { Unicode.Scalar($0) }
            let field = HTTPField("Last-Event-ID", String(String.UnicodeScalarView(bytes))).checked()
            return bytes.isEmpty || !field.isChecked ? nil : field
        }

        private nonisolated(nonsending) func sleep() async throws(NetworkError) {
            let first = parser.retry ?? Self.pause
            let longest = Swift.max(first, Self.longestPause)
            let pause = Swift.min(longest, first * (1 << Swift.min(Swift.max(failures - 1, 0), 10)))
            do {
                try await stream.clock.sleep(for: pause)
            } catch {
                throw NetworkError(wrapping: error, phase: .wait)
            }
        }
    }
}
