/// The method of a request; any token of RFC 9110 is allowed, and case counts.
public struct HTTPMethod: Hashable, Sendable, RawRepresentable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The method as it is sent, such as `GET`.
    public let rawValue: String

    /// Creates a method from its text, which is checked when a request is sent.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a method from its text, which is checked when a request is sent.
    public init(stringLiteral value: String) { rawValue = value }
    /// The method as it is sent.
    public var description: String { rawValue }

    /// Reads a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads the head of a resource only.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Creates or processes.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Stores under the given URL.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes in part.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks what is possible.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Asks for the request back, as the server saw it.
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// Whether the method only reads (RFC 9110, 9.2.1).
    public var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }
    /// Whether sending the request twice does what sending it once does (RFC 9110, 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
