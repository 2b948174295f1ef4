/// A description of one thing a server offers: where it is, what it is given, and what its answer becomes.
///
/// An endpoint is usually a small struct whose stored properties are the parameters. Only `host`, `path` and
/// `Output` have to be given. The default `decode` depends on `Output`: any `Decodable` is read from JSON,
/// `JSONEntity` is the JSON itself, `String` the text, `[UInt8]` the bytes, `Void` nothing.
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
    /// What the answer becomes.
    associatedtype Output: Sendable

    /// The canonical host, which the client's host choice may replace, or a base URL, which is taken as it is.
    var host: EndpointHost { get }
    /// The path below the host; each interpolation is escaped as one segment.
    var path: EndpointPath { get }
    /// The method; GET unless given.
    var method: HTTPMethod { get }
    /// The query, in order; empty unless given.
    var query: HTTPQuery { get }
    /// The fields that are sent besides the client's; empty unless given.
    var headers: HTTPHeaders { get }
    /// The body; empty unless given.
    var body: RequestBody { get }
    /// Changes the client's options for this endpoint; changes nothing unless given.
    func configure(_ options: inout RequestOptions)
    /// Turns the complete answer into the output; called only for accepted statuses.
    func decode(_ response: NetworkResponse) throws(NetworkError) -> Output
}

extension Endpoint {
    /// GET.
    public var method: HTTPMethod { .get }
    /// Empty.
    public var query: HTTPQuery { [:] }
    /// Empty.
    public var headers: HTTPHeaders { [:] }
    /// Empty.
    public var body: RequestBody { .empty }
    /// Changes nothing.
    public func configure(_ options: inout RequestOptions) {}

    /// Builds the request of this endpoint, before middleware and host choice.
    ///
    /// - Parameter options: The options to start from; usually the client's.
    /// - Returns: The request.
    /// - Throws: `.invalidURL` if host, path and query make none.
    public func makeRequest(options: RequestOptions = .init()) throws(NetworkError) -> NetworkRequest {
        var options = options
        configure(&options)
        let host = host
        var url = try host.baseURL()
        try path.append(to: &url)
        query.append(to: &url)
        return NetworkRequest(
            method, url, headers: headers, body: body, options: options, canonicalHost: host.canonical)
    }
}
