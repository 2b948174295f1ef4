internal import AshlarCore

/// A stored response to a GET.
struct CacheEntry: Hashable, Sendable {
    /// The status.
    var status: Int
    /// The fields, without those that apply to a connection.
    var headers: HTTPHeaders
    /// The body, decompressed.
    var body: [UInt8]
    /// The properties that a request must share with the stored one.
    var varying: [Varying]
    /// The time at which the request was sent, in seconds since 1970.
    var requested: Int64
    /// The time at which the response arrived, in seconds since 1970.
    var received: Int64

    /// A property of a request: a field's name in lowercase and its value, or nil if the request doesn't have it.
    struct Varying: Hashable, Sendable {
        var name: String
        var value: String?
    }

    /// The properties that matter for every response, in addition to those that `Vary` names: a response to a request
    /// with credentials, its own or those that the client adds, is for these credentials only, and a body that isn't decompressed is for a request
    /// that wants it so.
    private static let alwaysVarying = [credentials, bodyCoding, cookieJar]
    /// The names of properties that aren't fields; the space distinguishes them from one.
    private static let credentials = "user credentials"
    private static let bodyCoding = "body coding"
    private static let cookieJar = "cookie jar"

    /// The approximate number of bytes in memory.
    var cost: Int { headers.reduce(body.count + 200) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 } }

    /// Whether a request has the properties of the stored one (RFC 9111, section 4.1).
    func matches(_ query: CacheQuery) -> Bool {
        varying.allSatisfy { Self.isSame($0, in: query) }
    }

    /// Whether a request has a stored property, or is one with cookies for a response to a request without any.
    private static func isSame(_ stored: Varying, in query: CacheQuery) -> Bool {
        stored.value == property(stored.name, of: query) || stored.name == cookieJar && stored.value == nil
    }

    /// The names of the properties in which a request differs from the stored one.
    func differences(from query: CacheQuery) -> [String] {
        varying.filter { !Self.isSame($0, in: query) }.map(\.name)
    }

    /// Updates the entry with the head of a 304 (RFC 9111, section 3.2).
    mutating func update(with head: ResponseHead, requested: Int64, received: Int64) {
        let unshared = Self.connectionFields(head.headers) + Self.bodyFields
        var seen: Set<String> = []
        for field in head.headers
        where !Self.isSecret(field) && !unshared.contains(where: { $0.equalsIgnoringASCIICase(field.name) }) {
            if seen.insert(field.name.lowercased()).inserted {
                headers.set(field.name, field.value, isSensitive: field.isSensitive)
            } else {
                headers.append(field)
            }
        }
        self.requested = requested
        self.received = received
    }

    /// The fields of a stored response that a 304 doesn't replace, because they describe the stored bytes.
    private static let bodyFields = ["Content-Length", "Content-Encoding", "Content-Type", "Content-Range"]

    /// Whether a field of a response has credentials, which a file must not contain; the client has already stored the
    /// cookies.
    private static func isSecret(_ field: HTTPField) -> Bool {
        field.isSensitive || field.name.lowercased().hasSuffix("token")
            || ["Set-Cookie", "Set-Cookie2", "Authentication-Info"].contains { $0.equalsIgnoringASCIICase(field.name) }
    }

    private static func connectionFields(_ headers: HTTPHeaders) -> [String] {
        [
            "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
            "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
        ] + headers.list(for: "Connection")
    }

    private static func property(_ name: String, of query: CacheQuery) -> String? {
        switch name {
        case bodyCoding: query.request.inflates ? nil : "original"
        case credentials: hash(ofCredentials: query)
        case cookieJar: query.jar
        default:
            combined(query.request.headers, name).map { value in
                // A file must not contain secrets.
                query.isSecret(name) ? SHA256.hexadecimal(Array(value.utf8)) : value
            }
        }
    }

    /// Returns a hash of everything but cookies that identifies the user, or nil if nothing does.
    private static func hash(ofCredentials query: CacheQuery) -> String? {
        let fields = query.request.headers.filter {
            query.isSecret($0.name) && !$0.name.equalsIgnoringASCIICase("Cookie")
        }
        let parts = fields.map { "\($0.name.lowercased()):\($0.value)" }.sorted() + [query.user ?? ""]
        return parts == [""] ? nil : SHA256.hexadecimal(Array(parts.joined(separator: "\n").utf8))
    }

    /// Returns all values of a field as one value, without spaces around the commas.
    private static func combined(_ headers: HTTPHeaders, _ name: String) -> String? {
        let values = headers.values(for: name)
        guard !values.isEmpty else { return nil }
        return values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.trimmingHTTPSpace() }.joined(separator: ",")
    }
}

extension CacheEntry {
    /// Creates an entry for a response.
    init(_ query: CacheQuery, _ head: ResponseHead, _ body: [UInt8], requested: Int64, received: Int64) {
        status = head.status
        self.body = body
        self.requested = requested
        self.received = received
        let unshared = Self.connectionFields(head.headers) + CacheControl(head.headers).fields(of: "no-cache")
        headers = HTTPHeaders(
            head.headers.filter { field in
                !Self.isSecret(field) && !unshared.contains { $0.equalsIgnoringASCIICase(field.name) }
            })
        let listed = headers.list(for: "Vary").map { $0.lowercased() }.filter { !Self.alwaysVarying.contains($0) }
        varying = (Self.alwaysVarying + listed).map { Varying(name: $0, value: Self.property($0, of: query)) }
    }
}

/// The stored responses of one URL, which are for requests with different properties; the latest first.
struct CacheRecord: Hashable, Sendable {
    /// The maximum number of responses for one URL.
    static let mostVariants = 8

    var variants: [CacheEntry]

    var cost: Int { variants.reduce(0) { $0 + $1.cost } }

    /// Returns the latest entry that matches a request.
    func entry(for query: CacheQuery) -> CacheEntry? { variants.first { $0.matches(query) } }

    /// Replaces the entries that match a request with a new one, or removes them.
    mutating func replace(_ query: CacheQuery, by entry: CacheEntry?) {
        variants.removeAll { $0.matches(query) }
        if let entry { variants.insert(entry, at: 0) }
        if variants.count > Self.mostVariants { variants.removeLast(variants.count - Self.mostVariants) }
    }
}

/// The URL under which responses are stored, without its fragment.
struct CacheKey: Hashable, Sendable {
    private let url: HTTPURL

    init(_ url: HTTPURL) { self.url = url }

    /// The hash of the URL, for files, because a query can contain secrets.
    var hash: String { SHA256.hexadecimal(Array(url.requestText.utf8)) }

    /// The approximate number of bytes in memory.
    var cost: Int { url.host.utf8.count + url.path.utf8.count + (url.query?.utf8.count ?? 0) }

    /// The number of buckets.
    static let buckets = 256

    /// Returns the bucket of a URL; equal keys have the same bucket.
    static func bucket(of url: HTTPURL) -> Int { Int(truncatingIfNeeded: ByteHash.hash(url.path)) & (buckets - 1) }

    static func == (a: CacheKey, b: CacheKey) -> Bool {
        a.url.hasSameOrigin(as: b.url) && a.url.path == b.url.path && a.url.query == b.url.query
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url.host)
        hasher.combine(url.path)
        hasher.combine(url.query)
    }
}
