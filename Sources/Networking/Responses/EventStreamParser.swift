internal import AshlarCore

/// Reads the bytes of an event stream (WHATWG HTML, section 9.2.6), in pieces of any length.
struct EventStreamParser {
    /// The maximum number of bytes of one event, including its field names.
    static let limit = 1 << 20

    /// The identifier of the last event, for `Last-Event-ID`.
    private(set) var lastID = ""
    /// The delay before a reconnection that the server requests.
    private(set) var retry: Duration?

    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var isFirstLine = true
    private var size = 0
    private var id = ""
    private var type = ""
    private var data: [UInt8]?

    /// Reads a piece and emits the events that it completes.
    ///
    /// - Throws: `.bodyTooLarge` for an event of more than 1 MiB.
    mutating func read(_ bytes: [UInt8], emit: (ServerSentEvent) -> Void) throws(NetworkError) {
        for byte in bytes {
            let isSecondOfPair = endedWithReturn && byte == 0x0A
            endedWithReturn = byte == 0x0D
            if isSecondOfPair { continue }
            if byte == 0x0D || byte == 0x0A {
                if let event = endLine() { emit(event) }
            } else {
                size += 1
                guard size <= Self.limit else {
                    throw ResponseBody.tooLarge(Self.limit, "an event is longer than allowed")
                }
                line.append(byte)
            }
        }
    }

    /// Discards an incomplete event at the end of a connection; the last identifier is preserved.
    mutating func reconnect() {
        let (lastID, retry) = (lastID, retry)
        self = EventStreamParser()
        (self.lastID, id, self.retry) = (lastID, lastID, retry)
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty { return endEvent() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            readField(line[...], [])
            return nil
        }
        guard colon > 0 else {
            size -= line.count  // a comment
            return nil
        }
        let value = line[(colon + 1)...]
        readField(line[..<colon], value.first == 0x20 ? value.dropFirst() : value)
        return nil
    }

    private mutating func readField(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if name.elementsEqual("data".utf8) {
            data = data.map { $0 + [0x0A] + value } ?? Array(value)
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8), !value.contains(0) {
            id = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("retry".utf8), !value.isEmpty, value.allSatisfy(\.isDigit) {
            // A delay is limited to one day.
            retry = .milliseconds(min(Int32(String(decoding: value, as: UTF8.self)) ?? .max, 86_400_000))
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        size = 0
        lastID = id
        defer { (type, data) = ("", nil) }
        guard let data else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self), id: lastID)
    }
}
