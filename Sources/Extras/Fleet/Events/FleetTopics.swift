public import AshlarEventBus
internal import Foundation

/// How an event reaches other processes.
public struct FleetDelivery: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case once(group: String?)
        case stored
    }

    let kind: Kind

    /// Each process that is connected now receives the event at most once, in the order of its publisher.
    ///
    /// The watchers of the publishing process receive it inside the trigger.
    public static let atMostOnce = FleetDelivery(kind: .once(group: nil))

    /// One process of a group receives the event, at most once; watchers in the publishing process come first.
    ///
    /// In that process, an `EventGroup` distributes the events among its members.
    ///
    /// - Parameter group: The name of the group: letters, digits, `-` and `_`.
    /// - Returns: The delivery.
    public static func atMostOnce(group: String) -> FleetDelivery { FleetDelivery(kind: .once(group: group)) }

    /// The server stores the event, and each role receives it until its handlers have run without an error.
    ///
    /// The processes with one ``FleetOptions/name`` share the events. The publishing process receives them from the
    /// stream, too, in its order.
    public static let atLeastOnce = FleetDelivery(kind: .stored)
}

/// The topics that other processes receive, and the form of their payloads.
///
/// Payloads are JSON of their `Codable` conformance, with dates as in RFC 3339, or bytes. A topic is matched by the first
/// entry that names it.
///
/// ```swift
/// import AshlarEventBus
///
/// struct Note: Codable, Sendable { var id: Int, title: String }
/// let saved = Topic<Note>("note:saved")
///
/// var topics = FleetTopics()
/// topics.share(saved, .atLeastOnce)  // subject app.note.saved
/// topics.share("note:*:shown", of: Note.self)  // subjects app.note.*.shown
/// topics.share(RequestTopic<Int, Note>("note:find"))
/// ```
public struct FleetTopics: Sendable {
    private(set) var rules: [FleetRule] = []

    /// Creates a table without topics.
    public init() {}

    /// Adds a topic with payloads in JSON.
    public mutating func share<Payload: Codable & Sendable>(
        _ topic: Topic<Payload>, _ delivery: FleetDelivery = .atMostOnce
    ) {
        add(topic.name, delivery, { _ in topic }, FleetJSON.encode(as: Payload.self), { try FleetJSON.decode($0) })
    }

    /// Adds a topic without data; its payload is `null`.
    public mutating func share(_ topic: Topic<Void>, _ delivery: FleetDelivery = .atMostOnce) {
        add(topic.name, delivery, { _ in topic }, { _ in Array("null".utf8) }, { _ in })
    }

    /// Adds a topic whose payloads are sent unchanged.
    public mutating func shareBytes(_ topic: Topic<[UInt8]>, _ delivery: FleetDelivery = .atMostOnce) {
        add(topic.name, delivery, { _ in topic }, { try FleetJSON.cast($0) }, { $0 })
    }

    /// Adds the topics that a pattern matches, all with payloads of one type.
    public mutating func share<Payload: Codable & Sendable>(
        _ pattern: TopicPattern, of type: Payload.Type, _ delivery: FleetDelivery = .atMostOnce
    ) {
        add(
            pattern.description, delivery, { try Topic<Payload>(named: $0) }, FleetJSON.encode(as: type),
            { try FleetJSON.decode($0) })
    }

    private mutating func add<Payload: Sendable>(
        _ text: String, _ delivery: FleetDelivery, _ topic: @escaping @Sendable (String) throws -> Topic<Payload>,
        _ encode: @escaping FleetRule.Encode, _ decode: @escaping @Sendable ([UInt8]) throws -> Payload
    ) {
        var rule = FleetRule(text, delivery)
        rule.encode = encode
        rule.deliver = { bytes, name, bus, call in
            await bus.send(
                try topic(name), try decode(bytes), from: call.source, awaitingHandlers: call.awaitsHandlers)
        }
        rules.append(rule)
    }

    /// Adds a topic of requests, which one process with a responder answers.
    public mutating func share<Request: Codable & Sendable, Reply: Codable & Sendable>(
        _ topic: RequestTopic<Request, Reply>
    ) {
        var rule = FleetRule(topic.name, .atMostOnce)
        rule.encode = FleetJSON.encode(as: Request.self)
        rule.request = FleetRule.RequestCoding(
            answer: { bytes, bus, limit, source in
                let payload: Request = try FleetJSON.decode(bytes)
                let reply = try await bus.request(topic, payload, within: limit, from: source)
                return try FleetJSON.encode(reply, as: Reply.self)
            }, reply: { try FleetJSON.decode($0) as Reply })
        rules.append(rule)
    }

    /// Returns the number of the first entry that matches a name; nil for a topic that stays in its process.
    func index(of name: String) -> Int? { rules.firstIndex { $0.pattern.matches(name) } }
}

/// An entry of the table.
struct FleetRule: Sendable {
    /// Who delivers an event, and what it waits for.
    struct Call: Sendable {
        let source: any AnyObject & Sendable
        let awaitsHandlers: Bool
    }

    /// The two directions of a request.
    struct RequestCoding: Sendable {
        let answer: @Sendable ([UInt8], EventBus, Duration, any AnyObject & Sendable) async throws -> [UInt8]
        let reply: @Sendable ([UInt8]) throws -> any Sendable
    }

    typealias Encode = @Sendable (_ payload: any Sendable) throws -> [UInt8]
    typealias Deliver = @Sendable (_ payload: [UInt8], _ name: String, EventBus, Call) async throws -> DeliveryResult

    let pattern: TopicPattern
    let delivery: FleetDelivery.Kind
    var encode: Encode = { _ in [] }
    /// Delivers the event of a payload.
    var deliver: Deliver = { _, _, _, _ in throw FleetError(.invalidPayload, "a request was published as an event") }
    /// Nil for events.
    var request: RequestCoding?

    /// Creates an entry for a name or pattern, which is well-formed, because it is that of a topic or pattern.
    init(_ text: String, _ delivery: FleetDelivery) {
        pattern = (try? TopicPattern(parsing: text)) ?? "**"
        self.delivery = delivery.kind
    }
}

/// The JSON of payloads.
enum FleetJSON {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()
    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    static func encode<Payload: Encodable>(_ payload: any Sendable, as type: Payload.Type) throws -> [UInt8] {
        [UInt8](try encoder.encode(try cast(payload) as Payload))
    }

    static func encode<Payload: Encodable & Sendable>(as: Payload.Type) -> FleetRule.Encode {
        { try encode($0, as: Payload.self) }
    }

    static func decode<Payload: Decodable>(_ bytes: [UInt8]) throws -> Payload {
        try decoder.decode(Payload.self, from: Data(bytes))
    }

    static func cast<Payload>(_ payload: any Sendable) throws -> Payload {
        guard let payload = payload as? Payload else {
            throw FleetError(.invalidPayload, "expected \(Payload.self), found \(type(of: payload))")
        }
        return payload
    }
}
