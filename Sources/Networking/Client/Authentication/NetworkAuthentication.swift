internal import AshlarCore

/// The credentials for a client's requests.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.base = "https://api.example.com"
/// configuration.authentication = .bearer("token")
/// ```
///
/// Credentials are sent only to the hosts that they are for, and not over plain HTTP except to this machine (`localhost`,
/// `127.0.0.0/8`, `::1`). The hosts are ``hosts``, else the host of ``ClientConfiguration/base``, else the canonical hosts
/// of the client's host map and their environments. Other requests are sent without credentials. A request with its own
/// `Authorization` field is sent unchanged. A redirect to another origin removes the credentials.
///
/// Alamofire's interceptors and URLSession's additional headers add credentials to each request of a session, whatever its
/// host; `URLCredentialStorage` and curl's `--user` bind them to a host. Browsers bind cookies and saved passwords to it.
public struct NetworkAuthentication: Sendable {
    enum Scheme {
        case field(HTTPField)
        /// Credentials that can't be sent; the message states why.
        case invalid(String)
        case bearer(BearerToken)
        case digest(BasicCredentials)
    }

    let scheme: Scheme
    /// The hosts that receive the credentials, as names or addresses without a port; canonical hosts by their canonical name.
    ///
    /// Nil, the default, means the host of ``ClientConfiguration/base``; without a base, the canonical hosts of the
    /// client's host map and the fixed hosts of their environments. If there is neither, requests fail with
    /// `.invalidConfiguration`.
    public var hosts: Set<String>?
    /// Whether every host receives the credentials; false by default.
    public var allowsEveryHost = false
    /// Whether the credentials may be sent over plain HTTP to other machines; false by default.
    ///
    /// Otherwise such a request fails with `.insecureCredentials`.
    public var allowsPlainHTTP = false

    /// The switch of the client, whose map names the app's hosts.
    var hostSwitch: HostSwitch?

    private init(_ scheme: Scheme) { self.scheme = scheme }

    /// Sends a user name and a password with every request (RFC 7617).
    ///
    /// With a colon in the user name, or with control characters, requests fail with `.authenticationFailed`.
    public static func basic(user: String, password: String) -> NetworkAuthentication {
        let credentials = BasicCredentials(user: user, password: password)
        if let flaw = credentials.flaw { return NetworkAuthentication(.invalid(flaw)) }
        return NetworkAuthentication(.field(.authorization(credentials.field)))
    }

    /// Sends a token with every request (RFC 6750).
    public static func bearer(_ token: String) -> NetworkAuthentication {
        NetworkAuthentication(.field(.authorization(bearer: token)))
    }

    /// Sends a token that can be refreshed with every request.
    public static func bearer(_ token: BearerToken) -> NetworkAuthentication {
        NetworkAuthentication(.bearer(token))
    }

    /// Answers the server's challenges with hashes of a user name and a password (RFC 7616).
    ///
    /// The transport's library answers: libcurl or `URLSession`. Other transports send requests without credentials. With a
    /// colon in the user name, or with control characters, requests fail with `.authenticationFailed`.
    public static func digest(user: String, password: String) -> NetworkAuthentication {
        let credentials = BasicCredentials(user: user, password: password)
        return NetworkAuthentication(credentials.flaw.map { .invalid($0) } ?? .digest(credentials))
    }
}

extension HTTPField {
    /// Returns a field with credentials.
    static func authorization(_ credentials: String) -> HTTPField {
        HTTPField("Authorization", credentials, isSensitive: true)
    }

    /// Returns the field of an access token (RFC 6750).
    static func authorization(bearer token: String) -> HTTPField { authorization("Bearer " + token) }
}

extension NetworkRequest {
    /// Returns the request with the client's credentials.
    func adding(_ field: HTTPField) -> NetworkRequest {
        var request = self
        request.headers.append(field)
        request.credentials?.field = field
        return request
    }
}

/// Adds credentials to requests, and renews them when the server answers 401.
///
/// ``ClientConfiguration/authentication`` adds it between the cache and the retries. Credentials belong to hosts by their
/// canonical names.
struct AuthenticationMiddleware: NetworkMiddleware {
    private let authentication: NetworkAuthentication
    /// The hosts that receive the credentials, or nil for those of the host map.
    private let hosts: Set<String>?

    init(_ authentication: NetworkAuthentication, base: EndpointHost?) {
        self.authentication = authentication
        if let hosts = authentication.hosts {
            self.hosts = Set(hosts.map(HostSyntax.urlHost))
        } else {
            hosts = base.map { [Self.host($0.canonical, try? $0.baseURL())] }
        }
    }

    /// Sends a request with credentials, and once more if the server rejects them and they can be renewed.
    ///
    /// - Throws: `.authenticationFailed` if a token can't be refreshed, `.invalidConfiguration` if the credentials have no
    ///   hosts, or the failure of the request.
    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard try covers(request) else { return try await next(request) }
        var request = request
        request.credentials = ClientCredentials(allowsPlainHTTP: authentication.allowsPlainHTTP)
        switch authentication.scheme {
        case .field(let field):
            return try await next(request.adding(field))
        case .invalid(let reason):
            throw NetworkError(.authenticationFailed, reason, phase: .prepare)
        case .bearer(let token):
            return try await token.send(request, next)
        case .digest(let credentials):
            guard request.upgrade == nil else {
                throw NetworkError(.unsupported, "a request to upgrade can't answer a challenge", phase: .prepare)
            }
            request.credentials?.digest = credentials
            return try await next(request)
        }
    }

    /// Returns what identifies the user of a request whose credentials this step adds, or nil without credentials.
    func user(of request: NetworkRequest) -> String? {
        // A request that must not have credentials fails before it reaches the server.
        guard (try? covers(request)) == true else { return nil }
        return switch authentication.scheme {
        case .field(let field): field.value
        case .invalid: nil
        // The user of the next token is unknown.
        case .bearer(let token): token.value.map { HTTPField.authorization(bearer: $0).value } ?? token.unknownUser
        case .digest(let credentials): credentials.field
        }
    }

    private func covers(_ request: NetworkRequest) throws(NetworkError) -> Bool {
        guard !request.headers.contains("Authorization") else { return false }
        if authentication.allowsEveryHost { return true }
        let host = Self.host(request.canonicalHost, request.url)
        if let hosts { return hosts.contains(host) }
        guard let map = authentication.hostSwitch?.current.map, !map.configurations.isEmpty else {
            throw NetworkError(
                .invalidConfiguration,
                "the client has credentials but no hosts for them: set `base`, `authentication.hosts`, or a host map",
                phase: .prepare)
        }
        return map.hostNames.contains(host)
    }

    private static func host(_ canonical: CanonicalHost?, _ url: HTTPURL?) -> String {
        if let canonical { return HostSyntax.urlHost(canonical.name) }
        // No request has an empty host.
        return url?.hostWithoutDot ?? ""
    }
}

extension StreamedResponse {
    /// Whether every redirect to this response preserved the credentials, so that a 401 applies to them.
    var isFromSameServer: Bool {
        let way = history + [url]
        return zip(way, way.dropFirst()).allSatisfy { Hop.keepsCredentials(from: $0, to: $1) }
    }
}
