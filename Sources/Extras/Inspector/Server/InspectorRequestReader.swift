/// Reads one request of HTTP/1.1 from the bytes of a connection.
struct InspectorRequestReader: Sendable {
    /// The maximum size of a head.
    static let largestHead = 16 << 10

    private var bytes: [UInt8] = []
    private var head: (request: InspectorRequest, bodyStart: Int, length: Int)?

    /// Adds bytes, and returns the request when it is complete.
    ///
    /// - Throws: A refusal for a malformed or too large head.
    mutating func add(_ more: some Sequence<UInt8>) throws(InspectorRefusal) -> InspectorRequest? {
        // The end of the head can begin in the bytes before.
        let searched = max(0, bytes.count - 3)
        bytes += more
        if head == nil { head = try Self.head(of: bytes, searched: searched) }
        guard let (head, start, length) = head else {
            if bytes.count > Self.largestHead { throw InspectorRefusal(status: 431, reason: "the head is too large") }
            return nil
        }
        var request = head
        request.isTooLarge = length > InspectorRequest.largestBody
        if request.isTooLarge { return request }
        guard bytes.count - start >= length else { return nil }
        request.body = Array(bytes[start..<(start + length)])
        return request
    }

    private static func head(
        of bytes: [UInt8], searched: Int
    ) throws(InspectorRefusal) -> (InspectorRequest, Int, Int)? {
        let end = Array("\r\n\r\n".utf8)
        guard let place = bytes[searched...].firstRange(of: end) else { return nil }
        let malformed = InspectorRefusal(status: 400, reason: "the request is malformed")
        guard place.upperBound <= largestHead else {
            throw InspectorRefusal(status: 431, reason: "the head is too large")
        }
        let lines = String(decoding: bytes[..<place.lowerBound], as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", !words[1].isEmpty else {
            throw malformed
        }
        var fields: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
                line[..<colon].allSatisfy({ $0.isASCII && !$0.isWhitespace })
            else { throw malformed }
            fields.append((String(line[..<colon]), String(line[line.index(after: colon)...]).trimmedSpaces))
        }
        let request = InspectorRequest(method: String(words[0]), target: String(words[1]), fields: fields)
        let lengths = request.values("Content-Length")
        guard request.values("Transfer-Encoding").isEmpty, lengths.count <= 1 else { throw malformed }
        guard let length = Int(lengths.first ?? "0"), length >= 0 else { throw malformed }
        return (request, place.upperBound, length)
    }
}

extension String {
    fileprivate var trimmedSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        let trailing = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return String(start.dropLast(trailing))
    }
}

extension InspectorResponse {
    /// The head of the response for a connection that ends after it.
    var head: [UInt8] {
        var text = "HTTP/1.1 \(status) \(status < 400 ? "OK" : "Refused")\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if case .bytes(let bytes) = body { text += "Content-Length: \(bytes.count)\r\n" }
        return Array((text + "Connection: close\r\n\r\n").utf8)
    }
}
