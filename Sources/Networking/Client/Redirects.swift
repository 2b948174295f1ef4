/// Decides whether and how to follow a response; a value without I/O.
///
/// 301 and 302 change POST to GET; 303 changes all methods but GET and HEAD to GET; 307 and 308 preserve the method and
/// body (RFC 9110, section 15.4, and the WHATWG fetch standard where the RFC allows a choice). A URL may redirect to
/// itself, for example until a result is ready; only the number of redirects is limited.
struct Redirects {
    enum Step {
        /// The response is the last one.
        case deliver
        /// Another request follows; whether it may have the credentials of the one before.
        case follow(NetworkRequest, keepsCredentials: Bool)
        /// The redirect must not be followed.
        case fail(NetworkError)
    }

    private let limit: Int
    private let redaction: NetworkRedaction
    private(set) var history: [HTTPURL] = []

    init(limit: Int, redaction: NetworkRedaction) {
        self.limit = limit
        self.redaction = redaction
    }

    /// Decides the next step after a request and the head of its response.
    mutating func step(after request: NetworkRequest, head: ResponseHead) -> Step {
        guard [301, 302, 303, 307, 308].contains(head.status), limit > 0 else { return .deliver }
        let locations = Set(head.headers.values(for: "Location"))
        guard let location = locations.first else {
            return failed(.invalidRedirect, "status \(head.status) without a Location", request)
        }
        guard locations.count == 1 else { return failed(.invalidRedirect, "two different values of Location", request) }
        let target: HTTPURL
        do {
            target = try request.url.resolve(location: HTTPField("Location", location).valueBytes)
        } catch {
            return failed(.invalidRedirect, "malformed Location: \(error.message)", request)
        }
        if target.userInfo != nil {
            return failed(.invalidRedirect, "user information in the Location", request)
        }
        if request.url.scheme == .https, target.scheme == .http {
            return failed(.insecureRedirect, "redirect from https to http", request, target)
        }
        history.append(request.url)
        guard history.count <= limit else {
            return failed(.tooManyRedirects, "more than \(limit) redirects", request, target)
        }
        return follow(request, to: target, status: head.status)
    }

    private func follow(_ request: NetworkRequest, to target: HTTPURL, status: Int) -> Step {
        var next = request
        next.canonicalHost = nil
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
                .bodyNotReplayable, "the redirect repeats the body, which can be sent only once", request)
        }
        let keepsCredentials = Hop.keepsCredentials(from: request.url, to: target)
        if !keepsCredentials {
            next.credentials = nil
            next.headers.removeAll { field in
                field.isSensitive || NetworkRedaction.standard.hides(header: field.name)
                    || redaction.hides(header: field.name)
                    || Self.originFields.contains { $0.equalsIgnoringASCIICase(field.name) }
            }
        }
        return .follow(next, keepsCredentials: keepsCredentials)
    }

    private static let bodyFields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest",
    ]
    /// The fields that belong to the first server, in addition to those that redaction hides.
    private static let originFields = ["Origin", "Host"]

    // MARK: Failures

    private func failed(
        _ code: NetworkError.Code, _ message: String, _ request: NetworkRequest, _ target: HTTPURL? = nil
    ) -> Step {
        var error = NetworkError(code, message, phase: .receive)
        let way = history + (history.last == request.url ? [] : [request.url]) + (target.map { [$0] } ?? [])
        error.history = way.map { redaction.redact($0) }
        return .fail(error)
    }
}
