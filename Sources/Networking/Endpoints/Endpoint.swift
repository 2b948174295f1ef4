/// A description of a server's operation: its location, its parameters and the type of its result.
///
/// An endpoint is usually a small struct whose stored properties are the parameters. Only `host`, `path` and `Output`
/// are required. The default `decode` depends on `Output`: a `Decodable` type is decoded from JSON, `JSONEntity` is the
/// parsed JSON, `String` the text, `[UInt8]` the bytes, and `Void` ignores the body.
///
/// ```swift
/// struct Note: Decodable, Sendable { let id: Int; let title: String }
///
/// struct GetNote: Endpoint {
///     typealias Output = Note
///     let id: Int
///     let host: EndpointHost = "notes.example.com"
///     var path: EndpointPath { "notes/\(id)" }
/// }
///
/// func title(_ id: Int, _ client: NetworkClient) async throws -> String {
///     try await client.send(GetNote(id: id)).title
/// }
/// ```
public protocol Endpoint: Sendable {
    /// The type of the decoded response.
    associatedtype Output: Sendable

    /// The canonical host, which the client's host selection may replace, or a base URL.
    var host: EndpointHost { get }
    /// The path below the host; each interpolation is escaped as one segment.
    var path: EndpointPath { get }
    /// The method; GET by default.
    var method: HTTPMethod { get }
    /// The query in order; empty by default.
    var query: HTTPQuery { get }
    /// Header fields in addition to the client's; empty by default.
    var headers: HTTPHeaders { get }
    /// The body; empty by default.
    var body: RequestBody { get }
    /// Changes the client's options for this endpoint; the default changes nothing.
    func configure(_ options: inout RequestOptions)
    /// Decodes the complete response; called only for accepted statuses.
    func decode(_ response: NetworkResponse) throws(NetworkError) -> Output
}

extension Endpoint {
    /// The default: GET.
    public var method: HTTPMethod { .get }
    /// The default: no query.
    public var query: HTTPQuery { [:] }
    /// The default: no fields.
    public var headers: HTTPHeaders { [:] }
    /// The default: no body.
    public var body: RequestBody { .empty }
    /// Changes nothing.
    public func configure(_ options: inout RequestOptions) {}

    /// Builds the request of this endpoint, before middleware and host selection.
    ///
    /// - Parameter options: The initial options, usually the client's.
    /// - Returns: The request.
    /// - Throws: `.invalidURL` if host, path and query don't form a URL.
    public func makeRequest(options: RequestOptions = .init()) throws(NetworkError) -> NetworkRequest {
        var options = options
        configure(&options)
        let host = host
        var url = try host.baseURL()
        try url.append(path)
        url.append(query)
        return NetworkRequest(
            method, url, headers: headers, body: body, options: options, canonicalHost: host.canonical)
    }
}
