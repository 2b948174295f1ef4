/// Status line and fields of an answer.
public struct ResponseHead: Hashable, Sendable {
    /// The status, 100 to 999.
    public var status: Int
    /// The fields, in the order they came; field values are kept byte by byte (Latin-1).
    public var headers: HTTPHeaders
    /// The version the server spoke, such as `1.1` or `2`, if the transport knows it.
    public var version: String?

    /// Creates a head.
    public init(status: Int, headers: HTTPHeaders = [:], version: String? = nil) {
        (self.status, self.headers, self.version) = (status, headers, version)
    }

    /// The announced length of the body, or nil if there is none that can be relied on.
    ///
    /// Nil as well while the body is encoded, because a body is inflated before it is handed out, and where it comes in
    /// chunks, which count instead (RFC 9112, 6.3).
    public var contentLength: Int? {
        guard !headers.contains("Content-Encoding") else { return nil }
        guard let length = headers.announcedLength, !headers.contains("Transfer-Encoding") else { return nil }
        return length
    }
}

/// An answer whose body is still to come: what transports and middleware hand on, and what streaming returns.
public struct StreamedResponse: Sendable {
    /// Status and fields.
    public var head: ResponseHead
    /// The body, pulled piece by piece by one reader.
    public var body: ResponseBody
    /// The URL that answered at last; after redirects another than was asked for.
    public var url: HTTPURL
    /// The URLs that led here by redirects, oldest first.
    public var history: [HTTPURL] = []
    /// When the stages of the exchange were reached, as far as the transport knows.
    public var timings: TransportTimings = .init()
    /// Whether the announced length is that of a body which comes; not so for HEAD and 304.
    var bringsBody = true

    /// Creates an answer.
    public init(head: ResponseHead, body: ResponseBody, url: HTTPURL) {
        (self.head, self.body, self.url) = (head, body, url)
    }

    /// The status.
    public var status: Int { head.status }
    /// The fields.
    public var headers: HTTPHeaders { head.headers }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The most bytes to collect; nil is no limit.
    /// - Returns: The complete answer.
    /// - Throws: `.bodyTooLarge` at the first byte over the limit, and whatever ends the body early.
    public func collect(upTo limit: Int? = 16 << 20) async throws(NetworkError) -> NetworkResponse {
        let bytes = try await body.collect(upTo: limit, announced: bringsBody ? head.contentLength : nil)
        return NetworkResponse(head: head, bytes: bytes, url: url, history: history, timings: timings)
    }
}

/// A complete answer: status, fields and all bytes of the body.
public struct NetworkResponse: Sendable {
    /// Status and fields.
    public var head: ResponseHead
    /// The whole body.
    public var bytes: [UInt8]
    /// The URL that answered at last; after redirects another than was asked for.
    public var url: HTTPURL
    /// The URLs that led here by redirects, oldest first.
    public var history: [HTTPURL]
    /// When the stages of the exchange were reached, as far as the transport knows.
    public var timings: TransportTimings

    /// Creates a complete answer.
    public init(
        head: ResponseHead, bytes: [UInt8], url: HTTPURL, history: [HTTPURL] = [], timings: TransportTimings = .init()
    ) {
        (self.head, self.bytes, self.url, self.history, self.timings) = (head, bytes, url, history, timings)
    }

    /// The status.
    public var status: Int { head.status }
    /// The fields.
    public var headers: HTTPHeaders { head.headers }
}

/// How long after the start of an exchange its stages were reached; nil where unknown or not applicable.
public struct TransportTimings: Hashable, Sendable {
    /// When the host's name was resolved; nil when a connection was used again.
    public var resolved: Duration?
    /// When the connection was open; nil when one was used again.
    public var connected: Duration?
    /// When encryption was agreed on; nil when a connection was used again.
    public var secured: Duration?
    /// When the first byte of the answer came.
    public var firstByte: Duration?
    /// Whether an open connection was used again.
    public var reusedConnection: Bool?

    /// Creates timings in which nothing is known.
    public init() {}
}
