internal import AshlarCore

/// A proxy server for the connections of a transport.
///
/// Requests for https URLs use a tunnel (CONNECT), so the proxy can't read them. A request that the proxy refuses fails
/// with `.proxyFailed`. See <doc:UsingProxies>.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.transport.proxy = try NetworkProxy(
///     "http://proxy.example.com:8080", user: "anna", password: "secret",
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

    private let scheme: Scheme
    private let host: String
    private let port: Int
    let credentials: BasicCredentials?
    let excluded: [String]

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - url: The address. The scheme is `http`, `https` (TLS to the proxy), `socks5` (the client resolves names) or
    ///     `socks5h` (the proxy resolves names). The default ports are 80, 443 and 1080.
    ///   - user: The user name; nil uses the user name and password of the URL, if any.
    ///   - password: The password.
    ///   - excluded: The hosts that are reached without the proxy, in the syntax of the variable `no_proxy`.
    /// - Throws: `.invalidConfiguration` for a malformed URL, another scheme, or credentials that can't be sent.
    public init(
        _ url: String, user: String? = nil, password: String = "", excluding excluded: [String] = []
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
        host = parsed.host
        port = parsed.port ?? scheme.defaultPort
        let given = user.map { BasicCredentials(user: $0, password: password) }
        credentials = given ?? parsed.userInfo.map { BasicCredentials(userInfo: $0) }
        self.excluded = excluded
        if let credentials { try Self.check(credentials, scheme) }
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
        } else if credentials.user.utf8.contains(UInt8(ascii: ":")) {
            throw invalid("the user name contains a colon")
        }
    }

    static func invalid(_ message: String) -> NetworkError {
        NetworkError(.invalidConfiguration, "invalid proxy: \(message)", phase: .prepare, key: "proxy")
    }

    /// Whether the connection to the proxy uses TLS.
    var isSecure: Bool { scheme == .https }
    /// Whether the proxy is a SOCKS proxy.
    var isSOCKS: Bool { scheme.isSOCKS }
    /// The host, an IPv6 address without brackets, and the port.
    var hostAndPort: (host: String, port: Int) {
        (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port)
    }

    /// The URL with percent-encoded credentials, as libcurl expects it.
    var url: String {
        let userInfo = credentials.map { PercentCoding.encode($0.user) + ":" + PercentCoding.encode($0.password) + "@" }
        return "\(scheme.rawValue)://\(userInfo ?? "")\(host):\(port)"
    }

    /// The address of the proxy; credentials are hidden.
    public var description: String {
        "\(scheme.rawValue)://\(credentials == nil ? "" : SecretNames.placeholder + "@")\(host):\(port)"
    }
}

/// The proxy of each URL, from a configuration or from environment variables by curl's rules.
///
/// The transport selects the proxy itself, because libcurl doesn't report whether it used one.
struct ProxyRules: Sendable {
    private let http: String?
    private let https: String?
    private let excluded: [String]

    /// The variables that are read.
    static let variables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    init(_ proxy: NetworkProxy) {
        http = proxy.url
        https = proxy.url
        excluded = Self.names(proxy.excluded.joined(separator: ","))
    }

    init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        // A CGI program must not use HTTP_PROXY, because a request's `Proxy` field sets it.
        http = value("http_proxy") ?? all
        https = value("https_proxy", "HTTPS_PROXY") ?? all
        excluded = Self.names(value("no_proxy", "NO_PROXY") ?? "")
    }

    private static func names(_ text: String) -> [String] {
        text.split { $0 == "," || $0.isWhitespace }.map { entry in
            var name = entry.lowercased()
            if name.hasPrefix(".") { name.removeFirst() }
            if name.hasSuffix(".") { name.removeLast() }
            return name
        }
    }

    /// Returns the proxy for a URL, or nil for a direct connection.
    func proxy(for url: HTTPURL) -> String? {
        guard let proxy = url.scheme == .https ? https : http else { return nil }
        let host = url.hostWithoutDot
        return excluded.contains { excludes($0, host) } ? nil : proxy
    }

    private func excludes(_ entry: String, _ host: String) -> Bool {
        if entry == "*" || entry == host || "[\(entry)]" == host { return true }
        if host.hasPrefix("[") || IPAddress.ipv4(host) != nil { return isInNetwork(entry, host) }
        return !entry.isEmpty && host.hasSuffix("." + entry)
    }

    /// Whether an address is in a network such as `10.0.0.0/8` or `fd00::/8`; without a length, it is the address itself.
    private func isInNetwork(_ entry: String, _ host: String) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let bits = parts.count == 2 ? Int(parts[1]) : .max
        guard let bits, bits >= 0 else { return false }
        if let address = IPAddress.ipv4(host), let network = IPAddress.ipv4(parts[0]) {
            guard bits <= 32 || parts.count == 1 else { return false }
            return bits == 0 || (network ^ address) >> UInt32(32 - min(bits, 32)) == 0
        }
        let literal = parts[0].drop { $0 == "[" }.prefix { $0 != "]" }
        guard host.hasPrefix("["), bits <= 128 || parts.count == 1, literal.contains(":"),
            let address = IPAddress.ipv6(host.dropFirst().dropLast()),
            let network = IPAddress.ipv6(literal)
        else { return false }
        let (high, low) = (address.high ^ network.high, address.low ^ network.low)
        return high >> UInt64(64 - min(bits, 64)) == 0 && low >> UInt64(64 - min(max(bits - 64, 0), 64)) == 0
    }
}
