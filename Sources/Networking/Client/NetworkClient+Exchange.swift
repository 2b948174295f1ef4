extension NetworkClient {
    /// Returns the request with the client's fields added where it doesn't set them.
    func prepared(_ request: consuming NetworkRequest) -> NetworkRequest {
        if request.headers.isEmpty {
            request.headers = configuration.headers
        } else {
            for field in configuration.headers where !request.headers.contains(field.name) {
                request.headers.append(field)
            }
        }
        if let handler = request.options.progress {
            let reporter = ProgressReporter(handler)
            request.options.progress = { reporter.report($0) }
        }
        if let type = request.body.contentType, !request.headers.contains("Content-Type") {
            request.headers.append("Content-Type", type)
        }
        return request
    }

    /// Returns the response to a call's request if its status is accepted.
    nonisolated(nonsending) func answer(_ context: RequestContext) async throws(NetworkError) -> StreamedResponse {
        let request = context.request
        let response = try await chain.isEmpty ? hops(request, context) : NetworkNext(context, from: 0)(request)
        let isUnfollowed = (300...399).contains(response.status) && request.options.redirects.maximum == 0
        guard isUnfollowed || request.options.acceptedStatuses.contains(response.status) else {
            throw await unacceptable(response)
        }
        return response
    }

    /// Returns a request with its actual host and the jar's cookies.
    func preview(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest {
        withCookies(try resolved(request))
    }

    /// Returns the error for an unacceptable status, with the first bytes of the body.
    private func unacceptable(_ response: StreamedResponse) async -> NetworkError {
        var error = NetworkError(.unacceptableStatus, "the server answered \(response.status)", phase: .receive)
        error.status = response.status
        error.headers = configuration.redaction.redact(response.headers)
        error.bodyPrefix = await response.body.prefix(NetworkError.bodyPrefixLimit)
        error.history = response.history.map { configuration.redaction.redact($0) }
        return error
    }

    /// Reads the whole body; an error contains the details of the response.
    func collected(_ response: StreamedResponse, upTo limit: Int?) async throws(NetworkError) -> NetworkResponse {
        do throws(NetworkError) {
            return try await response.collect(upTo: limit)
        } catch {
            var error = described(error, response)
            error.history = response.history.map { configuration.redaction.redact($0) }
            throw error
        }
    }

    /// Sends a request to its actual host and follows redirects.
    nonisolated(nonsending) func hops(
        _ request: NetworkRequest, _ context: RequestContext
    ) async throws(NetworkError) -> StreamedResponse {
        var current = try checked(resolved(request))
        var machine: RedirectMachine?
        while true {
            try context.limitTime(of: &current)
            var sent = withCookies(current)
            if !sent.hasLeftOrigin, sent.authorizer != nil || configuration.signs != nil { try await sign(&sent) }
            if observesExchanges { sent.hooks = context.hooks(of: sent) }
            context.sent(sent)
            var response = try await transport.send(sent)
            context.received(response)
            response.bringsBody = current.method != .head && response.status != 304
            if current.options.usesCookies { configuration.cookies?.store(response.headers, from: current.url) }
            guard (300...399).contains(response.status) else {
                response.history = machine?.history ?? []
                return response
            }
            var steps =
                machine ?? RedirectMachine(policy: request.options.redirects, redaction: configuration.redaction)
            let step = steps.step(after: current, head: response.head)
            machine = steps
            switch step {
            case .deliver:
                response.history = steps.history
                return response
            case .fail(let error):
                response.body.cancel()
                throw described(error, response)
            case .follow(let next):
                await response.body.discard(upTo: 64 << 10)
                context.redirected(to: next.url, status: response.status)
                current = next
            }
        }
    }

    /// Adds the credentials and the signature of a hop.
    private nonisolated(nonsending) func sign(_ hop: inout NetworkRequest) async throws(NetworkError) {
        if let authorizer = hop.authorizer { try await authorizer.authorize(&hop) }
        do {
            try await configuration.signs?(&hop)
        } catch {
            throw NetworkError(wrapping: error, as: .authenticationFailed, phase: .prepare)
        }
        hop = try checked(hop)
    }

    /// Returns the request with the jar's cookies, unless it has its own.
    private func withCookies(_ request: NetworkRequest) -> NetworkRequest {
        guard request.options.usesCookies, let text = configuration.cookies?.header(for: request.url),
            !request.headers.contains("Cookie")
        else { return request }
        var request = request
        request.headers.append("Cookie", text, isSensitive: true)
        return request
    }

    /// Returns the request at the current host of its canonical host.
    private func resolved(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest {
        guard request.canonicalHost != nil, hosts != nil else { return request }
        var request = request
        request.url = try actualURL(of: request)
        return request
    }

    /// Returns the URL of a request at the current host of its canonical host.
    func actualURL(of request: NetworkRequest) throws(NetworkError) -> HTTPURL {
        guard let canonical = request.canonicalHost, let hosts,
            let choice = hosts(canonical.name, canonical.scheme?.rawValue)
        else { return request.url }
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

    /// Returns the request if its body could be built, its method and fields are well-formed, and user information is
    /// allowed.
    private func checked(_ request: NetworkRequest) throws(NetworkError) -> NetworkRequest {
        if case .failed(let error) = request.body.content { throw error }
        guard HTTPSyntax.isToken(request.method.rawValue) else {
            throw NetworkError(
                .invalidHeader,
                "the method \(HTTPSyntax.printable(request.method.rawValue).debugDescription) is not a token",
                phase: .prepare)
        }
        try request.headers.validate()
        guard let userInfo = request.url.userInfo else { return request }
        guard request.options.allowsUserInfo else {
            throw NetworkError(
                .invalidURL, "the URL contains user information, which the options don't allow", phase: .prepare
            )
        }
        var request = request
        request.url.userInfo = nil
        if !request.headers.contains("Authorization") {
            request.headers.set("Authorization", BasicCredentials(userInfo: userInfo).field, isSensitive: true)
        }
        return request
    }

    private func described(_ error: NetworkError, _ response: StreamedResponse) -> NetworkError {
        var error = error
        error.status = response.status
        error.headers = configuration.redaction.redact(response.headers)
        return error
    }
}
