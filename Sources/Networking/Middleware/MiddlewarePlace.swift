/// The position of a middleware among the client's own steps; see <doc:Middleware> for a diagram.
public struct MiddlewarePlace: Hashable, Sendable {
    private enum Kind { case beforeCache, beforeAuthentication, beforeRetry, beforeTransport }

    private let kind: Kind

    /// The outermost position: each call of the client passes it once, including calls that the cache answers.
    public static let beforeCache = MiddlewarePlace(kind: .beforeCache)
    /// Inside the cache: only requests to the server pass it, without credentials.
    public static let beforeAuthentication = MiddlewarePlace(kind: .beforeAuthentication)
    /// Inside the authentication: requests pass it with their credentials, once for all their retries.
    public static let beforeRetry = MiddlewarePlace(kind: .beforeRetry)
    /// The innermost position: each attempt passes it.
    public static let beforeTransport = MiddlewarePlace(kind: .beforeTransport)
}
