/// Adds credentials to requests, and renews them when the server answers 401.
///
/// ``ClientConfiguration/authentication`` adds it between the cache and the retries.
public struct AuthenticationMiddleware: NetworkMiddleware {
    private let scheme: NetworkAuthentication.Scheme
    /// The hosts that receive the credentials, or nil for all.
    private let hosts: Set<String>?

    /// Creates a middleware that sends the credentials to their hosts, or to every host if they have none.
    public init(_ authentication: NetworkAuthentication) { self.init(authentication, base: nil) }

    init(_ authentication: NetworkAuthentication, base: EndpointHost?) {
        scheme = authentication.scheme
        if let hosts = authentication.hosts {
            self.hosts = Set(hosts.map(Self.normalized))
        } else {
            hosts = base.map { [Self.host($0.canonical, try? $0.baseURL())] }
        }
    }

    /// Sends a request with credentials, and again at most twice if the server rejects them and they can be renewed.
    ///
    /// - Throws: `.authenticationFailed` if a token can't be refreshed, or the failure of the request.
    public nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard covers(request) else { return try await next(request) }
        switch scheme {
        case .field(let field):
            return try await next(field.authorized(request))
        case .bearer(let token):
            return try await token.send(request, next)
        case .digest(let credentials):
            return try await credentials.send(request, next)
        }
    }

    private func covers(_ request: NetworkRequest) -> Bool {
        guard !request.headers.contains("Authorization"),
            request.url.userInfo == nil || !request.options.allowsUserInfo
        else { return false }
        guard let hosts else { return true }
        return hosts.contains(Self.host(request.canonicalHost, request.url))
    }

    private static func host(_ canonical: CanonicalHost?, _ url: HTTPURL?) -> String {
        if let canonical { return normalized(canonical.name) }
        // No request has an empty host.
        return url.map { withoutTrailingDot($0.host) } ?? ""
    }

    /// Returns a host in the form of URLs: in lowercase ASCII, without port and trailing dot.
    private static func normalized(_ host: String) -> String {
        let isAddress = host.split(separator: ":", omittingEmptySubsequences: false).count > 2 && !host.hasPrefix("[")
        let url = try? HTTPURL(authority: isAddress ? "[\(host)]" : host, scheme: .https)
        return withoutTrailingDot(url?.host ?? host.lowercased())
    }

    private static func withoutTrailingDot(_ host: String) -> String {
        host.hasSuffix(".") ? String(host.dropLast()) : host
    }
}

extension StreamedResponse {
    /// Whether every redirect to this response preserved the credentials, so that a 401 applies to them.
    var isFromSameServer: Bool {
        let way = history + [url]
        return zip(way, way.dropFirst()).allSatisfy { RedirectMachine.keepsCredentials(from: $0, to: $1) }
    }
}
