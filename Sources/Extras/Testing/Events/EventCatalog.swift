public import AshlarEventBus
internal import AshlarNetworking

/// The payload types of topics by name, so that bridges and recordings can encode and decode events.
///
/// ```swift
/// import AshlarEventBus
///
/// struct Note: Codable, Sendable { var id: Int, title: String }
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
        /// Triggers a decoded payload on a topic with this name.
        let trigger: @Sendable (any Sendable, String, EventBus) throws(EventBusError) -> DeliveryResult
    }

    private var topics: [ByteText: Entry] = [:]
    private var patterns: [(pattern: TopicPattern, entry: Entry)] = []

    /// Creates a catalog without topics.
    public init() {}

    /// Adds a topic, which replaces an earlier one of the same name.
    public mutating func add<Payload: Codable & Sendable>(_ topic: Topic<Payload>) {
        topics[ByteText(topic.name)] = Self.entry(Payload.self) { payload, _, bus throws(EventBusError) in
            bus.trigger(topic, payload)
        }
    }

    /// Adds all topics whose names match a pattern and aren't added by name; the first matching pattern is used.
    public mutating func add<Payload: Codable & Sendable>(_ pattern: TopicPattern, of type: Payload.Type) {
        let entry = Self.entry(type) { payload, name, bus throws(EventBusError) in
            try bus.trigger(named: name, payload)
        }
        patterns.append((pattern, entry))
    }

    private static func entry<Payload: Codable & Sendable>(
        _ type: Payload.Type,
        trigger: @escaping @Sendable (Payload, String, EventBus) throws(EventBusError) -> DeliveryResult
    ) -> Entry {
        @Sendable func mismatch(_ payload: any Sendable, _ name: String) -> EventBusError {
            EventBusError(
                .payloadMismatch, subject: name, expected: "payload \(type)", found: "\(Swift.type(of: payload))")
        }
        return Entry(
            type: type,
            encode: { payload in
                guard let payload = payload as? Payload else { throw mismatch(payload, "") }
                return try JSONEntity(ofPayload: payload)
            },
            decode: { try $0.decoded(Payload.self, dateFormat: nil) },
            trigger: { payload, name, bus throws(EventBusError) in
                guard let payload = payload as? Payload else { throw mismatch(payload, name) }
                return try trigger(payload, name, bus)
            })
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
    /// - Throws: `EventBusError` like ``payload(ofJSON:name:)``, or with the code `malformedName`.
    @discardableResult
    public func trigger(
        _ name: String, json: String, on bus: EventBus, metadata: EventMetadata? = nil
    ) throws(EventBusError) -> DeliveryResult {
        try trigger(name, try payload(ofJSON: json, name: name), on: bus, metadata)
    }

    func trigger(
        _ name: String, _ payload: any Sendable, on bus: EventBus, _ metadata: EventMetadata?
    ) throws(EventBusError) -> DeliveryResult {
        if let metadata {
            return try metadata.whileCurrent { () throws(EventBusError) in
                try trigger(name, payload, on: bus, nil)
            }
        }
        if let entry = entry(name) { return try entry.trigger(payload, name, bus) }
        return try bus.trigger(named: name, payload)
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
