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
    /// The canonical host that the URL's host stands for, or nil if the URL is to be requested as it is.
    public var canonicalHost: CanonicalHost?

    /// Creates a request.
    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = .init()
    ) {
        (self.method, self.url, self.headers, self.body, self.options) = (method, url, headers, body, options)
    }
}

/// A host as endpoints name it, before the client's host choice puts an actual one in its place.
public struct CanonicalHost: Hashable, Sendable {
    /// The name, with `:port` if the endpoint gives one; perhaps only an alias.
    public var name: String
    /// The scheme that the endpoint asks for, or nil if it leaves it to the host map, else https.
    public var scheme: HTTPURL.Scheme?

    /// Creates a canonical host.
    public init(_ name: String, scheme: HTTPURL.Scheme? = nil) { (self.name, self.scheme) = (name, scheme) }
}
