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
        static let consumerNotFound = 10014
        static let messageNotFound = 10037
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

    /// Returns the last message of a subject, without wildcards; nil if there is none.
    func lastMessage(in stream: String, subject: String) async throws -> NatsMessage? {
        let body = JSONEntity(object: [("last_by_subj", JSONEntity(subject))])
        do {
            let message = try await call("STREAM.MSG.GET.\(stream)", body)["message"]
            var result = NatsMessage(
                subject: message["subject"].string(""), reply: nil,
                payload: Base64.decode(message["data"].string("").utf8) ?? [])
            let head = Base64.decode(message["hdrs"].string("").utf8) ?? []
            result.headers = Self.headers(String(decoding: head, as: UTF8.self))
            result.headers[Self.sequenceHeader] = "\(message["seq"].int(0))"
            return result
        } catch let failure as Failure where failure.number == Failure.messageNotFound {
            return nil
        }
    }

    /// The pseudo header with the sequence number of a message that was read.
    static let sequenceHeader = "Nats-Sequence"

    /// Parses the headers of a stored message, which follow a line with the version.
    private static func headers(_ text: String) -> [String: String] {
        var headers: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return headers
    }
}

/// The place of a delivered message in its stream and consumer, from the subject of its acknowledgement.
struct DeliveredPlace: Sendable {
    let deliveries: Int
    let stream: Int
    let consumer: Int
    /// The number of messages that the consumer hasn't delivered yet.
    let pending: Int

    /// Reads `$JS.ACK.(domain.account.)stream.consumer.deliveries.stream.consumer.time.pending(.token)`.
    init?(_ reply: String?) {
        guard let tokens = reply?.split(separator: "."), tokens.count >= 9, tokens[0] == "$JS", tokens[1] == "ACK"
        else {
            return nil
        }
        let first = tokens.count == 9 ? 4 : 6
        guard tokens.count > first + 4, let deliveries = Int(tokens[first]), let stream = Int(tokens[first + 1]),
            let consumer = Int(tokens[first + 2]), let pending = Int(tokens[first + 4])
        else { return nil }
        self.deliveries = deliveries
        self.stream = stream
        self.consumer = consumer
        self.pending = pending
    }
}

extension JetStream.Failure: CustomStringConvertible {
    var description: String { "\(text) (\(number))" }
}
