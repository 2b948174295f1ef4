internal import AshlarCore

/// A description of a server's operation: its location, its parameters and the type of its result.
///
/// An endpoint is usually a small struct whose stored properties are the parameters. Only `host`, `path` and `Output`
/// are required. The default `decode` depends on `Output`: a `Decodable` type is decoded from JSON, `JSONEntity` is the
/// parsed JSON, `String` the text, `[UInt8]` the bytes, and `Void` ignores the body. An endpoint is used and its output
/// decoded on the actor that sends it. Code that is on the main actor by default needs no annotations; declare an endpoint and
/// its output `nonisolated` there to send it from other actors.
///
/// State the types of `method`, `query`, `headers` and `body`. A property with such a name and another type, such as
/// `query: [String: String]`, is no error for the compiler: it is a property of the endpoint's own, and the default is sent.
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
public protocol Endpoint {
    /// The type of the decoded response.
    associatedtype Output

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
        var request = NetworkRequest(method, url, headers: headers, body: body, options: options)
        request.canonicalHost = host.canonical
        return request
    }
}

/// The host of an endpoint: a canonical host that host environments may replace, or a base URL.
///
/// A string literal with `://` is a base URL, any other literal a canonical host:
///
/// ```swift
/// let canonical: EndpointHost = "api.example.com"
/// let fixed: EndpointHost = "http://127.0.0.1:8080/v2"
/// assert(canonical == .canonical("api.example.com") && fixed == .url("http://127.0.0.1:8080/v2"))
/// ```
public struct EndpointHost: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    private enum Kind: Hashable, Sendable {
        case canonical(CanonicalHost)
        case url(String)
    }

    /// The base URL, parsed once because an endpoint is often sent many times.
    private let parsed: HTTPURL?

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
        parsed = try? Self.read(kind)
    }

    /// Returns a host that the client's host selection may replace; the default scheme is the host map's, else https.
    public static func canonical(_ name: String, scheme: HTTPURL.Scheme? = nil) -> EndpointHost {
        EndpointHost(.canonical(CanonicalHost(name, scheme: scheme)))
    }

    /// Returns a base URL; the endpoint's path is appended to its own.
    public static func url(_ url: String) -> EndpointHost { EndpointHost(.url(url)) }

    /// Creates a base URL if the string contains `://`, otherwise a canonical host.
    public init(stringLiteral value: String) {
        self = value.contains("://") ? .url(value) : .canonical(value)
    }

    package var canonical: CanonicalHost? { if case .canonical(let host) = kind { host } else { nil } }

    func baseURL() throws(NetworkError) -> HTTPURL {
        if let parsed { return parsed }
        return try Self.read(kind)
    }

    private static func read(_ kind: Kind) throws(NetworkError) -> HTTPURL {
        switch kind {
        case .canonical(let host): try HTTPURL(authority: host.name, scheme: host.scheme ?? .https)
        case .url(let text): try HTTPURL(text)
        }
    }
}

extension HTTPURL {
    /// Creates a URL from `host` or `host:port` alone.
    init(authority: String, scheme: Scheme) throws(NetworkError) {
        let delimiters = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@")]
        if let bad = authority.utf8.enumerated().first(where: { delimiters.contains($0.element) }) {
            throw NetworkError(invalidURL: "expected a host with an optional port", offset: bad.offset)
        }
        try self.init(scheme.rawValue + "://" + authority)
    }

    /// Returns the same path, query and fragment with another scheme and authority.
    func moved(to authority: String, scheme: Scheme) throws(NetworkError) -> HTTPURL {
        var url = try HTTPURL(authority: authority, scheme: scheme)
        url.userInfo = userInfo
        url.path = path
        url.query = query
        url.fragment = fragment
        return url
    }
}

