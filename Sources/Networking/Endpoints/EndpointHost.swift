/// The host of an endpoint: a canonical host that host environments may replace, or a base URL.
///
/// A string literal with `://` is a base URL, any other literal a canonical host:
///
/// ```swift
/// let canonical: EndpointHost = "api.example.com"
/// let fixed: EndpointHost = "http://127.0.0.1:8080/v2"
/// assert(canonical == .canonical("api.example.com") && fixed == .url("http://127.0.0.1:8080/v2"))
/// ```
public struct EndpointHost: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    private enum Kind: Hashable, Sendable {
        case canonical(CanonicalHost)
        case url(String)
    }

    /// The base URL, parsed once because an endpoint is often sent many times.
    private let parsed: HTTPURL?

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
        parsed = try? Self.read(kind)
    }

    /// Returns a host that the client's host selection may replace; the default scheme is the host map's, else https.
    public static func canonical(_ name: String, scheme: HTTPURL.Scheme? = nil) -> EndpointHost {
        EndpointHost(.canonical(CanonicalHost(name, scheme: scheme)))
    }

    /// Returns a base URL; the endpoint's path is appended to its own.
    public static func url(_ url: String) -> EndpointHost { EndpointHost(.url(url)) }

    /// Creates a base URL if the string contains `://`, otherwise a canonical host.
    public init(stringLiteral value: String) {
        let isURL = value.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).count == 2
        self = isURL ? .url(value) : .canonical(value)
    }

    /// The base URL, or nil for a canonical host.
    var urlText: String? { if case .url(let text) = kind { text } else { nil } }

    var canonical: CanonicalHost? { if case .canonical(let host) = kind { host } else { nil } }

    func baseURL() throws(NetworkError) -> HTTPURL {
        if let parsed { return parsed }
        return try Self.read(kind)
    }

    private static func read(_ kind: Kind) throws(NetworkError) -> HTTPURL {
        switch kind {
        case .canonical(let host): try HTTPURL(authority: host.name, scheme: host.scheme ?? .https)
        case .url(let text): try HTTPURL(text)
        }
    }
}

extension HTTPURL {
    /// Creates a URL from `host` or `host:port` alone.
    init(authority: String, scheme: Scheme) throws(NetworkError) {
        let delimiters = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@")]
        if let bad = authority.utf8.enumerated().first(where: { delimiters.contains($0.element) }) {
            throw HTTPURLParser.invalid("expected a host with an optional port", bad.offset)
        }
        try self.init(scheme.rawValue + "://" + authority)
    }

    /// Returns the same path, query and fragment with another scheme and authority.
    func moved(to authority: String, scheme: Scheme) throws(NetworkError) -> HTTPURL {
        var url = try HTTPURL(authority: authority, scheme: scheme)
        (url.userInfo, url.path, url.query, url.fragment) = (userInfo, path, query, fragment)
        return url
    }
}
