internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking
internal import AshlarTelemetry
internal import AshlarTesting

/// A line of the log; an array of four elements in JSON.
struct LiveLine: Encodable, Sendable {
    /// In microseconds since 1970.
    let time: Int64
    /// The number of the level; -1 for a line in an unknown format.
    let level: Int
    let context: String
    let text: String

    init(_ record: LogRecord) {
        time = record.time.nanoseconds / 1000
        level = Int(record.level.rawValue)
        context = record.context.shortened
        text = InspectorDocument.text(record).shortened
    }

    /// A line of a file in an unknown format.
    init(_ line: LogLine) {
        time = line.time.nanoseconds / 1000
        level = -1
        context = ""
        text = line.text.shortened
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(time)
        try container.encode(level)
        try container.encode(context)
        try container.encode(text)
    }
}

/// The start or the end of a request; the end replaces the start with the same number.
struct LiveRequest: Encodable, Sendable {
    let id: UInt64
    let method: String
    let url: String
    let fields: [[String]]
    /// In microseconds since 1970.
    let startedAt: Int64
    /// In milliseconds; nil while the request is running.
    var duration: Double?
    var status: Int?
    var error: String?
    /// The number of bytes of the response's body.
    var size: Int?
    /// The phases of the last exchange in milliseconds, as in HAR.
    var timings: JSONEntity?

    init(id: UInt64, _ request: RedactedRequest) {
        self.id = id
        method = request.method.rawValue
        url = request.url.shortened
        fields = request.headers.prefix(100).map { [$0.name.shortened, $0.value.shortened] }
        startedAt = LogTime.now.nanoseconds / 1000
    }

    /// Adds the measurements of an exchange; those of a later one replace them.
    mutating func measure(_ metrics: ExchangeMetrics) {
        var phases = HARTimings(metrics)
        // Earlier exchanges of the same request, such as redirects, precede the last one.
        let earlier = Duration.microseconds(LogTime.now.nanoseconds / 1000 - startedAt) - metrics.duration
        if earlier > phases.blocked ?? .zero { phases.blocked = earlier }
        timings = phases.json
    }
}

/// An interceptor that passes the events of an app to a feed.
struct InspectorTap: EventInterceptor {
    let feed: InspectorFeed

    func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult {
        feed.add(InspectedEvent(event))
        return next(event)
    }
}

extension InspectedEvent {
    /// Creates an item without its number; the values of keys that name secrets are hidden.
    init(_ event: InterceptedEvent) {
        self.init(
            number: 0, name: event.name, time: LogTime.now.nanoseconds / 1000,
            payload: Self.text(of: event.request?.payload ?? event.payload, name: event.name)?.shortened,
            source: event.metadata?.source, location: event.location)
    }

    /// Returns a payload as JSON in one line, or its type if it can't be encoded; nil without data.
    private static func text(of payload: any Sendable, name: String) -> String? {
        if payload is Void { return nil }
        guard let encodable = payload as? any Encodable, let json = try? JSONEntity(encoding: encodable) else {
            return "(\(type(of: payload)), which wasn't encoded)"
        }
        // The name of a topic can name a secret, too.
        let isSecret = !json.isObject && SecretNames.standard.matches(name)
        return (isSecret ? JSONEntity(SecretNames.placeholder) : redacted(json)).text()
    }

    private static func redacted(_ json: JSONEntity) -> JSONEntity {
        if let elements = json.array() { return JSONEntity(array: elements.map(redacted)) }
        guard let members = json.dictionary() else {
            // Foundation's encoder escapes slashes.
            return json.string().map { JSONEntity(SecretText.redacted($0)) } ?? json
        }
        let values = members.map { key, value in
            let isSecret = SecretNames.standard.matches(key) && !value.isNull
            return (key, isSecret ? JSONEntity(SecretNames.placeholder) : redacted(value))
        }
        return JSONEntity(object: Dictionary(values) { first, _ in first })
    }
}

extension String {
    /// The text with at most 4,096 bytes, so that the memory of the inspector is limited.
    fileprivate var shortened: String {
        guard utf8.count > 4096 else { return self }
        return String(decoding: utf8.prefix(4096), as: UTF8.self) + "…"
    }
}

/// The changes after a cursor, as one message.
struct InspectorBatch: Encodable, Sendable {
    /// The numbers of items that were replaced by newer ones before they were sent.
    struct Missed: Encodable, Sendable {
        let lines: Int
        let requests: Int
        let events: Int
    }

    let lines: [LiveLine]
    let requests: [LiveRequest]
    let events: [InspectedEvent]
    /// The changed sections by their names.
    let sections: [String: JSONEntity]
    let missed: Missed

    var isEmpty: Bool { lines.isEmpty && requests.isEmpty && events.isEmpty && sections.isEmpty }
}

/// The state that a page has: the numbers of the next items.
struct InspectorCursor: Sendable, Equatable {
    /// The start of the inspector; a page of another one has to be loaded again.
    let run: String
    var line = 0
    var request = 0
    var event = 0
    var section = 0

    init(run: String) { self.run = run }

    /// Parses the text of a cursor; nil for another text.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { Int($0) }
        guard parts.count == 5, numbers.count == 4, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        run = String(parts[0])
        (line, request, event, section) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }

    var text: String { "\(run)-\(line)-\(request)-\(event)-\(section)" }
}
