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

    /// Makes a request about the bucket, which is created before unless it exists.
    func request<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await create()
        do { return try await body() } catch {
            // Perhaps somebody has removed the bucket.
            if (error as? FleetError)?.code != .conflict { isReady.withLock { $0 = false } }
            throw error
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
        var message = NatsMessage(subject: prefix + key, payload: value ?? [])
        if value == nil { message.headers[NatsHeader.operation] = "DEL" }
        message.headers[NatsHeader.expectedSubjectSequence] = revision.map { "\($0)" }
        return try await request { [message] in try await connection.store(message) }
    }

    /// Returns the keys below a key, such as `a.b` below `a`, also those whose value is deleted.
    func keys(below key: String) async throws -> [String] {
        let wanted = [("subjects_filter", JSONEntity(prefix + key + ".>"))]
        let info = try await request { try await connection.call("STREAM.INFO.\(stream)", wanted) }
        let subjects = info["state"]["subjects"]
        return subjects.keys.map { String($0.dropFirst(prefix.count)) }
    }

    /// Returns the current value of a key; nil if it has never been set, and an entry without a value if it is deleted.
    func entry(_ key: String) async throws -> Entry? {
        let wanted = [("last_by_subj", JSONEntity(prefix + key))]
        return try await request { try await connection.message(in: stream, wanted) }
            .map { Entry(key: key, value: $0.keyValue, revision: $0.sequence ?? 0) }
    }
}

/// A watch of a bucket, which starts over if it may have missed a change.
///
/// Its consumer belongs to this connection, and the server removes it some time after its end.
final class KeyValueWatch: Sendable {
    typealias Report = @Sendable (_ entries: [KeyValueBucket.Entry], _ isComplete: Bool) -> Void

    private static let heartbeat = Duration.seconds(5)
    /// The messages of the current consumer; nil is a second.
    private let messages = Mutex<AsyncStream<NatsMessage?>.Continuation?>(nil)
    private let loop = ConnectionLoop()

    /// Reports the entries of a bucket, and then each change, until the watch is released.
    ///
    /// `changed` receives all entries when they are known, and single ones after each change. After a new connection, a
    /// complete set replaces all entries that were reported before.
    init(_ bucket: KeyValueBucket, _ changed: @escaping Report) {
        loop.start(
            bucket.connection, "the bucket '\(bucket.name)' can't be watched",
            connected: { [weak self] in self?.messages.withLock { $0 }?.finish() },
            tick: { [weak self] in self?.messages.withLock { $0 }?.yield(nil) },
            run: { [weak self] in
                let (messages, continuation) = AsyncStream.makeStream(of: NatsMessage?.self)
                self?.messages.withLock { $0 = continuation }
                let inbox = "_INBOX.\(NatsConnection.randomToken())"
                let subscription = try bucket.connection.subscribe(to: inbox) { continuation.yield($0) }
                defer { withExtendedLifetime(subscription) {} }
                try await Self.read(messages, inbox, bucket, changed)
            })
    }

    /// Creates a consumer that delivers the last value of each key, and then each change, and reports what it delivers.
    ///
    /// - Throws: An error of the server, or of a consumer that the server has forgotten or from which a message was lost.
    private static func read(
        _ messages: AsyncStream<NatsMessage?>, _ inbox: String, _ bucket: KeyValueBucket, _ changed: Report
    ) async throws {
        let config: [(String, JSONEntity)] = [
            ("deliver_subject", JSONEntity(inbox)), ("deliver_policy", "last_per_subject"), ("ack_policy", "none"),
            ("filter_subject", JSONEntity(bucket.prefix + ">")), ("replay_policy", "instant"), ("mem_storage", true),
            ("max_deliver", 1), ("idle_heartbeat", JSONEntity(heartbeat.milliseconds * 1_000_000)),
        ]
        let response = try await bucket.request {
            try await bucket.connection.call(
                "CONSUMER.CREATE.\(bucket.stream)",
                [("stream_name", JSONEntity(bucket.stream)), ("config", JSONEntity(object: config))])
        }
        let expected = response["num_pending"].int(0) + response["delivered"]["consumer_seq"].int(0)
        // The entries that aren't reported yet; nil when all were.
        var first: [KeyValueBucket.Entry]? = []
        func complete() { if let entries = first.take() { changed(entries, true) } }
        if expected == 0 { complete() }
        var (count, silence) = (0, 0)
        for await message in messages {
            silence = message == nil ? silence + 1 : 0
            if silence > 15 { throw FleetError(.timedOut, "no message within 15 seconds") }
            guard let message else { continue }
            // If keys change while the server (2.9.10) creates the consumer, it reports more pending messages than it has. The
            // entries are then complete by their number, or at a heartbeat, which follows the last message.
            let isBeat = message.status == 100
            let place = message.subject.hasPrefix(bucket.prefix) ? DeliveredPlace(message.reply) : nil
            guard let last = isBeat ? message.headers[NatsHeader.lastConsumer].flatMap({ Int($0) }) : place?.consumer
            else { continue }
            if !isBeat { count += 1 }
            guard isBeat ? last <= count : last == count else { throw FleetError(.timedOut, "a change was lost") }
            if isBeat {
                if last > 0 { complete() }
                continue
            }
            let key = String(message.subject.dropFirst(bucket.prefix.count))
            let entry = KeyValueBucket.Entry(key: key, value: message.keyValue, revision: place?.stream ?? 0)
            if first == nil { changed([entry], false) } else { first?.append(entry) }
            if place?.pending == 0 || count >= expected { complete() }
        }
    }
}
