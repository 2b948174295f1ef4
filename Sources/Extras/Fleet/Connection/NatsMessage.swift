internal import CAshlarNats
internal import Foundation

/// A message, received or to be sent.
struct NatsMessage: Sendable {
    var subject: String
    var reply: String?
    var payload: [UInt8]
    var headers: [String: String] = [:]
    /// The number in the stream of a message that was read from it.
    var sequence: Int?

    /// The status of a message without a payload that comes from the server, such as 503 for no responders.
    var status: Int? { payload.isEmpty ? headers["Status"].flatMap { Int($0) } : nil }

    /// The value that the message gives to a key of a bucket; nil if it deletes the key.
    var keyValue: [UInt8]? { headers[NatsHeader.operation] == nil ? payload : nil }
}

extension NatsMessage {
    /// Copies a message of the library.
    init(_ message: UnsafeMutableRawPointer, _ table: UnsafePointer<ashlar_nats>) {
        subject = table.pointee.natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
        reply = table.pointee.natsMsg_GetReply(message).map { String(cString: $0) }
        let count = Int(table.pointee.natsMsg_GetDataLength(message))
        payload = [UInt8](UnsafeRawBufferPointer(start: table.pointee.natsMsg_GetData(message), count: count))
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var total: Int32 = 0
        guard table.pointee.natsMsgHeader_Keys(message, &names, &total) == NatsStatus.ok, let names else { return }
        defer { free(names) }
        for name in UnsafeBufferPointer(start: names, count: Int(total)).lazy.compactMap({ $0 }) {
            var value: UnsafePointer<CChar>?
            guard table.pointee.natsMsgHeader_Get(message, name, &value) == NatsStatus.ok, let value else { continue }
            headers[String(cString: name)] = String(cString: value)
        }
    }
}

/// The names of headers that the server and this product use.
enum NatsHeader {
    /// The identity of a stored message, by which the server removes duplicates.
    static let messageID = "Nats-Msg-Id"
    /// The sequence number that the last message of the subject must have.
    static let expectedSubjectSequence = "Nats-Expected-Last-Subject-Sequence"
    /// The subject and the number of a message that was read from a stream.
    static let subject = "Nats-Subject"
    static let sequence = "Nats-Sequence"
    /// The operation of an entry of a bucket: `DEL` or `PURGE`; absent for a value.
    static let operation = "KV-Operation"
    /// The sequence number of the last message that was delivered before a heartbeat.
    static let lastConsumer = "Nats-Last-Consumer"
    static let traceParent = "traceparent"
    static let traceState = "tracestate"
    static let source = "Ashlar-Source"
    static let time = "Ashlar-Time"
    static let correlation = "Ashlar-Correlation"
    /// The time limit of a request in milliseconds.
    static let limit = "Ashlar-Limit"
    /// The error of a responder; the payload is then empty.
    static let error = "Ashlar-Error"
    /// The identity and the number of deliveries of a stored event, which its receiver adds.
    static let receivedID = "Ashlar-Message-ID"
    static let deliveries = "Ashlar-Deliveries"
    /// Why an event became a dead letter.
    static let deadLetterReason = "Dead-Letter-Reason"

    /// Returns a value in one line, because a line break would begin another header.
    static func line(_ value: String) -> String {
        value.utf8.allSatisfy { $0 >= 0x20 }
            ? value : String(decoding: value.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// Returns whether a name is well-formed and isn't one of the server or of this product.
    static func isFree(_ name: String) -> Bool {
        let isToken = !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
        return isToken && !["nats-", "kv-", "ashlar-", "status", "trace"].contains { name.lowercased().hasPrefix($0) }
    }
}
