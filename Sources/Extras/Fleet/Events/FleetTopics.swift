public import AshlarEventBus
internal import AshlarNetworking

/// How an event reaches other processes.
public struct FleetDelivery: Hashable, Sendable {
    let group: String?
    /// How a role handles the events; nil if the server doesn't store them.
    let stored: StoredHandling?

    /// Whether one process receives an event, so that only a process with a handler for its topic may receive it.
    var isShared: Bool { group != nil || stored != nil }

    /// Each process that is connected now receives the event at most once, in the order of its publisher.
    ///
    /// The watchers of the publishing process receive it inside the trigger.
    public static let atMostOnce = FleetDelivery(group: nil, stored: nil)

    /// One process of a group receives the event, at most once; handlers in the publishing process come first.
    ///
    /// Only a process with a watch that names the topic takes part, not one whose watches are patterns.
    ///
    /// - Parameter group: The name of the group: letters, digits, `-` and `_`.
    /// - Returns: The delivery.
    public static func atMostOnce(group: String) -> FleetDelivery { FleetDelivery(group: group, stored: nil) }

    /// The server stores the event, and each role receives it until its handlers have run without an error.
    ///
    /// The processes of one role share the events, of which each handles one after the other. Only a process with a
    /// watch that names the topic takes part, not one whose watches are patterns. The publishing process receives the events
    /// from the stream, too, in its order.
    public static let atLeastOnce = atLeastOnce()

    /// Delivers like ``atLeastOnce``, with settings for the role of this process.
    ///
    /// Each delivery counts, also one to a process that ended or gave the event back. After a failure in the last
    /// permitted delivery, or if the event would be delivered once more, the event is stored again as one of the topic
    /// `deadLetters`, with the reason in the header `Dead-Letter-Reason`, and isn't delivered again to this role.
    ///
    /// - Parameters:
    ///   - concurrency: The number of events that a process handles at the same time; more than one have no order. A watch
    ///     with an asynchronous handler still handles one after the other.
    ///   - prefetch: The number of events that a process takes, with those that it handles; nil for one more than
    ///     `concurrency`. More are faster if handlers need little time, and are divided less evenly.
    ///   - maximumDeliveries: The number of deliveries of an event; nil for no limit. It needs `deadLetters`.
    ///   - deadLetters: The name of a topic with the same payload type; another at-least-once entry of the table names it.
    /// - Returns: The delivery.
    /// - Precondition: `0 < concurrency`, `concurrency <= prefetch`, `0 < maximumDeliveries`.
    public static func atLeastOnce(
        concurrency: Int = 1, prefetch: Int? = nil, maximumDeliveries: Int? = nil, deadLetters: String? = nil
    ) -> FleetDelivery {
        let prefetch = prefetch ?? concurrency + 1
        precondition(0 < concurrency && concurrency <= prefetch, "a process must take as many events as it handles")
        precondition(maximumDeliveries ?? 1 > 0, "an event must be delivered at least once")
        let handling = StoredHandling(
            concurrency: concurrency, prefetch: prefetch, maximumDeliveries: maximumDeliveries, deadLetters: deadLetters
        )
        return FleetDelivery(group: nil, stored: handling)
    }
}

/// How the processes of a role handle the stored events of a topic.
struct StoredHandling: Hashable, Sendable {
    let concurrency: Int
    let prefetch: Int
    let maximumDeliveries: Int?
    /// The topic of events that were delivered too often, and its subject.
    let deadLetters: String?
    var deadLetterSubject: String?
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
/// topics.share(saved, .atLeastOnce)  // subject app.note.saved, shared by the processes of one role
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
        let all = rules.filter { $0.delivery.stored != nil }.flatMap { rule in
            subjects.subjects(of: rule.pattern).map { (subject: $0, pattern: rule.pattern) }
        }
        return SubjectSet.reduced(all.map(\.subject)).compactMap { kept in all.first { $0.subject == kept } }
    }

    /// Throws an error if there is no role for stored topics, if two of their entries overlap and neither covers the other, so
    /// that no stream can have both, or if dead letters wouldn't be stored.
    func check(role: String?) throws(FleetError) {
        let stored = storedSubjects(EventSubjects())
        if let first = stored.first, role == nil {
            let reason =
                "'\(first.pattern)' is an at-least-once topic, so connect needs a role, whose processes share it"
            throw FleetError(.invalidOptions, reason)
        }
        for (index, first) in stored.enumerated() {
            for second in stored.dropFirst(index + 1) where SubjectSet.overlap(first.subject, second.subject) {
                throw FleetError(
                    .invalidOptions,
                    "the entries '\(first.pattern)' and '\(second.pattern)' of at-least-once topics overlap; a third one that "
                        + "covers both, or names that differ, are possible")
            }
        }
        for rule in rules {
            guard let handling = rule.delivery.stored else { continue }
            guard (handling.maximumDeliveries == nil) == (handling.deadLetters == nil) else {
                throw FleetError(
                    .invalidOptions, "'\(rule.pattern)' needs both, maximumDeliveries and deadLetters, or neither")
            }
            guard let name = handling.deadLetters else { continue }
            let other = index(of: name).map { rules[$0] }
            guard let other, let letters = other.delivery.stored, letters.deadLetters == nil else {
                let reason = "the dead letters of '\(rule.pattern)' need an at-least-once entry without its own ones"
                throw FleetError(.invalidOptions, reason, subject: name)
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
