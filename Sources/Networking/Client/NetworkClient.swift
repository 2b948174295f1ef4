/// Sends endpoints and requests through middleware, host selection and redirects over a transport.
///
/// A client is immutable and thread-safe. Create one and share it: its transport owns the open connections. Statuses
/// outside 200–299 throw unless the options accept them.
///
/// ```swift
/// struct Version: Endpoint {
///     typealias Output = String
///     let host: EndpointHost = "api.example.com"
///     let path: EndpointPath = "version"
/// }
///
/// func printVersion(_ client: NetworkClient) async {
///     do {
///         print(try await client.send(Version()))
///     } catch {
///         print(error.userMessage)
///     }
/// }
/// ```
public final class NetworkClient: Sendable {
    /// The settings shared by all requests.
    public let configuration: ClientConfiguration
    /// The transport, which performs one hop at a time.
    package let transport: any NetworkTransport
    /// Returns the current host of a canonical host.
    private let hosts: HostResolver?
    /// All steps of the configuration, outermost first.
    private let chain: [any NetworkMiddleware]
    private let cache: CacheMiddleware?
    /// The end of the chain.
    private let sender: HopSender

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The settings shared by all requests.
    ///   - transport: The transport; nil creates the platform's default with the configuration's limits.
    ///   - hosts: The switch that selects the hosts of canonical hosts; nil leaves every host unchanged.
    public convenience init(
        _ configuration: ClientConfiguration = .init(), transport: (any NetworkTransport)? = nil,
        hosts: HostSwitch? = nil
    ) {
        var configuration = configuration
        configuration.authentication?.hostSwitch = hosts
        self.init(configuration, transport: transport, hosts: hosts?.resolver)
    }

    /// Creates a client that resolves canonical hosts with a function.
    package init(
        _ configuration: ClientConfiguration = .init(), transport: (any NetworkTransport)? = nil,
        hosts: HostResolver?
    ) {
        let transport = transport ?? Self.platformTransport(configuration.transport)
        self.configuration = configuration
        self.transport = transport
        self.hosts = hosts
        let authentication = configuration.authentication.map {
            AuthenticationMiddleware($0, base: configuration.base)
        }
        cache = configuration.cache.map { cache in
            CacheMiddleware(
                cache, cookies: configuration.cookies, redaction: configuration.redaction,
                authentication: authentication, isSigned: configuration.signs != nil)
        }
        var chain = configuration.middleware
        if let cache { chain.append(cache) }
        if let authentication { chain.append(authentication) }
        if let retry = configuration.retry { chain.append(RetryMiddleware(retry)) }
        self.chain = chain + configuration.attemptMiddleware
        sender = HopSender(
            transport, cookies: configuration.cookies, signs: configuration.signs, redaction: configuration.redaction)
    }

    /// A client with the default configuration and without host environments, created on first use.
    public static let shared = NetworkClient()

    /// A description of the transport: `libcurl 7.88.1`, `URLSession`, or the reason for which every request fails.
    public var transportDescription: String {
        #if os(Linux)
            if let curl = transport as? CurlTransport { return "libcurl \(curl.version)" }
        #else
            if transport is URLSessionTransport { return "URLSession" }
        #endif
        if let failing = transport as? FailingTransport { return failing.error.message }
        return String(describing: type(of: transport))
    }

    /// Returns the transport that a client has by default, for a transport that wraps it: libcurl's on Linux, `URLSession`'s
    /// on Apple systems.
    ///
    /// If it is missing or can't honor the configuration, the returned transport fails each request; protection is never
    /// reduced.
    public static func platformTransport(_ configuration: TransportConfiguration = .init()) -> any NetworkTransport {
        do throws(NetworkError) {
            #if os(Linux)
                return try CurlTransport(configuration)
            #else
                return try URLSessionTransport(configuration)
            #endif
        } catch {
            return FailingTransport(error: error)
        }
    }

    /// Sends an endpoint and returns its output, which is decoded on the actor of the caller.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Returns: The decoded response.
    /// - Throws: Any failure, with the redacted request and the number of attempts.
    public nonisolated(nonsending) func send<E: Endpoint>(_ endpoint: E) async throws(NetworkError) -> E.Output {
        try await complete(endpoint.makeRequest(options: configuration.requestOptions)) {
            response throws(NetworkError) in try endpoint.decode(response)
        }
    }

    /// Sends a request and returns the complete response.
    ///
    /// Options that the request doesn't set are those of ``ClientConfiguration/options``.
    ///
    /// - Parameter request: The request.
    /// - Returns: The head and body of the response.
    /// - Throws: Any failure; `.bodyTooLarge` for a body over the limit.
    public func send(_ request: NetworkRequest) async throws(NetworkError) -> NetworkResponse {
        try await complete(request) { response throws(NetworkError) in response }
    }

    /// Sends a request and returns when the head of the response arrives.
    ///
    /// - Parameter request: The request.
    /// - Returns: The head, and a body to read in pieces.
    /// - Throws: Any failure up to the head, including an unacceptable status.
    public func stream(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await stream(begin(prepared(request)))
    }

