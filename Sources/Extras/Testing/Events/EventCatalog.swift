public import AshlarEventBus
internal import AshlarNetworking

/// The payload types of topics by name, so that bridges and recordings can encode and decode events.
///
/// ```swift
/// import AshlarEventBus
///
/// nonisolated struct Note: Codable, Sendable { var id: Int, title: String }
/// let saved = Topic<Note>("note:saved")
///
/// var catalog = EventCatalog()
/// catalog.add(saved)
/// let json = try catalog.json(of: Note(id: 5, title: "Rain"), name: "note:saved")  // {"id":5,"title":"Rain"}
/// let bus = EventBus()
/// let watch = bus.watch(saved) { print($0.payload.title) }
/// try catalog.trigger("note:saved", json: json, on: bus)  // Rain
/// watch.cancel()
/// ```
///
/// The JSON is that of `Codable` without special cases: Foundation's `Date`, `Data`, `URL` and `Decimal` have the forms
/// of their own `Codable` conformances. An integer can be written as `1.0` or `1e2`.
public struct EventCatalog: Sendable {
    private struct Entry: Sendable {
        let type: Any.Type
        let encode: @Sendable (any Sendable) throws -> JSONEntity
        let decode: @Sendable (JSONEntity) throws -> any Sendable
        /// Returns the topic on which a decoded payload with this name is triggered; nil for requests.
        let outlet: (@Sendable (String) throws(EventBusError) -> any EventOutlet)?
        /// Sends a request; nil for events.
        var request:
            (@Sendable (JSONEntity, EventBus, Duration, (any AnyObject & Sendable)?) async throws -> JSONEntity)?
        /// Returns the reply of a JSON text; nil for events.
        var reply: (@Sendable (JSONEntity) throws -> any Sendable)?
    }

    private var topics: [ByteText: Entry] = [:]
    private var patterns: [(pattern: TopicPattern, entry: Entry)] = []

    /// Creates a catalog without topics.
    public init() {}

    /// Adds a topic, which replaces an earlier one of the same name.
    public mutating func add<Payload: Codable & Sendable>(_ topic: Topic<Payload>) {
        topics[ByteText(topic.name)] = Self.entry(Payload.self) { _ in topic }
    }

    /// Adds a topic without data, whose JSON is `null`.
    public mutating func add(_ topic: Topic<Void>) {
        topics[ByteText(topic.name)] = Entry(
            type: Void.self, encode: { _ in .null }, decode: { _ in () }, outlet: { _ in topic })
    }

    /// Adds a topic of requests, for ``request(_:json:on:within:from:)`` and ``reply(to:name:json:)``.
    ///
    /// ``json(of:name:)`` then encodes the payloads and the replies of its requests.
    public mutating func add<Request: Codable & Sendable, Reply: Codable & Sendable>(
        _ topic: RequestTopic<Request, Reply>
    ) {
        topics[ByteText(topic.name)] = Entry(
            type: Request.self,
            encode: { payload in
                if let reply = payload as? Reply { return try JSONEntity(ofPayload: reply) }
                guard let payload = payload as? Request else {
                    throw Self.mismatch(payload, topic.name, Request.self)
                }
                return try JSONEntity(ofPayload: payload)
            },
            decode: { try $0.decoded(Request.self, format: nil) }, outlet: nil,
            request: { json, bus, limit, source in
                let payload = try json.decoded(Request.self, format: nil)
                return try JSONEntity(ofPayload: await bus.request(topic, payload, within: limit, from: source))
            }, reply: { try $0.decoded(Reply.self, format: nil) })
    }

    /// Adds all topics whose names match a pattern and aren't added by name; the first matching pattern is used.
    ///
    /// With `keeping`, the topics of events that are triggered by this catalog store their last events, so that a watch
    /// that begins later receives them.
    ///
    /// - Precondition: `0 <= keeping`.
    public mutating func add<Payload: Codable & Sendable>(
        _ pattern: TopicPattern, of type: Payload.Type, keeping: Int = 0
    ) {
        let entry = Self.entry(type) { name throws(EventBusError) in
            try Topic<Payload>(named: name, keeping: keeping)
        }
        patterns.append((pattern, entry))
    }

    private static func entry<Payload: Codable & Sendable>(
        _ type: Payload.Type, outlet: @escaping @Sendable (String) throws(EventBusError) -> any EventOutlet
    ) -> Entry {
        Entry(
            type: type,
            encode: { payload in
                guard let payload = payload as? Payload else { throw mismatch(payload, "", type) }
                return try JSONEntity(ofPayload: payload)
            },
            decode: { try $0.decoded(Payload.self, format: nil) }, outlet: outlet)
    }

    fileprivate static func mismatch(_ payload: any Sendable, _ name: String, _ type: Any.Type) -> EventBusError {
        EventBusError(.payloadMismatch, subject: name, expected: "payload \(type)", found: "\(Swift.type(of: payload))")
    }

