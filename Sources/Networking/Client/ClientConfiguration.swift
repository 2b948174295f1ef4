/// Settings shared by all requests of a client, fixed when the client is created.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.headers["Accept-Language"] = "de"
/// configuration.options.totalTimeout = .seconds(30)
/// let client = NetworkClient(configuration)
/// ```
public struct ClientConfiguration: Sendable {
    /// The base URL or canonical host of the paths given to `get(_:)`, `post(_:_:)` and so on; none by default.
    public var base: EndpointHost?
    /// The options of every request where it doesn't set its own.
    public var options: RequestOptions = .init()
    /// Changes the options before each request, for example from settings that are reloaded;
    /// nil changes nothing.
    package var adjustsOptions: (@Sendable (inout RequestOptions) -> Void)?
    /// Fields sent with every request that doesn't set them itself.
    public var headers: HTTPHeaders = ["User-Agent": "Ashlar", "Accept": "*/*"]
    /// The steps around every request, outermost first: each call of the client passes them once, including calls that the
    /// cache answers; cache, authentication and retries are inside them.
    public var middleware: [any NetworkMiddleware] = []
    /// The steps around every attempt to send a request, outermost first, behind cache, authentication and retries.
    ///
    /// They receive the request with its credentials. A step that measures or records attempts belongs here:
    ///
    /// ```swift
    /// struct AttemptTime: NetworkMiddleware {
    ///     func intercept(
    ///         _ request: NetworkRequest, next: NetworkNext
    ///     ) async throws(NetworkError) -> StreamedResponse {
    ///         let start = ContinuousClock.now
    ///         defer { print("one attempt took", ContinuousClock.now - start) }
    ///         return try await next(request)
    ///     }
    /// }
    ///
    /// var configuration = ClientConfiguration()
    /// configuration.retry = .standard
    /// configuration.attemptMiddleware.append(AttemptTime())
    /// ```
    ///
    /// The cache doesn't store the response to a request that gets `Authorization`, `Cookie`, another secret field, or
    /// another URL here.
    public var attemptMiddleware: [any NetworkMiddleware] = []
    /// The cache of responses, or nil, the default, to send every request to the server.
    public var cache: ResponseCache?
    /// The credentials of requests, or nil, the default, to send none.
    public var authentication: NetworkAuthentication?
    /// Signs each hop after host selection, for example with a hash of its URL and fields; nil, the default, changes
    /// nothing.
    ///
    /// The closure receives the request as it will be sent, with cookies and credentials. It is called again for each retry
    /// and for each redirect to the same origin. A redirect to another origin isn't signed.
    public var signs: (@Sendable (inout NetworkRequest) async throws -> Void)?
    /// The format of dates and keys in the JSON of requests and responses.
    public var json: JSONFormat = .init()
    /// The policy for retries, or nil, the default, to send each request once.
    public var retry: RetryPolicy?
    /// The observers of requests; none by default.
    public var observers: [NetworkObserver] = []
    /// The cookie jar, or nil to ignore cookies; a jar in memory by default.
    public var cookies: CookieJar? = CookieJar()
    /// The rule for hiding secrets in errors and events.
    public var redaction: NetworkRedaction = .standard
    /// The settings of the transport.
    public var transport: TransportConfiguration = .init()

    /// The clock of total timeouts and events, which a test can replace.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }

    /// The options of the next request.
    package var requestOptions: RequestOptions {
        var options = options
        adjustsOptions?(&options)
        return options
    }

    /// Creates the default configuration.
    public init() {}
}
