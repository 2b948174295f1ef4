internal import AshlarCore
internal import AshlarNetworking

/// A key-value bucket of the server: a stream that keeps the last value of each key.
///
/// The form of the stream and of its messages is that of NATS's own clients (architecture decision record ADR-8), so
/// `nats kv` reads and writes the same values.
final class KeyValueBucket: Sendable {
    /// The value of a key at a revision.
    struct Entry: Hashable, Sendable {
        let key: String
        /// The value; nil for a deleted key.
        let value: [UInt8]?
        /// The number of the change among all changes of the bucket.
        let revision: Int
    }

    let name: String
    let connection: NatsConnection
    /// The time after which a value ends without a new one; nil for never.
    private let age: Duration?
    private let isReady = Mutex(false)
    fileprivate var stream: String { "KV_" + name }
    /// The part of a subject before the key.
    fileprivate var prefix: String { "$KV.\(name)." }

    init(_ name: String, _ connection: NatsConnection, age: Duration? = nil) {
        self.name = name
        self.age = age
        self.connection = connection
    }

    /// Returns whether a text can be a key: tokens of letters, digits and `-/_=`, separated by `.`.
    static func isKey(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { token in
            !token.isEmpty && token.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-/_=".utf8.contains($0) }
        }
    }

    /// Creates the bucket unless it exists.
    func create() async throws {
        if isReady.withLock({ $0 }) { return }
        try await connection.createStream(
            stream, subjects: [prefix + ">"], age: age,
            [
                ("max_msgs_per_subject", 1), ("discard", "new"), ("allow_rollup_hdrs", true), ("deny_delete", true),
                ("max_msg_size", JSONEntity(connection.options.maximumPayload)),
            ])
        isReady.withLock { $0 = true }
    }

    /// Stores a value, or nil to delete the key, and returns the new revision.
    ///
    /// `revision` is the one that the key must have: 0 if it must not exist, nil for any. With another one, the error has
    /// the code `conflict`.
    @discardableResult
    func put(_ value: [UInt8]?, for key: String, expecting revision: Int? = nil) async throws -> Int {
        guard Self.isKey(key) else {
            throw FleetError(.invalidPayload, "expected letters, digits and '-/_=.' in a key", subject: key)
        }
        try await create()
        var message = NatsMessage(subject: prefix + key, payload: value ?? [])
        if value == nil { message.headers[NatsHeader.operation] = "DEL" }
        message.headers[NatsHeader.expectedSubjectSequence] = revision.map { "\($0)" }
        return try await connection.store(message)
    }

    /// Returns the keys below a key, such as `a.b` below `a`, also those whose value is deleted.
    func keys(below key: String) async throws -> [String] {
        try await create()
        let wanted = [("subjects_filter", JSONEntity(prefix + key + ".>"))]
        let subjects = try await connection.call("STREAM.INFO.\(stream)", wanted)["state"]["subjects"]
        return subjects.keys.map { String($0.dropFirst(prefix.count)) }
    }

    /// Returns the current value of a key; nil if it has never been set, and an entry without a value if it is deleted.
    func entry(_ key: String) async throws -> Entry? {
        try await create()
        let wanted = [("last_by_subj", JSONEntity(prefix + key))]
        return try await connection.message(in: stream, wanted)
            .map { Entry(key: key, value: $0.keyValue, revision: $0.sequence ?? 0) }
    }
}

/// A watch of a bucket, which starts over if it may have missed a change.
///
/// Its consumer belongs to this connection, and the server removes it some time after its end.
final class KeyValueWatch: Sendable {
    private struct State: Sendable {
        /// The subject of the current attempt, or nil if a new attempt is necessary.
        ///
        /// Messages of earlier attempts are ignored.
        var inbox: String?
        var subscription: NatsSubscription?
        /// The number of messages of the current attempt.
        var count = 0
        /// The entries of the current attempt, until they are complete; nil then.
        var first: [KeyValueBucket.Entry]? = []
        /// The number of messages with which they are complete.
        var expected = Int.max
        var lastMessage = ContinuousClock.now
        /// What must be reported, in this order.
        var reports: [(entries: [KeyValueBucket.Entry], isComplete: Bool)] = []
        var isReporting = false

        /// Reports the entries of the attempt if they are complete.
        mutating func complete(_ isComplete: Bool) {
            if isComplete, let entries = first.take() { reports.append((entries, true)) }
        }
    }

