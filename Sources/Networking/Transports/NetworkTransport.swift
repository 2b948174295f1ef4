/// Performs one hop: sends a request and returns the head of the response, and a body to read.
///
/// A transport follows no redirects, stores no cookies and accepts every status. It repeats only idempotent requests
/// whose reused connection ends without a response (RFC 9112, section 9.3.1). It applies the request's timeouts and
/// limits, requests compressed responses if the options say so and decompresses them, and rejects fields that
/// break the rules of ``HTTPHeaders``. Cancelling the task in `send` ends the exchange with `.cancelled`; afterward,
/// the body's `cancel()` does.
///
/// A transport that wraps another one is short:
///
/// ```swift
/// struct Counting: NetworkTransport {
///     let base: any NetworkTransport
///     let count: @Sendable () -> Void
///
///     func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
///         count()
///         return try await base.send(request)
///     }
/// }
/// ```
public protocol NetworkTransport: Sendable {
    /// Sends a request and returns when the head of the response has arrived.
    ///
    /// - Throws: A `NetworkError` with `code`, `phase`, `message` and, if known, `requestState`; the client adds the rest.
    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse
}

/// Settings for connections: limits, trust and proxies.
///
/// A transport throws `.invalidConfiguration` when it is created with a setting that it can't honor, so that no
/// connection is less protected than configured.
public struct TransportConfiguration: Hashable, Sendable {
    /// The maximum number of connections to one host; 8 by default.
    public var connectionsPerHost: Int = 8
    /// The maximum number of connections in total; 128 by default.
    public var connections: Int = 128
    /// The time that an unused connection stays open; 55 s by default.
    package var connectionIdleTime: Duration = .seconds(55)
    /// A file of PEM certificates to trust instead of the system's roots.
    public var trustRoots: String?
    /// The public keys to accept for each host, as `sha256//<base64>` separated by `;`.
    ///
    /// The key of the server's own certificate must be one of them, and the certificate must be valid, too.
    ///
    /// A key of the dictionary is a host name or an IP address without a port. Case, a trailing dot and the form of an
    /// address are ignored.
    public var pinnedKeys: [String: String] = [:]
    /// The certificates that identify the client to each host; others receive none.
    ///
    /// A key of the dictionary has the form of those of ``pinnedKeys``.
    public var clientCertificates: [String: ClientCertificate] = [:]
    /// The IP address of each host, instead of the addresses that name resolution returns; `CurlTransport` only.
    ///
    /// A key of the dictionary has the form of those of ``pinnedKeys``; a value is an address such as `192.0.2.7` or
    /// `2001:db8::7`. The URL, the `Host` field and the name in the server's certificate don't change. A proxy
    /// connects to the address in a tunnel.
    public var addresses: [String: String] = [:]
    /// The proxy of all connections, or nil, the default, for direct connections or, on Apple systems, the system's proxies.
    ///
    /// See <doc:UsingProxies>.
    public var proxy: NetworkProxy?
    /// Whether the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` apply; `CurlTransport` only.
    ///
    /// The transport reads them once, when it is created. They have no effect if ``proxy`` is set. See
    /// <doc:UsingProxies>.
    public var usesEnvironmentProxies: Bool = false
    /// Whether requests may use a cellular network; true by default, and false with `URLSessionTransport` only.
    ///
    /// A request without a permitted network fails with `.notConnected`.
    public var allowsCellular: Bool = true
    /// Whether requests may use a network in Low Data Mode; true by default, and false with `URLSessionTransport` only.
    public var allowsLowDataMode: Bool = true

    /// Creates the default configuration.
    public init() {}
}

/// A transport that fails each request, used if the platform's transport is missing or can't honor the configuration.
struct FailingTransport: NetworkTransport {
    let error: NetworkError

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse { throw error }
}

extension NetworkError {
    /// The error for a setting that a transport can't honor.
    static func unsupportedSetting(_ setting: String, by transport: String) -> NetworkError {
        NetworkError(
            .invalidConfiguration, "\(transport) does not support \(setting)", phase: .prepare, key: setting)
    }
}

extension Duration {
    /// The duration in seconds, as in Foundation and Dispatch.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
