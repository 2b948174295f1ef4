/// One request: method, URL, fields, body and how it is to be carried out.
///
/// A request is a value. Middleware receives it with the canonical host of its endpoint, a transport with the
/// host that was chosen for it.
///
/// ```swift
/// var request = NetworkRequest(.post, try HTTPURL("https://api.example.com/notes"))
/// request.headers["Accept"] = "application/json"
/// request.body = .bytes(Array("hello".utf8), contentType: "text/plain")
/// request.options.totalTimeout = .seconds(5)
/// ```
public struct NetworkRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL.
    public var url: HTTPURL
    /// The fields; `Host`, `Content-Length` and `Transfer-Encoding` are added by the transport.
    public var headers: HTTPHeaders
    /// The body.
    public var body: RequestBody
    /// Timeouts, limits and rules.
    public var options: RequestOptions

    /// Creates a request.
    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = .init()
    ) {
        (self.method, self.url, self.headers, self.body, self.options) = (method, url, headers, body, options)
    }
}
