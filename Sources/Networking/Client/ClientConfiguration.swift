/// Settings shared by all requests of a client, fixed when the client is created.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.headers["Accept-Language"] = "de"
/// configuration.options.totalTimeout = .seconds(30)
/// let client = NetworkClient(configuration)
/// ```
@dynamicMemberLookup
public struct ClientConfiguration: Sendable {
    /// The base URL or canonical host of the paths given to `get(_:)`, `post(_:_:)` and so on; none by default.
    public var base: EndpointHost?
    /// The default options of endpoints.
    public var options: RequestOptions = .init()
    /// Changes the options before each request of an endpoint or method, for example from settings that are reloaded;
    /// nil changes nothing.
    public var adjustsOptions: (@Sendable (inout RequestOptions) -> Void)?
    /// Fields sent with every request that doesn't set them itself.
    public var headers: HTTPHeaders = ["User-Agent": "Ashlar", "Accept": "*/*"]
    /// The steps around every request, outermost first; retries are innermost.
    public var middleware: [any NetworkMiddleware] = []
    /// The policy for retries, or nil, the default, to send each request once.
    public var retry: RetryPolicy?
    /// The observers of requests; none by default.
    public var observers: [any NetworkObserver] = []
    /// The cookie jar, or nil to ignore cookies; a jar in memory by default.
    public var cookies: CookieJar? = CookieJar()
    /// The rule for hiding secrets in errors and events.
    public var redaction: NetworkRedaction = .standard
    /// The settings of the transport; their members are also members of this configuration.
    public var transport: TransportConfiguration = .init()

    /// The options of the next request.
    var requestOptions: RequestOptions {
        var options = options
        adjustsOptions?(&options)
        return options
    }

    /// Creates the default configuration.
    public init() {}

    /// A setting of the transport.
    public subscript<Value>(dynamicMember path: WritableKeyPath<TransportConfiguration, Value>) -> Value {
        get { transport[keyPath: path] }
        set { transport[keyPath: path] = newValue }
    }
}
