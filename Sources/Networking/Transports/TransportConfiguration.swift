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
    public var connectionIdleTime: Duration = .seconds(55)
    /// A file of PEM certificates to trust instead of the system's roots; `CurlTransport` only.
    public var trustRoots: String?
    /// The public keys to accept for each host, as `sha256//<base64>` separated by `;`; `CurlTransport` only.
    ///
    /// A key of the dictionary is a host name or an IP address without a port. Case, a trailing dot and the form of an
    /// international name are ignored.
    public var pinnedKeys: [String: String] = [:]
    /// The certificates that identify the client to each host; others receive none.
    ///
    /// A key of the dictionary has the form of those of ``pinnedKeys``.
    public var clientCertificates: [String: ClientCertificate] = [:]
    /// The proxy of all connections, or nil, the default, for direct connections or, on Apple systems, the system's proxies.
    ///
    /// `URLSessionTransport` supports it on Apple systems only. See <doc:UsingProxies>.
    public var proxy: NetworkProxy?
    /// Whether the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` apply; `CurlTransport` only.
    ///
    /// The transport reads them once, when it is created. They have no effect if ``proxy`` is set. See
    /// <doc:UsingProxies>.
    public var usesEnvironmentProxies: Bool = false
    /// Whether callers' code may resume on the transport's thread as long as it is fast; `CurlTransport` only.
    ///
    /// This saves a thread switch per response. If it is false, code always resumes on Swift's shared threads.
    public var resumesOnNetworkThread: Bool = true

    /// Creates the default configuration.
    public init() {}
}
