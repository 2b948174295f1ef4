internal import AshlarCore
internal import AshlarNetworking

/// Requests to JetStream, the part of a NATS server that stores messages.
///
/// The subjects and the JSON are those of the reference "JetStream API" of the NATS documentation. They are the same for
/// all versions of the server since 2.2, unlike the structures of the C client.
extension NatsConnection {
    /// Numbers of the server's errors.
    private static let streamNotFound = 10059
    private static let subjectsOverlap = 10065
    private static let streamNameInUse = 10058
    private static let wrongLastSequence = 10071
    private static let messageTooLarge = 10054
    static let notEnabled = 10076
    static let notEnabledForAccount = 10039

    /// Sends a request to the server and returns its response.
    ///
    /// - Throws: `FleetError` or `CancellationError`.
    @discardableResult
    func call(_ operation: String, _ body: [(String, JSONEntity)] = []) async throws -> JSONEntity {
        let bytes = body.isEmpty ? [] : JSONEntity(object: body).bytes()
        let message = NatsMessage(subject: "$JS.API." + operation, payload: bytes)
        do {
            return try Self.response(try await request(message, within: options.timeout))
        } catch let error as FleetError where error.code == .noResponder {
            var missing = FleetError(
                .rejected, "the server has no JetStream, or it isn't ready", subject: message.subject)
            missing.number = Self.notEnabled
            throw missing
        }
    }

    /// Reads a response.
    static func response(_ message: NatsMessage) throws -> JSONEntity {
        guard let response = try? JSONEntity(parsing: message.payload) else {
            throw FleetError(.rejected, "the server's response isn't JSON", subject: message.subject)
        }
        guard response["error"].isObject else { return response }
        let number = response["error"]["err_code"].int(0)
        let code: FleetError.Code =
            switch number {
            case wrongLastSequence, streamNameInUse: .conflict
            case messageTooLarge: .invalidPayload
            default: .rejected
            }
        var error = FleetError(code, response["error"]["description"].string("") + " (\(number))")
        error.number = number
        throw error
    }

    // MARK: Streams

    /// Creates a stream unless it exists, or adds subjects that it lacks and permits direct reads; its other settings remain
    /// those of its operator.
    ///
    /// A new one is on disk. It removes messages after an age or beyond a size, the oldest first.
    func createStream(
        _ name: String, subjects: [String], age: Duration?, bytes: Int? = nil, _ settings: [(String, JSONEntity)] = []
    ) async throws {
        var all: [(String, JSONEntity)] = [
            ("name", JSONEntity(name)), ("subjects", JSONEntity(array: subjects.map { JSONEntity($0) })),
            ("storage", "file"), ("allow_direct", true),
        ]
        if let age { all.append(("max_age", JSONEntity(age.milliseconds * 1_000_000))) }
        if let bytes { all.append(("max_bytes", JSONEntity(bytes))) }
        var hasOverlapped = false
        while true {
            do {
                let config = try await call("STREAM.INFO.\(name)")["config"]
                let known = config["subjects"].array([]).map { $0.string("") }
                // Those of an earlier release can cover new ones, or be covered by them.
                let isComplete = subjects.allSatisfy { new in known.contains { SubjectSet.covers($0, new) } }
                if isComplete, config["allow_direct"].bool(false) { return }
                let united = SubjectSet.reduced(known + subjects).map { JSONEntity($0) }
                let changed: [(String, JSONEntity)] = [("subjects", JSONEntity(array: united)), ("allow_direct", true)]
                let members = config.keys.filter { key in !changed.contains { $0.0 == key } }.map { ($0, config[$0]) }
                // Another process may add its subjects at the same time, so the result is checked.
                try await call("STREAM.UPDATE.\(name)", members + changed)
            } catch let error as FleetError where error.number == Self.streamNotFound {
                do { try await call("STREAM.CREATE.\(name)", all + settings) } catch let error as FleetError
                    where error.code == .conflict || error.number == Self.subjectsOverlap && !hasOverlapped
                {
                    // Another process may create it first. If both do at the same moment, the server may report that the
                    // subjects overlap with those of this stream itself; with those of another stream, it repeats that.
                    hasOverlapped = error.number == Self.subjectsOverlap
                }
            }
        }
    }

    // MARK: Messages

    /// Stores a message and returns its sequence number.
    func store(_ message: NatsMessage) async throws -> Int {
        do {
            return try Self.response(try await request(message, within: options.timeout))["seq"].int(0)
        } catch let error as FleetError where error.code == .noResponder {
            throw FleetError(.rejected, "no stream stores the subject", subject: message.subject)
        }
    }

    /// Returns a stored message with its number in ``NatsMessage/sequence``; nil if there is none.
    ///
    /// The stream must exist and permit direct reads; otherwise the server doesn't respond. The server 2.9.10 crashes if the
    /// other kind of read arrives while the stream is being created.
    ///
    /// `wanted` is `last_by_subj`, or `seq` and `next_by_subj`.
    func message(in stream: String, _ wanted: [(String, JSONEntity)]) async throws -> NatsMessage? {
        let request = NatsMessage(
            subject: "$JS.API.DIRECT.GET.\(stream)", payload: JSONEntity(object: wanted).bytes())
        var message = try await self.request(request, within: options.timeout)
        if message.status == 404 { return nil }
        guard let subject = message.headers[NatsHeader.subject],
            let sequence = message.headers[NatsHeader.sequence].flatMap({ Int($0) })
        else { throw FleetError(.rejected, "the server's response isn't a stored message", subject: stream) }
        message.subject = subject
        message.sequence = sequence
        return message
    }
}

/// The place of a delivered message in its stream and consumer, from the subject of its acknowledgement.
struct DeliveredPlace: Sendable {
    let deliveries: Int
    let stream: Int
    let consumer: Int
    /// The time at which the message was stored, in nanoseconds by the server's clock.
    let time: Int64
    /// The number of messages that the consumer hasn't delivered yet.
    let pending: Int

    /// Reads `$JS.ACK.(domain.account.)stream.consumer.deliveries.stream.consumer.time.pending(.token)`.
    init?(_ reply: String?) {
        guard let tokens = reply?.split(separator: "."), tokens.count >= 9, tokens[0] == "$JS", tokens[1] == "ACK"
        else { return nil }
        let numbers = tokens.dropFirst(tokens.count == 9 ? 4 : 6).prefix(5).compactMap { Int64($0) }
        guard numbers.count == 5, numbers[0] > 0, numbers[1...2].allSatisfy({ $0 < Int64(Int.max) }) else { return nil }
        deliveries = Int(clamping: numbers[0])
        stream = Int(clamping: numbers[1])
        consumer = Int(clamping: numbers[2])
        time = numbers[3]
        pending = Int(clamping: numbers[4])
    }

    /// Returns whether both are places of the same event.
    func isSameEvent(as other: DeliveredPlace) -> Bool { stream == other.stream && time == other.time }

    /// Returns whether the consumer has delivered this message for the first time, directly after another one.
    ///
    /// The stream then contains nothing between them that the consumer must deliver.
    func follows(_ other: DeliveredPlace?) -> Bool {
        guard let other else { return false }
        return deliveries == 1 && other.deliveries == 1 && consumer == other.consumer + 1 && stream > other.stream
    }
}
