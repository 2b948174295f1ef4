internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking

/// What has become of a stored event that was received.
enum StoredOutcome: Sendable {
    /// A handler has run without an error, or the event isn't one that a handler can ever have.
    case handled
    /// A handler has thrown an error.
    case failed(reason: String)
    /// No handler has run.
    case unhandled
}

/// Receives the stored events of a topic for a role, until it is stopped.
///
/// The consumer on the server belongs to the role: it remembers what was acknowledged, also while no process of the role
/// runs. An event is acknowledged after its handlers have run; while they run, the server is asked not to deliver it to
/// another process. All other events are given back: those that wait here at the end, those that the server still sends
/// then, and those for which there was no handler.
///
/// At most the number of events in `handling.prefetch` are here or requested, so that the processes of a role share them.
final class StoredConsumer: Sendable {
    /// A message and its places in the stream: those from `first` on contain nothing else for this consumer.
    struct Delivery: Sendable {
        let message: NatsMessage
        let place: DeliveredPlace
        fileprivate let first: Int
    }

    private struct State: Sendable {
        /// The received messages that no worker has taken.
        var waiting: [Delivery] = []
        /// The messages that are being handled, by their numbers in the stream.
        var running: [Int: Delivery] = [:]
        /// The number of tasks that handle messages.
        var workers = 0
        /// The last message of this connection.
        var last: DeliveredPlace?
        /// The number of messages that the last request can still yield.
        var requested = 0
        var deadline = ContinuousClock.now
        var hasConsumer = false
        var isStopped = false
        /// The events that were handled, for those that are delivered again.
        var handled = HandledEvents()

        var held: [Delivery] { waiting + running.values }
        var hasEnded: Bool { isStopped && requested == 0 && running.isEmpty }

        /// Returns the number of messages to request now; while some wait, not before a quarter of the room is free.
        func room(_ prefetch: Int) -> Int {
            let free = prefetch - waiting.count - running.count
            if isStopped || requested > 0 { return 0 }
            return waiting.isEmpty || free * 4 >= prefetch ? free : 0
        }
    }

    private let owner: StoredEvents
    private let subject: String
    private let handling: StoredHandling
    private let name: String
    private let inbox = "_INBOX.\(NatsConnection.randomToken())"
    private let receiver: @Sendable (Delivery) async -> StoredOutcome
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    private let subscription = Mutex<NatsSubscription?>(nil)
    private let end = PendingResult<Void>()
    private static let acknowledgeWait = Duration.seconds(10)
    private static let requestTime = Duration.seconds(5)
    private var connection: NatsConnection { owner.connection }

    init(
        _ owner: StoredEvents, _ subject: String, _ handling: StoredHandling,
        _ receiver: @escaping @Sendable (Delivery) async -> StoredOutcome
    ) throws(FleetError) {
        self.owner = owner
        self.subject = subject
        self.handling = handling
        self.receiver = receiver
        // A name can't contain the `.` and the wildcards of a subject.
        name = (owner.connection.options.role ?? "") + "-" + SHA256.hexadecimal(Array(subject.utf8)).prefix(16)
        let messages = try connection.subscribe(to: inbox) { [self] in receive($0) }
        subscription.withLock { $0 = messages }
        loop.start(
            connection, "stored events of '\(subject)' can't be requested", connected: { [self] in startOver() },
            tick: { [self] in tick() }, run: { [self] in try await request() })
    }