    private func entry(_ name: String) -> Entry? {
        topics[ByteText(name)] ?? patterns.first { $0.pattern.matches(name) }?.entry
    }

    /// Returns the payload type of a name; nil if the name isn't in the catalog.
    public func payloadType(of name: String) -> Any.Type? { entry(name)?.type }

    // MARK: Encoding

    /// Returns a payload as JSON in one line.
    ///
    /// A payload whose name isn't in the catalog is encoded if its type is `Encodable`. A ``RawEventPayload`` is
    /// encoded as its JSON.
    ///
    /// - Throws: `EventBusError` with the code `payloadMismatch` if the payload isn't of the type of the name, or
    ///   `payloadNotCodable`; the error of the payload's type is `underlying`.
    public func json(of payload: any Sendable, name: String) throws(EventBusError) -> String {
        try encode(payload, name: name).text()
    }

    func encode(_ payload: any Sendable, name: String) throws(EventBusError) -> JSONEntity {
        do {
            if let raw = payload as? RawEventPayload { return raw.value }
            if let entry = entry(name) { return try entry.encode(payload) }
            guard let payload = payload as? any Encodable else {
                throw EventBusError(
                    .payloadNotCodable, subject: name, expected: "an Encodable payload",
                    found: "\(Swift.type(of: payload))")
            }
            return try JSONEntity(ofPayload: payload)
        } catch var error as EventBusError {
            error.subject = name
            throw error
        } catch {
            throw EventBusError(.payloadNotCodable, subject: name, underlying: error)
        }
    }

    // MARK: Decoding

    /// Returns the payload of a JSON text: of the name's type, or a ``RawEventPayload`` if the name isn't in the
    /// catalog.
    ///
    /// - Throws: `EventBusError` with the code `malformedJSON`, or `payloadNotCodable` if the JSON isn't a payload of
    ///   that type.
    public func payload(ofJSON json: String, name: String) throws(EventBusError) -> any Sendable {
        try decode(try JSONEntity(ofEvent: Array(json.utf8)), name: name)
    }

    func decode(_ value: JSONEntity, name: String) throws(EventBusError) -> any Sendable {
        guard let entry = entry(name) else { return RawEventPayload(value: value) }
        do { return try entry.decode(value) } catch {
            throw EventBusError(
                .payloadNotCodable, subject: name, expected: "\(entry.type)", found: EventBusError.reason(of: error))
        }
    }

    /// Triggers an event whose payload is JSON, such as one that a bridge received.
    ///
    /// If the name isn't in the catalog, the event has a ``RawEventPayload``, which only watchers of bare names and of
    /// patterns receive.
    ///
    /// - Parameters:
    ///   - name: The name of the topic.
    ///   - json: The payload.
    ///   - bus: The bus.
    ///   - metadata: The metadata of the event.
    ///   - source: The object from which the event comes, such as the bridge, which recognizes its own events by it.
    /// - Returns: The result of the trigger.
    /// - Throws: `EventBusError` like ``payload(ofJSON:name:)``, or with the code `malformedName`, or `payloadMismatch`
    ///   for the name of a request topic.
    @discardableResult
    public func trigger(
        _ name: String, json: String, on bus: EventBus, metadata: EventMetadata? = nil, from source: AnyObject? = nil
    ) throws(EventBusError) -> DeliveryResult {
        try trigger(name, try payload(ofJSON: json, name: name), on: bus, metadata, from: source)
    }

