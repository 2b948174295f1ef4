internal import AshlarCore
public import AshlarNetworking

extension TestServer {
    /// A request that a test server has received.
    public struct Request: Hashable, Sendable {
        /// The method.
        public var method: HTTPMethod
        /// The path and the query as sent, such as `/notes?page=2`.
        public var target: String
        /// The fields in order.
        public var headers: HTTPHeaders
        /// The body, without the framing of chunks.
        public var body: [UInt8]
        /// The number of the connection on which it arrived, from 1 in the order in which they were accepted.
        public var connection: Int

        /// The body as text; what isn't UTF-8 is replaced.
        public var text: String { String(decoding: body, as: UTF8.self) }

        init(_ request: ServedRequest, connection: Int) {
            method = HTTPMethod(rawValue: request.method)
            target = request.target
            headers = HTTPHeaders(request.fields.map { HTTPField($0.name, $0.value) })
            body = request.body
            self.connection = connection
        }
    }

    /// A response of a test server.
    ///
    /// ```swift
    /// var response = TestServer.Response.text("slow and in pieces")
    /// response.headDelay = .milliseconds(200)
    /// response.chunkBytes = 5
    /// ```
    public struct Response: Hashable, Sendable {
        /// The status.
        public var status: Int = 200
        /// The fields; `Content-Length` or `Transfer-Encoding` is added unless one of them is there.
        public var headers: HTTPHeaders = [:]
        /// The body.
        public var body: [UInt8] = []
        /// The size of the chunks in which the body is sent with `Transfer-Encoding: chunked`; nil, the default, for one
        /// piece with `Content-Length`.
        public var chunkBytes: Int?
        /// The time before the head is sent; none by default.
        public var headDelay: Duration = .zero
        /// The time between the head and the body; none by default.
        public var bodyDelay: Duration = .zero
        /// The number of bytes of the body per second; nil, the default, for as many as possible.
        public var bytesPerSecond: Int?
        /// The way in which the response fails; nil, the default, if it doesn't.
        public var fault: Fault?

        /// Creates a response with a status and no body.
        public init(status: Int = 200) { self.status = status }

        /// Returns a response without a body.
        public static func status(_ status: Int) -> Response { Response(status: status) }

        /// Returns a response with a text in UTF-8.
        public static func text(_ text: String, status: Int = 200) -> Response {
            Response(status, "text/plain; charset=utf-8", Array(text.utf8))
        }

        /// Returns a response with a JSON document.
        public static func json(_ text: String, status: Int = 200) -> Response {
            Response(status, "application/json", Array(text.utf8))
        }

        /// Returns a response with bytes.
        public static func bytes(_ bytes: [UInt8], status: Int = 200) -> Response {
            Response(status, "application/octet-stream", bytes)
        }

        /// Returns a response that fails.
        public static func fault(_ fault: Fault) -> Response {
            var response = Response.text("this response fails")
            response.fault = fault
            return response
        }

        private init(_ status: Int, _ type: String, _ body: [UInt8]) {
            self.status = status
            headers["Content-Type"] = type
            self.body = body
        }
    }

    /// A way in which a response fails.
    public struct Fault: Hashable, Sendable {
        fileprivate enum Kind { case close, reset, stall }
        fileprivate enum Place { case start, request, head, body }
        fileprivate let kind: Kind
        fileprivate let place: Place

        /// The connection is closed when it is accepted, and the request isn't read; an open one is closed after the request.
        public static let closeAtStart = Fault(kind: .close, place: .start)
        /// The connection is closed after the request.
        public static let closeBeforeHead = Fault(kind: .close, place: .request)
        /// The connection is closed after the head.
        public static let closeAfterHead = Fault(kind: .close, place: .head)
        /// The connection is closed after half of the body.
        public static let closeInBody = Fault(kind: .close, place: .body)
        /// The connection is reset after the request.
        public static let resetBeforeHead = Fault(kind: .reset, place: .request)
        /// The connection is reset after half of the body.
        public static let resetInBody = Fault(kind: .reset, place: .body)
        /// Nothing is sent after the request, until the client or the server ends.
        public static let stallBeforeHead = Fault(kind: .stall, place: .request)
        /// Nothing is sent after half of the body, until the client or the server ends.
        public static let stallInBody = Fault(kind: .stall, place: .body)
    }
}

