/// The status line and header fields of a response.
public struct ResponseHead: Hashable, Sendable {
    /// The status, 100 to 999.
    public var status: Int
    /// The fields in the received order; each character of a value represents one byte (Latin-1).
    public var headers: HTTPHeaders
    /// The HTTP version of the server, such as `1.1` or `2`, if the transport knows it.
    public var version: String?

    /// Creates a head.
    public init(status: Int, headers: HTTPHeaders = [:], version: String? = nil) {
        (self.status, self.headers, self.version) = (status, headers, version)
    }

    /// The announced length of the body, or nil if there is none or it isn't reliable.
    ///
    /// It is nil for an encoded body, because bodies are decompressed before they are returned, and for a chunked body,
    /// whose chunks define its length (RFC 9112, 6.3).
    public var contentLength: Int? {
        guard !headers.contains("Content-Encoding") else { return nil }
        guard let length = headers.announcedLength, !headers.contains("Transfer-Encoding") else { return nil }
        return length
    }
}

/// A response whose body hasn't been read yet.
public struct StreamedResponse: Sendable {
    /// The status and fields.
    public var head: ResponseHead
    /// The body, which one reader reads piece by piece.
    public var body: ResponseBody
    /// The URL that the response is from, after redirects.
    public var url: HTTPURL
    /// The URLs that redirected here, oldest first.
    public var history: [HTTPURL] = []
    /// The times at which the exchange reached its stages, if the transport knows them.
    public var timings: TransportTimings = .init()
    /// Whether a body of the announced length follows; false for HEAD and 304.
    var bringsBody = true

    /// Creates a response.
    public init(head: ResponseHead, body: ResponseBody, url: HTTPURL) {
        (self.head, self.body, self.url) = (head, body, url)
    }

    /// The status.
    public var status: Int { head.status }
    /// The fields.
    public var headers: HTTPHeaders { head.headers }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The maximum number of bytes to collect; nil for no limit.
    /// - Returns: The complete response.
    /// - Throws: `.bodyTooLarge` at the first byte over the limit, and any reason for an early end.
    public func collect(upTo limit: Int? = 16 << 20) async throws(NetworkError) -> NetworkResponse {
        let bytes = try await body.collect(upTo: limit, announced: bringsBody ? head.contentLength : nil)
        return NetworkResponse(head: head, bytes: bytes, url: url, history: history, timings: timings)
    }
}

/// A complete response: status, fields and body.
public struct NetworkResponse: Sendable {
    /// The status and fields.
    public var head: ResponseHead
    /// The whole body.
    public var bytes: [UInt8]
    /// The URL that the response is from, after redirects.
    public var url: HTTPURL
    /// The URLs that redirected here, oldest first.
    public var history: [HTTPURL]
    /// The times at which the exchange reached its stages, if the transport knows them.
    public var timings: TransportTimings

    /// Creates a complete response.
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

/// The times from the start of an exchange to its stages; nil if unknown or not applicable.
public struct TransportTimings: Hashable, Sendable {
    /// The time when the name was resolved; nil for a reused connection.
    public var resolved: Duration?
    /// The time when the connection was open; nil for a reused connection.
    public var connected: Duration?
    /// The time when the TLS handshake was complete; nil for a reused connection.
    public var secured: Duration?
    /// The time when the first byte of the response arrived.
    public var firstByte: Duration?
    /// Whether the connection was reused.
    public var reusedConnection: Bool?

    /// Creates timings without known values.
    public init() {}
}
