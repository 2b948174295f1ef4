/// Answers requests from a cache, and stores responses in it.
///
/// ``ClientConfiguration/cache`` adds it outside the authentication. A response that is stored is read completely
/// before it is returned, up to a quarter of the cache's size.
public struct CacheMiddleware: NetworkMiddleware {
    private let cache: ResponseCache

    /// Creates a middleware with a cache.
    public init(_ cache: ResponseCache) { self.cache = cache }

    /// Returns a stored response, or the server's.
    ///
    /// - Throws: The failure of the exchange, unless a stale response can replace it.
    public nonisolated(nonsending) func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard CachePolicy.isAnswered(request.method) else {
            let url = request.method.isSafe ? nil : try next.actualURL(of: request)
            let response = try await next(request)
            if let url, CachePolicy.invalidates(response.status) { invalidate(url, response) }
            return response
        }
        let actual = try next.preview(request)
        switch cache.decide(actual) {
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
        case .miss:
            return request.method == .head
                ? try await next(request) : try await shared(nil, request, actual, next)
        case .validate(let entry, _):
            return request.method == .head
                ? try await next(request) : try await shared(entry, request, actual, next)
        }
    }

    /// Performs an exchange together with identical requests.
    private nonisolated(nonsending) func shared(
        _ entry: CacheEntry?, _ request: NetworkRequest, _ actual: NetworkRequest, _ next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        let key = CacheFlights.Key(actual)
        switch try await cache.flights.join(key, timeout: request.options.totalTimeout) {
        case .lead:
            // Another exchange may have ended since the decision.
            if case .use(let entry, let freshness) = cache.decide(actual) {
                cache.flights.finish(key, .stored(entry))
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
            cache.flights.finish(key, stored.map { .stored($0) } ?? .unshared)
            return response
        } catch {
            cache.flights.finish(key, .failed(error))
            throw error
        }
    }

    private func validateInBackground(
        _ entry: CacheEntry, _ request: NetworkRequest, _ actual: NetworkRequest, _ next: NetworkNext
    ) {
        let key = CacheFlights.Key(actual)
        guard cache.flights.takeLead(key) else { return }
        Task { [cache] in
            await next.apart(request) { next throws(NetworkError) in
                do throws(NetworkError) {
                    let (response, stored) = try await CacheExchange(cache, actual, next).send(request, entry)
                    response.body.cancel()
                    cache.flights.finish(key, stored.map { .stored($0) } ?? .unshared)
                    return response.status
                } catch {
                    cache.flights.finish(key, .failed(error))
                    throw error
                }
            }
        }
    }

    private func stored(
        _ entry: CacheEntry, _ freshness: CacheFreshness, _ actual: NetworkRequest, _ next: NetworkNext
    ) -> StreamedResponse {
        next.report(.cached(status: entry.status))
        return entry.response(to: actual, freshness, "hit; ttl=\(freshness.rest)")
    }

    /// Removes the responses that a request to a URL has changed (RFC 9111, section 4.4).
    private func invalidate(_ url: HTTPURL, _ response: StreamedResponse) {
        cache.remove(url)
        if response.url != url { cache.remove(response.url) }
        for url in response.history { cache.remove(url) }
        remove(response.headers["Location"], at: url)
        remove(response.headers["Content-Location"], at: url)
    }

    private func remove(_ location: String?, at url: HTTPURL) {
        guard let location, let other = try? url.resolve(location: HTTPField("", location).valueBytes),
            other.hasSameOrigin(as: url)
        else { return }
        cache.remove(other)
    }
}

extension CacheEntry {
    /// Returns the stored response with its age.
    func response(to request: NetworkRequest, _ freshness: CacheFreshness, _ status: String) -> StreamedResponse {
        var headers = self.headers
        headers.set("Age", String(freshness.age))
        headers.append("Cache-Status", "Ashlar; " + status)
        let isHead = request.method == .head
        var response = StreamedResponse(
            head: ResponseHead(status: self.status, headers: headers), body: ResponseBody(isHead ? [] : body),
            url: request.url)
        response.bringsBody = !isHead
        return response
    }
}
