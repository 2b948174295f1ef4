/// One exchange of a request with a server: what is sent there, and whether it may contain credentials.
///
/// A hop is made once, from the request that leaves the middleware and the cookie jar; a redirect makes another one.
final class Hop: Sendable {
    /// The request with the jar's cookies, without the signature.
    let request: NetworkRequest
    /// Whether the server may receive credentials and a signature; false after a redirect to another origin.
    let mayHaveCredentials: Bool
    /// Identifies the jar of the cookies until its cookies are removed; nil without cookies of a jar.
    let jar: String?
    /// The number of times that all cookies had been removed from the jar.
    let generation: Int?

    init(_ request: NetworkRequest, jar: String?, generation: Int?, mayHaveCredentials: Bool) {
        self.request = request
        self.jar = jar
        self.generation = generation
        self.mayHaveCredentials = mayHaveCredentials
    }

    /// Checks that the request can be sent: its body could be built, and method, fields and URL are valid.
    func check() throws(NetworkError) {
        try Self.check(request)
        guard mayHaveCredentials, request.credentials?.allowsPlainHTTP == false, request.url.scheme == .http,
            !request.url.isLoopback
        else { return }
        throw NetworkError(
            .insecureCredentials,
            "the credentials for \(request.url.host) would be sent over plain HTTP, which "
                + "`authentication.allowsPlainHTTP` permits", phase: .prepare)
    }

    /// The maximum length of path and query; servers reject far shorter ones.
    private static let longestTarget = 256 << 10

    static func check(_ request: NetworkRequest) throws(NetworkError) {
        if case .failed(let error) = request.body.content { throw error }
        guard HTTPSyntax.isToken(request.method.rawValue) else {
            throw NetworkError(
                .invalidHeader,
                "the method \(HTTPSyntax.printable(request.method.rawValue).debugDescription) is not a token",
                phase: .prepare)
        }
        try request.headers.validate()
        let length = request.url.path.utf8.count + (request.url.query?.utf8.count ?? 0)
        guard length <= longestTarget else {
            throw NetworkError(
                .invalidURL, "the URL has \(length) bytes; the limit is \(longestTarget)", phase: .prepare)
        }
        if request.url.userInfo != nil {
            throw NetworkError(.invalidURL, "the URL contains user information", phase: .prepare)
        }
    }

    /// Whether both URLs belong to the same server, so that the second may receive the credentials of the first.
    static func keepsCredentials(from old: HTTPURL, to new: HTTPURL) -> Bool {
        if old.hasSameOrigin(as: new) { return true }
        return old.host == new.host && old.scheme == .http && old.effectivePort == 80 && new.scheme == .https
            && new.effectivePort == 443
    }
}
