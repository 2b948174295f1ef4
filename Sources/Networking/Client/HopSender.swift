extension Hop {
    /// Creates a hop with the cookies of a jar.
    convenience init(_ request: NetworkRequest, _ cookies: CookieJar?, mayHaveCredentials: Bool = true) {
        let generation = cookies?.generation
        guard let cookies, let text = cookies.header(for: request.url), !request.headers.contains("Cookie") else {
            self.init(request, jar: nil, generation: generation, mayHaveCredentials: mayHaveCredentials)
            return
        }
        var request = request
        request.headers.append("Cookie", text, isSensitive: true)
        self.init(request, jar: cookies.owner, generation: generation, mayHaveCredentials: mayHaveCredentials)
    }
}

/// Sends requests and follows redirects: the end of a client's middleware chain.
final class HopSender: Sendable {
    private let transport: any NetworkTransport
    private let cookies: CookieJar?
    private let signs: (@Sendable (inout NetworkRequest) async throws -> Void)?
    private let redaction: NetworkRedaction

    init(
        _ transport: any NetworkTransport, cookies: CookieJar?,
        signs: (@Sendable (inout NetworkRequest) async throws -> Void)?, redaction: NetworkRedaction
    ) {
        self.transport = transport
        self.cookies = cookies
        self.signs = signs
        self.redaction = redaction
    }

    /// Sends a request and returns the response after the last redirect.
    nonisolated(nonsending) func send(
        _ request: NetworkRequest, _ call: RequestCall
    ) async throws(NetworkError) -> StreamedResponse {
        var next = request
        next.body = request.body.encoded(in: call.json)
        var mayHaveCredentials = true
        var redirects = Redirects(limit: request.options.redirects, redaction: redaction)
        var first: Hop?
        while true {
            try call.limitTime(of: &next)
            next.measured = call.measurementHandler(of: next)
            let hop = Hop(next, cookies, mayHaveCredentials: mayHaveCredentials)
            first = first ?? hop
            var response: StreamedResponse
            do throws(NetworkError) {
                response = try await send(hop, call)
            } catch {
                var error = error
                if error.history.isEmpty { error.history = redirects.history.map { redaction.redact($0) } }
                // A server has answered an earlier hop.
                if !redirects.history.isEmpty { error.requestState = .answered }
                throw error
            }
            switch redirects.step(after: next, head: response.head) {
            case .deliver:
                response.history = redirects.history
                response.sent = first
                response.bringsBody = next.method != .head && response.status != 304
                return response
            case .fail(let error):
                response.body.cancel()
                var error = error
                error.status = response.status
                error.headers = redaction.redact(response.headers)
                throw error
            case .follow(let target, let keepsCredentials):
                await response.body.discard(upTo: 64 << 10)
                call.redirected(to: target.url, status: response.status)
                next = target
                mayHaveCredentials = mayHaveCredentials && keepsCredentials
            }
        }
    }

    /// Performs one exchange, and stores the cookies of its response.
    private nonisolated(nonsending) func send(
        _ hop: Hop, _ call: RequestCall
    ) async throws(NetworkError) -> StreamedResponse {
        try hop.check()
        guard hop.mayHaveCredentials, let signs else { return try await send(hop.request, of: hop, call) }
        var request = hop.request
        do {
            try await signs(&request)
        } catch {
            throw NetworkError(wrapping: error, as: .authenticationFailed, phase: .prepare)
        }
        try Hop.check(request)
        try call.limitTime(of: &request)
        return try await send(request, of: hop, call)
    }

    private nonisolated(nonsending) func send(
        _ request: NetworkRequest, of hop: Hop, _ call: RequestCall
    ) async throws(NetworkError) -> StreamedResponse {
        call.sent(request)
        let response = try await transport.send(request)
        call.received(response)
        cookies?.store(response.headers, from: request.url, began: hop.generation)
        return response
    }
}

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