    /// Ends; a handler that is running goes on, and its event is acknowledged after it.
    ///
    /// The subscription lasts until the server has nothing more to send for the last request. Otherwise the server would drop
    /// what it is about to send, and deliver it again only after `acknowledgeWait`.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for delivery in waiting { giveBack(delivery.message) }
        endIfDone()
    }

    /// Waits after ``stop()`` until nothing more can arrive and no handler runs, within a limit.
    func ended(within limit: Duration) async {
        try? await end.wait(within: limit, clock: ContinuousClock()) { CancellationError() }
    }

    private func endIfDone() {
        guard state.withLock({ $0.hasEnded }) else { return }
        loop.stop()
        let old = subscription.withLock { $0.take() }
        _ = consume old
        end.finish(.success(()))
    }

    // MARK: Receiving

    /// Requests as many messages as there is room for, unless an earlier request can still yield some.
    private func request() async throws {
        let prefetch = handling.prefetch
        let (isUseful, hasConsumer) = state.withLock { ($0.room(prefetch) > 0, $0.hasConsumer) }
        guard isUseful else { return }
        if !hasConsumer {
            try await owner.createStream()
            try await createConsumer()
        }
        // Perhaps stopped meanwhile; a consumer that stops now waits for the end of this request.
        let count = state.withLock { state in
            state.hasConsumer = true
            state.requested = state.room(prefetch)
            state.deadline = .now + Self.requestTime + .seconds(1)
            return state.requested
        }
        guard count > 0 else { return }
        let wait = Self.requestTime.milliseconds * 1_000_000
        let body: JSONEntity = ["batch": JSONEntity(count), "expires": JSONEntity(wait)]
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(owner.streamName).\(name)"
        do {
            try connection.publish(NatsMessage(subject: subject, reply: inbox, payload: body.bytes()))
        } catch {
            state.withLock { $0.requested = 0 }
            throw error
        }
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

    private func receive(_ message: NatsMessage) {
        if let status = message.status {
            // The end of a request: no more messages within its time, or the consumer doesn't exist.
            state.withLock { state in
                state.requested = 0
                if status == 409 || status == 503 { state.hasConsumer = false }
            }
        } else if let place = DeliveredPlace(message.reply) {
            receive(message, place)
        }
        loop.signal()
        endIfDone()
    }

    private func receive(_ message: NatsMessage, _ place: DeliveredPlace) {
        let (isUnwanted, mustStart) = state.withLock { state in
            state.requested = max(0, state.requested - 1)
            if state.isStopped { return (true, false) }
            // Delivered again while it is here: the acknowledgement of the earlier delivery applies to both.
            if state.held.contains(where: { $0.place.isSameEvent(as: place) }) { return (false, false) }
            let first = place.follows(state.last) ? (state.last?.stream ?? 0) + 1 : place.stream
            state.waiting.append(Delivery(message: message, place: place, first: first))
            state.last = place
            guard state.workers < handling.concurrency else { return (false, false) }
            state.workers += 1
            return (false, true)
        }
        if isUnwanted { giveBack(message) }
        if mustStart { Task.detached { await self.work() } }
    }

    /// Starts over on a new connection; what was received remains, and the server delivers what it doesn't know of.
    private func startOver() {
        state.withLock { state in
            state.requested = 0
            state.hasConsumer = false
            state.last = nil
        }
        endIfDone()
    }

    /// Creates the consumer again after a request that the server didn't end, and keeps the events that are here from being
    /// delivered again.
    private func tick() {
        let held = state.withLock { state in
            if state.requested > 0, state.deadline < .now {
                state.requested = 0
                state.hasConsumer = false
            }
            return state.held
        }
        for delivery in held { acknowledge(delivery.message, "+WPI") }
        endIfDone()
    }

    // MARK: Handling

    /// Handles what waits, one event after the other.
    private func work() async {
        while let delivery = takeNext() {
            await handle(delivery)
            state.withLock { $0.running[delivery.place.stream] = nil }
            loop.signal()
        }
        endIfDone()
    }

    private func takeNext() -> Delivery? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.workers -= 1
                return nil
            }
            let next = state.waiting.removeFirst()
            state.running[next.place.stream] = next
            return next
        }
    }

    private func handle(_ delivery: Delivery) async {
        let (message, place) = (delivery.message, delivery.place)
        if state.withLock({ $0.handled.contains(place.stream, time: place.time) }) {
            owner.counting.update { $0.duplicates += 1 }
            return acknowledge(message, "+ACK")
        }
        let maximum = handling.maximumDeliveries ?? .max
        // Perhaps its handler has ended the process each time.
        if place.deliveries > maximum { return await bury(delivery, "delivered \(place.deliveries - 1) times") }
        switch await receiver(delivery) {
        case .handled: acknowledgeHandled(delivery)
        case .failed(let reason) where place.deliveries >= maximum: await bury(delivery, reason)
        case .unhandled where place.deliveries == 1 || state.withLock({ $0.isStopped }): giveBack(message)
        case .failed, .unhandled: giveBackLater(delivery)
        }
    }

    private func acknowledgeHandled(_ delivery: Delivery) {
        let place = delivery.place
        state.withLock { $0.handled.insert(delivery.first...place.stream, time: place.time) }
        acknowledge(delivery.message, "+ACK")
    }

    /// Stores an event among the dead letters instead of delivering it again.
    private func bury(_ delivery: Delivery, _ reason: String) async {
        guard let subject = handling.deadLetterSubject else { return giveBackLater(delivery) }
        var letter = delivery.message
        letter.subject = subject
        letter.reply = nil
        // Conditions under which the event was stored don't apply to the letter.
        letter.headers = letter.headers.filter { !$0.key.lowercased().hasPrefix("nats-") }
        // The same one if another process stores it again.
        letter.headers[NatsHeader.messageID] = "\(name)-\(delivery.place.stream)-\(delivery.place.time)"
        letter.headers[NatsHeader.deadLetterReason] = NatsHeader.line(reason)
        do {
            let result = PendingResult<Void>()
            try await owner.addWaiting(letter, result)
            try await owner.wait(for: [result])
            owner.counting.report(\.deadLetters, "an event of '\(self.subject)' became a dead letter: \(reason)")
            acknowledgeHandled(delivery)
        } catch { giveBackLater(delivery) }
    }

    // MARK: Acknowledgements

    /// Lets the server deliver a message again at once, to any process of the role.
    private func giveBack(_ message: NatsMessage) { acknowledge(message, "-NAK") }

    /// Lets the server deliver a message again after a pause, which doubles from a second to half a minute.
    private func giveBackLater(_ delivery: Delivery) {
        let pause = Int64(min(30, 1 << min(5, delivery.place.deliveries - 1)))
        acknowledge(delivery.message, "-NAK {\"delay\": \(pause * 1_000_000_000)}")
    }

    private func acknowledge(_ message: NatsMessage, _ text: String) {
        guard let reply = message.reply else { return }
        // A lost acknowledgement only means another delivery, which is recognized.
        try? connection.publish(NatsMessage(subject: reply, payload: Array(text.utf8)))
    }
}
