/// A request: method, URL, header fields, body and options.
///
/// Middleware receives a request with the canonical host of its endpoint; a transport receives it with the selected
/// host.
///
/// ```swift
/// var request = NetworkRequest(.post, try HTTPURL("https://api.example.com/notes"))
/// request.headers["Accept"] = "application/json"
/// request.body = .bytes(Array("hello".utf8), contentType: "text/plain")
/// request.options.totalTimeout = .seconds(5)
/// ```
public struct NetworkRequest: Sendable {
    private struct Parts {
        var method: HTTPMethod
        var url: HTTPURL
        var headers: HTTPHeaders
        var body: RequestBody
        var options: RequestOptions
        var canonicalHost: CanonicalHost?
        var refusesPrivateAddresses = false
        var authorizer: (any HopAuthorizer)?
        var hasLeftOrigin = false
        var hooks: ExchangeHooks?
        var upgrade: WebSocketHandshake?
    }

    /// The parts share one reference, because a request is copied often and changed rarely.
    private final class Storage: @unchecked Sendable {
        // Unchecked because it is changed only while one request refers to it, which also makes accesses exclusive.
        // Benchmark row "cache, authentication and retries, idle: POST": 0.96-1.01 µs, and 1.01-1.04 µs with checks.
        @exclusivity(unchecked) var parts: Parts
        init(_ parts: Parts) { self.parts = parts }
    }

    private var storage: Storage

    private var parts: Parts {
        _read { yield storage.parts }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.parts) }
            yield &storage.parts
        }
    }

    /// The method.
    public var method: HTTPMethod {
        _read { yield parts.method }
        _modify { yield &parts.method }
    }
    /// The URL.
    public var url: HTTPURL {
        _read { yield parts.url }
        _modify { yield &parts.url }
    }
    /// The header fields; the transport adds `Host`, `Content-Length` and `Transfer-Encoding`.
    public var headers: HTTPHeaders {
        _read { yield parts.headers }
        _modify { yield &parts.headers }
    }
    /// The body.
    public var body: RequestBody {
        _read { yield parts.body }
        _modify { yield &parts.body }
    }
    /// Timeouts, limits and policies.
    public var options: RequestOptions {
        _read { yield parts.options }
        _modify { yield &parts.options }
    }
    /// The canonical host that the URL's host represents, or nil to send the request to the URL's host.
    public var canonicalHost: CanonicalHost? {
        _read { yield parts.canonicalHost }
        _modify { yield &parts.canonicalHost }
    }
    /// Whether the request is a redirect under a policy that rejects private addresses; see `RedirectPolicy`.
    var refusesPrivateAddresses: Bool {
        _read { yield parts.refusesPrivateAddresses }
        _modify { yield &parts.refusesPrivateAddresses }
    }

    /// Adds credentials to each hop, or nil.
    var authorizer: (any HopAuthorizer)? {
        _read { yield parts.authorizer }
        _modify { yield &parts.authorizer }
    }
    /// Whether a redirect led to another origin, which must not receive credentials or signatures.
    var hasLeftOrigin: Bool {
        _read { yield parts.hasLeftOrigin }
        _modify { yield &parts.hasLeftOrigin }
    }

    /// The client's handlers for the details of the exchange, or nil.
    var hooks: ExchangeHooks? {
        _read { yield parts.hooks }
        _modify { yield &parts.hooks }
    }

    /// The handshake of a WebSocket, or nil for an ordinary request.
    var upgrade: WebSocketHandshake? {
        _read { yield parts.upgrade }
        _modify { yield &parts.upgrade }
    }

    /// Whether the exchange is measured.
    var isMeasured: Bool { parts.options.measures || parts.hooks != nil }

    /// Whether interim heads are reported.
    var reportsInterims: Bool { parts.options.interim != nil || parts.hooks != nil }

    /// Reports an interim head to the observers and the request's own handler.
    func observeInterim(_ head: ResponseHead) {
        parts.hooks?.interim(head)
        parts.options.interim?(head)
    }

    /// Creates a request.
    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = .init()
    ) {
        storage = Storage(Parts(method: method, url: url, headers: headers, body: body, options: options))
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

    init(
        _ method: HTTPMethod, _ url: HTTPURL, headers: HTTPHeaders, body: RequestBody, options: RequestOptions,
        canonicalHost: CanonicalHost?
    ) {
        storage = Storage(
            Parts(
                method: method, url: url, headers: headers, body: body, options: options, canonicalHost: canonicalHost))
    }
}

/// A host named by endpoints, which the client's host selection replaces with an actual one.
public struct CanonicalHost: Hashable, Sendable {
    /// The name, with `:port` if the endpoint has one; it may be an alias that doesn't resolve.
    public var name: String
    /// The scheme that the endpoint requests, or nil for the host map's, else https.
    public var scheme: HTTPURL.Scheme?

    /// Creates a canonical host.
    public init(_ name: String, scheme: HTTPURL.Scheme? = nil) { (self.name, self.scheme) = (name, scheme) }
}
