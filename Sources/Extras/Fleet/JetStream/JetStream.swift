internal import AshlarCore
internal import AshlarNetworking

/// Requests to JetStream, the part of a NATS server that stores messages.
///
/// The subjects and the JSON are those of the reference "JetStream API" of the NATS documentation. They are the same for
/// all versions of the server since 2.2, unlike the structures of the C client.
struct JetStream: Sendable {
    let connection: NatsConnection

    /// An error of the server.
    struct Failure: Error {
        let status: Int
        let number: Int
        let text: String

        static let streamNotFound = 10059
        static let streamNameInUse = 10058
        static let wrongLastSequence = 10071
        static let messageTooLarge = 10054
    }

    /// Sends a request to the server and returns its response.
    ///
    /// - Throws: ``Failure``, `FleetError` or `CancellationError`.
    @discardableResult
    func call(_ operation: String, _ body: JSONEntity? = nil) async throws -> JSONEntity {
        let message = NatsMessage(subject: "$JS.API." + operation, reply: nil, payload: body?.bytes() ?? [])
        do {
            return try Self.response(try await connection.request(message, within: connection.options.timeout))
        } catch let error as FleetError where error.code == .noResponder {
            throw FleetError(.rejected, "the server has no JetStream, or it isn't ready", subject: operation)
        }
    }

    /// Reads a response.
    static func response(_ message: NatsMessage) throws -> JSONEntity {
        let response: JSONEntity
        do { response = try JSONEntity(parsing: message.payload) } catch {
            throw FleetError(.rejected, "the server's response isn't JSON", subject: message.subject)
        }
        guard response["error"].isObject else { return response }
        throw Failure(
            status: response["error"]["code"].int(0), number: response["error"]["err_code"].int(0),
            text: response["error"]["description"].string(""))
    }

    // MARK: Streams

    /// Creates a stream unless it exists, or adds subjects that it lacks; its other settings remain those of its operator.
    func createStream(_ name: String, subjects: [String], settings: [(String, JSONEntity)]) async throws {
        let identity: [(String, JSONEntity)] = [
            ("name", JSONEntity(name)), ("subjects", JSONEntity(array: subjects.map { JSONEntity($0) })),
        ]
        while true {
            do {
                let config = try await call("STREAM.INFO.\(name)")["config"]
                let known = Set(config["subjects"].array([]).map { $0.string("") })
                let missing = subjects.filter { !known.contains($0) }
                if missing.isEmpty { return }
                let all = config["subjects"].array([]) + missing.map { JSONEntity($0) }
                let members = config.keys.map { ($0, $0 == "subjects" ? JSONEntity(array: all) : config[$0]) }
                // Another process may add its subjects at the same time, so the result is checked.
                try await call("STREAM.UPDATE.\(name)", JSONEntity(object: members))
            } catch let failure as Failure where failure.number == Failure.streamNotFound {
                do {
                    try await call("STREAM.CREATE.\(name)", JSONEntity(object: identity + settings))
                } catch let failure as Failure where failure.number == Failure.streamNameInUse {
                    continue
                }
            }
        }
    }

    // MARK: Messages

    /// Stores a message and returns its sequence number.
    func publish(_ message: NatsMessage) async throws -> Int {
        do {
            let reply = try await connection.request(message, within: connection.options.timeout)
            return try Self.response(reply)["seq"].int(0)
        } catch let error as FleetError where error.code == .noResponder {
            throw FleetError(.rejected, "no stream stores the subject", subject: message.subject)
        }
    }

    /// Returns a stored message with its number in ``NatsMessage/sequence``; nil if there is none.
    ///
    /// The stream must exist and permit direct reads; otherwise the server doesn't respond. The server 2.9.10 crashes if the
    /// other kind of read arrives while the stream is being created.
    ///
    /// - Parameters:
    ///   - stream: The name of the stream.
    ///   - wanted: `last_by_subj`, or `seq` and `next_by_subj`.
    /// - Returns: The message, or nil.
    /// - Throws: ``FleetError`` without a connection or without a response in time.
    func message(in stream: String, _ wanted: [(String, JSONEntity)]) async throws -> NatsMessage? {
        let request = NatsMessage(
            subject: "$JS.API.DIRECT.GET.\(stream)", payload: JSONEntity(object: wanted).bytes())
        var message = try await connection.request(request, within: connection.options.timeout)
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
        guard numbers.count == 5, numbers[0] > 0 else { return nil }
        deliveries = Int(clamping: numbers[0])
        stream = Int(clamping: numbers[1])
        consumer = Int(clamping: numbers[2])
        time = numbers[3]
        pending = Int(clamping: numbers[4])
    }

    /// Returns whether the consumer has delivered this message for the first time, directly after another one.
    ///
    /// The stream then contains nothing between them that the consumer must deliver.
    func follows(_ other: DeliveredPlace?) -> Bool {
        guard let other else { return false }
        return deliveries == 1 && other.deliveries == 1 && consumer == other.consumer + 1 && stream > other.stream
    }
}

extension JetStream.Failure: CustomStringConvertible {
    var description: String { "\(text) (\(number))" }
}
