internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking

/// The events of at-least-once topics on their way into the stream.
///
/// An event stays here until the server has stored it. Up to 256 are on their way at a time. After a failure or a new
/// connection, all that aren't confirmed are sent again in their order, at first one at a time; the server recognizes
/// those that it has already by their ID.
final class StoredEvents: Sendable {
    /// An event that isn't confirmed.
    private struct Entry: Sendable {
        let message: NatsMessage
        let result: PendingResult<Void>
    }

    private struct State: Sendable {
        var entries: [Int: Entry] = [:]
        /// The number of the oldest entry, of the next one to send, and of the next one to add.
        var first = 0
        var next = 0
        var end = 0
        /// The number of entries that can be on their way.
        var window = 1
        /// Counts the repetitions; a failure of an earlier one is ignored.
        var round = 0
        /// The time of the last progress while entries are on their way.
        var progress = ContinuousClock.now
        var hasStream = false
        /// The reason for the last repetition, for the next run.
        var failure: (any Error)?
        /// Senders that wait for room.
        var waiting: [PendingResult<Void>] = []
        var isStopped = false

        /// Makes sure that everything is sent again, and that the stream exists.
        mutating func rewind(after failure: (any Error)? = nil) {
            round += 1
            next = first
            window = 1
            progress = .now
            hasStream = false
            self.failure = failure
        }

        /// Returns the next entry for which the window has room.
        mutating func takeNext() -> (number: Int, message: NatsMessage)? {
            while next < end, entries[next] == nil { next += 1 }
            guard hasStream, next - first < window, let entry = entries[next] else { return nil }
            if next == first { progress = .now }
            defer { next += 1 }
            return (next, entry.message)
        }
    }

    let streamName: String
    let counters: Shared<FleetCounters>
    private let jetStream: JetStream
    private let subjects: [String]
    private let process = NatsConnection.randomToken()
    private let inbox = "_INBOX.\(NatsConnection.randomToken())."
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    private let subscription = Mutex<NatsSubscription?>(nil)
    /// The number of events that can wait for the server.
    private let capacity = 65_536
    private var connection: NatsConnection { jetStream.connection }

    init(
        _ connection: NatsConnection, _ topics: FleetTopics, _ subjects: EventSubjects,
        _ counters: Shared<FleetCounters>
    ) {
        self.counters = counters
        jetStream = JetStream(connection: connection)
        streamName = connection.options.prefix + "_events"
        self.subjects = topics.rules.filter { $0.delivery == .stored }.flatMap { subjects.subjects(of: $0.pattern) }
    }

    /// Begins to send.
    func start() throws(FleetError) {
        guard !subjects.isEmpty else { return }
        let replies = try connection.subscribe(to: inbox + ">") { [weak self] in self?.receive($0) }
        subscription.withLock { $0 = replies }
        loop.start(
            connection, "events wait for the server",
            connected: { [weak self] in self?.state.withLock { $0.rewind() } },
            tick: { [weak self] in self?.repeatOverdue() }, run: { [weak self] in try await self?.run() })
    }

    /// Ends; events that aren't stored fail.
    func stop() {
        loop.stop()
        let (entries, waiting) = state.withLock { state in
            state.isStopped = true
            defer { state.entries = [:] }
            return (state.entries, state.waiting)
        }
        let error = FleetError(.closed, "the fleet has been closed")
        for result in entries.values.map(\.result) + waiting { result.finish(.failure(error)) }
    }

    // MARK: Sending

    /// Adds an event; waits for room, and with `isAwaited` until the server has stored the event.
    func publish(_ message: NatsMessage, isAwaited: Bool) async throws {
        while let room = roomIfFull() { try await room.wait() }
        let result = PendingResult<Void>()
        try state.withLock { state in
            guard !state.isStopped else { throw FleetError(.closed, "the fleet has been closed") }
            var message = message
            message.headers[NatsHeader.messageID] = "\(process)-\(state.end)"
            state.entries[state.end] = Entry(message: message, result: result)
            state.end += 1
        }
        loop.signal()
        if isAwaited { try await result.wait() }
    }

