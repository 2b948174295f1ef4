internal import AshlarCore
import Foundation

/// A request for which a cache may have a response, and whose response it is.
struct CacheQuery: Sendable {
    /// The request as it is sent, without the credentials that the client adds.
    let request: NetworkRequest
    /// Identifies the jar of the cookies that the client adds; nil without them.
    let jar: String?
    /// Identifies the user whose credentials the client adds; nil without credentials.
    ///
    /// A cache stores only a hash of it.
    let user: String?
    private let redaction: NetworkRedaction

    init(
        _ request: NetworkRequest, cookies: CookieJar? = nil, user: String? = nil,
        redaction: NetworkRedaction = .standard
    ) {
        let hop = Hop(request, cookies)
        self.request = hop.request
        jar = hop.jar
        self.user = user
        self.redaction = redaction
    }

    /// Whether the values of a field are secrets.
    func isSecret(_ name: String) -> Bool {
        NetworkRedaction.standard.hides(header: name) || redaction != .standard && redaction.hides(header: name)
            || request.headers.contains { $0.isSensitive && $0.name.equalsIgnoringASCIICase(name) }
    }

    /// Whether the response to what was sent may be stored for this request: no step has changed the URL, the cookies, or
    /// added a secret field other than the client's credentials.
    func covers(_ hop: Hop) -> Bool {
        let sent = hop.request
        guard sent.url == request.url, hop.jar == jar else { return false }
        // The token may have been replaced since the query was made.
        if let field = sent.credentials?.field?.value, user != field, user?.hasPrefix(field + "\n") != true {
            return false
        }
        return sent.headers.allSatisfy { field in
            field == sent.credentials?.field || request.headers.values(for: field.name).contains(field.value)
                || !field.isSensitive && !isSecret(field.name)
        }
    }
}

/// Answers requests from a cache, and stores responses in it.
///
/// ``ClientConfiguration/cache`` adds it outside the authentication. A response that is stored is read completely
/// before it is returned, up to a quarter of the cache's size.
struct CacheMiddleware: NetworkMiddleware {
    private let cache: ResponseCache
    private let cookies: CookieJar?
    private let redaction: NetworkRedaction
    private let authentication: AuthenticationMiddleware?
    /// Identifies the client if it signs requests: a signature can contain any credentials, so that only the same client
    /// can share responses.
    private let signer: String?

    init(
        _ cache: ResponseCache, cookies: CookieJar? = nil, redaction: NetworkRedaction = .standard,
        authentication: AuthenticationMiddleware? = nil, isSigned: Bool = false
    ) {
        self.cache = cache
        self.cookies = cookies
        self.redaction = redaction
        self.authentication = authentication
        signer = isSigned ? UUID().uuidString : nil
    }

    private func query(_ request: NetworkRequest) -> CacheQuery {
        var user = authentication?.user(of: request)
        if let signer { user = (user ?? "") + "\n" + signer }
        return CacheQuery(request, cookies: cookies, user: user, redaction: redaction)
    }

    /// Explains the decision about a request, and blocks the thread meanwhile.
    func explain(_ request: NetworkRequest) -> String { cache.decideNow(query(request)).description }

    /// Returns a stored response, or the server's.
    ///
    /// - Throws: The failure of the exchange, unless a stale response can replace it.
    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard CachePolicy.isAnswered(request.method) else {
            let response: StreamedResponse
            do throws(NetworkError) {
                response = try await next(request)
            } catch {
                // A server that redirects has processed the request.
                if !request.method.isSafe, !error.history.isEmpty { await cache.removeChanged(request.url) }
                throw error
            }
            if !request.method.isSafe, !response.history.isEmpty || CachePolicy.invalidates(response.status) {
                await invalidate(request.url, response)
            }
            return response
        }
        let query = query(request)
        switch await cache.decide(query) {
        case .bypass:
            return try await next(request)
        case .use(let entry, let freshness):
            return stored(entry, freshness, request, next)
        case .useAndValidate(let entry, let freshness):
            validateInBackground(entry, request, query, next)
            return stored(entry, freshness, request, next)
        case .unavailable:
            let head = ResponseHead(status: 504, headers: ["Cache-Status": "Ashlar; fwd=miss"])
            return StreamedResponse(head: head, body: ResponseBody(), url: request.url)
        case .miss where request.method == .head, .validate where request.method == .head:
            return try await next(request)
        case .miss:
            return try await CacheExchange(cache, query, next).send(request, nil)
        case .validate(let entry, _):
            return try await CacheExchange(cache, query, next).send(request, entry)
        }
    }

    private func validateInBackground(
        _ entry: CacheEntry, _ request: NetworkRequest, _ query: CacheQuery, _ next: NetworkNext
    ) {
        let validation = ResponseCache.Validation(key: CacheKey(query.request.url), varying: entry.varying)
        guard cache.validations.withLock({ $0.insert(validation).inserted }) else { return }
        Task { [cache] in
            await next.apart(request) { next throws(NetworkError) in
                let response = try await CacheExchange(cache, query, next).send(request, entry)
                response.body.cancel()
                return response.status
            }
            cache.validations.withLock { _ = $0.remove(validation) }
        }
    }

    private func stored(
        _ entry: CacheEntry, _ freshness: CacheFreshness, _ request: NetworkRequest, _ next: NetworkNext
    ) -> StreamedResponse {
        next.call?.cached(status: entry.status)
        return entry.response(to: request, freshness, "hit; ttl=\(freshness.rest)")
    }

    /// Removes the responses that a request to a URL has changed (RFC 9111, section 4.4).
    private nonisolated(nonsending) func invalidate(_ url: HTTPURL, _ response: StreamedResponse) async {
        await cache.removeChanged(url)
        if response.url != url { await cache.removeChanged(response.url) }
        for hop in response.history { await cache.removeChanged(hop) }
        await remove(response.headers["Location"], at: url)
        await remove(response.headers["Content-Location"], at: url)
    }

    private nonisolated(nonsending) func remove(_ location: String?, at url: HTTPURL) async {
        guard let location, let other = try? url.resolve(location: HTTPField("", location).valueBytes),
            other.hasSameOrigin(as: url)
        else { return }
        await cache.removeChanged(other)
    }
}

