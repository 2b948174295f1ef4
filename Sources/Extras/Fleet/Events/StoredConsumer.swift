internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking

/// Receives the stored events of a subject for a role, one after the other, until it is released.
///
/// The consumer on the server belongs to the role (``FleetOptions/name``): it remembers what was acknowledged, also
/// while no process of the role runs. An event is acknowledged after its handlers have run. While they run, the server is
/// asked not to deliver it to another process.
final class StoredConsumer: Sendable {
    private struct State: Sendable {
        /// The received messages; the first one is being handled.
        var waiting: [Delivery] = []
        /// The last message of this connection.
        var last: DeliveredPlace?
        /// The number of messages that the last request can still yield.
        var outstanding = 0
        var deadline = ContinuousClock.now
        var hasConsumer = false
        /// The events that were handled, for those that are delivered again.
        var handled = HandledEvents()
    }

    /// A message and its places in the stream: those before its own contain nothing for this consumer.
    private typealias Delivery = (message: NatsMessage, place: DeliveredPlace, first: Int)

    private let owner: StoredEvents
    private let subject: String
    private let name: String
    private let inbox = "_INBOX.\(NatsConnection.randomToken())"
    private let handle: @Sendable (NatsMessage) async -> Bool
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    private let subscription = Mutex<NatsSubscription?>(nil)
    private static let batch = 256
    private static let acknowledgeWait = Duration.seconds(30)
    private static let requestTime = Duration.seconds(5)
    private var connection: NatsConnection { owner.connection }

    init(
        _ owner: StoredEvents, _ subject: String, _ handle: @escaping @Sendable (NatsMessage) async -> Bool
    ) throws(FleetError) {
        self.owner = owner
        self.subject = subject
        self.handle = handle
        // A name can't contain the `.` and the wildcards of a subject.
        name = owner.connection.options.name + "-" + SHA256.hexadecimal(Array(subject.utf8)).prefix(16)
        let messages = try connection.subscribe(to: inbox) { [weak self] in self?.receive($0) }
        subscription.withLock { $0 = messages }
        loop.start(
            connection, "stored events of '\(subject)' can't be requested",
            connected: { [weak self] in self?.startOver() }, tick: { [weak self] in self?.tick() },
            run: { [weak self] in try await self?.run() })
    }

    // MARK: Receiving

    private func receive(_ message: NatsMessage) {
        state.withLock { state in
            if message.status != nil {
                // The end of a request: no more messages within its time, or the consumer doesn't exist.
                state.outstanding = 0
                if message.status == 409 || message.status == 503 { state.hasConsumer = false }
            } else if let place = DeliveredPlace(message.reply) {
                let first = place.follows(state.last) ? (state.last?.stream ?? 0) + 1 : place.stream
                state.waiting.append((message, place, first))
                state.last = place
                state.outstanding = max(0, state.outstanding - 1)
            }
        }
        loop.signal()
    }

    /// Starts over on a new connection; what was received remains, and the server delivers what it doesn't know of.
    private func startOver() {
        state.withLock { state in
            state.outstanding = 0
            state.hasConsumer = false
            state.last = nil
        }
    }

    /// Creates the consumer again after a request that the server didn't end, and keeps the events that wait here from being
    /// delivered again.
    private func tick() {
        let waiting = state.withLock { state in
            if state.outstanding > 0, state.deadline < .now {
                state.outstanding = 0
                state.hasConsumer = false
            }
            return state.waiting
        }
        for delivery in waiting { acknowledge(delivery.message, "+WPI") }
    }

    /// Handles what was received, and requests more.
    private func run() async throws {
        while !Task.isCancelled, let delivery = state.withLock({ $0.waiting.first }) {
            await handle(delivery)
            state.withLock { state in
                if !state.waiting.isEmpty { state.waiting.removeFirst() }
            }
        }
        guard state.withLock({ $0.outstanding == 0 && $0.waiting.isEmpty }) else { return }
        if !state.withLock({ $0.hasConsumer }) {
            try await owner.createStream()
            try await createConsumer()
        }
        let wait = Self.requestTime.milliseconds * 1_000_000
        let body: JSONEntity = ["batch": JSONEntity(Self.batch), "expires": JSONEntity(wait)]
        state.withLock { state in
            state.hasConsumer = true
            state.outstanding = Self.batch
            state.deadline = .now + Self.requestTime + .seconds(1)
        }
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(owner.streamName).\(name)"
        try connection.publish(NatsMessage(subject: subject, reply: inbox, payload: body.bytes()))
    }

    private func createConsumer() async throws {
        let config: [(String, JSONEntity)] = [
            ("durable_name", JSONEntity(name)), ("filter_subject", JSONEntity(subject)), ("deliver_policy", "all"),
            ("ack_policy", "explicit"), ("ack_wait", JSONEntity(Self.acknowledgeWait.milliseconds * 1_000_000)),
            ("max_deliver", -1), ("max_ack_pending", 10_000), ("replay_policy", "instant"),
        ]
        try await connection.call(
            "CONSUMER.DURABLE.CREATE.\(owner.streamName).\(name)",
            [("stream_name", JSONEntity(owner.streamName)), ("config", JSONEntity(object: config))])
    }

    private func handle(_ delivery: Delivery) async {
        let (message, place) = (delivery.message, delivery.place)
        if state.withLock({ $0.handled.contains(place.stream, time: place.time) }) {
            owner.counting.update { $0.duplicates += 1 }
            acknowledge(message, "+ACK")
        } else if await handle(message) {
            state.withLock { $0.handled.insert(delivery.first...place.stream, time: place.time) }
            acknowledge(message, "+ACK")
        } else {
            // The pause doubles from a second to half a minute.
            let pause = Int64(min(30, 1 << min(5, place.deliveries - 1)))
            acknowledge(message, "-NAK {\"delay\": \(pause * 1_000_000_000)}")
        }
    }

    private func acknowledge(_ message: NatsMessage, _ text: String) {
        guard let reply = message.reply else { return }
        // A lost acknowledgement only means another delivery, which is recognized.
        try? connection.publish(NatsMessage(subject: reply, payload: Array(text.utf8)))
    }
}
