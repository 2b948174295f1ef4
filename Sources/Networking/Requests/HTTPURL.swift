/// A checked http or https URL, split into its parts.
///
/// What is not a URL that may be requested throws when it is created, not when it is sent: a missing or damaged
/// host, another scheme, control characters, spaces, backslashes, a bad port, a broken escape. Characters that a
/// path or query may not hold raw (such as `ü` or `"`) are percent-encoded as UTF-8; nothing else is changed, so
/// `/a/../b` and `/a//b` are sent as written. Scheme and host are put into lower case. Follows RFC 3986, except that a
/// host is a name of letters, digits and `-._~`, an IPv4 address or an IPv6 address in brackets; names in other
/// scripts must be given as Punycode.
///
/// ```swift
/// let url = try HTTPURL("https://API.example.com:8443/notes?tag=a")
/// assert(url.host == "api.example.com" && url.port == 8443 && url.path == "/notes" && url.query == "tag=a")
/// ```
public struct HTTPURL: Hashable, Sendable {
    /// The two schemes that are requested.
    public enum Scheme: String, Hashable, Sendable {
        /// Without encryption; port 80 unless given.
        case http
        /// Over TLS; port 443 unless given.
        case https

        /// The port that is used where the URL names none.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme.
    public var scheme: Scheme
    /// User name and password as written (`name:password`), or nil; sent only where the request's options allow it.
    public internal(set) var userInfo: String?
    /// The host in lower case; an IPv6 address keeps its brackets.
    public internal(set) var host: String
    /// The port as written, or nil for the scheme's own.
    public internal(set) var port: Int?
    /// The path, percent-encoded; never empty, always begins with `/`.
    public internal(set) var path: String
    /// The query without its `?`, percent-encoded, or nil.
    public internal(set) var query: String?
    /// The fragment without its `#`, or nil; never sent.
    public internal(set) var fragment: String?

    /// Reads and checks a URL.
    ///
    /// - Throws: `.invalidURL`; the message says what was expected, `offset` gives the byte.
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ text: String) throws(NetworkError) {
        self = try HTTPURLParser(text).parse()
    }

    init(
        scheme: Scheme, userInfo: String? = nil, host: String, port: Int?, path: String, query: String? = nil,
        fragment: String? = nil
    ) {
        (self.scheme, self.userInfo, self.host, self.port) = (scheme, userInfo, host, port)
        (self.path, self.query, self.fragment) = (path, query, fragment)
    }

    /// The port that a connection uses.
    public var effectivePort: Int { port ?? scheme.defaultPort }

    /// Host and port as they stand in a `Host` field: without the port where it is the scheme's own.
    public var authority: String {
        guard let port, port != scheme.defaultPort else { return host }
        return "\(host):\(port)"
    }

    /// Scheme, host and port: what two URLs must share to be of one origin (RFC 6454).
    public var origin: String { "\(scheme.rawValue)://\(host):\(effectivePort)" }

    /// Path and query as they stand in a request line.
    public var target: String { query.map { path + "?" + $0 } ?? path }

    /// Whether both URLs have the same scheme, host and port.
    public func hasSameOrigin(as other: HTTPURL) -> Bool {
        scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
    }

    /// The URL as it is requested: without user-info and fragment.
    public var requestText: String {
        var text = ""
        text.reserveCapacity(16 + host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0))
        text += scheme == .https ? "https://" : "http://"
        text += host
        if let port, port != scheme.defaultPort {
            text += ":"
            text += String(port)
        }
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The whole URL with user-info hidden; query values are shown, so use `NetworkRedaction` for what others may see.
    public var description: String {
        var text = requestText
        if userInfo != nil { text = text.replacingFirst("://", with: "://<hidden>@") }
        if let fragment { text += "#" + fragment }
        return text
    }
}

extension String {
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix(part) else { return self }
        return self[..<colon] + other + self[index(colon, offsetBy: part.count)...]
    }
}
