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
    let jetStream: JetStream
    /// The time after which a value ends without a new one; nil for never.
    private let age: Duration?
    private let isReady = Mutex(false)
    private var connection: NatsConnection { jetStream.connection }
    private var stream: String { "KV_" + name }

    init(_ name: String, _ connection: NatsConnection, age: Duration? = nil) {
        self.name = name
        self.age = age
        jetStream = JetStream(connection: connection)
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
        try await jetStream.createStream(
            stream, subjects: ["$KV.\(name).>"], age: age,
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
        var message = NatsMessage(subject: "$KV.\(name).\(key)", payload: value ?? [])
        if value == nil { message.headers[NatsHeader.operation] = "DEL" }
        message.headers[NatsHeader.expectedSubjectSequence] = revision.map { "\($0)" }
        return try await jetStream.publish(message)
    }

    /// Returns the current value of a key; nil if it has never been set, and an entry without a value if it is deleted.
    func entry(_ key: String) async throws -> Entry? {
        try await create()
        let wanted = [("last_by_subj", JSONEntity("$KV.\(name).\(key)"))]
        return try await jetStream.message(in: stream, wanted)
            .map { Entry(key: key, value: $0.keyValue, revision: $0.sequence ?? 0) }
    }

    /// Reports the entries of the bucket, and then each change, until the result is released.
    ///
    /// `changed` receives all entries when they are known, and single ones after each change. After a new connection, a
    /// complete set replaces all entries that were reported before.
    func watch(_ changed: @escaping KeyValueWatch.Report) -> KeyValueWatch {
        KeyValueWatch(self, stream: stream, prefix: "$KV.\(name).", changed)
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
        var lastMessage = ContinuousClock.now
    }

    typealias Report = @Sendable (_ entries: [KeyValueBucket.Entry], _ isComplete: Bool) -> Void

    private let bucket: KeyValueBucket
    private let stream: String
    private let prefix: String
    private let changed: Report
    private let state = Mutex(State())
    private let loop = ConnectionLoop()
    private static let heartbeat = Duration.seconds(5)

    fileprivate init(_ bucket: KeyValueBucket, stream: String, prefix: String, _ changed: @escaping Report) {
        self.bucket = bucket
        self.stream = stream
        self.prefix = prefix
        self.changed = changed
        loop.start(
            bucket.jetStream.connection, "the bucket '\(bucket.name)' can't be watched",
            connected: { [weak self] in self?.state.withLock { $0.inbox = nil } },
            tick: { [weak self] in self?.checkHeartbeat() }, run: { [weak self] in try await self?.start() })
    }

    /// Creates a consumer that delivers the last value of each key, and then each change.
    private func start() async throws {
        guard state.withLock({ $0.inbox == nil }) else { return }
        let inbox = "_INBOX.\(NatsConnection.randomToken())"
        try await bucket.create()
        let subscription = try bucket.jetStream.connection.subscribe(to: inbox) { [weak self] message in
            self?.receive(message, inbox)
        }
        let old = state.withLock { state in
            defer { state = State(inbox: inbox, subscription: subscription) }
            return state.subscription
        }
        _ = consume old
        let config: [(String, JSONEntity)] = [
            ("deliver_subject", JSONEntity(inbox)), ("deliver_policy", "last_per_subject"), ("ack_policy", "none"),
            ("filter_subject", JSONEntity(prefix + ">")), ("replay_policy", "instant"), ("mem_storage", true),
            ("max_deliver", 1), ("idle_heartbeat", JSONEntity(Self.heartbeat.milliseconds * 1_000_000)),
        ]
        do {
            let response = try await bucket.jetStream.call(
                "CONSUMER.CREATE.\(stream)",
                [("stream_name", JSONEntity(stream)), ("config", JSONEntity(object: config))])
            let isEmpty = response["num_pending"].int(0) == 0 && response["delivered"]["consumer_seq"].int(0) == 0
            if isEmpty { complete(inbox) }
        } catch {
            startOver(inbox)
            throw error
        }
    }

    /// Lets the next run begin a new attempt instead of one that may have missed a change.
    private func startOver(_ inbox: String) {
        state.withLock { if $0.inbox == inbox { $0.inbox = nil } }
        loop.signal()
    }

    private func checkHeartbeat() {
        state.withLock { state in
            if state.lastMessage.duration(to: .now) > Self.heartbeat * 3 { state.inbox = nil }
        }
    }

    private func receive(_ message: NatsMessage, _ inbox: String) {
        let place = message.subject.hasPrefix(prefix) ? DeliveredPlace(message.reply) : nil
        let isBeat = message.status == 100
        let last = message.headers[NatsHeader.lastConsumer].flatMap { Int($0) } ?? 0
        let entry = KeyValueBucket.Entry(
            key: String(message.subject.dropFirst(prefix.count)), value: message.keyValue, revision: place?.stream ?? 0)
        let (isBehind, report, isComplete) = state.withLock { state -> (Bool, Bool, Bool) in
            guard state.inbox == inbox, isBeat || place != nil else { return (false, false, false) }
            state.lastMessage = .now
            if isBeat { return (last > state.count, false, false) }
            state.count += 1
            guard state.count == place?.consumer else { return (true, false, false) }
            state.first?.append(entry)
            return (false, state.first == nil, state.first != nil && place?.pending == 0)
        }
        if isBehind { startOver(inbox) }
        if report { changed([entry], false) }
        if isComplete { complete(inbox) }
    }

    private func complete(_ inbox: String) {
        let entries = state.withLock { $0.inbox == inbox ? $0.first.take() : nil }
        if let entries { changed(entries, true) }
    }
}