/// The path of an endpoint; each interpolated value is escaped so that it stays within one segment.
///
/// In the literal parts, `/` separates segments and `%41` is an escape; other bytes that a path can't contain, such as
/// `?`, are escaped. An interpolated value never adds segments. If it makes its segment empty, `.` or `..`, the path would lead
/// elsewhere, and building the request throws.
///
/// ```swift
/// let name = "a/b c?"
/// let path: EndpointPath = "users/\(name)/notes/\(7)"
/// assert(path.description == "users/a%2Fb%20c%3F/notes/7")
/// ```
public struct EndpointPath: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The escaped path.
    public private(set) var description: String
    private var defect: String?
    /// Whether the string is a URL instead of a path; see ``NetworkClient/get(_:query:headers:)-(EndpointPath,_,_)``.
    let isURL: Bool

    /// Creates a path from a string literal.
    public init(stringLiteral value: String) {
        self.init(stringInterpolation: Interpolation(literal: value))
    }

    /// Creates a path from a string in which `/` separates segments; other bytes that a path can't contain are escaped.
    public init(_ text: String) { self.init(stringLiteral: text) }

    /// Creates a path from literal parts and values.
    public init(stringInterpolation: Interpolation) {
        var interpolation = stringInterpolation
        interpolation.endSegment()
        description = String(decoding: interpolation.bytes, as: UTF8.self)
        defect = interpolation.defect
        isURL = interpolation.isURL
    }

    /// Builds a path from literal parts and values.
    public struct Interpolation: StringInterpolationProtocol {
        var bytes: [UInt8] = []
        var defect: String?
        /// Whether the string starts with `http://` or `https://`.
        fileprivate(set) var isURL = false
        private var segmentStart = 0
        private var segmentHasValue = false

        /// Creates an empty builder.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        init(literal: String) {
            appendLiteral(literal)
        }

        /// Appends a literal part, in which `/` separates segments.
        public mutating func appendLiteral(_ literal: String) {
            if bytes.isEmpty { isURL = Self.hasScheme(literal) }
            let text = Array(literal.utf8)
            for (index, byte) in text.enumerated() {
                if byte == UInt8(ascii: "/") {
                    endSegment()
                    bytes.append(byte)
                    segmentStart = bytes.count
                } else if byte == UInt8(ascii: "%") {
                    let isEscape =
                        index + 2 < text.count && text[index + 1].hexValue != nil && text[index + 2].hexValue != nil
                    if !isEscape { defect = defect ?? "expected two hex digits after % in the path" }
                    bytes.append(byte)
                } else if isURL || PercentCoding.isSegmentByte(byte) {
                    bytes.append(byte)
                } else {
                    PercentCoding.append(byte, to: &bytes)
                }
            }
        }

        private static func hasScheme(_ literal: String) -> Bool {
            ["http://", "https://"].contains { String(literal.prefix($0.count)).equalsIgnoringASCIICase($0) }
        }

        /// Appends a value as part of one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            segmentHasValue = true
            PercentCoding.append(value.description.utf8, to: &bytes, allowed: PercentCoding.isUnreserved)
        }

        mutating func endSegment() {
            defer { segmentHasValue = false }
            guard segmentHasValue else { return }
            let segment = bytes[segmentStart...]
            if segment.isEmpty {
                defect = defect ?? "a value leaves its path segment empty"
            } else if segment.elementsEqual([0x2E]) || segment.elementsEqual([0x2E, 0x2E]) {
                defect = defect ?? "a value makes its path segment . or .."
            }
        }
    }

    func check() throws(NetworkError) {
        if let defect { throw NetworkError(.invalidURL, defect, phase: .prepare) }
    }
}

extension HTTPURL {
    /// Appends segments to the path, separated by exactly one slash.
    ///
    /// - Throws: `.invalidURL` for a value that would lead elsewhere; see ``EndpointPath``. The URL is then unchanged.
    public mutating func append(_ segments: EndpointPath) throws(NetworkError) {
        try segments.check()
        guard !segments.description.isEmpty else { return }
        switch (path.utf8.last == UInt8(ascii: "/"), segments.description.utf8.first == UInt8(ascii: "/")) {
        case (true, true): path.unicodeScalars.removeLast()
        case (false, false): path += "/"
        default: break
        }
        path += segments.description
    }
}
