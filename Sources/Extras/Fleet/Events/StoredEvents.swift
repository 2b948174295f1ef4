internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging
internal import AshlarNetworking

/// The events of at-least-once topics on their way into the stream.
///
/// An event stays here until the server has stored it. Up to 256 are on their way at a time. After a failure, all that
/// aren't confirmed are sent again in their order, at first one at a time; the server recognizes those that it has
/// already by their ID. Callers that wait get the error of a server that has refused to store events for the time limit;
/// the events remain.
final class StoredEvents: Sendable {
    private struct State: Sendable {
        /// The events that aren't confirmed, in their order.
        var entries: [Entry] = []
        /// The size of their payloads.
        var bytes = 0
        /// The number of events that were added.
        var count = 0
        /// The number of entries that can be on their way.
        var window = 1
        var hasStream = false
        /// Senders that wait for room.
        var waiting: [PendingResult<Void>] = []
        /// Why a connected server stores no events, and since when.
        var refusal: (error: FleetError, since: ContinuousClock.Instant)?
        var isStopped = false
    }

    /// An event and those that wait until it is stored, each with a result of its own.
    private typealias Entry = (message: NatsMessage, waiting: [PendingResult<Void>])

    let streamName: String
    let counting: FleetCounting
    let connection: NatsConnection
    private let subjects: [String]
    private let process = NatsConnection.randomToken()
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    private var options: FleetOptions { connection.options }

    init(_ connection: NatsConnection, subjects: [String], _ counting: FleetCounting) {
        self.counting = counting
        self.subjects = subjects
        self.connection = connection
        streamName = connection.options.prefix + "_events"
        if subjects.isEmpty { return }
        loop.start(connection, "events wait for the server") { [weak self] in try await self?.run() }
    }

    /// Ends; events that aren't stored fail.
    func stop() {
        loop.stop()
        let (entries, waiting) = state.withLock { state in
            state.isStopped = true
            defer { state.entries = [] }
            return (state.entries, state.waiting)
        }
        if !entries.isEmpty {
            counting.update { $0.unpublished += entries.count }
            Log("fleet").error("the fleet ends, so \(entries.count) events that the server hasn't stored are lost")
        }
        for result in entries.flatMap(\.waiting) + waiting { result.finish(.failure(Self.closed)) }
    }

    private static let closed = FleetError(.closed, "the fleet has been closed")

    // MARK: Sending

    /// Adds an event if there is room for it; `result` ends when the server has stored it.
    ///
    /// - Returns: Whether there was room.
    /// - Throws: `closed`, or `invalidPayload` for an event that is larger than the limits.
    func add(_ message: NatsMessage, _ result: PendingResult<Void>? = nil) throws(FleetError) -> Bool {
        let size = message.payload.count
        let limit = min(options.maximumPayload, options.maximumWaitingBytes)
        guard size <= limit else {
            let reason = "the payload has \(size) bytes; the limit is \(limit)"
            throw FleetError(.invalidPayload, reason, subject: message.subject)
        }
        let hasRoom = state.withLock { state -> Bool? in
            if state.isStopped { return nil }
            guard state.entries.count < options.maximumWaiting, state.bytes + size <= options.maximumWaitingBytes else {
                return false
            }
            var message = message
            if message.headers[NatsHeader.messageID] == nil {
                message.headers[NatsHeader.messageID] = "\(process)-\(state.count)"
            }
            state.entries.append((message, result.map { [$0] } ?? []))
            state.bytes += size
            state.count += 1
            return true
        }
        guard let hasRoom else { throw Self.closed }
        if hasRoom { loop.signal() }
        return hasRoom
    }

    /// Adds an event when there is room for it; `result` ends when the server has stored it.
    func addWaiting(_ message: NatsMessage, _ result: PendingResult<Void>) async throws {
        while try !add(message, result) {
            let room = PendingResult<Void>()
            let mustWait = state.withLock { state in
                // Room that has become free meanwhile ends no wait.
                let isFull = !state.isStopped && !state.entries.isEmpty
                if isFull { state.waiting.append(room) }
                return isFull
            }
            if mustWait { try await wait(for: [room]) }
        }
    }

