// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import AshlarCore
public import AshlarNetworking
public import Dispatch

/// SquidKit's endpoint class: override `host()`, `path()` and `params()`, and call `connect`.
///
/// As in SquidKit, POST parameters are sent as JSON, those of other methods in the query, and the closure is called on
/// the main queue. Unlike in SquidKit, the path is escaped, the status is checked, a request outlives its endpoint, and
/// all endpoints share a client.
open class JSONResponseEndpoint: @unchecked Sendable {
    // Unchecked because the class has no mutable state; subclasses are responsible for theirs.
    private let client: NetworkClient

    /// Creates an endpoint for a client; by default, the one that uses the environments of ``HostMapManager``.
    public init(client: NetworkClient = HostMapManager.client) { self.client = client }

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
    /// Cancelling the returned task cancels the request.
    @discardableResult
    open func connect(_ completion: @escaping @Sendable (JSONEntity, ResponseStatus) -> Void) -> Task<Void, Never> {
        let queue = callbackQueue()
        let endpoint = SquidEndpoint(self)
        return Task { [client] in
            do throws(NetworkError) {
                let json = try await client.send(endpoint)
                let isContainer = json.isObject || json.isArray
                queue.async { completion(isContainer ? json : .missing, isContainer ? .OK : .ResponseFormatError) }
            } catch {
                queue.async { completion(.missing, error.responseStatus) }
            }
        }
    }
}

/// The encoding of the parameters of a `JSONResponseEndpoint`.
public enum EndpointEncoding: Sendable {
    /// In the URL's query.
    case query
    /// As an HTML form in the body.
    case form
    /// As a JSON object in the body.
    case json
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
        if let (user, password) = endpoint.basicAuthPair() {
            let credentials = BasicCredentials(user: user, password: password)
            headers.set("Authorization", credentials.field, isSensitive: true)
        }
        guard let params else { return }
        switch endpoint.encoding() ?? (method == .post ? .json : .query) {
        case .json:
            do throws(NetworkError) { body = .json(try JSONEntity(jsonDictionary: params)) } catch {
                body = .failed(error)
            }
        case .form: body = .form(HTTPQuery(Self.items(params)))
        case .query: query.items += Self.items(params)
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
}

/// SquidKit as a qualifier of its types.
public enum SquidKit {
    /// The method of a request.
    public typealias Method = HTTPMethod
}

extension HTTPMethod {
    /// The method `GET`.
    public static let GET: HTTPMethod = .get
    /// The method `POST`.
    public static let POST: HTTPMethod = .post
}

/// SquidKit's `ResponseStatus`: the outcome of an endpoint.
public enum ResponseStatus: Sendable {
    /// The response was accepted and decoded.
    case OK
    /// The status isn't 2xx; the message is the value of the `Error` or `Status` field, if there is one.
    case HTTPError(code: Int, message: String?)
    /// This machine has no network connection.
    case NotConnectedError
    /// The host can't be resolved or reached.
    case HostConnectionError
    /// The resource isn't available.
    case ResourceUnavailableError
    /// The response isn't JSON, or not an object or array.
    case ResponseFormatError
    /// All other failures: timeouts, TLS, cancellation.
    case UnknownError(NetworkError)
}

extension NetworkError {
    /// The error as one of SquidKit's seven cases.
    public var responseStatus: ResponseStatus {
        switch code {
        case .unacceptableStatus: .HTTPError(code: status ?? 0, message: headers?["Error"] ?? headers?["Status"])
        case .notConnected: .NotConnectedError
        case .hostNotFound, .cannotConnect: .HostConnectionError
        case .fileFailed: .ResourceUnavailableError
        case .invalidJSON, .jsonLimit, .decodingFailed, .invalidText: .ResponseFormatError
        default: .UnknownError(self)
        }
    }
}
