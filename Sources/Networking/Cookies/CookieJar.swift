internal import AshlarCore
import Foundation

/// The cookies of a client, in memory: stores `Set-Cookie` of responses and provides `Cookie` for requests (RFC 6265bis).
///
/// A jar is thread-safe. It holds at most 50 cookies per domain and 3,000 in total; the oldest are removed first.
/// Cookies for public suffixes, such as `co.uk`, are rejected by libpsl's rules or, if it isn't installed, by a table
/// in this module. To preserve cookies between runs, save ``cookies`` and restore them with ``set(_:)``.
///
/// ```swift
/// let jar = CookieJar()
/// jar.set(NetworkCookie("session", "abc", host: "api.example.com"))
/// let url = try HTTPURL("https://api.example.com/notes")
/// assert(jar.header(for: url) == "session=abc")
/// ```
public final class CookieJar: Sendable {
    private let stored = Mutex<[NetworkCookie]>([])
    private let clock: @Sendable () -> Int

    /// Creates an empty jar that uses the system's time.
    public convenience init() { self.init(clock: { Int(Date().timeIntervalSince1970) }) }

    /// Creates an empty jar.
    ///
    /// - Parameter clock: The time in seconds since 1970.
    public init(clock: @escaping @Sendable () -> Int) { self.clock = clock }

    /// The cookies that have not expired, oldest first.
    public var cookies: [NetworkCookie] {
        let now = clock()
        return stored.withLock { $0.filter { ($0.expires ?? .max) > now } }
    }

    /// Adds a cookie or replaces the one with the same name, domain and path; an expired cookie removes it.
    public func set(_ cookie: NetworkCookie) {
        let now = clock()
        stored.withLock { stored in
            let place = stored.firstIndex {
                $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
            }
            if (cookie.expires ?? .max) <= now {
                if let place { stored.remove(at: place) }
            } else if let place {
                stored[place] = cookie
            } else {
                stored.removeAll { ($0.expires ?? .max) <= now }
                stored.append(cookie)
                Self.trim(&stored, domain: cookie.domain)
            }
        }
    }

    /// Removes all cookies.
    public func removeAll() { stored.withLock { $0 = [] } }

    /// Stores the cookies of a response.
    public func store(_ headers: HTTPHeaders, from url: HTTPURL) {
        guard headers.contains("Set-Cookie") else { return }
        let now = clock()
        for text in headers.values(for: "Set-Cookie") {
            guard let cookie = NetworkCookie(setCookie: text, from: url, now: now) else { continue }
            // An unencrypted response must not replace or shadow a secure cookie (RFC 6265bis, section 5.7).
            if url.scheme == .http, hides(cookie) { continue }
            set(cookie)
        }
    }

    /// Whether a secure cookie of the same name is sent to the same hosts and paths.
    private func hides(_ cookie: NetworkCookie) -> Bool {
        let now = clock()
        return stored.withLock { stored in
            stored.contains { old in
                old.isSecure && old.name == cookie.name && (old.expires ?? .max) > now
                    && (old.domain == cookie.domain || cookie.domain.hasSuffix("." + old.domain)
                        || old.domain.hasSuffix("." + cookie.domain))
                    && NetworkCookie.path(cookie.path, isBelow: old.path)
            }
        }
    }

    /// The value of the `Cookie` field for a URL, longest paths first, or nil if there is none.
    ///
    /// - Complexity: O(*n*) in the number of cookies.
    public func header(for url: HTTPURL) -> String? {
        let candidates = stored.withLock { $0.isEmpty ? [] : $0.filter { $0.matches(url) } }
        guard !candidates.isEmpty else { return nil }
        let now = clock()
        let live = candidates.enumerated().filter { ($0.element.expires ?? .max) > now }
        let ordered = live.sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
        return ordered.isEmpty ? nil : ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    private static func trim(_ stored: inout [NetworkCookie], domain: String) {
        if stored.count > 3000 { stored.removeFirst() }
        let places = stored.indices.filter { stored[$0].domain == domain }
        if places.count > 50 { stored.remove(at: places[0]) }
    }
}