    /// Waits until all events that were added before are stored.
    func flush() async throws {
        let results = try state.withLock { state in
            if state.isStopped { throw Self.closed }
            return state.entries.indices.map { index in
                let result = PendingResult<Void>()
                state.entries[index].waiting.append(result)
                return result
            }
        }
        try await wait(for: results)
    }

    /// Waits for results of events; a connected server that has stored no event for the time limit ends the wait.
    func wait(for results: [PendingResult<Void>]) async throws {
        if results.isEmpty { return }
        let limit = options.timeout
        let timer = Task { [weak self] in
            while (try? await Task.sleep(for: limit)) != nil {
                guard let self, connection.state.current.isConnected, let refusal = state.withLock({ $0.refusal }),
                    refusal.since + limit < .now
                else { continue }
                for result in results { result.finish(.failure(refusal.error)) }
            }
        }
        defer { timer.cancel() }
        for result in results { try await result.wait() }
    }

    private func run() async throws {
        do { try await storeAll() } catch {
            state.withLock { state in
                let error = (error as? FleetError).flatMap { $0.code == .disconnected ? nil : $0 }
                state.refusal = error.map { ($0, state.refusal?.since ?? .now) }
            }
            throw error
        }
    }

    /// Makes sure that the stream exists, and sends all that waits.
    private func storeAll() async throws {
        if !state.withLock({ $0.hasStream }) { try await createStream() }
        while true {
            let batch = state.withLock { Array($0.entries.prefix($0.window)) }
            if batch.isEmpty { return state.withLock { $0.refusal = nil } }
            let replies = batch.map { connection.reply(to: $0.message) }
            var failure: (any Error)?
            // Nil for the events that must be sent again.
            var outcomes: [Result<Void, any Error>?] = []
            for reply in replies {
                do {
                    // After a failure, only those that have arrived.
                    let limit = failure == nil ? connection.options.timeout : .zero
                    _ = try NatsConnection.response(try await reply.message(within: limit))
                    outcomes.append(.success(()))
                } catch let error as FleetError where error.code == .invalidPayload {
                    // The server never accepts it.
                    counting.report(\.unpublished, "an event can't be stored: \(error)")
                    outcomes.append(.failure(error))
                } catch {
                    failure = failure ?? error
                    outcomes.append(nil)
                }
            }
            typealias Ended = (waiting: [PendingResult<Void>], outcome: Result<Void, any Error>)
            let (ended, waiting) = state.withLock {
                [outcomes, hasFailed = failure != nil] state -> ([Ended], [PendingResult<Void>]) in
                state.window = hasFailed ? 1 : min(state.window * 2, 256)
                state.hasStream = !hasFailed
                if !hasFailed { state.refusal = nil }
                defer { state.waiting = [] }
                if state.isStopped { return ([], state.waiting) }
                // Others can have begun to wait for these events meanwhile.
                let sent = zip(state.entries, outcomes)
                for (entry, outcome) in sent where outcome != nil { state.bytes -= entry.message.payload.count }
                state.entries.replaceSubrange(..<batch.count, with: sent.filter { $0.1 == nil }.map(\.0))
                return (sent.compactMap { entry, outcome in outcome.map { (entry.waiting, $0) } }, state.waiting)
            }
            for (results, outcome) in ended { for result in results { result.finish(outcome) } }
            for sender in waiting { sender.finish(.success(())) }
            if let failure { throw failure }
        }
    }

    /// Creates the stream of all at-least-once events: on disk, for a week or 1 GB, the oldest events leave first.
    func createStream() async throws {
        try await connection.createStream(
            streamName, subjects: subjects, age: .seconds(7 * 24 * 3600), bytes: 1 << 30,
            [("duplicate_window", JSONEntity(Int64(120) * 1_000_000_000))])
        state.withLock { $0.hasStream = true }
    }
}
