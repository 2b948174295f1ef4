extension NetworkClient {
    /// Returns the cache's decision for a request, with its reason.
    ///
    /// Nothing is sent or stored. Middleware before the cache isn't run.
    ///
    /// - Parameter request: The request.
    /// - Returns: The result and its reason.
    /// - Throws: `.invalidURL` if the host selection returns an invalid host.
    public func explain(_ request: NetworkRequest) throws(NetworkError) -> CacheExplanation {
        guard let cache = configuration.cache else { return CacheExplanation(notCached: "the client has no cache") }
        return CacheExplanation(cache.decide(try preview(prepared(request))))
    }
}
