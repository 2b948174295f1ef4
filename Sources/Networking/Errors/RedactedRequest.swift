/// A request without its secrets and its body, for display.
public struct RedactedRequest: Hashable, Sendable, CustomStringConvertible {
    /// The method.
    public var method: HTTPMethod
    /// The URL, with secret values hidden.
    public var url: String
    /// The fields, with secret values hidden.
    public var headers: HTTPHeaders

    /// Creates a redacted request from parts that contain no secrets.
    public init(method: HTTPMethod, url: String, headers: HTTPHeaders = [:]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The method and URL, such as `GET https://api.example.com/notes?token=<redacted>`.
    public var description: String { "\(method) \(url)" }
}
