internal import AshlarCore
internal import AshlarEventBus
internal import Foundation

/// The state of a connection.
public enum FleetState: Hashable, Sendable, CustomStringConvertible {
    /// Messages are exchanged with a server.
    case connected(server: String)
    /// There is no connection; attempts to connect go on.
    case reconnecting(reason: String)
    /// The program has ended the connection.
    case closed(reason: String)

    /// The state and its server or reason.
    public var description: String {
        switch self {
        case .connected(let server): "connected to \(server)"
        case .reconnecting(let reason): "reconnecting: \(reason)"
        case .closed(let reason): "closed: \(reason)"
        }
    }

    var isConnected: Bool { if case .connected = self { true } else { false } }
}

/// A connection to NATS servers that lasts until it is closed.
///
/// A connection of the C client that is lost, refused or was never established is replaced by a new one after a pause, with
/// the same subscriptions.
final class NatsConnection: Sendable {
    let library: NatsLibrary
    let options: FleetOptions
    let state: Broadcast<FleetState>
    let counting = FleetCounting()
    private let addresses: FleetAddresses
    private let inbox = "_INBOX.\(NatsConnection.randomToken())."
    private let core = Mutex(Core())
    /// The threads that make an attempt to connect.
    private let attempts = DispatchGroup()
    /// The state before the end of the first attempt.
    static let beginning = FleetState.reconnecting(reason: "no attempt has ended")
    let replies = Mutex(Replies())

    private struct Core: Sendable {
        /// The number of the current attempt; one that has ended or failed has a lower number.
        var attempt = 1
        var client: NatsClient?
        var subscriptions: [Weak<NatsSubscription>] = []
        /// The number of attempts since the last one that succeeded.
        var failures = 0
        var isClosed = false
    }

    struct Replies: Sendable {
        var subscription: NatsSubscription?
        var lastToken = 0
        var waiting: [Int: (result: PendingResult<NatsMessage>, endsWithConnection: Bool)] = [:]
    }

    /// Begins the first attempt to connect; see ``firstAttempt()``.
    ///
    /// - Throws: `libraryMissing` or `invalidOptions`. A missing server is no error: see ``state``.
    init(_ servers: String, _ options: FleetOptions) throws(FleetError) {
        addresses = try FleetAddresses(servers, options)
        library = try NatsLibrary.open()
        self.options = options
        state = Broadcast(Self.beginning)
        try NatsClient.check(options, library, addresses)
        let subscription = try subscribe(to: inbox + "*") { [weak self] in self?.receiveReply($0) }
        replies.withLock { $0.subscription = subscription }
        begin(1)
    }

    deinit { end() }

    /// Waits until the first attempt has ended, or the task is cancelled.
    func firstAttempt() async {
        for await state in state.changes() where state != Self.beginning { return }
    }

    /// Ends the connection; what was published is sent before, as far as the server accepts it within the timeout.
    ///
    /// Waits for the thread of an attempt, which must not use the TLS library while the process ends. Not to be called on a
    /// thread of Swift's tasks.
    func close() {
        end()
        attempts.wait()
    }

    private func end() {
        let client = core.withLock { core in
            core.isClosed = true
            return core.client.take()
        }
        if state.current.isConnected { client?.flush(within: options.timeout) }
        client?.close()
        state.update { _ in .closed(reason: "by the program") }
    }

    /// A text that no other process uses.
    static func randomToken() -> String {
        UUID().uuidString.filter { $0 != "-" }
    }

    /// The largest payload that the server and the options permit.
    var maximumPayload: Int { core.withLock { $0.client?.maximumPayload } ?? options.maximumPayload }

    // MARK: Attempts

    private func connect(_ attempt: Int) throws(FleetError) {
        let client = try NatsClient(library, addresses, options, counting) { [weak self] in self?.didEnd(attempt, $0) }
        let subscriptions = core.withLock { core -> [NatsSubscription]? in
            if core.isClosed || core.attempt != attempt { return nil }
            core.client = client
            return core.subscriptions.compactMap(\.object)
        }
        guard let subscriptions else { return client.close() }
        for subscription in subscriptions { try subscription.start(on: client) }
        let isCurrent = core.withLock { core in
            if core.attempt == attempt { core.failures = 0 }
            return core.attempt == attempt
        }
        if isCurrent { update(.connected(server: client.server), during: attempt) }
    }

    /// Changes the state, unless the connection was closed or another attempt has begun.
    private func update(_ new: FleetState, during attempt: Int) {
        state.update { old in
            core.withLock { !$0.isClosed && $0.attempt == attempt } && new != old ? new : nil
        }
    }

    /// Connects again after a pause, once for each attempt that failed and each connection that was lost.
    private func didEnd(_ attempt: Int, _ reason: String) {
        let (next, failures, client) = core.withLock { core -> (Int?, Int, NatsClient?) in
            if core.isClosed || core.attempt != attempt { return (nil, 0, nil) }
            core.attempt += 1
            core.failures += 1
            return (core.attempt, core.failures, core.client.take())
        }
        guard let next else { return }
        update(.reconnecting(reason: reason), during: next)
        if client != nil {
            for (result, endsWithConnection) in replies.withLock({ Array($0.waiting.values) }) where endsWithConnection
            {
                result.finish(.failure(FleetError(.disconnected, reason)))
            }
        }
        let ceiling = options.reconnectPause
        let pause = Backoff(first: ceiling / 4, ceiling: ceiling).pause(beforeRetry: failures) + ceiling / 4
        Task { [weak self] in
            try? await Task.sleep(for: pause)
            self?.begin(next)
        }
    }

