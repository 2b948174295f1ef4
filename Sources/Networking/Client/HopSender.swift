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
struct HopSender: Sendable {
    let transport: any NetworkTransport
    let cookies: CookieJar?
    let signs: (@Sendable (inout NetworkRequest) async throws -> Void)?
    let redaction: NetworkRedaction

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
            let hop = Hop(next, cookies, mayHaveCredentials: mayHaveCredentials)
            first = first ?? hop
            var response: StreamedResponse
            do throws(NetworkError) {
                response = try await send(hop, call)
            } catch {
                var error = error
                if error.history.isEmpty { error.history = redirects.history.map { redaction.redact($0) } }
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
        var request = hop.request
        if hop.mayHaveCredentials, let signs {
            do {
                try await signs(&request)
            } catch {
                throw NetworkError(wrapping: error, as: .authenticationFailed, phase: .prepare)
            }
            try Hop.check(request)
        }
        request.measured = call.measurementHandler(of: request)
        call.sent(request)
        let response = try await transport.send(request)
        call.received(response)
        cookies?.store(response.headers, from: request.url, began: hop.generation)
        return response
    }
}
