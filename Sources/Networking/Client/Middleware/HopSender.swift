/// Sends requests to their actual hosts and follows redirects: the end of a client's middleware chain.
final class HopSender: Sendable {
    private let transport: any NetworkTransport
    private let hosts: HostResolver?
    private let cookies: CookieJar?
    private let signs: (@Sendable (inout NetworkRequest) async throws -> Void)?
    private let redaction: NetworkRedaction
    /// Returns what identifies the user of a request whose credentials the client adds, or nil without any.
    private let identity: @Sendable (NetworkRequest) -> String?

    init(
        transport: any NetworkTransport, hosts: HostResolver?, cookies: CookieJar?,
        signs: (@Sendable (inout NetworkRequest) async throws -> Void)?, redaction: NetworkRedaction,
        identity: @escaping @Sendable (NetworkRequest) -> String?
    ) {
        self.transport = transport
        self.hosts = hosts
        self.cookies = cookies
        self.signs = signs
        self.redaction = redaction
        self.identity = identity
    }

    /// Sends a request to its actual host and follows redirects.
    nonisolated(nonsending) func send(
        _ request: NetworkRequest, _ call: RequestCall
    ) async throws(NetworkError) -> StreamedResponse {
        var current = request
        try resolve(&current)
        try check(current)
        var machine = RedirectMachine(limit: request.options.redirects, redaction: redaction)
        while true {
            try call.limitTime(of: &current)
            var response: StreamedResponse
            do throws(NetworkError) {
                let generation = cookies?.generation
                var hop = current
                addCookies(to: &hop)
                if hop.hasLeftOrigin {
                    hop.digest = nil
                } else {
                    try checkSecurity(of: hop)
                    if signs != nil { try await sign(&hop) }
                }
                hop.measured = call.measurementHandler(of: hop)
                call.sent(hop)
                response = try await transport.send(hop)
                call.received(response)
                cookies?.store(response.headers, from: current.url, began: generation)
            } catch {
                var error = error
                if error.history.isEmpty { error.history = machine.history.map { redaction.redact($0) } }
                throw error
            }
            switch machine.step(after: current, head: response.head) {
            case .deliver:
                response.history = machine.history
                response.sent = (request.headers, request.credentials)
                response.bringsBody = current.method != .head && response.status != 304
                return response
            case .fail(let error):
                response.body.cancel()
                var error = error
                error.status = response.status
                error.headers = redaction.redact(response.headers)
                throw error
            case .follow(let next):
                await response.body.discard(upTo: 64 << 10)
                call.redirected(to: next.url, status: response.status)
                current = next
            }
        }
    }

    private func checkSecurity(of hop: NetworkRequest) throws(NetworkError) {
        guard hop.needsSecureHops, hop.url.scheme == .http, !hop.url.isLoopback else { return }
        throw NetworkError(
            .insecureCredentials,
            "the credentials for \(hop.url.host) would be sent over plain HTTP, which `authentication.allowsPlainHTTP` permits",
            phase: .prepare)
    }

    /// Adds the signature of a hop.
    private nonisolated(nonsending) func sign(_ hop: inout NetworkRequest) async throws(NetworkError) {
        do {
            try await signs?(&hop)
        } catch {
            throw NetworkError(wrapping: error, as: .authenticationFailed, phase: .prepare)
        }
        try check(hop)
    }

    /// Returns a request with its actual host, the jar's cookies, and the identity of its user.
    func preview(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest {
        var preview = request
        try resolve(&preview)
        if redaction != .standard {
            // A cache knows only the standard names of secrets.
            preview.headers = HTTPHeaders(
                preview.headers.map { field in
                    HTTPField(
                        field.name, field.value, isSensitive: field.isSensitive || redaction.hides(header: field.name))
                })
        }
        let count = preview.headers.count
        addCookies(to: &preview)
        preview.jar = preview.headers.count > count ? cookies?.owner : nil
        preview.identity = identity(request)
        return preview
    }

    /// Whether a step added a secret to a request after it was previewed, other than the client's own credentials.
    func addedSecrets(to response: StreamedResponse, since preview: NetworkRequest) -> Bool {
        guard let sent = response.sent else { return false }
        return sent.headers.contains { field in
            guard field != sent.credentials, !preview.headers.values(for: field.name).contains(field.value) else {
                return false
            }
            return field.isSensitive || NetworkRedaction.standard.hides(header: field.name)
                || redaction.hides(header: field.name)
        }
    }

    /// Adds the jar's cookies, unless the request has its own.
    private func addCookies(to request: inout NetworkRequest) {
        guard let text = cookies?.header(for: request.url), !request.headers.contains("Cookie") else { return }
        request.headers.append("Cookie", text, isSensitive: true)
    }

    /// Resolves the canonical host of a request.
    private func resolve(_ request: inout NetworkRequest) throws(NetworkError) {
        guard let canonical = request.canonicalHost, let choice = hosts?(canonical.name, canonical.scheme?.rawValue)
        else { return }
        request.url = try url(of: request, canonical, at: choice)
    }

    /// Returns the URL of a request at the current host of its canonical host.
    func actualURL(of request: NetworkRequest) throws(NetworkError) -> HTTPURL {
        var request = request
        try resolve(&request)
        return request.url
    }

    private func url(
        of request: NetworkRequest, _ canonical: CanonicalHost, at choice: ProtocolHostPair
    ) throws(NetworkError) -> HTTPURL {
        var scheme = canonical.scheme ?? request.url.scheme
        if let chosen = choice.scheme {
            guard let known = HTTPURL.Scheme(rawValue: chosen.lowercased()) else {
                throw NetworkError(
                    .invalidURL, "expected http or https for \(canonical.name), found \(chosen.debugDescription)",
                    phase: .prepare)
            }
            scheme = known
        }
        return try request.url.moved(to: choice.host, scheme: scheme)
    }

    /// The maximum length of path and query; servers reject far shorter ones.
    private static let longestTarget = 256 << 10

    /// Checks that the body could be built, and that the method, the fields and the URL can be sent.
    private func check(_ request: NetworkRequest) throws(NetworkError) {
        if case .failed(let error) = request.body.content { throw error }
        guard HTTPSyntax.isToken(request.method.rawValue) else {
            throw NetworkError(
                .invalidHeader,
                "the method \(HTTPSyntax.printable(request.method.rawValue).debugDescription) is not a token",
                phase: .prepare)
        }
        try request.headers.validate()
        let length = request.url.path.utf8.count + (request.url.query?.utf8.count ?? 0)
        guard length <= Self.longestTarget else {
            throw NetworkError(
                .invalidURL, "the URL has \(length) bytes; the limit is \(Self.longestTarget)", phase: .prepare)
        }
        if request.url.userInfo != nil {
            throw NetworkError(.invalidURL, "the URL contains user information", phase: .prepare)
        }
    }
}
