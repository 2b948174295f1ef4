internal import AshlarCore
public import AshlarNetworking
public import Dispatch
import Foundation

/// SquidKit's endpoint class: override its methods and call `connect { json, status in … }`.
///
/// Override `host()`, `path()` and `params()`. As in SquidKit, POST parameters are sent as JSON, those of other methods
/// in the query, and the closure is called on the main queue. Unlike in SquidKit, the path is escaped, the status is
/// checked, a request outlives its endpoint, and all endpoints share a client.
///
/// ```swift
/// nonisolated class TestEndpoint: JSONResponseEndpoint, @unchecked Sendable {
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
    // Unchecked because the class has no mutable state; subclasses are responsible for theirs.
    private let client: NetworkClient

    /// Creates an endpoint for a client.
    public init(client: NetworkClient = .shared) { self.client = client }

    /// The protocol, with or without `://`; `http://` by default, replaced by a host environment's protocol.
    open func hostProtocol() -> String { "http://" }
    /// The canonical host with an optional port; must be overridden.
    open func host() -> String { "" }
    /// The path with an optional query after `?`, with or without a leading slash.
    open func path() -> String { "" }
    /// The parameters, or nil, and the method; none and GET by default.
    open func params() -> ([String: any Sendable]?, HTTPMethod) { (nil, .get) }
    /// The encoding of the parameters; nil, the default, is JSON for POST and the query for other methods.
    open func encoding() -> EndpointEncoding? { nil }
    /// Header fields in addition to the client's; none by default.
    open func additionalHeaders() -> HTTPHeaders { [:] }
    /// The user and password for Basic authentication; none by default.
    open func basicAuthPair() -> (user: String, password: String)? { nil }
    /// The queue of the closure; the main queue by default.
    open func callbackQueue() -> DispatchQueue { .main }

    /// Sends the request and calls back once, with the JSON object or array, or with an invalid entity and the failure.
    ///
    /// - Parameter completion: Receives the JSON and the status.
    /// - Returns: The task of the request; cancelling it cancels the request.
    @discardableResult
    open func connect(_ completion: @escaping @Sendable (JSONEntity, EndpointStatus) -> Void) -> Task<Void, Never> {
        let queue = callbackQueue()
        let endpoint = SquidEndpoint(self)
        return Task { [client] in
            do throws(NetworkError) {
                let json = try await client.send(endpoint)
                let isContainer = json.isObject || json.isArray
                queue.async { completion(isContainer ? json : .missing, isContainer ? .ok : .responseFormat) }
            } catch {
                queue.async { completion(.missing, error.responseStatus) }
            }
        }
    }
}

/// The encoding of the parameters of a `JSONResponseEndpoint`.
public struct EndpointEncoding: Hashable, Sendable {
    private let name: String
    /// In the URL's query.
    public static let query: EndpointEncoding = EndpointEncoding(name: "query")
    /// As an HTML form in the body.
    public static let form: EndpointEncoding = EndpointEncoding(name: "form")
    /// As a JSON object in the body.
    public static let json: EndpointEncoding = EndpointEncoding(name: "json")
}

/// The overridden values of an endpoint.
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
        // Any other scheme than http(s) makes building the request throw.
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

    /// Returns the items of a query after a path, which SquidKit allowed.
    private static func items(of query: Substring) -> [HTTPQuery.Item] {
        func plain(_ text: Substring) -> String {
            let text = text.split(separator: "+", omittingEmptySubsequences: false).joined(separator: " ")
            return PercentCoding.decode(text) ?? text
        }
        return query.split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPQuery.Item(plain(pair[0]), pair.count > 1 ? plain(pair[1]) : nil)
        }
    }

    /// Returns query items by Alamofire's rules, like SquidKit: sorted names, `[]` after the name of a list, `[key]`
    /// after that of a dictionary.
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
            return .failed(NetworkError(.encodingFailed, "the parameters can't form a JSON object", phase: .prepare))
        }
        return .bytes(Array(data), contentType: "application/json")
    }
}

/// The outcome of an endpoint in the seven cases of SquidKit's `ResponseStatus`.
public enum EndpointStatus: Sendable, CustomStringConvertible {
    /// The response was accepted and decoded.
    case ok
    /// The status isn't 2xx; the message is the value of the `Error` or `Status` field, if there is one.
    case httpError(code: Int, message: String?)
    /// This machine has no network connection.
    case notConnected
    /// The host can't be resolved or reached.
    case hostConnection
    /// The resource isn't available.
    case resourceUnavailable
    /// The response isn't JSON, or not an object or array.
    case responseFormat
    /// All other failures: timeouts, TLS, cancellation.
    case unknown(NetworkError)

    /// The name of the case, with the code and message of an HTTP error.
    public var description: String {
        switch self {
        case .ok: "ok"
        case .httpError(let code, let message): "httpError(\(code)\(message.map { ", " + $0 } ?? ""))"
        case .notConnected: "notConnected"
        case .hostConnection: "hostConnection"
        case .resourceUnavailable: "resourceUnavailable"
        case .responseFormat: "responseFormat"
        case .unknown(let error): "unknown(\(error.code))"
        }
    }
}

extension NetworkError {
    /// The error as one of SquidKit's seven cases.
    public var responseStatus: EndpointStatus {
        switch code {
        case .unacceptableStatus: .httpError(code: status ?? 0, message: headers?["Error"] ?? headers?["Status"])
        case .notConnected: .notConnected
        case .hostNotFound, .cannotConnect: .hostConnection
        case .fileFailed: .resourceUnavailable
        case .invalidJSON, .jsonLimit, .decodingFailed, .invalidText: .responseFormat
        default: .unknown(self)
        }
    }
}
