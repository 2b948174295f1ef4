/// A request: method, URL, header fields, body and options.
///
/// Middleware and the transport receive a request with the host that was selected when the request was sent.
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
    /// The absolute URL; a request with user information is rejected.
    public var url: HTTPURL {
        didSet {
            // Another host isn't the one that the canonical host stands for.
            if canonicalHost != nil, url.host != oldValue.host || url.port != oldValue.port { canonicalHost = nil }
        }
    }
    /// The header fields; the transport adds `Host`, `Content-Length` and `Transfer-Encoding`.
    public var headers: HTTPHeaders
    /// The body.
    public var body: RequestBody
    /// Timeouts, limits and policies; those that aren't set are the client's.
    public var options: RequestOptions
    /// The canonical host that the URL's host represents, or nil if the URL has the actual host.
    package var canonicalHost: CanonicalHost?

    /// The credentials that the client added, or nil.
    var credentials: ClientCredentials?
    /// Called once, when the reader of the response learns about the end of the exchange; nil if nothing asks for it.
    var measured: (@Sendable (ExchangeMetrics) -> Void)?
    /// The protocol to continue with, or nil for an ordinary request.
    package var upgrade: (any ConnectionUpgrade)?

    /// The credentials with which the transport answers a digest challenge, or nil.
    var digest: BasicCredentials? { credentials?.digest }
    /// Whether bodies are inflated; a request with its own Accept-Encoding receives the body unchanged.
    var inflates: Bool { options.decompresses && !headers.contains("Accept-Encoding") }
    /// Whether the exchange is measured.
    var isMeasured: Bool { options.measures || measured != nil }

    /// Creates a request.
    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = .init()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.options = options
    }

    /// Creates a request for a URL in a string.
    ///
    /// - Throws: `.invalidURL`.
    public init(
        _ method: HTTPMethod = .get, _ url: String, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = .init()
    ) throws(NetworkError) {
        self.init(method, try HTTPURL(url), headers: headers, body: body, options: options)
    }
}

/// A host named by endpoints, which the client's host selection replaces with an actual one.
package struct CanonicalHost: Hashable, Sendable {
    /// The name, with `:port` if the endpoint has one; it may be an alias that doesn't resolve.
    package var name: String
    /// The scheme that the endpoint requests, or nil for the host map's, else https.
    package var scheme: HTTPURL.Scheme?

    /// Creates a canonical host.
    package init(_ name: String, scheme: HTTPURL.Scheme? = nil) {
        self.name = name
        self.scheme = scheme
    }
}

/// The credentials that a client adds to a request.
struct ClientCredentials: Sendable {
    /// The field that was added, or nil.
    var field: HTTPField?
    /// The credentials with which the transport answers a digest challenge, or nil.
    var digest: BasicCredentials?
    /// Whether they may be sent to other machines over plain HTTP.
    var allowsPlainHTTP: Bool
}

/// The protocol that a request asks for in place of HTTP, such as that of WebSockets (RFC 9110, section 7.8).
///
/// The library of the protocol adds the fields of the request, and continues on the connection of the response.
package protocol ConnectionUpgrade: Sendable {}

/// The connection of a response with status 101.
package protocol UpgradedConnection: AnyObject, Sendable {
    /// Ends the connection, optionally after everything has been sent.
    func end(afterSending: Bool)
}

extension NetworkRedaction {
    /// Returns a URL as a string, with user information and secret values of query and fragment replaced.
    package func redact(_ url: HTTPURL) -> String {
        var text = url.scheme.rawValue + "://"
        if url.userInfo != nil { text += placeholder + "@" }
        text += url.authority + url.path
        if let query = url.query { text += "?" + redact(query: query) }
        if let fragment = url.fragment { text += "#" + redact(query: fragment) }
        return text
    }

    /// Returns the parts of a request that can be displayed.
    package func redact(_ request: NetworkRequest) -> RedactedRequest {
        RedactedRequest(method: request.method, url: redact(request.url), headers: redact(request.headers))
    }
}