    /// Waits until all events that were added before are stored.
    func flush() async throws {
        for result in state.withLock({ $0.entries.values.map(\.result) }) { try await result.wait() }
    }

    private func roomIfFull() -> PendingResult<Void>? {
        state.withLock { state in
            guard state.end - state.first >= capacity, !state.isStopped else { return nil }
            let room = PendingResult<Void>()
            state.waiting.append(room)
            return room
        }
    }

    /// Makes sure that the stream exists, and sends as much as the window permits.
    private func run() async throws {
        if let failure = state.withLock({ $0.failure.take() }) { throw failure }
        if !state.withLock({ $0.hasStream }) {
            try await createStream()
            state.withLock { $0.hasStream = true }
        }
        while let (round, next) = state.withLock({ state in state.takeNext().map { (state.round, $0) } }) {
            var message = next.message
            message.reply = inbox + "\(round).\(next.number)"
            do { try connection.publish(message) } catch {
                if error.code == .invalidPayload { finish(next.number, round: round, .failure(error)) } else { return }
            }
        }
    }

    /// Receives the confirmation of an event, on a thread of the client.
    private func receive(_ message: NatsMessage) {
        let numbers = message.subject.dropFirst(inbox.count).split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2 else { return }
        do {
            if message.status == 503 { throw FleetError(.rejected, "no stream stores '\(streamName)'") }
            _ = try JetStream.response(message)
            finish(numbers[1], round: numbers[0], .success(()))
        } catch let failure as JetStream.Failure where failure.number == JetStream.Failure.messageTooLarge {
            finish(numbers[1], round: numbers[0], .failure(FleetError(.invalidPayload, failure.text)))
        } catch {
            state.withLock { if $0.round == numbers[0] { $0.rewind(after: error) } }
            loop.signal()
        }
    }

    /// Removes an event that is stored, or that the server never accepts.
    private func finish(_ number: Int, round: Int, _ result: Result<Void, any Error>) {
        let (entry, waiting) = state.withLock { state in
            let entry = state.entries.removeValue(forKey: number)
            state.progress = .now
            if round == state.round { state.window = min(state.window * 2, 256) }
            while state.first < state.end, state.entries[state.first] == nil { state.first += 1 }
            state.next = max(state.next, state.first)
            defer { state.waiting = [] }
            return (entry, state.waiting)
        }
        if case .failure(let error) = result { Log("fleet").error("an event can't be stored: \(error)") }
        entry?.result.finish(result)
        for sender in waiting { sender.finish(.success(())) }
        loop.signal()
    }

    private func repeatOverdue() {
        let limit = connection.options.timeout
        state.withLock { state in
            guard state.next > state.first, state.progress.duration(to: .now) > limit else { return }
            state.rewind(after: FleetError(.timedOut, "no confirmation within \(limit)"))
        }
    }

    /// Creates the stream of all at-least-once events: on disk, for a week or 1 GB, the oldest events leave first.
    func createStream() async throws {
        try await jetStream.createStream(
            streamName, subjects: subjects,
            settings: [
                ("retention", "limits"), ("storage", "file"), ("discard", "old"),
                ("max_age", JSONEntity(Int64(7 * 24 * 3600) * 1_000_000_000)), ("max_bytes", JSONEntity(1 << 30)),
                ("duplicate_window", JSONEntity(Int64(120) * 1_000_000_000)),
            ])
    }

    /// Receives the events of a subject with a durable consumer; ends when the result is released.
    func consume(
        _ subject: String, _ handle: @escaping @Sendable (NatsMessage) async -> Bool
    ) throws(FleetError) -> StoredConsumer {
        try StoredConsumer(self, jetStream, subject, handle)
    }
}
