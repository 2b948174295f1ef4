/// The cache's decision for a request, with its reason.
///
/// ```swift
/// func show(_ client: NetworkClient) throws {
///     print(try client.explain(NetworkRequest(.get, "https://api.example.com/notes")))
///     // cached: fresh for 240 s more (max-age=300, age 60)
/// }
/// ```
public struct CacheExplanation: Hashable, Sendable, CustomStringConvertible {
    /// Whether the response would come from the cache without waiting for the server.
    public let isCached: Bool
    /// The result and its reason in one line.
    public let description: String

    init(_ decision: CachePolicy.Decision) {
        switch decision {
        case .bypass(let reason): (isCached, description) = (false, "not cached: \(reason)")
        case .miss(let reason): (isCached, description) = (false, "not cached: \(reason)")
        case .validate(_, let reason): (isCached, description) = (false, "validated first: \(reason)")
        case .unavailable(let reason):
            (isCached, description) = (false, "fails with 504: only-if-cached, and \(reason)")
        case .use(_, let freshness):
            let source = "(\(freshness.source), age \(freshness.age))"
            isCached = true
            description =
                freshness.isFresh
                ? "cached: fresh for \(freshness.rest) s more \(source)"
                : "cached: stale for \(-freshness.rest) s \(source), which the request's max-stale allows"
        case .useAndValidate(_, let freshness):
            isCached = true
            description =
                "cached: stale for \(-freshness.rest) s (\(freshness.source), age \(freshness.age)), and validated in the "
                + "background (stale-while-revalidate)"
        }
    }

    init(notCached reason: String) { (isCached, description) = (false, "not cached: \(reason)") }
}
