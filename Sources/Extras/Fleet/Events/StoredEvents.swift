internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking

/// The events of at-least-once topics on their way into the stream.
///
/// An event stays here until the server has stored it. Up to 256 are on their way at a time. After a failure, all that
/// aren't confirmed are sent again in their order, at first one at a time; the server recognizes those that it has
/// already by their ID.
final class StoredEvents: Sendable {
    private struct State: Sendable {
        /// The events that aren't confirmed.
        var entries: [Int: (message: NatsMessage, result: PendingResult<Void>)] = [:]
        /// The number of the oldest entry, and of the next one to add.
        var first = 0
        var end = 0
        /// The number of entries that can be on their way.
        var window = 1
        var hasStream = false
        /// Senders that wait for room.
        var waiting: [PendingResult<Void>] = []
        var isStopped = false
    }

    let streamName: String
    let counting: FleetCounting
    private let jetStream: JetStream
    private let subjects: [String]
    private let process = NatsConnection.randomToken()
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    /// The number of events that can wait for the server.
    private let capacity = 65_536

    init(_ connection: NatsConnection, subjects: [String], _ counting: FleetCounting) {
        self.counting = counting
        self.subjects = subjects
        jetStream = JetStream(connection: connection)
        streamName = connection.options.prefix + "_events"
        if subjects.isEmpty { return }
        loop.start(connection, "events wait for the server") { [weak self] in try await self?.run() }
    }

    /// Ends; events that aren't stored fail.
    func stop() {
        loop.stop()
        let (entries, waiting) = state.withLock { state in
            state.isStopped = true
            defer { state.entries = [:] }
            return (state.entries, state.waiting)
        }
        for result in entries.values.map(\.result) + waiting { result.finish(.failure(Self.closed)) }
    }

    private static let closed = FleetError(.closed, "the fleet has been closed")

    // MARK: Sending

    /// Adds an event; waits for room, and with `isAwaited` until the server has stored the event.
    func publish(_ message: NatsMessage, isAwaited: Bool) async throws {
        let result = PendingResult<Void>()
        while let room = try add(message, result) { try await room.wait() }
        loop.signal()
        if isAwaited { try await result.wait() }
    }

    /// Adds an event; if there is no room, returns the wait for it.
    private func add(_ message: NatsMessage, _ result: PendingResult<Void>) throws -> PendingResult<Void>? {
        try state.withLock { state in
            if state.isStopped { throw Self.closed }
            guard state.end - state.first < capacity else {
                let room = PendingResult<Void>()
                state.waiting.append(room)
                return room
            }
            var message = message
            message.headers[NatsHeader.messageID] = "\(process)-\(state.end)"
            state.entries[state.end] = (message, result)
            state.end += 1
            return nil
        }
    }

    /// Waits until all events that were added before are stored.
    func flush() async throws {
        for result in state.withLock({ $0.entries.values.map(\.result) }) { try await result.wait() }
    }

    /// Makes sure that the stream exists, and sends all that waits.
    private func run() async throws {
        if !state.withLock({ $0.hasStream }) { try await createStream() }
        while true {
            let batch = state.withLock { state in
                let entries = state.entries
                let numbers = (state.first..<state.end).lazy.filter { entries[$0] != nil }.prefix(state.window)
                return numbers.compactMap { number in entries[number].map { (number, $0.message) } }
            }
            if batch.isEmpty { return }
            let replies = batch.map { [jetStream] in jetStream.connection.reply(to: $0.1) }
            var failure: (any Error)?
            for ((number, _), reply) in zip(batch, replies) {
                do {
                    // After a failure, only those that have arrived.
                    let limit = failure == nil ? jetStream.connection.options.timeout : .zero
                    _ = try JetStream.response(try await reply.message(within: limit))
                    finish(number, .success(()))
                } catch let error as FleetError where error.code == .invalidPayload {
                    finish(number, .failure(error))
                } catch { failure = failure ?? error }
            }
            let hasFailed = failure != nil
            state.withLock { state in
                state.window = hasFailed ? 1 : min(state.window * 2, 256)
                state.hasStream = !hasFailed
            }
            if let failure { throw failure }
        }
    }

    /// Removes an event that is stored, or that the server never accepts.
    private func finish(_ number: Int, _ result: Result<Void, any Error>) {
        let (entry, waiting) = state.withLock { state in
            let entry = state.entries.removeValue(forKey: number)
            while state.first < state.end, state.entries[state.first] == nil { state.first += 1 }
            defer { state.waiting = [] }
            return (entry, state.waiting)
        }
        if case .failure(let error) = result { Log("fleet").error("an event can't be stored: \(error)") }
        entry?.result.finish(result)
        for sender in waiting { sender.finish(.success(())) }
    }

    /// Creates the stream of all at-least-once events: on disk, for a week or 1 GB, the oldest events leave first.
    func createStream() async throws {
        try await jetStream.createStream(
            streamName, subjects: subjects, age: .seconds(7 * 24 * 3600), bytes: 1 << 30,
            [("duplicate_window", JSONEntity(Int64(120) * 1_000_000_000))])
        state.withLock { $0.hasStream = true }
    }

    /// Receives the events of a subject with a durable consumer; ends when the result is released.
    func consume(
        _ subject: String, _ handle: @escaping @Sendable (NatsMessage) async -> Bool
    ) throws(FleetError) -> StoredConsumer {
        try StoredConsumer(self, jetStream, subject, handle)
    }
}
