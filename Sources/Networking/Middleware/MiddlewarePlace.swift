/// A place for a middleware among the client's own steps; see <doc:Middleware> for a picture.
public struct MiddlewarePlace: Hashable, Sendable, CustomStringConvertible {
    /// The place's name.
    public let description: String

    private init(_ name: String) { description = name }

    /// The outermost place: each call of the client passes it once, including calls that the cache answers.
    public static let beforeCache = MiddlewarePlace("beforeCache")
    /// Behind the cache: only requests that go to the server pass it, without credentials.
    public static let beforeAuthentication = MiddlewarePlace("beforeAuthentication")
    /// Behind the authentication: requests pass it with their credentials, once for all their retries.
    public static let beforeRetry = MiddlewarePlace("beforeRetry")
    /// The innermost place: each attempt passes it.
    public static let beforeTransport = MiddlewarePlace("beforeTransport")
}
