internal import AshlarCore

/// The URL under which responses are stored, without its fragment.
struct CacheKey: Hashable, Sendable {
    private let url: HTTPURL

    init(_ url: HTTPURL) { self.url = url }

    /// The URL as text, for storage in files.
    var text: String { url.requestText }

    /// The number of slots.
    static let slots = 256

    /// Returns a number below `slots` for a URL; equal keys have equal numbers.
    static func slot(of url: HTTPURL) -> Int { Int(truncatingIfNeeded: ByteHash.hash(url.path)) & (slots - 1) }

    static func == (a: CacheKey, b: CacheKey) -> Bool {
        a.url.hasSameOrigin(as: b.url) && a.url.path == b.url.path && a.url.query == b.url.query
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url.host)
        hasher.combine(url.path)
        hasher.combine(url.query)
    }
}
