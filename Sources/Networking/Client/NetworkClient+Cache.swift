extension NetworkClient {
    /// Returns what the cache would do with a request, and why.
    ///
    /// Nothing is sent or stored. Middleware before the cache isn't run.
    ///
    /// - Parameter request: The request.
    /// - Returns: The result and its reason.
    /// - Throws: `.invalidURL` if the host selection gives an invalid host.
    public func explain(_ request: NetworkRequest) throws(NetworkError) -> CacheExplanation {
        guard let cache = configuration.cache else { return CacheExplanation(notCached: "the client has no cache") }
        return CacheExplanation(cache.decide(try preview(prepared(request))))
    }
}
