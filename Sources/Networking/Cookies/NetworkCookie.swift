internal import AshlarCore

/// One cookie as a server set it (RFC 6265).
public struct NetworkCookie: Hashable, Sendable, CustomStringConvertible {
    /// The name; case counts.
    public var name: String
    /// The value as it came.
    public var value: String
    /// The host in lower case that the cookie belongs to.
    public var domain: String
    /// Whether the cookie belongs to that very host, not to the hosts below it as well.
    public var isHostOnly: Bool
    /// The path that the cookie belongs to, with everything below it.
    public var path: String
    /// When the cookie ends, in seconds since 1970, or nil for the life of the jar.
    public var expires: Int?
    /// Whether the cookie is sent over https only.
    public var isSecure: Bool
    /// Whether the server asked to hide the cookie from scripts; kept, without effect here.
    public var isHTTPOnly: Bool

    /// Creates a cookie for one host and all its paths.
    public init(_ name: String, _ value: String, host: String) {
        (self.name, self.value, domain, path) = (name, value, host.lowercased(), "/")
        (isHostOnly, expires, isSecure, isHTTPOnly) = (true, nil, false, false)
    }

    /// Name, domain and path; the value is hidden.
    public var description: String { "\(name)=\(SecretNames.placeholder) for \(domain)\(path)" }

    /// Whether the cookie is sent with a request for a URL (RFC 6265, 5.4).
    func matches(_ url: HTTPURL) -> Bool {
        let host = url.host
        let hostMatches = host == domain || (!isHostOnly && host.hasSuffix("." + domain))
        return hostMatches && Self.path(url.path, isBelow: path) && (!isSecure || url.scheme == .https)
    }

    static func path(_ path: String, isBelow parent: String) -> Bool {
        path == parent
            || (path.hasPrefix(parent) && (parent.hasSuffix("/") || path.dropFirst(parent.count).first == "/"))
    }
}
