/// A request method: any token of RFC 9110; case matters.
public struct HTTPMethod: Hashable, Sendable, RawRepresentable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The method as sent, such as `GET`.
    public let rawValue: String

    /// Creates a method from its name, which is checked when a request is sent.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a method from its name, which is checked when a request is sent.
    public init(stringLiteral value: String) { rawValue = value }
    /// The method as sent.
    public var description: String { rawValue }

    /// Retrieves a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Retrieves the head of a resource.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Submits data for processing.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource at the URL.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Modifies part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Deletes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Requests the supported options.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Returns the request as the server received it.
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// Whether the method only retrieves data (RFC 9110, 9.2.1).
    var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }
    /// Whether sending the request twice has the same effect as sending it once (RFC 9110, 9.2.2).
    var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
