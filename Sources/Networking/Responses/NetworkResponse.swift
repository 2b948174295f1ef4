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
    /// The first hop of the request, or nil if nothing was sent.
    var sent: Hop?
    /// Whether a body of the announced length follows; false for HEAD and 304.
    var bringsBody = true
    /// The transport's record of the end of the exchange.
    var ending: (any ExchangeEndSource)?
    /// The connection of a response with status 101, if the request has an upgrade.
    package var upgraded: (any UpgradedConnection)?

    /// The status.
    public var status: Int { head.status }
    /// The fields.
    public var headers: HTTPHeaders { head.headers }
    /// The measurements of the exchange, or nil before its end and if ``RequestOptions/measures`` is false.
    public var metrics: ExchangeMetrics? { ending?.end?.metrics }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The maximum number of bytes to collect; nil for no limit.
    /// - Returns: The complete response.
    /// - Throws: `.bodyTooLarge` at the first byte over the limit, and any reason for an early end.
    public func collect(upTo limit: Int? = 16 << 20) async throws(NetworkError) -> NetworkResponse {
        try await collect(upTo: limit, format: body.format)
    }

    func collect(upTo limit: Int?, format: JSONFormat) async throws(NetworkError) -> NetworkResponse {
        let bytes = try await body.collect(upTo: limit, announced: bringsBody ? head.contentLength : nil)
        return complete(bytes, format: format)
    }

    /// Returns the response with a body whose values have a format.
    func formatted(_ format: JSONFormat) -> StreamedResponse {
        guard body.format != format else { return self }
        var response = self
        response.body = ResponseBody(ChunkBodySource([], rest: body), format: format)
        return response
    }

    /// Returns the response with a body that has been read.
    func complete(_ bytes: [UInt8], format: JSONFormat) -> NetworkResponse {
        NetworkResponse(
            head: head, bytes: bytes, url: url, history: history, jsonFormat: format, end: ending?.end)
    }
}

extension StreamedResponse {
    /// Creates a response.
    public init(head: ResponseHead, body: ResponseBody, url: HTTPURL) {
        self.init(head: head, body: body, url: url, history: [])
    }

    init(head: ResponseHead, source: some ResponseBodySource & ExchangeEndSource, url: HTTPURL) {
        self.init(head: head, body: ResponseBody(source), url: url, ending: source)
    }
}

/// A complete response: status, fields and body.
public struct NetworkResponse: Sendable {
    /// The status and fields.
    package var head: ResponseHead
    /// The whole body.
    public var bytes: [UInt8]
    /// The URL that the response is from, after redirects.
    public var url: HTTPURL
    /// The URLs that redirected here, oldest first.
    public var history: [HTTPURL]
    /// The format of dates and keys in JSON; that of the client that received the response.
    var jsonFormat: JSONFormat
    /// The end of the exchange if it was measured.
    var end: ExchangeEnd?

    /// The status.
    public var status: Int { head.status }
    /// The fields.
    public var headers: HTTPHeaders { head.headers }
    /// The measurements of the last exchange, or nil if ``RequestOptions/measures`` is false or a cache answered.
    public var metrics: ExchangeMetrics? { end?.metrics }
}

/// The measurements of an exchange, which arrive with its end; a class, because most responses have none.
final class ExchangeEnd: Sendable {
    let metrics: ExchangeMetrics

    init(_ metrics: ExchangeMetrics) { self.metrics = metrics }
}

/// A source of a response that reports the end of its exchange.
protocol ExchangeEndSource: AnyObject, Sendable {
    /// The end, or nil before it and if the exchange isn't measured.
    var end: ExchangeEnd? { get }
}
