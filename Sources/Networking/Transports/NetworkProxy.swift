internal import AshlarCore

/// A proxy server for the connections of a transport.
///
/// Requests for https URLs use a tunnel (CONNECT), so the proxy can't read them. A request that the proxy refuses fails
/// with `.proxyFailed`. See <doc:UsingProxies>.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.proxy = try NetworkProxy(
///     "http://proxy.example.com:8080", credentials: BasicCredentials(user: "anna", password: "secret"),
///     excluding: ["localhost", ".internal.example.com", "10.0.0.0/8"])
/// let client = NetworkClient(configuration)
/// ```
public struct NetworkProxy: Hashable, Sendable, CustomStringConvertible {
    private enum Scheme: String {
        case http
        case https
        case socks5
        case socks5h

        var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5, .socks5h: 1080
            }
        }
        var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    private struct Server: Hashable {
        let host: String
        let port: Int
    }

    private let scheme: Scheme
    private let server: Server
    let credentials: BasicCredentials?
    let excluded: [String]

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - url: The address. The scheme is `http`, `https` (TLS to the proxy), `socks5` (the client resolves names) or
    ///     `socks5h` (the proxy resolves names). The default ports are 80, 443 and 1080.
    ///   - credentials: The user name and password; nil uses those of the URL, if any.
    ///   - excluded: The hosts that are reached without the proxy, in the syntax of the variable `no_proxy`.
    /// - Throws: `.invalidConfiguration` for a malformed URL, another scheme, or credentials that can't be sent.
    public init(
        _ url: String, credentials: BasicCredentials? = nil, excluding excluded: [String] = []
    ) throws(NetworkError) {
        let end = url.firstRange(of: "://")
        guard let end, let scheme = Scheme(rawValue: url[..<end.lowerBound].lowercased()) else {
            throw Self.invalid("expected http, https, socks5 or socks5h and ://")
        }
        let parsed: HTTPURL
        do {
            parsed = try HTTPURL("http://" + url[end.upperBound...])
        } catch {
            throw Self.invalid(error.message)
        }
        guard parsed.path == "/", parsed.query == nil, parsed.fragment == nil else {
            throw Self.invalid("expected nothing after the host and port")
        }
        self.scheme = scheme
        server = Server(host: parsed.host, port: parsed.port ?? scheme.defaultPort)
        self.credentials = credentials ?? parsed.userInfo.map { BasicCredentials(userInfo: $0) }
        self.excluded = excluded
        if let credentials = self.credentials { try Self.check(credentials, scheme) }
    }

    private static func check(_ credentials: BasicCredentials, _ scheme: Scheme) throws(NetworkError) {
        let texts = [credentials.user, credentials.password]
        guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw invalid("the credentials contain a control character")
        }
        if scheme.isSOCKS {
            // RFC 1929 has one byte for each length.
            guard texts.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
                throw invalid("a user name and password of 1 to 255 bytes are necessary for SOCKS")
            }
        } else if credentials.user.contains(":") {
            throw invalid("the user name contains a colon")
        }
    }

    static func invalid(_ message: String) -> NetworkError {
        var error = NetworkError(.invalidConfiguration, "invalid proxy: \(message)", phase: .prepare)
        error.key = "proxy"
        return error
    }

    /// Whether the connection to the proxy uses TLS.
    var isSecure: Bool { scheme == .https }
    /// Whether the proxy is a SOCKS proxy.
    var isSOCKS: Bool { scheme.isSOCKS }
    /// The host, an IPv6 address without brackets, and the port.
    var hostAndPort: (host: String, port: Int) {
        let isAddress = server.host.hasPrefix("[") && server.host.hasSuffix("]")
        return (isAddress ? String(server.host.dropFirst().dropLast()) : server.host, server.port)
    }

    /// The URL with percent-encoded credentials, as libcurl expects it.
    var url: String {
        let userInfo = credentials.map { PercentCoding.encode($0.user) + ":" + PercentCoding.encode($0.password) + "@" }
        return "\(scheme.rawValue)://\(userInfo ?? "")\(server.host):\(server.port)"
    }

    /// The address of the proxy; credentials are hidden.
    public var description: String {
        "\(scheme.rawValue)://\(credentials == nil ? "" : SecretNames.placeholder + "@")\(server.host):\(server.port)"
    }
}
