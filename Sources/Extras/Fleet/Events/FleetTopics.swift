public import AshlarEventBus
internal import AshlarNetworking

/// How an event reaches other processes.
public struct FleetDelivery: Hashable, Sendable {
    let isStored: Bool
    let group: String?

    /// Each process that is connected now receives the event at most once, in the order of its publisher.
    ///
    /// The watchers of the publishing process receive it inside the trigger.
    public static let atMostOnce = FleetDelivery(isStored: false, group: nil)

    /// One process of a group receives the event, at most once; watchers in the publishing process come first.
    ///
    /// - Parameter group: The name of the group: letters, digits, `-` and `_`.
    /// - Returns: The delivery.
    public static func atMostOnce(group: String) -> FleetDelivery { FleetDelivery(isStored: false, group: group) }

    /// The server stores the event, and each role receives it until its handlers have run without an error.
    ///
    /// The processes with one ``FleetOptions/name`` share the events. The publishing process receives them from the
    /// stream, too, in its order.
    public static let atLeastOnce = FleetDelivery(isStored: true, group: nil)
}

/// The topics that other processes receive, and the form of their payloads.
///
/// Payloads are JSON of their `Codable` conformance, with dates as in RFC 3339, or bytes. A topic is matched by the first
/// entry that names it. At-least-once entries may cover one another, such as `note:saved` and `note:**`. Two that overlap
/// otherwise, such as `note:*:saved` and `note:5:*`, are an error of `connect`, unless a third one covers both.
///
/// ```swift
/// import AshlarEventBus
///
/// nonisolated struct Note: Codable, Sendable { var id: Int, title: String }
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
        add(topic.name, topic, delivery, Self.encode(Payload.self)) {
            try JSONEntity(parsing: $0).decode(Payload.self)
        }
    }

    /// Adds a topic without data; its payload is `null`.
    public mutating func share(_ topic: Topic<Void>, _ delivery: FleetDelivery = .atMostOnce) {
        add(topic.name, topic, delivery, { _ in Array("null".utf8) }, { _ in })
    }

    /// Adds a topic whose payloads are sent unchanged.
    public mutating func shareBytes(_ topic: Topic<[UInt8]>, _ delivery: FleetDelivery = .atMostOnce) {
        add(topic.name, topic, delivery, { try Self.cast($0) }, { $0 })
    }

    /// Adds the topics that a pattern matches, all with payloads of one type.
    public mutating func share<Payload: Codable & Sendable>(
        _ pattern: TopicPattern, of type: Payload.Type, _ delivery: FleetDelivery = .atMostOnce
    ) {
        add(pattern.description, nil, delivery, Self.encode(type)) { try JSONEntity(parsing: $0).decode(type) }
    }

    /// Adds a topic of requests, which one process with a responder answers.
    public mutating func share<Request: Codable & Sendable, Reply: Codable & Sendable>(
        _ topic: RequestTopic<Request, Reply>
    ) {
        let answer: FleetRule.Answer = { bytes, bus, limit, source in
            let payload = try JSONEntity(parsing: bytes).decode(Request.self)
            return try JSONFormat().encode(try await bus.request(topic, payload, within: limit, from: source))
        }
        let reply = { @Sendable (bytes: [UInt8]) throws in try JSONEntity(parsing: bytes).decode(Reply.self) }
        add(topic.name, nil as Topic<Request>?, .atMostOnce, Self.encode(Request.self), nil, (answer, reply))
    }

    private mutating func add<Payload: Sendable>(
        _ text: String, _ topic: Topic<Payload>?, _ delivery: FleetDelivery, _ encode: @escaping FleetRule.Encode,
        _ decode: (@Sendable ([UInt8]) throws -> Payload)?, _ request: FleetRule.RequestCoding? = nil
    ) {
        // Never the other pattern: the text is that of a topic or of a pattern.
        let pattern = (try? TopicPattern(parsing: text)) ?? "**"
        let rule = FleetRule(pattern: pattern, delivery: delivery, encode: encode, request: request) {
            bytes, name, bus, source, awaitsHandlers in
            guard let decode else { throw FleetError(.invalidPayload, "a request was published as an event") }
            return await bus.send(
                try topic ?? Topic(named: name), try decode(bytes), from: source, awaitingHandlers: awaitsHandlers)
        }
        rules.append(rule)
    }

    private static func encode<Payload: Encodable & Sendable>(_: Payload.Type) -> FleetRule.Encode {
        { try JSONFormat().encode(try cast($0) as Payload) }
    }

    private static func cast<Payload>(_ payload: any Sendable) throws -> Payload {
        guard let payload = payload as? Payload else {
            throw FleetError(.invalidPayload, "expected \(Payload.self), found \(type(of: payload))")
        }
        return payload
    }

    /// Returns the subjects of the stored topics, with their patterns, without those that others cover.
    func storedSubjects(_ subjects: EventSubjects) -> [(subject: String, pattern: TopicPattern)] {
        let all = rules.filter { $0.delivery.isStored }.flatMap { rule in
            subjects.subjects(of: rule.pattern).map { (subject: $0, pattern: rule.pattern) }
        }
        return SubjectSet.reduced(all.map(\.subject)).compactMap { kept in all.first { $0.subject == kept } }
    }

    /// Throws an error if two entries of stored topics overlap and neither covers the other: no stream can have both.
    func check() throws(FleetError) {
        let stored = storedSubjects(EventSubjects())
        for (index, first) in stored.enumerated() {
            for second in stored.dropFirst(index + 1) where SubjectSet.overlap(first.subject, second.subject) {
                throw FleetError(
                    .invalidOptions,
                    "the entries '\(first.pattern)' and '\(second.pattern)' of at-least-once topics overlap; a third one that "
                        + "covers both, or names that differ, are possible")
            }
        }
    }

    /// Returns the number of the first entry that matches a name; nil for a topic that stays in its process.
    func index(of name: String) -> Int? { rules.firstIndex { $0.pattern.matches(name) } }
}

/// An entry of the table.
struct FleetRule: Sendable {
    typealias Source = any AnyObject & Sendable
    typealias Encode = @Sendable (_ payload: any Sendable) throws -> [UInt8]
    /// Delivers the event of a payload, and perhaps waits for its handlers.
    typealias Deliver =
        @Sendable ([UInt8], _ name: String, EventBus, Source, _ awaitsHandlers: Bool) async throws ->
        DeliveryResult
    typealias Answer = @Sendable ([UInt8], EventBus, Duration, Source) async throws -> [UInt8]
    /// The two directions of a request.
    typealias RequestCoding = (answer: Answer, reply: @Sendable ([UInt8]) throws -> any Sendable)

    let pattern: TopicPattern
    let delivery: FleetDelivery
    let encode: Encode
    /// Nil for events.
    let request: RequestCoding?
    let deliver: Deliver
}
