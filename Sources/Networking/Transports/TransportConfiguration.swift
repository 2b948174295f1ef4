/// Connection limits, trust and proxies of a transport, fixed when the transport is created.
public struct TransportConfiguration: Sendable {
    /// The greatest number of connections to one host; 8 by default.
    public var connectionsPerHost: Int = 8
    /// The greatest number of connections in total; 128 by default.
    public var connections: Int = 128
    /// The time for which an unused connection stays open; 55 s by default.
    public var connectionIdleTime: Duration = .seconds(55)
    /// A file of PEM certificates to trust in place of the system's roots; `CurlTransport` only.
    public var trustRoots: String?
    /// The accepted public keys per host in lower case, as `sha256//<base64>` separated by `;`; `CurlTransport` only.
    public var pinnedKeys: [String: String] = [:]
    /// Whether the environment's `http_proxy`, `https_proxy` and `no_proxy` apply; `CurlTransport` only.
    public var usesEnvironmentProxies: Bool = false

    /// Fields that most requests have and that are valid, so that they are checked only once.
    var validHeaders: HTTPHeaders = [:]

    /// Creates the default configuration.
    public init() {}
}
