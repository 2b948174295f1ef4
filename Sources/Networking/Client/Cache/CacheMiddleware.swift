internal import AshlarCore

/// Answers requests from a cache, and stores responses in it.
///
/// ``ClientConfiguration/cache`` adds it outside the authentication. A response that is stored is read completely
/// before it is returned, up to a quarter of the cache's size.
struct CacheMiddleware: NetworkMiddleware {
    private let cache: ResponseCache

    init(_ cache: ResponseCache) { self.cache = cache }

    /// Returns a stored response, or the server's.
    ///
    /// - Throws: The failure of the exchange, unless a stale response can replace it.
    nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard CachePolicy.isAnswered(request.method) else {
            let url = request.method.isSafe ? nil : try next.actualURL(of: request)
            let response = try await next(request)
            if let url, CachePolicy.invalidates(response.status) { await invalidate(url, response) }
            return response
        }
        let actual = try next.preview(request)
        switch await cache.decide(actual) {
        case .bypass:
            return try await next(request)
        case .use(let entry, let freshness):
            return stored(entry, freshness, actual, next)
        case .useAndValidate(let entry, let freshness):
            validateInBackground(entry, request, actual, next)
            return stored(entry, freshness, actual, next)
        case .unavailable:
            let head = ResponseHead(status: 504, headers: ["Cache-Status": "Ashlar; fwd=miss"])
            return StreamedResponse(head: head, body: ResponseBody(), url: actual.url)
        case .miss where request.method == .head, .validate where request.method == .head:
            return try await next(request)
        case .miss:
            return try await shared(nil, request, actual, next)
        case .validate(let entry, _):
            return try await shared(entry, request, actual, next)
        }
    }

    /// Performs an exchange together with identical requests.
    private nonisolated(nonsending) func shared(
        _ entry: CacheEntry?, _ request: NetworkRequest, _ actual: NetworkRequest, _ next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        let key = CacheExchanges.Key(actual, generation: cache.generation(actual))
        switch try await cache.exchanges.join(key, timeout: request.options.totalTimeout) {
        case .perform:
            // Another exchange may have ended since the decision.
            if case .use(let entry, let freshness) = await cache.decide(actual) {
                cache.exchanges.finish(key, .stored(entry))
                return stored(entry, freshness, actual, next)
            }
        case .stored(let entry):
            return stored(entry, CacheFreshness(entry, now: cache.now), actual, next)
        case .unshared:
            return try await CacheExchange(cache, actual, next).send(request, entry).response
        case .failed(let error):
            throw error
        }
        do throws(NetworkError) {
            let (response, stored) = try await CacheExchange(cache, actual, next).send(request, entry)
            cache.exchanges.finish(key, stored.map { .stored($0) } ?? .unshared)
            return response
        } catch {
            cache.exchanges.finish(key, .failed(error))
            throw error
        }
    }

    private func validateInBackground(
        _ entry: CacheEntry, _ request: NetworkRequest, _ actual: NetworkRequest, _ next: NetworkNext
    ) {
        let key = CacheExchanges.Key(actual, generation: cache.generation(actual))
        guard cache.exchanges.begin(key) else { return }
        Task { [cache] in
            await next.apart(request) { next throws(NetworkError) in
                do throws(NetworkError) {
                    let exchange = CacheExchange(cache, actual, next)
                    let (response, stored) = try await exchange.send(request, entry)
                    response.body.cancel()
                    cache.exchanges.finish(key, stored.map { .stored($0) } ?? .unshared)
                    return response.status
                } catch {
                    cache.exchanges.finish(key, .failed(error))
                    throw error
                }
            }
        }
    }

    private func stored(
        _ entry: CacheEntry, _ freshness: CacheFreshness, _ actual: NetworkRequest, _ next: NetworkNext
    ) -> StreamedResponse {
        next.call?.cached(status: entry.status)
        return entry.response(to: actual, freshness, "hit; ttl=\(freshness.rest)")
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
    /// The request with its actual URL and cookies.
    private let actual: NetworkRequest
    private let next: NetworkNext
    private let generation: UInt64

    init(_ cache: ResponseCache, _ actual: NetworkRequest, _ next: NetworkNext) {
        self.cache = cache
        self.actual = actual
        self.next = next
        generation = cache.generation(actual)
    }

    /// Sends a request, with the conditions that validate an entry if there is one.
    ///
    /// - Returns: The response, and the entry that other requests may share, or nil.
    func send(
        _ request: NetworkRequest, _ entry: CacheEntry?
    ) async throws(NetworkError) -> (response: StreamedResponse, stored: CacheEntry?) {
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
        // After a switch, neither an error nor a 304 of the new host says anything about the stored response.
        let isSwitched = isSwitched(response)
        guard let entry, !isSwitched || response.status == 304 else { return await store(response, requested) }
        if [500, 502, 503, 504].contains(response.status), mayReplaceError(entry, request) {
            await response.body.discard(upTo: 64 << 10)
            return stale(entry)
        }
        guard response.status == 304 else { return await store(response, requested) }
        await response.body.discard(upTo: 64 << 10)
        guard !isSwitched, CachePolicy.confirms(response.head, entry) else {
            // The server confirms a response that isn't stored here.
            if !isSwitched { await cache.replace(actual, by: nil, began: generation) }
            let requested = cache.now
            return await store(try await next(request), requested)
        }
        var updated = entry
        updated.update(with: response.head, requested: requested, received: cache.now)
        await cache.replace(actual, by: updated, began: generation)
        let freshness = CacheFreshness(updated, now: cache.now)
        return (updated.response(to: actual, freshness, "hit; fwd=stale; fwd-status=304"), updated)
    }

    private func mayReplaceError(_ entry: CacheEntry, _ request: NetworkRequest) -> Bool {
        CachePolicy.isUsable(entry, onErrorOf: request, now: cache.now)
    }

    private func stale(_ entry: CacheEntry) -> (StreamedResponse, CacheEntry?) {
        let freshness = CacheFreshness(entry, now: cache.now)
        next.call?.cached(status: entry.status)
        return (entry.response(to: actual, freshness, "hit; fwd=stale; detail=error"), entry)
    }

    /// Whether the request went to another host than the cache looked at, because the host was switched meanwhile, for
    /// example during a retry.
    private func isSwitched(_ response: StreamedResponse) -> Bool {
        !(response.history.first ?? response.url).hasSameOrigin(as: actual.url)
    }

    /// Reads and stores a response, if it may be stored.
    private func store(
        _ response: StreamedResponse, _ requested: Int64
    ) async -> (response: StreamedResponse, stored: CacheEntry?) {
        // The key of the cache doesn't contain what steps below it add.
        guard !isSwitched(response), !next.addedSecrets(to: response, since: actual) else { return (response, nil) }
        // The cache is outside the redirects, so it doesn't know how long they are valid.
        guard response.history.isEmpty, CachePolicy.reasonNotToStore(actual, response.head) == nil,
            response.head.contentLength ?? 0 <= cache.bodyLimit
        else {
            if response.status < 500 { await cache.replace(actual, by: nil, began: generation) }
            return (response, nil)
        }
        let received = cache.now
        var bytes: [UInt8] = []
        do throws(NetworkError) {
            while let chunk = try await response.body.next() {
                bytes += chunk
                guard bytes.count <= cache.bodyLimit else {
                    return (response.with(ResponseBody(ChunkBodySource([bytes], rest: response.body))), nil)
                }
            }
        } catch {
            return (response.with(ResponseBody(ChunkBodySource([bytes], failure: error))), nil)
        }
        let entry = CacheEntry(actual, response.head, bytes, requested: requested, received: received)
        await cache.replace(actual, by: entry, began: generation)
        return (response.with(ResponseBody(bytes)), entry)
    }
}

extension StreamedResponse {
    fileprivate func with(_ body: ResponseBody) -> StreamedResponse {
        var response = self
        response.body = body
        return response
    }
}
