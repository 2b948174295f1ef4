internal import AshlarCore

/// The key under which the responses of a URL are stored.
///
/// A request's own credentials are part of the key, so that responses for different credentials are separate. The
/// same applies to bodies that aren't decompressed.
struct CacheKey: Hashable, Sendable {
    private let url: HTTPURL
    private let prefix: String

    private static let raw = "raw "

    /// Creates the key of a request with its actual URL.
    init(_ request: NetworkRequest) {
        url = request.url
        var prefix = request.options.decompresses ? "" : Self.raw
        if let credentials = request.headers["Authorization"] {
            prefix += SHA256.hexadecimal(Array(credentials.utf8)) + " "
        }
        self.prefix = prefix
    }

    private init(_ url: HTTPURL, _ prefix: String) { (self.url, self.prefix) = (url, prefix) }

    /// The keys of a URL without credentials: for decompressed bodies, and for others.
    static func withoutCredentials(_ url: HTTPURL) -> (plain: CacheKey, raw: CacheKey) {
        (CacheKey(url, ""), CacheKey(url, raw))
    }

    /// The key as text, for storage in files.
    var text: String { prefix + url.requestText }

    /// The number of slots.
    static let slots = 256
    /// A number below `slots`, the same for all keys of a URL.
    var slot: Int { Int(truncatingIfNeeded: hashValue) & (Self.slots - 1) }

    static func == (a: CacheKey, b: CacheKey) -> Bool {
        a.prefix == b.prefix && a.url.hasSameOrigin(as: b.url) && a.url.path == b.url.path
            && a.url.query == b.url.query
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url.host)
        hasher.combine(url.path)
        hasher.combine(url.query)
    }
}
