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
    var contentLength: Int? {
        guard !headers.contains("Content-Encoding") else { return nil }
        guard let length = headers.announcedLength, !headers.contains("Transfer-Encoding") else { return nil }
        return length
    }
}
