internal import AshlarCore

extension NetworkClient {
    /// Returns the events of a stream of server-sent events, and reconnects when it ends or fails.
    ///
    /// The request is sent with `Accept: text/event-stream` when the first event is awaited. After a lost connection,
    /// the sequence reconnects and sends the last identifier in `Last-Event-ID`. It first waits for the server's
    /// `retry`, if there is one, and then for a random time, so that the clients of a restarted server don't return at
    /// the same moment. The bound of the random time is `retry`, or 3 s, and doubles with each consecutive failure, up to
    /// one minute. The sequence ends when the server answers with a status other than 200, such as 204. It throws failures
    /// that another attempt can't repair: an unacceptable status that isn't transient, another content type, or an event
    /// of more than 1 MiB. Only the connect and idle timeouts apply; set the idle timeout to more than the server's
    /// longest silence.
    ///
    /// Only a GET is sent again: another method could cause its effect, or its price, once more. Its sequence ends with
    /// the stream, and throws the reason if the stream breaks. See also ``ResponseBody/events()``.
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
    ///   - reconnects: Whether the request is sent again when the stream ends; nil, the default, only for a GET.
    ///   - clock: The clock for the delays; a test can use a virtual one.
    /// - Returns: The events; each iteration has its own connection, which ends with the iterator.
    public func events(
        _ request: NetworkRequest, reconnects: Bool? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) -> some AsyncSequence<ServerSentEvent, NetworkError> & Sendable {
        ServerSentEvents(
            source: (self, request), reconnects: reconnects ?? (request.method == .get), clock: clock)
    }
}

extension ResponseBody {
    /// Returns the server-sent events of this body; nothing is sent again.
    ///
    /// The sequence ends with the body; an incomplete last event is discarded, as the standard says. It has one iterator.
    ///
    /// ```swift
    /// func answer(_ client: NetworkClient, _ question: NetworkRequest) async throws {
    ///     let response = try await client.stream(question)
    ///     for try await event in response.body.events() { print(event.data) }
    /// }
    /// ```
    ///
    /// - Returns: The events, which throw the reason for an early end of the body, or `.bodyTooLarge` for an event of more
    ///   than 1 MiB.
    public func events() -> some AsyncSequence<ServerSentEvent, NetworkError> & Sendable {
        ServerSentEvents(body: self)
    }
}

/// A stream of server-sent events that survives lost connections; see ``NetworkClient/events(_:reconnects:clock:)``.
struct ServerSentEvents: AsyncSequence, Sendable {
    /// The client and the request to connect with, or nil to read one body.
    fileprivate var source: (client: NetworkClient, request: NetworkRequest)?
    fileprivate var body: ResponseBody?
    fileprivate var reconnects = false
    fileprivate var clock: any Clock<Duration> = ContinuousClock()

    /// Returns an iterator that connects when its first event is awaited.
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Receives the events in order.
    struct AsyncIterator: AsyncIteratorProtocol {
        private static let pause = Duration.seconds(3)
        private static let longestPause = Duration.seconds(60)

        private let stream: ServerSentEvents
        private var parser = EventStreamParser()
        private var body: ResponseBody?
        private var failures = 0
        private var isFirst = true
        private var isEnded = false

        fileprivate init(_ stream: ServerSentEvents) {
            self.stream = stream
            body = stream.body
        }

        /// Returns the next event, or nil after the server has ended the stream.
        mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> ServerSentEvent? {
            while !isEnded {
                do throws(NetworkError) {
                    if body == nil { try await connect() }
                    if let event = try parser.next() { return event }
                    try await receive()
                } catch {
                    guard stream.reconnects, error.isTransient, error.code != .cancelled else {
                        isEnded = true
                        body?.cancel()
                        throw error
                    }
                    disconnect()
                }
            }
            return nil
        }

        private nonisolated(nonsending) mutating func receive() async throws(NetworkError) {
            guard let body else { return }
            guard let bytes = try await body.next() else {
                if !stream.reconnects { isEnded = true }
                return disconnect()
            }
            failures = 0
            parser.append(bytes)
        }