    /// Makes an attempt on a thread of its own, because it takes time.
    private func begin(_ attempt: Int) {
        let isWanted = core.withLock { core in
            guard !core.isClosed, core.attempt == attempt else { return false }
            // Under the lock, so that `close()` waits for each attempt that has begun before.
            attempts.enter()
            return true
        }
        guard isWanted else { return }
        let hasStarted = HelperThread.start { [weak self, attempts] in
            if let self {
                do throws(FleetError) { try connect(attempt) } catch { didEnd(attempt, error.reason) }
            }
            attempts.leave()
        }
        if hasStarted { return }
        attempts.leave()
        didEnd(attempt, "no thread can be started")
    }

    // MARK: Messages

    /// Publishes a message.
    ///
    /// - Throws: `FleetError` with the code `disconnected` without a connection, or `invalidPayload`.
    func publish(_ message: NatsMessage) throws(FleetError) {
        guard let client = core.withLock({ $0.client }) else {
            throw FleetError(.disconnected, "\(state.current)", subject: message.subject)
        }
        let (count, limit) = (message.payload.count, client.maximumPayload)
        guard count <= limit else {
            let reason = "the payload has \(count) bytes; the limit is \(limit)"
            throw FleetError(.invalidPayload, reason, subject: message.subject)
        }
        try client.publish(message)
    }

    /// Subscribes to a subject; of the subscribers with one `group`, one receives each message.
    ///
    /// `receive` is called on a thread of the library, for one message after the other, and must return soon.
    func subscribe(
        to subject: String, group: String? = nil, _ receive: @escaping @Sendable (NatsMessage) -> Void
    ) throws(FleetError) -> NatsSubscription {
        let subscription = NatsSubscription(subject, group: group, receive)
        // Subscriptions that are released meanwhile end outside the lock.
        let (client, _) = core.withLock { core in
            let all = core.subscriptions.compactMap(\.object) + [subscription]
            core.subscriptions = all.map { Weak($0) }
            return (core.client, all)
        }
        do throws(FleetError) { if let client { try subscription.start(on: client) } } catch {
            // If the connection has just ended, the next one starts the subscription.
            if error.code != .closed { throw error }
        }
        return subscription
    }

    /// Publishes a message and waits for a reply.
    ///
    /// - Throws: `FleetError` with the code `timedOut`, `noResponder` or like ``publish(_:)``, or `CancellationError`.
    func request(
        _ message: NatsMessage, within limit: Duration, endsWithConnection: Bool = true
    ) async throws -> NatsMessage {
        try await reply(to: message, endsWithConnection: endsWithConnection).message(within: limit)
    }

    /// Publishes a message, and returns its reply, which the caller waits for.
    ///
    /// A reply of the server is lost with the connection, so the wait ends then, unless `endsWithConnection` is false.
    func reply(to message: NatsMessage, endsWithConnection: Bool = true) -> NatsReply {
        let result = PendingResult<NatsMessage>()
        let token = replies.withLock { replies in
            replies.lastToken += 1
            replies.waiting[replies.lastToken] = (result, endsWithConnection)
            return replies.lastToken
        }
        let reply = NatsReply(subject: message.subject, result: result) { [weak self] in
            _ = self?.replies.withLock { $0.waiting.removeValue(forKey: token) }
        }
        var message = message
        message.reply = inbox + "\(token)"
        do throws(FleetError) {
            // Before the connection is complete, a reply would be lost.
            guard state.current.isConnected else {
                throw FleetError(.disconnected, "\(state.current)", subject: message.subject)
            }
            try publish(message)
        } catch { result.finish(.failure(error)) }
        return reply
    }

    private func receiveReply(_ message: NatsMessage) {
        guard let token = Int(message.subject.dropFirst(inbox.count)),
            let (result, _) = replies.withLock({ $0.waiting[token] })
        else { return }
        let noResponder = FleetError(.noResponder, "no process responds")
        result.finish(message.status == 503 ? .failure(noResponder) : .success(message))
    }
}

/// The reply to a message, for which one caller waits.
struct NatsReply: Sendable {
    let subject: String
    let result: PendingResult<NatsMessage>
    let ended: @Sendable () -> Void

    func message(within limit: Duration) async throws -> NatsMessage {
        defer { ended() }
        return try await result.wait(within: limit, clock: ContinuousClock()) { [subject] in
            FleetError(.timedOut, "no response within \(limit)", subject: subject)
        }
    }
}

extension Duration {
    /// The time in whole milliseconds.
    var milliseconds: Int64 {
        let count = (self / .milliseconds(1)).rounded(.towardZero)
        return Int64(exactly: count) ?? (count < 0 ? .min : .max)
    }
}
