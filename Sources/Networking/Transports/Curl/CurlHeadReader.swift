internal import AshlarCore

/// Assembles the heads of a response from the lines that libcurl delivers.
///
/// It follows RFC 9112 and is lenient only where the RFC allows it: a line may end with a bare LF, a field may be
/// folded, a reason phrase may be missing. It reads one response after another, so that its memory is allocated once.
final class CurlHeadReader {
    /// The relation of the response to its request.
    struct Expectation {
        /// Whether the connection uses TLS; without it, HTTP/2 isn't possible and such a version is forged.
        var isSecure = true
        /// Whether the request asks for an upgrade; otherwise 101 isn't a valid response.
        var allowsUpgrade = false
        /// Whether interim heads (1xx) are returned; otherwise they are skipped.
        var reportsInterims = false
    }

    /// The framing of the body by the head.
    struct Framing {
        var contentLength: Int?
        var isChunked = false
        /// Whether the head has a length in addition to chunks, so that another recipient could see another end.
        var isAmbiguous = false
    }

    private var expectation = Expectation()
    private var status = 0
    private var version: String?
    private let fields = ReceivedFields.Builder()
    private var bytes = 0
    private var interims = 0
    private(set) var framing = Framing()
    /// The bytes of all lines of the response so far.
    private(set) var received = 0

    /// The maximum number of interim heads; more are an attack or a defect.
    static let interimLimit = 32

    /// Starts with a new response.
    func reset(_ expectation: Expectation = Expectation()) {
        self.expectation = expectation
        (status, version, bytes, interims, framing, received) = (0, nil, 0, 0, Framing(), 0)
        fields.removeAll()
    }

    /// Reads a line with its line ending; returns a head at the empty line that ends it.
    func read(_ line: UnsafeRawBufferPointer, limits: ResponseLimits) throws(NetworkError) -> ResponseHead? {
        bytes += line.count
        received += line.count
        if bytes > limits.headBytes {
            throw bad("head longer than \(limits.headBytes) bytes", limit: limits.headBytes)
        }
        // New versions of libcurl deliver an incomplete line if the connection ends within it.
        guard line.last == 0x0A else {
            throw NetworkError(.truncated, "the response ended within its head", phase: .receive)
        }
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = line.part(..<end)
        if text.isEmpty { return try finish() }
        if status == 0 {
            try readStatus(text)
        } else {
            try FieldLines.read(text, into: fields, limits: limits)
        }
        return nil
    }

    private func finish() throws(NetworkError) -> ResponseHead? {
        guard status >= 200 || status == 101 else {
            interims += 1
            guard interims <= Self.interimLimit else { throw bad("more than \(Self.interimLimit) interim responses") }
            defer {
                (status, bytes) = (0, 0)
                fields.removeAll()
            }
            guard expectation.reportsInterims else { return nil }
            return ResponseHead(status: status, headers: HTTPHeaders(fields.build()), version: version)
        }
        guard status != 101 || expectation.allowsUpgrade else { throw bad("status 101 without a request to upgrade") }
        let fields = self.fields.build()
        try checkLength(fields)
        let head = ResponseHead(status: status, headers: HTTPHeaders(fields), version: version)
        framing.contentLength = head.contentLength
        if fields.contains("Transfer-Encoding") { try checkTransferCoding(fields) }
        return head
    }

    /// Rejects two different lengths, also within one field: the body would have two ends.
    private func checkLength(_ fields: ReceivedFields) throws(NetworkError) {
        guard fields.plainLength == nil, fields.contains("Content-Length") else { return }
        var first: Int?
        for value in fields.values("Content-Length") {
            for part in value.split(separator: ",") {
                guard let length = Self.number(part.trimmingHTTPSpace()) else {
                    throw bad("expected a number as Content-Length")
                }
                guard first == nil || first == length else { throw bad("two different values of Content-Length") }
                first = length
            }
        }
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
    }

    /// Rejects transfer codings other than `chunked`: the transport requests no others (RFC 9112, sections 6.1 and
    /// 7.4).
    private func checkTransferCoding(_ fields: ReceivedFields) throws(NetworkError) {
        guard version == "1.1" else { throw bad("Transfer-Encoding in HTTP/\(version ?? "")") }
        let values = fields.values("Transfer-Encoding")
        guard values.count == 1, values[0].lowercased() == "chunked" else {
            throw bad("expected chunked as the only transfer coding")
        }
        framing.isChunked = true
        framing.isAmbiguous = fields.contains("Content-Length")
    }

    private func readStatus(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
        // HTTP/1.y, or HTTP/2 from libcurl itself; a space; three digits; the end, or a space and a reason phrase.
        guard line.count >= 10, line.starts(with: "HTTP/".utf8),
            let space = line.prefix(9).firstIndex(of: 0x20), line.count >= space + 4,
            line[(space + 1)...(space + 3)].allSatisfy(\.isDigit),
            line.count == space + 4 || line[space + 4] == 0x20
        else { throw bad("malformed status line") }
        let number = line[5..<space]
        if number.elementsEqual("1.1".utf8) {
            version = "1.1"
        } else if number.count == 3, number.starts(with: "1.".utf8), line[7].isDigit {
            version = String(decoding: number, as: UTF8.self)
        } else if number.elementsEqual("2".utf8), expectation.isSecure {
            version = "2"
        } else {
            throw bad("unexpected version HTTP/\(HTTPSyntax.printable(String(decoding: number, as: UTF8.self)))")
        }
        status = line[(space + 1)...(space + 3)].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100 else { throw bad("status \(status) below 100") }
    }

    private func bad(_ message: String, limit: Int? = nil) -> NetworkError { FieldLines.bad(message, limit: limit) }
}
