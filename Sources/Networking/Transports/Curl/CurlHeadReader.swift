internal import AshlarCore

/// Assembles the heads of a response from the lines that libcurl delivers.
///
/// It follows RFC 9112 and is lenient only where the RFC allows it: a line may end with a bare LF, a field may be
/// folded, a reason phrase may be missing. It reads one response after another, so that its memory is allocated once.
struct CurlHeadReader {
    /// The relation of the response to its request.
    struct Expectation {
        /// Whether the connection may use HTTP/2; otherwise such a version is forged.
        var allowsHTTP2 = true
        /// Whether the request asks for an upgrade; otherwise 101 isn't a valid response.
        var allowsUpgrade = false
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
    private var fields: [HTTPField] = []
    private var bytes = 0
    /// The beginning of a line; libcurl delivers at most 16 KiB at once where it delivers heads as bodies.
    private var partial: [UInt8] = []
    private var interims = 0
    private(set) var framing = Framing()
    /// The bytes of all lines of the response so far.
    private(set) var received = 0

    /// The maximum number of interim heads; more are an attack or a defect.
    static let interimLimit = 32

    /// Starts with a new response.
    mutating func reset(_ expectation: Expectation = Expectation()) {
        self.expectation = expectation
        status = 0
        version = nil
        bytes = 0
        partial = []
        interims = 0
        framing = Framing()
        received = 0
        startFields()
    }

    private mutating func startFields() {
        fields = []
        fields.reserveCapacity(16)
    }

    /// Reads a line with its line ending; returns a head at the empty line that ends it.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> ResponseHead? {
        bytes += line.count
        received += line.count
        if bytes > ResponseHead.mostBytes {
            throw bad("head longer than \(ResponseHead.mostBytes) bytes", limit: ResponseHead.mostBytes)
        }
        guard line.last == UInt8(ascii: "\n") else {
            partial = partial + line
            return nil
        }
        if partial.isEmpty { return try readLine(line) }
        let whole = partial + line
        partial = []
        let head = whole.withUnsafeBytes { line in
            Result { () throws(NetworkError) in try readLine(line) }
        }
        return try head.get()
    }

    private mutating func readLine(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> ResponseHead? {
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let text = line.part(..<end)
        if text.isEmpty { return try finish() }
        if status == 0 {
            try readStatus(text)
        } else {
            try FieldLines.read(text, into: &fields)
        }
        return nil
    }

    private mutating func finish() throws(NetworkError) -> ResponseHead? {
        guard status >= 200 || status == 101 else {
            interims += 1
            guard interims <= Self.interimLimit else { throw bad("more than \(Self.interimLimit) interim responses") }
            status = 0
            bytes = 0
            startFields()
            return nil
        }
        guard status != 101 || expectation.allowsUpgrade else { throw bad("status 101 without a request to upgrade") }
        let head = ResponseHead(status: status, headers: HTTPHeaders(fields), version: version)
        let length = try length(head.headers)
        if head.headers.contains("Transfer-Encoding") {
            try checkTransferCoding(head.headers)
        } else if length != nil, !head.headers.contains("Content-Encoding") {
            framing.contentLength = length
        }
        return head
    }

    /// Returns the announced length, and rejects two different ones, also within one field: the body would have two ends.
    private func length(_ fields: HTTPHeaders) throws(NetworkError) -> Int? {
        if let value = fields.only("Content-Length"), let length = Self.number(value) { return length }
        let lengths = Set(fields.list(for: "Content-Length").map(Self.number))
        guard !lengths.contains(nil) else { throw bad("expected a number as Content-Length") }
        guard lengths.count <= 1 else { throw bad("two different values of Content-Length") }
        return nil
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
    }

    /// Rejects transfer codings other than `chunked`: the transport requests no others (RFC 9112, sections 6.1 and
    /// 7.4).
    private mutating func checkTransferCoding(_ fields: HTTPHeaders) throws(NetworkError) {
        guard version == "1.1" else { throw bad("Transfer-Encoding in HTTP/\(version ?? "")") }
        guard fields.only("Transfer-Encoding")?.lowercased() == "chunked" else {
            throw bad("expected chunked as the only transfer coding")
        }
        framing.isChunked = true
        framing.isAmbiguous = fields.contains("Content-Length")
    }

    private mutating func readStatus(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
        // HTTP/1.y, or HTTP/2 from libcurl itself; a space; three digits; the end, or a space and a reason phrase.
        guard line.count >= 10, line.starts(with: "HTTP/".utf8),
            let space = line.prefix(9).firstIndex(of: UInt8(ascii: " ")), line.count >= space + 4,
            line[(space + 1)...(space + 3)].allSatisfy(\.isDigit),
            line.count == space + 4 || line[space + 4] == UInt8(ascii: " ")
        else { throw bad("malformed status line") }
        let number = line[5..<space]
        if number.elementsEqual("1.1".utf8) {
            version = "1.1"
        } else if number.count == 3, number.starts(with: "1.".utf8), line[7].isDigit {
            version = String(decoding: number, as: UTF8.self)
        } else if number.elementsEqual("2".utf8), expectation.allowsHTTP2 {
            version = "2"
        } else {
            throw bad("unexpected version HTTP/\(HTTPSyntax.printable(String(decoding: number, as: UTF8.self)))")
        }
        status = line[(space + 1)...(space + 3)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw bad("status \(status) below 100") }
    }

    private func bad(_ message: String, limit: Int? = nil) -> NetworkError { FieldLines.bad(message, limit: limit) }
}

/// Parses field lines of heads (RFC 9112, section 5).
enum FieldLines {
    /// Reads a line without its line ending; a line that begins with a space continues the previous field (obs-fold).
    static func read(_ line: UnsafeRawBufferPointer, into fields: inout [HTTPField]) throws(NetworkError) {
        if line[0].isHTTPSpace {
            guard let last = fields.last else { throw bad("the first field line is folded") }
            let more = try value(line)
            let isEmpty = last.value.isEmpty || more.isEmpty
            fields[fields.count - 1].value += (isEmpty ? "" : " ") + more
            return
        }
        var colon = 0
        while colon < line.count, HTTPSyntax.isTokenByte(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
            let hasName = line.firstIndex(of: UInt8(ascii: ":")) ?? 0 > 0
            throw bad(hasName ? "the name of a field is not a token" : "expected a field's name and a colon")
        }
        let name = line.part(..<colon)
        fields.append(HTTPField(text(name, isASCII: true), try value(line.part((colon + 1)...))))
        if fields.count > ResponseHead.mostFields {
            throw bad("more than \(ResponseHead.mostFields) fields", limit: ResponseHead.mostFields)
        }
    }

    /// Returns a value without spaces at its ends.
    private static func value(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) -> String {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start].isHTTPSpace { start += 1 }
        while end > start, bytes[end - 1].isHTTPSpace { end -= 1 }
        let value = bytes.part(start..<end)
        var all: UInt8 = 0
        for byte in value {
            all |= byte
            if (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F {
                throw bad("control character in the value of a field")
            }
        }
        return text(value, isASCII: all < 0x80)
    }

    /// Returns Latin-1 bytes as a string.
    private static func text(_ bytes: UnsafeRawBufferPointer, isASCII: Bool) -> String {
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    static func bad(_ message: String, limit: Int? = nil) -> NetworkError {
        var error = NetworkError(.badResponse, message, phase: .receive)
        error.limit = limit
        return error
    }
}
