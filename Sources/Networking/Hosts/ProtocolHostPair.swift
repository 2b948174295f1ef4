/// A scheme and host that belong together.
public struct ProtocolHostPair: Hashable, Sendable, CustomStringConvertible {
    /// The scheme, `http` or `https`, or nil if there is none.
    public var scheme: String?
    /// The host with its optional port.
    public var host: String

    /// Creates a pair.
    public init(scheme: String?, host: String) { (self.scheme, self.host) = (scheme, host) }

    /// The start of a URL, such as `https://qa.example.com:8443`.
    public var description: String { (scheme.map { $0 + "://" } ?? "") + host }
}

/// Returns the current host for a canonical host, or nil to leave it unchanged.
///
/// `endpointScheme` is the scheme that the endpoint requests, or nil. The returned host may have a port; a returned
/// scheme replaces the endpoint's.
public typealias HostResolver =
    @Sendable (_ canonicalHost: String, _ endpointScheme: String?) -> ProtocolHostPair?