    /// Sends the request of a call and returns when the head of the response arrives.
    func stream(_ call: RequestCall) async throws(NetworkError) -> StreamedResponse {
        do throws(NetworkError) {
            return call.observing(try await response(to: call))
        } catch {
            throw call.ended(with: error)
        }
    }

    /// Sends an endpoint and returns when the head of the response arrives, without decoding.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Returns: The head, and a body to read in pieces.
    /// - Throws: Any failure up to the head, including an unacceptable status.
    public nonisolated(nonsending) func stream<E: Endpoint>(_ endpoint: E) async throws(NetworkError)
        -> StreamedResponse
    {
        try await stream(endpoint.makeRequest(options: configuration.requestOptions))
    }

    /// Explains the cache's decision for a request in one line.
    ///
    /// Nothing is sent or stored. Middleware before the cache isn't run. If the cache is a folder, the thread waits for
    /// the disk.
    ///
    /// ```swift
    /// func show(_ client: NetworkClient) throws {
    ///     print(try client.explain(NetworkRequest(.get, "https://api.example.com/notes")))
    ///     // cached: fresh for 240 s more (max-age=300, age 60)
    /// }
    /// ```
    ///
    /// - Parameter request: The request.
    /// - Returns: The result and its reason; a response that would come from the cache starts with `cached:`.
    /// - Throws: `.invalidURL` if the host selection returns an invalid host.
    public func explain(_ request: NetworkRequest) throws(NetworkError) -> String {
        guard let cache else { return "not cached: the client has no cache" }
        var request = prepared(request)
        try resolve(&request)
        return cache.explain(request)
    }

    // MARK: The path of a request

    /// Sends a request, reads its response to the end and decodes it on the actor of the caller.
    nonisolated(nonsending) func complete<Output>(
        _ request: consuming NetworkRequest, _ decode: (NetworkResponse) throws(NetworkError) -> Output
    ) async throws(NetworkError) -> Output {
        let call = try begin(prepared(request))
        do throws(NetworkError) {
            let streamed = try await response(to: call)
            do throws(NetworkError) {
                let response = try await streamed.collect(
                    upTo: call.request.options.maximumCollectedBytes, format: configuration.json)
                let output = try decode(response)
                call.ended(received: response.bytes.count, status: response.status)
                return output
            } catch {
                throw call.describing(error, streamed)
            }
        } catch {
            throw call.ended(with: error)
        }
    }

    /// Begins a call with the host that is selected now, for all its attempts.
    func begin(_ request: consuming NetworkRequest) throws(NetworkError) -> RequestCall {
        do throws(NetworkError) {
            try resolve(&request)
        } catch {
            throw started(request).ended(with: error)
        }
        return started(request)
    }

    /// Begins a call of a request that has its host.
    func started(_ request: consuming NetworkRequest) -> RequestCall {
        let call = RequestCall(
            request, json: configuration.json, observers: configuration.observers, redaction: configuration.redaction,
            now: configuration.now)
        call.began()
        return call
    }

    /// Returns the request with the client's fields and options added where it doesn't set them.
    func prepared(_ request: consuming NetworkRequest) -> NetworkRequest {
        request.headers.addMissing(configuration.headers)
        request.options = request.options.completed(by: configuration.requestOptions)
        request.body = request.body.encoded(in: configuration.json)
        if let handler = request.options.progress {
            let reporter = ProgressReporter(handler)
            request.options.progress = { reporter.report($0) }
        }
        if let type = request.body.contentType, !request.headers.contains("Content-Type") {
            request.headers.append("Content-Type", type)
        }
        return request
    }

    /// Gives a request the selected host of its canonical host.
    func resolve(_ request: inout NetworkRequest) throws(NetworkError) {
        guard let canonical = request.canonicalHost, let choice = hosts?(canonical.name, canonical.scheme?.rawValue)
        else { return }
        var scheme = canonical.scheme ?? request.url.scheme
        if let chosen = choice.scheme {
            guard let known = HTTPURL.Scheme(rawValue: chosen.lowercased()) else {
                throw NetworkError(
                    .invalidURL, "expected http or https for \(canonical.name), found \(chosen.debugDescription)",
                    phase: .prepare)
            }
            scheme = known
        }
        request.url = try request.url.moved(to: choice.host, scheme: scheme)
        request.canonicalHost = canonical
    }

    /// Returns the response to a call's request if its status is accepted.
    nonisolated(nonsending) func response(to call: RequestCall) async throws(NetworkError) -> StreamedResponse {
        let response = try await NetworkNext(chain[...], call, sender)(call.request)
        let isUnfollowed = (300...399).contains(response.status) && call.request.options.redirects == 0
        guard isUnfollowed || call.request.options.accepts(response.status) else {
            var error = call.describing(
                NetworkError(.unacceptableStatus, "the server responded with \(response.status)", phase: .receive),
                response)
            error.bodyPrefix = await response.body.prefix(NetworkError.bodyPrefixLimit)
            throw error
        }
        return response
    }
}
