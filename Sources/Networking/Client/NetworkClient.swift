/// Sends endpoints and requests: through middleware and host choice, over a transport, along redirects, to a value.
///
/// A client is frozen when it is made and may be used from any thread. Make one and keep it: its transport holds
/// the open connections. Statuses outside 200–299 throw unless the options accept them.
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
    /// What all requests share.
    public let configuration: ClientConfiguration
    /// What carries requests out, one hop at a time.
    public let transport: any NetworkTransport
    let hosts: HostResolver?
    /// Why the default transport is not libcurl, if that is what was wanted.
    private let fallbackReason: String?
    /// Whether the client's own fields may be sent; checked once.
    let headersAreValid: Bool

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: What all requests share.
    ///   - transport: What carries requests out; nil makes the platform's own with the configuration's limits.
    ///   - hosts: Which host a canonical host stands for; nil leaves every host as it is.
    public convenience init(
        _ configuration: ClientConfiguration = .init(), transport: (any NetworkTransport)? = nil,
        hosts: HostResolver? = nil
    ) {
        self.init(
            configuration, transport.map { ($0, nil) } ?? Self.platformTransport(configuration), hosts: hosts)
    }

    /// Creates a client over a transport, with the reason if that stands in for libcurl.
    init(
        _ configuration: ClientConfiguration, _ choice: (transport: any NetworkTransport, fallbackReason: String?),
        hosts: HostResolver? = nil
    ) {
        self.configuration = configuration
        (transport, fallbackReason) = choice
        self.hosts = hosts
        headersAreValid = (try? configuration.headers.validate()) != nil
    }

    /// A client with the default configuration, made when first asked for; it has no host environments.
    public static let shared = NetworkClient()

    /// What carries requests out, in words: `libcurl 7.88.1`, or `URLSession` and why not libcurl.
    public var transportDescription: String {
        #if os(Linux)
            if let curl = transport as? CurlTransport { return "libcurl \(curl.version)" }
        #endif
        guard transport is URLSessionTransport else { return String(describing: type(of: transport)) }
        return fallbackReason.map { "URLSession, because \($0)" } ?? "URLSession"
    }

    /// libcurl on Linux where it can be used, `URLSession` elsewhere, with the reason if it stands in for libcurl.
    static func platformTransport(
        _ configuration: ClientConfiguration, library: String = "libcurl.so.4"
    ) -> (transport: any NetworkTransport, fallbackReason: String?) {
        #if os(Linux)
            do throws(NetworkError) {
                return (try CurlTransport(configuration, library: library), nil)
            } catch {
                return (URLSessionTransport(configuration), error.message)
            }
        #else
            return (URLSessionTransport(configuration), nil)
        #endif
    }

    /// Sends an endpoint and returns its output.
    ///
    /// - Parameter endpoint: What to send.
    /// - Returns: The decoded answer.
    /// - Throws: Whatever goes wrong on the way, with the redacted request and the number of attempts.
    public func send<E: Endpoint>(_ endpoint: E) async throws(NetworkError) -> E.Output {
        try await complete(try endpoint.makeRequest(options: configuration.options)) { response throws(NetworkError) in
            try endpoint.decode(response)
        }
    }

    /// Sends a request and returns the complete answer.
    ///
    /// The request's own options count; ``request(_:_:headers:body:)`` makes one with the client's.
    ///
    /// - Parameter request: What to send.
    /// - Returns: Head and body.
    /// - Throws: Whatever goes wrong on the way, `.bodyTooLarge` for a body over the limit.
    public func send(_ request: NetworkRequest) async throws(NetworkError) -> NetworkResponse {
        try await complete(request) { response throws(NetworkError) in response }
    }

    /// Sends a request and returns as soon as the head of the answer is there.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The head, and a body to pull.
    /// - Throws: Whatever goes wrong up to the head, an unacceptable status included.
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

    /// Sends an endpoint and returns as soon as the head of the answer is there; nothing is decoded.
    ///
    /// - Parameter endpoint: What to send.
    /// - Returns: The head, and a body to pull.
    /// - Throws: Whatever goes wrong up to the head, an unacceptable status included.
    public func stream<E: Endpoint>(_ endpoint: E) async throws(NetworkError) -> StreamedResponse {
        try await stream(endpoint.makeRequest(options: configuration.options))
    }

    /// Makes a request for a URL with the client's options.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL, taken as it is.
    ///   - headers: The fields besides the client's.
    ///   - body: The body.
    /// - Returns: The request.
    /// - Throws: `.invalidURL`.
    public func request(
        _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: RequestBody = .empty
    ) throws(NetworkError) -> NetworkRequest {
        NetworkRequest(method, try HTTPURL(url), headers: headers, body: body, options: configuration.options)
    }

    private func complete<Output>(
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
