/// Puts a head together from the lines libcurl hands over one by one; interim heads (1xx) are passed over.
///
/// It serves one answer after the other, so that its memory is not allocated for each.
final class CurlHeadReader {
    private var status = 0
    private var version: String?
    private let fields = ReceivedFields.Builder()
    private var bytes = 0
    private var interims = 0
    private var trailerBytes = 0
    private(set) var contentLength: Int?

    /// More interim heads than this are an attack or a defect.
    static let interimLimit = 32

    /// Begins with a new answer.
    func reset() {
        (status, version, bytes, interims, trailerBytes, contentLength) = (0, nil, 0, 0, 0, nil)
        fields.removeAll()
    }

    /// Takes a line with its line end; returns the head when the line is the empty one that ends it.
    func read(_ line: UnsafeRawBufferPointer, limits: ResponseLimits) throws(NetworkError) -> ResponseHead? {
        bytes += line.count
        if bytes > limits.headBytes {
            throw bad("the head is longer than \(limits.headBytes) bytes", limit: limits.headBytes)
        }
        // Newer versions of libcurl hand over the beginning of a line behind which the connection ended.
        guard line.last == 0x0A else {
            throw NetworkError(.truncated, "the answer ended within its head", phase: .receive)
        }
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = UnsafeRawBufferPointer(rebasing: line[..<end])
        if text.isEmpty { return try finish() }
        if status == 0 {
            try readStatus(text)
        } else if text[0].isHTTPSpace {
            try unfold(text)
        } else {
            try readField(text)
            if fields.count > limits.headerFields {
                throw bad("the head has more than \(limits.headerFields) fields", limit: limits.headerFields)
            }
        }
        return nil
    }

    private func finish() throws(NetworkError) -> ResponseHead? {
        guard status >= 200 || status == 101 else {
            interims += 1
            guard interims <= Self.interimLimit else { throw bad("more than \(Self.interimLimit) interim answers") }
            (status, bytes) = (0, 0)
            fields.removeAll()
            return nil
        }
        let fields = self.fields.build()
        try checkLength(fields)
        let head = ResponseHead(status: status, headers: HTTPHeaders(fields), version: version)
        contentLength = head.contentLength
        return head
    }

    /// Two lengths that differ, also within one field, would let the body end in two places.
    private func checkLength(_ fields: ReceivedFields) throws(NetworkError) {
        guard fields.plainLength == nil, fields.contains("Content-Length") else { return }
        var first: Int?
        for value in fields.values("Content-Length") {
            for part in value.split(separator: ",") {
                guard let length = Self.number(part.trimmingHTTPSpace()) else {
                    throw bad("expected a number as Content-Length")
                }
                guard first == nil || first == length else { throw bad("found two different Content-Lengths") }
                first = length
            }
        }
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }

    /// Passes over a field behind the body; all of them together may be as long as a head.
    func skipTrailer(_ line: UnsafeRawBufferPointer, limits: ResponseLimits) throws(NetworkError) {
        trailerBytes += line.count
        if trailerBytes > limits.headBytes {
            throw bad("the trailer is longer than \(limits.headBytes) bytes", limit: limits.headBytes)
        }
    }

    private func readStatus(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
        // HTTP/x.y or HTTP/x, a space, three digits, then the end or a space and a reason.
        guard line.count >= 10, line.starts(with: "HTTP/".utf8),
            let space = line.prefix(12).firstIndex(of: 0x20), space > 5, line.count >= space + 4,
            line[(space + 1)...(space + 3)].allSatisfy(\.isASCIIDigit),
            line.count == space + 4 || line[space + 4] == 0x20
        else { throw bad("the status line is not HTTP") }
        status = line[(space + 1)...(space + 3)].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100 else { throw bad("the status \(status) is none") }
        let isLatest = space == 8 && line[5] == 0x31 && line[6] == 0x2E && line[7] == 0x31
        version = isLatest ? "1.1" : String(decoding: line[5..<space], as: UTF8.self)
    }

    private func readField(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
            throw bad("a field has no name and colon")
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        guard name.allSatisfy(HTTPSyntax.isTokenByte) else { throw bad("a field's name is not a token") }
        let value = try trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        fields.append(name: name, value: value)
    }

    /// A line that begins with a space continues the one before (obs-fold; RFC 9112, 5.2).
    private func unfold(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
        guard fields.count > 0 else { throw bad("the head begins with a continued line") }
        fields.extendLast(try trimmed(line))
    }

    private func trimmed(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start].isHTTPSpace { start += 1 }
        while end > start, bytes[end - 1].isHTTPSpace { end -= 1 }
        let value = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        var controls: UInt8 = 0
        for byte in value { controls |= (byte < 0x20 && byte != 0x09) || byte == 0x7F ? 1 : 0 }
        if controls != 0 { throw bad("a field's value contains a control character") }
        return value
    }

    private func bad(_ message: String, limit: Int? = nil) -> NetworkError {
        var error = NetworkError(.badResponse, message, phase: .receive)
        error.limit = limit
        return error
    }
}