extension CacheEntry {
    /// Returns the stored response with its age.
    func response(to request: NetworkRequest, _ freshness: CacheFreshness, _ status: String) -> StreamedResponse {
        var headers = self.headers
        headers.set("Age", String(freshness.age))
        headers.append("Cache-Status", "Ashlar; " + status)
        let isHead = request.method == .head
        var (statusCode, bytes) = (self.status, isHead ? [] : body)
        if let part = CachePolicy.part(request, of: self) {
            statusCode = 206
            headers.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(body.count)")
            headers.set("Content-Length", String(part.count))
            bytes = Array(body[part])
        }
        var response = StreamedResponse(
            head: ResponseHead(status: statusCode, headers: headers), body: ResponseBody(bytes), url: request.url)
        response.bringsBody = !isHead
        return response
    }
}

/// One exchange with the server, whose response updates the cache.
struct CacheExchange {
    private let cache: ResponseCache
    private let query: CacheQuery
    private let next: NetworkNext
    private let generation: UInt64

    init(_ cache: ResponseCache, _ query: CacheQuery, _ next: NetworkNext) {
        self.cache = cache
        self.query = query
        self.next = next
        generation = cache.generation(query)
    }

    /// Sends a request, with the conditions that validate an entry if there is one.
    func send(_ request: NetworkRequest, _ entry: CacheEntry?) async throws(NetworkError) -> StreamedResponse {
        let requested = cache.now
        let conditional = entry.map { CachePolicy.conditional(request, $0) } ?? request
        let response: StreamedResponse
        do throws(NetworkError) {
            response = try await next(conditional)
        } catch {
            guard let entry, error.isTransient || error.code == .proxyFailed, mayReplaceError(entry, request) else {
                throw error
            }
            return stale(entry)
        }
        // The response of another host says nothing about the stored one.
        let isOther = response.sent.map { $0.request.url != query.request.url } ?? false
        guard let entry, !isOther || response.status == 304 else { return await store(response, requested) }
        if [500, 502, 503, 504].contains(response.status), mayReplaceError(entry, request) {
            await response.body.discard(upTo: 64 << 10)
            return stale(entry)
        }
        guard response.status == 304 else { return await store(response, requested) }
        await response.body.discard(upTo: 64 << 10)
        // A 304 behind a redirect is about another URL.
        guard !isOther, response.history.isEmpty, CachePolicy.confirms(response.head, entry) else {
            // The server confirms a response that isn't stored here.
            if !isOther { await cache.replace(query, by: nil, began: generation) }
            let requested = cache.now
            return await store(try await next(request), requested)
        }
        var updated = entry
        updated.update(with: response.head, requested: requested, received: cache.now)
        let freshness = CacheFreshness(updated, now: cache.now)
        let confirmed = updated.response(to: query.request, freshness, "hit; fwd=stale; fwd-status=304")
        // Confirmed for the secrets of a step below the cache, and not for other requests.
        if let sent = response.sent, !query.covers(sent) { return confirmed }
        // A 304 can forbid to store the response, and can answer a HEAD.
        var get = query.request
        get.method = .get
        let head = ResponseHead(status: updated.status, headers: updated.headers)
        let mayStore = CachePolicy.reasonNotToStore(get, head) == nil
        await cache.replace(query, by: mayStore ? updated : nil, began: generation)
        return confirmed
    }

    private func mayReplaceError(_ entry: CacheEntry, _ request: NetworkRequest) -> Bool {
        CachePolicy.isUsable(entry, onErrorOf: request, now: cache.now)
    }

    private func stale(_ entry: CacheEntry) -> StreamedResponse {
        let freshness = CacheFreshness(entry, now: cache.now)
        next.call?.cached(status: entry.status)
        return entry.response(to: query.request, freshness, "hit; fwd=stale; detail=error")
    }

    /// Reads and stores a response, if it may be stored.
    private func store(_ response: StreamedResponse, _ requested: Int64) async -> StreamedResponse {
        // The key of the cache doesn't contain what steps below it add.
        if let sent = response.sent, !query.covers(sent) { return response }
        // The cache is outside the redirects, so it doesn't know how long they are valid.
        guard response.history.isEmpty, CachePolicy.reasonNotToStore(query.request, response.head) == nil,
            response.head.contentLength ?? 0 <= cache.bodyLimit
        else {
            if response.status < 500 { await cache.replace(query, by: nil, began: generation) }
            return response
        }
        let received = cache.now
        var bytes: [UInt8] = []
        do throws(NetworkError) {
            while let chunk = try await response.body.next() {
                bytes += chunk
                guard bytes.count <= cache.bodyLimit else {
                    if response.status < 500 { await cache.replace(query, by: nil, began: generation) }
                    return response.with(ResponseBody(ChunkBodySource([bytes], rest: response.body)))
                }
            }
        } catch {
            return response.with(ResponseBody(ChunkBodySource([bytes], failure: error)))
        }
        let entry = CacheEntry(query, response.head, bytes, requested: requested, received: received)
        await cache.replace(query, by: entry, began: generation)
        return response.with(ResponseBody(bytes))
    }
}

extension StreamedResponse {
    fileprivate func with(_ body: ResponseBody) -> StreamedResponse {
        var response = self
        response.body = body
        return response
    }
}
