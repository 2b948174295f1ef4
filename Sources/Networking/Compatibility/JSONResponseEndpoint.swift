public import Dispatch
import Foundation

/// SquidKit's endpoint: a class that is overridden, and `connect { json, status in … }`.
///
/// Override `host()`, `path()` and `params()`. As in the original, POST parameters are sent as JSON, those of all other methods
/// in the query, and the closure is called on the main queue. New: the path is escaped, the status is checked, a request
/// outlives its endpoint, and all endpoints share a client instead of a session each.
///
/// ```swift
/// class TestEndpoint: JSONResponseEndpoint, @unchecked Sendable {
///     override func host() -> String { "httpbin.example" }
///     override func path() -> String { "get" }
///     override func params() -> ([String: any Sendable]?, HTTPMethod) { (["foo": "bar"], .get) }
/// }
///
/// TestEndpoint().connect { json, status in
///     switch status {
///     case .ok: print(json["args"]["foo"].string("?"))
///     case .httpError(let code, let message): print(code, message ?? "")
///     default: print(status)
///     }
/// }
/// ```
open class JSONResponseEndpoint: @unchecked Sendable {
    // Sendable because the class has no mutable state; subclasses answer for theirs.
    private let client: NetworkClient

    /// Creates an endpoint that the given client sends.
    public init(client: NetworkClient = .shared) { self.client = client }

    /// The protocol, with or without `://`, `http://` unless overridden; a host environment's own protocol wins.
    open func hostProtocol() -> String { "http://" }
    /// The canonical host, perhaps with a port; must be overridden.
    open func host() -> String { "" }
    /// The path, perhaps with a query behind `?`; a leading slash is not doubled.
    open func path() -> String { "" }
    /// The parameters, or nil, and the method; none and GET unless overridden.
    open func params() -> ([String: any Sendable]?, HTTPMethod) { (nil, .get) }
    /// How the parameters travel; nil, unless overridden, is JSON for POST and the query for all other methods.
    open func encoding() -> EndpointEncoding? { nil }
    /// Fields to send besides the client's; none unless overridden.
    open func additionalHeaders() -> HTTPHeaders { [:] }
    /// User and password for Basic authentication; none unless overridden.
    open func basicAuthPair() -> (user: String, password: String)? { nil }
    /// Where the closure is called; the main queue unless overridden.
    open func callbackQueue() -> DispatchQueue { .main }

    /// Sends the request and calls back once with the JSON object or array, or with an invalid entity and what went wrong.
    ///
    /// - Parameter completion: Takes the JSON and the status.
    /// - Returns: A token that cancels the request.
    @discardableResult
    open func connect(_ completion: @escaping @Sendable (JSONEntity, EndpointStatus) -> Void) -> RequestToken {
        let queue = callbackQueue()
        return client.send(SquidEndpoint(self)) { result in
            queue.async {
                switch result {
                case .success(let json) where json.isObject || json.isArray: completion(json, .ok)
                case .success: completion(.missing, .responseFormat)
                case .failure(let error): completion(.missing, error.responseStatus)
                }
            }
        }
    }
}

/// How the parameters of an overridden endpoint travel.
public struct EndpointEncoding: Hashable, Sendable {
    private let name: String
    /// In the URL's query.
    public static let query: EndpointEncoding = EndpointEncoding(name: "query")
    /// As an HTML form in the body.
    public static let form: EndpointEncoding = EndpointEncoding(name: "form")
    /// As a JSON object in the body.
    public static let json: EndpointEncoding = EndpointEncoding(name: "json")
}

/// What an overridden endpoint says, as a value.
private struct SquidEndpoint: Endpoint {
    typealias Output = JSONEntity

    let host: EndpointHost
    let path: EndpointPath
    let method: HTTPMethod
    var query: HTTPQuery = [:]
    var headers: HTTPHeaders
    var body: RequestBody = .empty

    init(_ endpoint: JSONResponseEndpoint) {
        let (params, method) = endpoint.params()
        var name = endpoint.hostProtocol().lowercased()
        if name.hasSuffix("://") { name.removeLast(3) }
        // Another scheme than http(s) makes no URL, and is refused when the request is built.
        host =
            HTTPURL.Scheme(rawValue: name).map { .canonical(endpoint.host(), scheme: $0) }
            ?? .url(name + "://" + endpoint.host())
        let place = endpoint.path().split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = EndpointPath(String(place[0]))
        if place.count > 1 { query.items = Self.items(of: place[1]) }
        self.method = method
        headers = endpoint.additionalHeaders()
        if let pair = endpoint.basicAuthPair() {
            let credentials = BasicCredentials(user: pair.user, password: pair.password)
            headers.set("Authorization", credentials.field, isSensitive: true)
        }
        guard let params else { return }
        switch endpoint.encoding() ?? (method == .post ? .json : .query) {
        case .json: body = Self.json(params)
        case .form: body = .form(HTTPQuery(Self.items(params)))
        default: query.items += Self.items(params)
        }
    }

    /// The items of a query that stands behind a path, as the original let it.
    private static func items(of query: Substring) -> [HTTPQuery.Item] {
        func plain(_ text: Substring) -> String {
            let text = text.split(separator: "+", omittingEmptySubsequences: false).joined(separator: " ")
            return PercentEncoding.decode(text) ?? text
        }
        return query.split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPQuery.Item(plain(pair[0]), pair.count > 1 ? plain(pair[1]) : nil)
        }
    }

    /// Alamofire's rules, which the original used: sorted names, `[]` behind a list's, `[key]` behind a dictionary's.
    private static func items(_ params: [String: any Sendable], in name: String? = nil) -> [HTTPQuery.Item] {
        params.sorted { $0.key < $1.key }.flatMap { key, value in items(name.map { "\($0)[\(key)]" } ?? key, value) }
    }

    private static func items(_ name: String, _ value: any Sendable) -> [HTTPQuery.Item] {
        switch value {
        case let list as [any Sendable]: list.flatMap { items(name + "[]", $0) }
        case let dictionary as [String: any Sendable]: items(dictionary, in: name)
        case let bool as Bool: [HTTPQuery.Item(name, bool ? "1" : "0")]
        default: [HTTPQuery.Item(name, "\(value)")]
        }
    }

    private static func json(_ params: [String: any Sendable]) -> RequestBody {
        guard JSONSerialization.isValidJSONObject(params),
            let data = try? JSONSerialization.data(withJSONObject: params, options: [.sortedKeys])
        else {
            return .failed(NetworkError(.encodingFailed, "the parameters are no JSON object", phase: .prepare))
        }
        return .bytes(Array(data), contentType: "application/json")
    }
}