    typealias Report = @Sendable (_ entries: [KeyValueBucket.Entry], _ isComplete: Bool) -> Void

    private let bucket: KeyValueBucket
    private let changed: Report
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    private static let heartbeat = Duration.seconds(5)

    /// Reports the entries of a bucket, and then each change, until the watch is released.
    ///
    /// `changed` receives all entries when they are known, and single ones after each change. After a new connection, a
    /// complete set replaces all entries that were reported before.
    init(_ bucket: KeyValueBucket, _ changed: @escaping Report) {
        self.bucket = bucket
        self.changed = changed
        loop.start(
            bucket.connection, "the bucket '\(bucket.name)' can't be watched",
            connected: { [weak self] in self?.state.withLock { $0.inbox = nil } },
            tick: { [weak self] in
                self?.state.withLock { if $0.lastMessage + Self.heartbeat * 3 < .now { $0.inbox = nil } }
            }, run: { [weak self] in try await self?.start() })
    }

    /// Creates a consumer that delivers the last value of each key, and then each change.
    private func start() async throws {
        guard state.withLock({ $0.inbox == nil }) else { return }
        let inbox = "_INBOX.\(NatsConnection.randomToken())"
        try await bucket.create()
        let subscription = try bucket.connection.subscribe(to: inbox) { [weak self] message in
            self?.receive(message, inbox)
        }
        let old = state.withLock { state in
            defer {
                state = State(
                    inbox: inbox, subscription: subscription, reports: state.reports, isReporting: state.isReporting)
            }
            return state.subscription
        }
        _ = consume old
        let config: [(String, JSONEntity)] = [
            ("deliver_subject", JSONEntity(inbox)), ("deliver_policy", "last_per_subject"), ("ack_policy", "none"),
            ("filter_subject", JSONEntity(bucket.prefix + ">")), ("replay_policy", "instant"), ("mem_storage", true),
            ("max_deliver", 1), ("idle_heartbeat", JSONEntity(Self.heartbeat.milliseconds * 1_000_000)),
        ]
        do {
            let response = try await bucket.connection.call(
                "CONSUMER.CREATE.\(bucket.stream)",
                [("stream_name", JSONEntity(bucket.stream)), ("config", JSONEntity(object: config))])
            let expected = response["num_pending"].int(0) + response["delivered"]["consumer_seq"].int(0)
            state.withLock { state in
                guard state.inbox == inbox else { return }
                state.expected = expected
                state.complete(state.count >= expected)
            }
            report()
        } catch {
            state.withLock { if $0.inbox == inbox { $0.inbox = nil } }
            throw error
        }
    }

    private func receive(_ message: NatsMessage, _ inbox: String) {
        let prefix = bucket.prefix
        let place = message.subject.hasPrefix(prefix) ? DeliveredPlace(message.reply) : nil
        let isBeat = message.status == 100
        let last = message.headers[NatsHeader.lastConsumer].flatMap { Int($0) } ?? 0
        let entry = KeyValueBucket.Entry(
            key: String(message.subject.dropFirst(prefix.count)), value: message.keyValue, revision: place?.stream ?? 0)
        let hasMissed = state.withLock { state in
            guard state.inbox == inbox, isBeat || place != nil else { return false }
            state.lastMessage = .now
            if !isBeat { state.count += 1 }
            if isBeat ? last > state.count : state.count != place?.consumer { state.inbox = nil }
            if state.inbox == nil { return true }
            // If keys change while the server (2.9.10) creates the consumer, it reports more pending messages than it has. The
            // entries are then complete by their number, or at a heartbeat, which follows the last message.
            if isBeat {
                state.complete(last > 0)
            } else if state.first == nil {
                state.reports.append(([entry], false))
            } else {
                state.first?.append(entry)
                state.complete(place?.pending == 0 || state.count >= state.expected)
            }
            return false
        }
        if hasMissed { loop.signal() }
        report()
    }

    /// Reports what isn't reported yet, on one thread at a time.
    private func report() {
        let isFirst = state.withLock { state in
            defer { state.isReporting = true }
            return !state.isReporting
        }
        guard isFirst else { return }
        while let next = state.withLock({ state in
            state.isReporting = !state.reports.isEmpty
            return state.isReporting ? state.reports.removeFirst() : nil
        }) { changed(next.entries, next.isComplete) }
    }
}
