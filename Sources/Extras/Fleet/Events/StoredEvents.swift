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
    fileprivate struct Entry: Sendable {
        let message: NatsMessage
        let result: PendingResult<Void>
    }

    fileprivate struct State: Sendable {
        var entries: [Int: Entry] = [:]
        /// The number of the oldest entry, of the next one to send, and of the next one to add.
        var first = 0
        var next = 0
        var end = 0
        /// The number of entries that can be on their way.
        var window = 1
        /// Counts the repetitions; a confirmation or failure of an earlier one is ignored.
        var round = 0
        /// The time of the last progress while entries are on their way.
        var progress = ContinuousClock.now
        var failures = 0
        var hasStream = false
        /// Senders that wait for room.
        var waiting: [PendingResult<Void>] = []
        var isStopped = false
        /// The calls of ``StoredEvents/pump()`` since one of them began to send; 0 if none sends.
        var pumps = 0

        mutating func rewind() {
            round += 1
            next = first
            window = 1
            progress = .now
        }
    }

    let streamName: String
    let counters: Shared<FleetCounters>
    private let jetStream: JetStream
    private let subjects: [String]
    private let process = NatsConnection.randomToken()
    private let inbox = "_INBOX.\(NatsConnection.randomToken())."
    private let state = Mutex(State())
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let subscription = Mutex<NatsSubscription?>(nil)
    private let log = Log("fleet")
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
        tasks.withLock { tasks in
            tasks.append(
                Task { [weak self, states = connection.state.changes()] in
                    for await state in states {
                        guard case .connected = state else { continue }
                        await self?.didConnect()
                    }
                })
            tasks.append(
                Task { [weak self] in
                    while (try? await Task.sleep(for: .seconds(1))) != nil, let self { repeatOverdue() }
                })
        }
    }

    /// Ends; events that aren't stored fail.
    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        let (entries, waiting) = state.withLock { state in
            state.isStopped = true
            defer { state.entries = [:] }
            return (state.entries, state.waiting)
        }
        let error = FleetError(.closed, "the fleet has been closed")
        for entry in entries.values { entry.result.finish(.failure(error)) }
        for sender in waiting { sender.finish(.failure(error)) }
    }

    // MARK: Sending

    /// Adds an event; waits for room, and with `isAwaited` until the server has stored the event.
    func publish(_ message: NatsMessage, isAwaited: Bool) async throws {
        while let room = try roomIfFull() { try await room.wait() }
        let result = PendingResult<Void>()
        try state.withLock { state in
            guard !state.isStopped else { throw FleetError(.closed, "the fleet has been closed") }
            var message = message
            message.headers[NatsHeader.messageID] = "\(process)-\(state.end)"
            state.entries[state.end] = Entry(message: message, result: result)
            state.end += 1
        }
        pump()
        if isAwaited { try await result.wait() }
    }

    /// Waits until all events that were added before are stored.
    func flush() async throws {
        for result in state.withLock({ $0.entries.values.map(\.result) }) { try await result.wait() }
    }

    private func roomIfFull() throws -> PendingResult<Void>? {
        state.withLock { state in
            guard state.end - state.first >= capacity else { return nil }
            let room = PendingResult<Void>()
            state.waiting.append(room)
            return room
        }
    }

    /// Sends as much as the window permits, by one thread at a time, so that the order remains.
    private func pump() {
        let isFirst = state.withLock { state in
            defer { state.pumps += 1 }
            return state.pumps == 0
        }
        guard isFirst else { return }
        var pumps = 0
        repeat {
            pumps = state.withLock { $0.pumps }
            sendWindow()
            // Another thread wanted to send meanwhile, perhaps after the last look at the window.
        } while !state.withLock({ state in
            defer { if state.pumps == pumps { state.pumps = 0 } }
            return state.pumps == pumps
        })
    }

    private func sendWindow() {
        guard connection.state.current.isConnected else { return }
        while true {
            let item = state.withLock { state -> (Int, Int, NatsMessage)? in
                guard state.hasStream, !state.isStopped else { return nil }
                while state.next < state.end, state.entries[state.next] == nil { state.next += 1 }
                guard state.next < state.end, state.next - state.first < state.window,
                    let entry = state.entries[state.next]
                else { return nil }
                if state.next == state.first { state.progress = .now }
                state.next += 1
                return (state.next - 1, state.round, entry.message)
            }
            guard let (number, round, message) = item else { return }
            var copy = message
            copy.reply = inbox + "\(round).\(number)"
            do { try connection.publish(copy) } catch {
                if error.code == .invalidPayload { fail(number, error) } else { return }
            }
        }
    }

    /// Receives the confirmation of an event, on a thread of the client.
    private func receive(_ message: NatsMessage) {
        let numbers = message.subject.dropFirst(inbox.count).split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2 else { return }
        if message.status == 503 {
            return retry(round: numbers[0], "no stream stores '\(streamName)'", lacksStream: true)
        }
        do {
            _ = try JetStream.response(message)
            confirm(numbers[1], round: numbers[0])
        } catch let failure as JetStream.Failure where failure.number == JetStream.Failure.messageTooLarge {
            fail(numbers[1], FleetError(.invalidPayload, failure.text))
        } catch {
            retry(round: numbers[0], "\(error)", lacksStream: false)
        }
    }

    private func confirm(_ number: Int, round: Int) {
        let (entry, waiting) = state.withLock { state in
            let entry = state.entries.removeValue(forKey: number)
            state.progress = .now
            state.failures = 0
            if round == state.round { state.window = min(state.window * 2, 256) }
            return (entry, state.advance())
        }
        entry?.result.finish(.success(()))
        for sender in waiting { sender.finish(.success(())) }
        pump()
    }

    /// Removes an event that the server never accepts.
    private func fail(_ number: Int, _ error: FleetError) {
        let (entry, waiting) = state.withLock { state in
            (state.entries.removeValue(forKey: number), state.advance())
        }
        log.error("an event can't be stored: \(error)")
        entry?.result.finish(.failure(error))
        for sender in waiting { sender.finish(.success(())) }
    }

    /// Sends everything again after a pause.
    private func retry(round: Int, _ reason: String, lacksStream: Bool) {
        let failures = state.withLock { state -> Int? in
            guard round == state.round else { return nil }
            state.rewind()
            state.hasStream = false
            state.failures += 1
            return state.failures
        }
        guard let failures else { return }
        if failures & (failures - 1) == 0 { log.warning("events wait for the server: \(reason)") }
        let pause = Backoff(first: .milliseconds(50), ceiling: .seconds(2)).pause(beforeRetry: failures)
        Task { [weak self] in
            try? await Task.sleep(for: pause)
            await self?.didConnect()
        }
    }

    private func repeatOverdue() {
        let (isOverdue, round) = state.withLock { state in
            (state.next > state.first && state.progress.duration(to: .now) > connection.options.timeout, state.round)
        }
        guard isOverdue, case .connected = connection.state.current else { return }
        retry(round: round, "no confirmation within \(connection.options.timeout)", lacksStream: false)
    }

    /// Makes sure that the stream exists, and sends everything that isn't confirmed.
    private func didConnect() async {
        let round = state.withLock { state in
            state.rewind()
            return state.round
        }
        do {
            try await createStream()
            state.withLock { $0.hasStream = true }
            pump()
        } catch {
            retry(round: round, "\(error)", lacksStream: true)
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

extension StoredEvents.State {
    /// Moves the beginning after confirmed entries; returns the senders for which there is room now.
    fileprivate mutating func advance() -> [PendingResult<Void>] {
        while first < end, entries[first] == nil { first += 1 }
        next = max(next, first)
        defer { waiting = [] }
        return waiting
    }
}
