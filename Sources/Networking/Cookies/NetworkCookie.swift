internal import AshlarCore

/// A cookie as a server set it (RFC 6265bis).
public struct NetworkCookie: Hashable, Sendable, CustomStringConvertible {
    /// The name, which is case-sensitive.
    public var name: String
    /// The value, unchanged.
    public var value: String
    /// The host that the cookie belongs to, in lowercase.
    public var domain: String
    /// Whether the cookie belongs to that host only, not to the hosts below it.
    public var isHostOnly: Bool
    /// The path that the cookie belongs to, including all paths below it.
    public var path: String
    /// The expiration time in seconds since 1970, or nil for the lifetime of the jar.
    public var expires: Int?
    /// Whether the cookie is sent over https only.
    public var isSecure: Bool
    /// Whether the server asked to hide the cookie from scripts; stored without effect.
    public var isHTTPOnly: Bool

    /// Creates a cookie for one host and all its paths.
    public init(_ name: String, _ value: String, host: String) {
        (self.name, self.value, domain, path) = (name, value, host.lowercased(), "/")
        (isHostOnly, expires, isSecure, isHTTPOnly) = (true, nil, false, false)
    }

    /// The name, domain and path; the value is hidden.
    public var description: String { "\(name)=\(SecretNames.placeholder) for \(domain)\(path)" }

    /// Whether the cookie is sent with a request for a URL (RFC 6265bis, section 5.8).
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