/// Writes a response on the thread of its connection.
struct ResponseWriter {
    private let connection: FaultConnection
    private let request: TestServer.Request

    init(_ connection: FaultConnection, _ request: TestServer.Request) {
        self.connection = connection
        self.request = request
    }

    /// Returns whether the connection can be used for another request.
    func write(_ response: TestServer.Response) -> Bool {
        pause(response.headDelay)
        // A connection that is open already can't be closed when it is accepted.
        for place in [TestServer.Fault.Place.start, .request] {
            if response.fault?.applies(at: place, to: connection) == true { return false }
        }
        let isChunked = response.chunkBytes != nil
        guard connection.write(head(response, isChunked)) else { return false }
        if response.fault?.applies(at: .head, to: connection) == true { return false }
        pause(response.bodyDelay)
        let hasBody =
            request.method != .head && response.status >= 200 && response.status != 204 && response.status != 304
        if hasBody, !writeBody(response, isChunked) { return false }
        let asksForEnd = [request.headers["Connection"], response.headers["Connection"]].contains { value in
            value?.lowercased() == "close"
        }
        if asksForEnd { connection.finish() }
        return !asksForEnd
    }

    private func head(_ response: TestServer.Response, _ isChunked: Bool) -> [UInt8] {
        var head = Array("HTTP/1.1 \(response.status) Status\r\n".utf8) + lines(response.headers)
        let isFramed = response.headers.contains("Content-Length") || response.headers.contains("Transfer-Encoding")
        if !isFramed, response.status >= 200, response.status != 204 {
            head += (isChunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(response.body.count)\r\n").utf8
        }
        return head + [13, 10]
    }

    private func lines(_ fields: HTTPHeaders) -> [UInt8] {
        var lines: [UInt8] = []
        for field in fields {
            lines += "\(field.name): ".utf8
            lines += field.valueBytes
            lines += [13, 10]
        }
        return lines
    }

    private func writeBody(_ response: TestServer.Response, _ isChunked: Bool) -> Bool {
        let body = response.body
        let half = response.fault.map { $0.isInBody ? body.count / 2 : body.count } ?? body.count
        // A slow body is sent ten times a second.
        let rate = response.bytesPerSecond.map { max($0, 1) }
        let piece = max(min(response.chunkBytes ?? .max, rate.map { max($0 / 10, 1) } ?? .max), 1)
        var start = 0
        while start < half {
            let end = half - start > piece ? start + piece : half
            let bytes = body[start..<end]
            let isWritten =
                isChunked
                ? connection.write(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
                : connection.write(bytes)
            guard isWritten else { return false }
            start = end
            if let rate, start < half { pause(.seconds(Double(bytes.count) / Double(rate))) }
        }
        if response.fault?.applies(at: .body, to: connection) == true { return false }
        guard isChunked else { return true }
        return connection.write("0\r\n\r\n")
    }

    private func pause(_ time: Duration) {
        if time > .zero { connection.pause(time / .seconds(1)) }
    }
}

extension TestServer.Fault {
    fileprivate var isInBody: Bool { place == .body }

    /// Ends or stalls the connection if the fault is at this moment; returns whether it is.
    fileprivate func applies(at moment: Place, to connection: FaultConnection) -> Bool {
        guard moment == place else { return false }
        switch kind {
        case .close: connection.finish()
        case .reset: connection.reset()
        case .stall: _ = connection.waitForClose()
        }
        return true
    }
}
