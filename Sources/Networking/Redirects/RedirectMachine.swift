/// Decides what follows an answer that may be a redirect; a plain value without I/O.
///
/// 301 and 302 turn POST into GET, 303 turns everything but GET and HEAD into GET, 307 and 308 keep method and
/// body (RFC 9110, 15.4, and the WHATWG fetch rules where it leaves a choice). See `RedirectPolicy` for the rest.
struct RedirectMachine {
    enum Step {
        /// The answer is the last one.
        case deliver
        /// Another request is to be sent.
        case follow(NetworkRequest)
        /// The redirect may not be followed.
        case fail(NetworkError)
    }

    private let policy: RedirectPolicy
    private let redaction: NetworkRedaction
    private(set) var history: [HTTPURL] = []
    private var seen: Set<Hop> = []

    /// What makes two hops the same: repeating one would go on for ever.
    private struct Hop: Hashable {
        let method: HTTPMethod
        let url: HTTPURL
        let cookies: [String]
    }

    init(policy: RedirectPolicy, redaction: NetworkRedaction) { (self.policy, self.redaction) = (policy, redaction) }

    /// Decides after a request, which was sent with these cookies, and its answer.
    mutating func step(after request: NetworkRequest, cookies: [String], head: ResponseHead) -> Step {
        guard [301, 302, 303, 307, 308].contains(head.status), policy.maximum > 0 else { return .deliver }
        let locations = Set(head.headers.values(for: "Location"))
        guard let location = locations.first else {
            return failed(.invalidRedirect, "the status \(head.status) came without a Location", request)
        }
        guard locations.count == 1 else { return failed(.invalidRedirect, "found two different Locations", request) }
        let target: HTTPURL
        do {
            target = try request.url.resolve(location: HTTPField("Location", location).valueBytes)
        } catch {
            return failed(.invalidRedirect, "the Location cannot be followed: \(error.message)", request)
        }
        if target.userInfo != nil {
            return failed(.invalidRedirect, "the Location carries user-info", request)
        }
        if request.url.scheme == .https, target.scheme == .http, !policy.allowsInsecure {
            return failed(.insecureRedirect, "the answer leads from https to http", request, target)
        }
        if policy.refusesPrivateAddresses, target.isPrivateAddress {
            return failed(.invalidRedirect, "the answer leads to a private address", request, target)
        }
        seen.insert(Hop(method: request.method, url: request.url, cookies: cookies))
        history.append(request.url)
        guard history.count <= policy.maximum else {
            return failed(.tooManyRedirects, "more than \(policy.maximum) redirects", request, target)
        }
        return follow(request, to: target, status: head.status)
    }

    /// Checks a request that is about to be sent, cookies included, against those that were.
    func checkCircle(_ request: NetworkRequest) -> NetworkError? {
        let hop = Hop(method: request.method, url: request.url, cookies: request.headers.values(for: "Cookie"))
        guard seen.contains(hop) else { return nil }
        return error(.tooManyRedirects, "the redirects lead in a circle", request, nil)
    }

    private func follow(_ request: NetworkRequest, to target: HTTPURL, status: Int) -> Step {
        var next = request
        next.canonicalHost = nil
        next.refusesPrivateAddresses = policy.refusesPrivateAddresses
        next.url = target
        if next.url.fragment == nil { next.url.fragment = request.url.fragment }
        let turnsIntoGet =
            status == 303
            ? request.method != .get && request.method != .head
            : (status == 301 || status == 302) && request.method == .post
        if turnsIntoGet {
            next.method = .get
            next.body = .empty
            next.headers.removeAll { field in Self.bodyFields.contains { $0.equalsIgnoringASCIICase(field.name) } }
        } else if !request.body.isEmpty, !request.body.isReplayable {
            return failed(
                .bodyNotReplayable, "the body can be sent only once, but the redirect asks for it again", request)
        }
        if !keepsCredentials(from: request.url, to: target) {
            next.headers.removeAll { field in
                field.isSensitive || Self.credentialFields.contains { $0.equalsIgnoringASCIICase(field.name) }
            }
        }
        return .follow(next)
    }

    private func keepsCredentials(from old: HTTPURL, to new: HTTPURL) -> Bool {
        if old.hasSameOrigin(as: new) { return true }
        return old.host == new.host && old.scheme == .http && old.effectivePort == 80 && new.scheme == .https
            && new.effectivePort == 443
    }

    private static let bodyFields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest",
    ]
    private static let credentialFields = ["Authorization", "Cookie", "Proxy-Authorization", "Origin", "Host"]

    // MARK: Failures

    private func failed(
        _ code: NetworkError.Code, _ message: String, _ request: NetworkRequest, _ target: HTTPURL? = nil
    ) -> Step {
        .fail(error(code, message, request, target))
    }

    private func error(
        _ code: NetworkError.Code, _ message: String, _ request: NetworkRequest, _ target: HTTPURL?
    ) -> NetworkError {
        var error = NetworkError(code, message, phase: .receive)
        let way = history + (history.last == request.url ? [] : [request.url]) + (target.map { [$0] } ?? [])
        error.history = way.map { redaction.redact($0) }
        return error
    }
}