    /// Triggers an event like ``trigger(_:json:on:metadata:from:)``, and waits for watchers with suspending buffers; with
    /// `awaitingHandlers`, also for handlers that run later.
    @discardableResult
    public func send(
        _ name: String, json: String, on bus: EventBus, metadata: EventMetadata? = nil,
        from source: (any AnyObject & Sendable)? = nil, awaitingHandlers: Bool = false
    ) async throws(EventBusError) -> DeliveryResult {
        let payload = try payload(ofJSON: json, name: name)
        let outlet = try outlet(name)
        guard let metadata else { return try await outlet.send(payload, on: bus, from: source, awaitingHandlers) }
        let result: Result<DeliveryResult, EventBusError> = await metadata.whileCurrent {
            do throws(EventBusError) {
                return .success(try await outlet.send(payload, on: bus, from: source, awaitingHandlers))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func trigger(
        _ name: String, _ payload: any Sendable, on bus: EventBus, _ metadata: EventMetadata?,
        from source: AnyObject? = nil
    ) throws(EventBusError) -> DeliveryResult {
        let outlet = try outlet(name)
        guard let metadata else { return try outlet.trigger(payload, on: bus, from: source) }
        return try metadata.whileCurrent { () throws(EventBusError) in
            try outlet.trigger(payload, on: bus, from: source)
        }
    }

    private func outlet(_ name: String) throws(EventBusError) -> any EventOutlet {
        guard let entry = entry(name) else { return BareName(name: name) }
        guard let outlet = entry.outlet else {
            throw EventBusError(
                .payloadMismatch, subject: name, expected: "a topic of events", found: "one of requests")
        }
        return try outlet(name)
    }

    // MARK: Requests

    /// Sends a request whose payload is JSON, such as one that a bridge received, and returns the reply as JSON.
    ///
    /// - Throws: `EventBusError` with the code `payloadMismatch` if the name isn't that of a request topic, or like
    ///   ``payload(ofJSON:name:)``; the error of the responder; or `CancellationError`.
    public func request(
        _ name: String, json: String, on bus: EventBus, within limit: Duration = .seconds(30),
        from source: (any AnyObject & Sendable)? = nil
    ) async throws -> String {
        guard let request = entry(name)?.request else { throw notARequest(name) }
        return try await request(try JSONEntity(ofEvent: Array(json.utf8)), bus, limit, source).text()
    }

    /// Answers a request with a reply that is JSON; a reply that can't be decoded is an error for its caller.
    public func reply(to request: EventRequest, name: String, json: String) {
        do {
            guard let reply = entry(name)?.reply else { throw notARequest(name) }
            request.reply(.success(try reply(try JSONEntity(ofEvent: Array(json.utf8)))))
        } catch {
            request.reply(.failure(error))
        }
    }

    private func notARequest(_ name: String) -> EventBusError {
        EventBusError(.payloadMismatch, subject: name, expected: "the name of a request topic in the catalog")
    }
}

/// A topic on which payloads of any type are triggered if they have its type.
private protocol EventOutlet: Sendable {
    func trigger(
        _ payload: any Sendable, on bus: EventBus, from source: AnyObject?
    ) throws(EventBusError) -> DeliveryResult
    func send(
        _ payload: any Sendable, on bus: EventBus, from source: (any AnyObject & Sendable)?, _ awaitingHandlers: Bool
    ) async throws(EventBusError) -> DeliveryResult
}

extension Topic: EventOutlet {
    private func cast(_ payload: any Sendable) throws(EventBusError) -> Payload {
        guard let payload = payload as? Payload else { throw EventCatalog.mismatch(payload, name, Payload.self) }
        return payload
    }

    func trigger(
        _ payload: any Sendable, on bus: EventBus, from source: AnyObject?
    ) throws(EventBusError) -> DeliveryResult {
        bus.trigger(self, try cast(payload), from: source)
    }

    func send(
        _ payload: any Sendable, on bus: EventBus, from source: (any AnyObject & Sendable)?, _ awaitingHandlers: Bool
    ) async throws(EventBusError) -> DeliveryResult {
        await bus.send(self, try cast(payload), from: source, awaitingHandlers: awaitingHandlers)
    }
}

/// A name that isn't in the catalog.
private struct BareName: EventOutlet {
    let name: String

    func trigger(
        _ payload: any Sendable, on bus: EventBus, from source: AnyObject?
    ) throws(EventBusError) -> DeliveryResult {
        try bus.trigger(named: name, payload, from: source)
    }

    func send(
        _ payload: any Sendable, on bus: EventBus, from source: (any AnyObject & Sendable)?, _ awaitingHandlers: Bool
    ) async throws(EventBusError) -> DeliveryResult {
        try bus.trigger(named: name, payload, from: source)
    }
}

/// The payload of an event whose name isn't in an ``EventCatalog``: its JSON.
public struct RawEventPayload: Sendable, Equatable, CustomStringConvertible {
    let value: JSONEntity

    init(value: JSONEntity) { self.value = value }

    /// Creates a payload from JSON.
    ///
    /// - Throws: `EventBusError` with the code `malformedJSON`.
    public init(json: String) throws(EventBusError) { value = try JSONEntity(ofEvent: Array(json.utf8)) }

    /// The JSON in one line.
    public var json: String { value.text() }

    /// The JSON in one line.
    public var description: String { json }

    /// Payloads are equal if their JSON in one line has the same bytes.
    public static func == (a: Self, b: Self) -> Bool { a.json.hasSameBytes(as: b.json) }
}

extension EventBusError.Code {
    /// The payload can't be encoded, or the JSON isn't a payload of the topic's type.
    public static let payloadNotCodable = Self("payloadNotCodable")
}

extension EventBusError {
    /// Returns the reason and the path of a decoding error, in one line.
    static func reason(of error: any Error) -> String {
        let context: DecodingError.Context
        switch error {
        case DecodingError.keyNotFound(_, let found), DecodingError.typeMismatch(_, let found),
            DecodingError.valueNotFound(_, let found), DecodingError.dataCorrupted(let found):
            context = found
        default: return "\(error)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return "\(context.debugDescription) at $\(path)"
    }
}
