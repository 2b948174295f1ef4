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
    private struct Parts {
        var method: HTTPMethod
        var url: HTTPURL
        var headers: HTTPHeaders
        var body: RequestBody
        var options: RequestOptions
        var canonicalHost: CanonicalHost?
        var refusesPrivateAddresses = false
    }

    /// All parts behind one reference, because a request is handed on many times and changed rarely.
    private final class Storage: @unchecked Sendable {
        // Sendable because it is changed only while one request refers to it.
        var parts: Parts
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
    /// The fields; `Host`, `Content-Length` and `Transfer-Encoding` are added by the transport.
    public var headers: HTTPHeaders {
        _read { yield parts.headers }
        _modify { yield &parts.headers }
    }
    /// The body.
    public var body: RequestBody {
        _read { yield parts.body }
        _modify { yield &parts.body }
    }
    /// Timeouts, limits and rules.
    public var options: RequestOptions {
        _read { yield parts.options }
        _modify { yield &parts.options }
    }
    /// The canonical host that the URL's host stands for, or nil if the URL is to be requested as it is.
    public var canonicalHost: CanonicalHost? {
        _read { yield parts.canonicalHost }
        _modify { yield &parts.canonicalHost }
    }
    /// Whether a redirect led here that may not lead to a private address; see `RedirectPolicy`.
    var refusesPrivateAddresses: Bool {
        _read { yield parts.refusesPrivateAddresses }
        _modify { yield &parts.refusesPrivateAddresses }
    }

    /// Creates a request.
    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = .init()
    ) {
        storage = Storage(Parts(method: method, url: url, headers: headers, body: body, options: options))
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

/// A host as endpoints name it, before the client's host choice puts an actual one in its place.
public struct CanonicalHost: Hashable, Sendable {
    /// The name, with `:port` if the endpoint gives one; perhaps only an alias.
    public var name: String
    /// The scheme that the endpoint asks for, or nil if it leaves it to the host map, else https.
    public var scheme: HTTPURL.Scheme?

    /// Creates a canonical host.
    public init(_ name: String, scheme: HTTPURL.Scheme? = nil) { (self.name, self.scheme) = (name, scheme) }
}
