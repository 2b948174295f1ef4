/// Looks up which host a canonical host stands for now; nil leaves it as it is.
///
/// `endpointScheme` is the scheme that the endpoint asks for, or nil. The returned host may carry a port; a
/// returned scheme wins over the endpoint's.
public typealias HostResolver =
    @Sendable (_ canonicalHost: String, _ endpointScheme: String?) -> (scheme: String?, host: String)?

/// What all requests of a client share; frozen when the client is made.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.headers["Accept-Language"] = "de"
/// configuration.options.totalTimeout = .seconds(30)
/// let client = NetworkClient(configuration)
/// ```
public struct ClientConfiguration: Sendable {
    /// The options that endpoints and requests start from.
    public var options: RequestOptions = .init()
    /// Fields that are sent with every request that does not set them itself.
    public var headers: HTTPHeaders = ["User-Agent": "Ashlar", "Accept": "*/*"]
    /// The steps around every request, outermost first.
    public var middleware: [any NetworkMiddleware] = []
    /// Who is told what happens; none unless added.
    public var observers: [any NetworkObserver] = []
    /// Where cookies are kept, or nil to keep none; a jar in memory unless set.
    public var cookies: CookieJar? = CookieJar()
    /// What is hidden in errors and events.
    public var redaction: NetworkRedaction = .standard
    /// The most connections to one host; 8 unless set.
    public var connectionsPerHost: Int = 8
    /// The most connections in all; 128 unless set.
    public var connections: Int = 128
    /// How long an unused connection stays open; 55 s unless set.
    public var connectionIdleTime: Duration = .seconds(55)
    /// A file of PEM certificates to trust instead of the system's roots; `CurlTransport` only.
    public var trustRoots: String?
    /// The public keys to insist on, per host in lower case, as `sha256//<base64>` separated by `;`; `CurlTransport` only.
    public var pinnedKeys: [String: String] = [:]
    /// Whether `http_proxy`, `https_proxy` and `no_proxy` of the environment are heeded; `CurlTransport` only.
    public var usesEnvironmentProxies: Bool = false

    /// Creates the default configuration.
    public init() {}
}
