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
    private let addresses: FleetAddresses
    private let inbox = "_INBOX.\(NatsConnection.randomToken())."
    private let core = Mutex(Core())
    private let replies = Mutex(Replies())

    private struct Core: Sendable {
        var client: NatsClient?
        var subscriptions: [Weak<NatsSubscription>] = []
        var failures = 0
        var isClosed = false
        /// Why the newest client has ended; nil while it lasts.
        var end: String?
    }

    private struct Replies: Sendable {
        var subscription: NatsSubscription?
        var lastToken = 0
        var waiting: [Int: (result: PendingResult<NatsMessage>, endsWithConnection: Bool)] = [:]
    }

    /// Makes the first attempt to connect.
    ///
    /// - Throws: `libraryMissing` or `invalidOptions`. A missing server is no error: see ``state``.
    init(_ servers: String, _ options: FleetOptions) throws(FleetError) {
        addresses = try FleetAddresses(servers, options)
        library = try NatsLibrary.open()
        self.options = options
        state = Broadcast(.reconnecting(reason: "no attempt has ended"))
        let subscription = try subscribe(to: inbox + "*") { [weak self] in self?.receiveReply($0) }
        replies.withLock { $0.subscription = subscription }
        do throws(FleetError) { try connect() } catch {
            if error.code == .invalidOptions { throw error }
            retry("\(error.reason)")
        }
    }

    deinit { close() }

    /// Ends the connection; what was published is sent before, as far as the server accepts it within the timeout.
    func close() {
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

    private func connect() throws(FleetError) {
        core.withLock { $0.end = nil }
        let client = try NatsClient(library, addresses, options) { [weak self] in self?.didLose($0) }
        let subscriptions = core.withLock { core -> [NatsSubscription]? in
            if core.isClosed { return nil }
            core.client = client
            core.failures = 0
            return core.subscriptions.compactMap(\.object)
        }
        guard let subscriptions else { return client.close() }
        for subscription in subscriptions { try subscription.start(on: client) }
        state.update { _ in .connected(server: client.server) }
        // The connection may have been lost before it became this one's.
        guard let reason = core.withLock({ $0.end }) else { return }
        didLose(reason)
        state.update { $0.isConnected ? .reconnecting(reason: reason) : nil }
    }

    /// Connects again after a pause, on a thread of its own, because an attempt takes time.
    private func retry(_ reason: String) {
        let failures = core.withLock { core -> Int? in
            core.failures += 1
            return core.isClosed ? nil : core.failures
        }
        guard let failures else { return }
        state.update { $0 == .reconnecting(reason: reason) ? nil : .reconnecting(reason: reason) }
        let ceiling = options.reconnectPause
        let pause = Backoff(first: ceiling / 4, ceiling: ceiling).pause(beforeRetry: failures) + ceiling / 4
        Task { [weak self] in
            try? await Task.sleep(for: pause)
            _ = HelperThread.start { [weak self] in
                guard let self else { return }
                do throws(FleetError) { try connect() } catch { retry(error.reason) }
            }
        }
    }

    private func didLose(_ reason: String) {
        let old = core.withLock { core in
            core.end = reason
            return core.client.take()
        }
        guard old != nil else { return }
        for (result, endsWithConnection) in replies.withLock({ Array($0.waiting.values) }) where endsWithConnection {
            result.finish(.failure(FleetError(.disconnected, reason)))
        }
        retry(reason)
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
        if let client { try subscription.start(on: client) }
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
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