        private mutating func disconnect() {
            body = nil
            parser.reconnect()
            failures += 1
        }

        private nonisolated(nonsending) mutating func connect() async throws(NetworkError) {
            guard let (client, template) = stream.source else { return }
            if !isFirst { try await sleep() }
            isFirst = false
            var request = template
            request.headers.set("Accept", "text/event-stream")
            request.headers.set("Cache-Control", "no-store")
            if let field = Self.field(parser.lastID) { request.headers.set(field.name, field.value) }
            request.options.totalTimeout = nil
            let response = try await client.stream(request)
            guard response.status == 200 else {
                response.body.cancel()
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
            let field = HTTPField("Last-Event-ID", HTTPField.value(id.trimmingHTTPSpace().utf8))
            return field.value.isEmpty || (try? field.validate()) == nil ? nil : field
        }

        private nonisolated(nonsending) func sleep() async throws(NetworkError) {
            let retry = parser.retry
            // A server that asks for no pause isn't called in a loop while it is down.
            let first = Swift.max(retry ?? Self.pause, .milliseconds(100))
            let backoff = Backoff(first: first, ceiling: Swift.max(first, Self.longestPause))
            let pause = (retry ?? .zero) + backoff.pause(beforeRetry: failures)
            do {
                try await stream.clock.sleep(for: pause)
            } catch {
                throw NetworkError(wrapping: error, phase: .wait)
            }
        }
    }
}

/// An event from a server; see ``NetworkClient/events(_:reconnects:clock:)``.
public struct ServerSentEvent: Hashable, Sendable {
    /// The type of the event; `message` if the server sends none.
    public var type: String
    /// The data; several `data` lines are joined by line feeds.
    public var data: String
    /// The last identifier that the server sent, or an empty string.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// Reads the bytes of an event stream (WHATWG HTML, section 9.2.6), in pieces of any length.
struct EventStreamParser {
    /// The maximum number of bytes of one event, including its field names.
    static let limit = 1 << 20

    /// The identifier of the last event, for `Last-Event-ID`.
    private(set) var lastID = ""
    /// The delay before a reconnection that the server requests.
    private(set) var retry: Duration?

    private var lines = LineSplitter(limit: limit)
    private var size = 0
    private var id = ""
    private var type = ""
    private var data: [UInt8]?

    mutating func append(_ bytes: [UInt8]) { lines.append(bytes) }

    /// Returns the next complete event, or nil if more bytes are necessary.
    ///
    /// - Throws: `.bodyTooLarge` for an event of more than 1 MiB.
    mutating func next() throws(NetworkError) -> ServerSentEvent? {
        while let line = try lines.next()?.bytes {
            size += line.count
            guard size <= Self.limit else {
                throw ResponseBody.tooLarge(Self.limit, "an event is longer than allowed")
            }
            if let event = read(line) { return event }
        }
        return nil
    }

    /// Discards an incomplete event at the end of a connection; the last identifier is preserved.
    mutating func reconnect() {
        let previous = self
        self = EventStreamParser()
        lastID = previous.lastID
        id = previous.lastID
        retry = previous.retry
    }

    private mutating func read(_ line: [UInt8]) -> ServerSentEvent? {
        if line.isEmpty { return endEvent() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            readField(line[...], [])
            return nil
        }
        guard colon > 0 else {
            size -= line.count  // a comment
            return nil
        }
        let value = line[(colon + 1)...]
        readField(line[..<colon], value.first == UInt8(ascii: " ") ? value.dropFirst() : value)
        return nil
    }

    private mutating func readField(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if name.elementsEqual("data".utf8) {
            data = data.map { $0 + [UInt8(ascii: "\n")] + value } ?? Array(value)
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8), !value.contains(0) {
            id = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("retry".utf8), !value.isEmpty, value.allSatisfy(\.isDigit) {
            // A delay is limited to one day.
            retry = .milliseconds(min(Int32(String(decoding: value, as: UTF8.self)) ?? .max, 86_400_000))
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        size = 0
        lastID = id
        defer { (type, data) = ("", nil) }
        guard let data else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self), id: lastID)
    }
}
