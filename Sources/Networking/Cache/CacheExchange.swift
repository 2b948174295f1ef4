internal import AshlarCore

/// One exchange with the server, whose response updates the cache.
struct CacheExchange {
    private let cache: ResponseCache
    /// The request with its actual URL and cookies.
    private let actual: NetworkRequest
    private let next: NetworkNext
    private let generation: UInt64

    init(_ cache: ResponseCache, _ actual: NetworkRequest, _ next: NetworkNext) {
        (self.cache, self.actual, self.next) = (cache, actual, next)
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
        guard let entry else { return await store(response, requested) }
        if [500, 502, 503, 504].contains(response.status), mayReplaceError(entry, request) {
            await response.body.discard(upTo: 64 << 10)
            return stale(entry)
        }
        guard response.status == 304 else { return await store(response, requested) }
        await response.body.discard(upTo: 64 << 10)
        guard CachePolicy.confirms(response.head, entry) else {
            // The server confirms a response that isn't stored here.
            cache.replace(actual, by: nil, began: generation)
            let requested = cache.now
            return await store(try await next(request), requested)
        }
        var updated = entry
        updated.update(with: response.head, requested: requested, received: cache.now)
        cache.replace(actual, by: updated, began: generation)
        let freshness = CacheFreshness(updated, now: cache.now)
        return (updated.response(to: actual, freshness, "hit; fwd=stale; fwd-status=304"), updated)
    }

    private func mayReplaceError(_ entry: CacheEntry, _ request: NetworkRequest) -> Bool {
        CachePolicy.isUsable(entry, onErrorOf: request, now: cache.now)
    }

    private func stale(_ entry: CacheEntry) -> (StreamedResponse, CacheEntry?) {
        let freshness = CacheFreshness(entry, now: cache.now)
        next.report(.cached(status: entry.status))
        return (entry.response(to: actual, freshness, "hit; fwd=stale; detail=error"), entry)
    }

    /// Reads and stores a response, if it may be stored.
    private func store(
        _ response: StreamedResponse, _ requested: Int64
    ) async -> (response: StreamedResponse, stored: CacheEntry?) {
        // The cache is outside the redirects, so it doesn't know how long they are valid.
        guard response.history.isEmpty, CachePolicy.reasonNotToStore(actual, response.head) == nil,
            response.head.contentLength ?? 0 <= cache.bodyLimit
        else {
            if response.status < 500 { cache.replace(actual, by: nil, began: generation) }
            return (response, nil)
        }
        let received = cache.now
        var bytes: [UInt8] = []
        do throws(NetworkError) {
            while let chunk = try await response.body.next() {
                bytes += chunk
                guard bytes.count <= cache.bodyLimit else {
                    return (response.with(ResponseBody(PrefixedBodySource(bytes, response.body))), nil)
                }
            }
        } catch {
            return (response.with(ResponseBody(PrefixedBodySource(bytes, failure: error))), nil)
        }
        let entry = CacheEntry(actual, response.head, bytes, requested: requested, received: received)
        cache.replace(actual, by: entry, began: generation)
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

/// A body of bytes that have been read, followed by the rest of another body or a failure.
private final class PrefixedBodySource: ResponseBodySource {
    private let prefix: Mutex<[UInt8]>
    private let rest: ResponseBody?
    private let failure: NetworkError?

    init(_ prefix: [UInt8], _ rest: ResponseBody? = nil, failure: NetworkError? = nil) {
        self.prefix = Mutex(prefix)
        (self.rest, self.failure) = (rest, failure)
    }

    func next() async throws(NetworkError) -> [UInt8]? {
        let bytes = prefix.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
        if !bytes.isEmpty { return bytes }
        if let failure { throw failure }
        return try await rest?.next()
    }

    func cancel() { rest?.cancel() }
}
