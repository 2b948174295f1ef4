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
    public let transport: any NetworkTransport
    let hosts: HostResolver?
    /// All middleware of the configuration, outermost first.
    let chain: [any NetworkMiddleware]
    /// The reason that the default transport isn't libcurl, if libcurl was requested.
    private let fallbackReason: String?
    /// Whether an observer receives the details of exchanges.
    let observesExchanges: Bool

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The settings shared by all requests.
    ///   - transport: The transport; nil creates the platform's default with the configuration's limits.
    ///   - hosts: Resolves canonical hosts; nil leaves every host unchanged.
    public convenience init(
        _ configuration: ClientConfiguration = .init(), transport: (any NetworkTransport)? = nil,
        hosts: HostResolver? = nil
    ) {
        self.init(
            configuration, transport.map { ($0, nil) } ?? Self.platformTransport(configuration.transport), hosts: hosts)
    }

    /// Creates a client with a transport, and with the reason if the transport replaces libcurl.
    init(
        _ configuration: ClientConfiguration, _ choice: (transport: any NetworkTransport, fallbackReason: String?),
        hosts: HostResolver? = nil
    ) {
        var configuration = configuration
        configuration.headers = configuration.headers.checked()
        self.configuration = configuration
        chain = configuration.chain
        (transport, fallbackReason) = choice
        self.hosts = hosts
        observesExchanges = configuration.observers.contains(where: \.observesExchanges)
    }

    /// A client with the default configuration and without host environments, created on first use.
    public static let shared = NetworkClient()

    /// A description of the transport: `libcurl 7.88.1`, or `URLSession` with the reason for not using libcurl.
    public var transportDescription: String {
        #if os(Linux)
            if let curl = transport as? CurlTransport { return "libcurl \(curl.version)" }
        #endif
        guard transport is URLSessionTransport else { return String(describing: type(of: transport)) }
        return fallbackReason.map { "URLSession, because \($0)" } ?? "URLSession"
    }

    /// Returns libcurl's transport on Linux if possible, otherwise `URLSession`'s, with the reason if it replaces
    /// libcurl's.
    ///
    /// If no transport can honor the configuration, the returned transport fails each request; protection is never
    /// reduced.
    static func platformTransport(
        _ configuration: TransportConfiguration, library: String = "libcurl.so.4"
    ) -> (transport: any NetworkTransport, fallbackReason: String?) {
        var reason: String?
        do throws(NetworkError) {
            #if os(Linux)
                do throws(NetworkError) {
                    return (try CurlTransport(configuration, library: library), nil)
                } catch {
                    guard error.code == .unsupported else { throw error }
                    reason = error.message
                }
            #endif
            return (try URLSessionTransport(configuration), reason)
        } catch {
            var error = error
            if let reason { error.message += "; libcurl is not available: \(reason)" }
            return (FailingTransport(error), nil)
        }
    }

    /// Sends an endpoint and returns its output.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Returns: The decoded response.
    /// - Throws: Any failure, with the redacted request and the number of attempts.
    public func send<E: Endpoint>(_ endpoint: E) async throws(NetworkError) -> E.Output {
        try await complete(try endpoint.makeRequest(options: configuration.requestOptions)) {
            response throws(NetworkError) in
            try endpoint.decode(response)
        }
    }

    /// Sends a request and returns the complete response.
    ///
    /// The request's own options apply, not the client's.
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
        let context = RequestContext(prepared(request), self)
        context.began()
        do throws(NetworkError) {
            let response = try await answer(context)
            return context.observing(response)
        } catch {
            throw context.ended(with: error)
        }
    }

    /// Sends an endpoint and returns when the head of the response arrives, without decoding.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Returns: The head, and a body to read in pieces.
    /// - Throws: Any failure up to the head, including an unacceptable status.
    public func stream<E: Endpoint>(_ endpoint: E) async throws(NetworkError) -> StreamedResponse {
        try await stream(endpoint.makeRequest(options: configuration.requestOptions))
    }

    func complete<Output>(
        _ request: consuming NetworkRequest, _ decode: (NetworkResponse) throws(NetworkError) -> Output
    ) async throws(NetworkError) -> Output {
        let context = RequestContext(prepared(consume request), self)
        context.began()
        do throws(NetworkError) {
            let streamed = try await answer(context)
            let response = try await collected(
                streamed, upTo: context.request.options.limits.collectedBytes)
            let output = try decode(response)
            context.ended(received: response.bytes.count, status: response.status)
            return output
        } catch {
            throw context.ended(with: error)
        }
    }
}
