internal import AshlarCore
import Foundation

/// The cookies of a client: stores `Set-Cookie` of responses and provides `Cookie` for requests (RFC 6265bis).
///
/// A jar is thread-safe. It holds at most 50 cookies per domain and 3,000 in total; the oldest are removed first,
/// and secure cookies last.
/// Cookies for public suffixes, such as `co.uk`, are rejected by a table in this module. The cookies are in memory;
/// ``init(file:)`` stores them in a file, too.
///
/// ```swift
/// let jar = CookieJar()
/// jar.set(NetworkCookie("session", "abc", host: "api.example.com"))
/// assert(jar.cookies.map(\.name) == ["session"])
/// ```
public final class CookieJar: Sendable {
    private let stored = Mutex(CookieTable())
    private let clock: @Sendable () -> Int
    private let file: CookieFile?
    private let name: String

    /// Creates an empty jar.
    public convenience init() { self.init(clock: Self.systemTime) }

    /// Creates an empty jar with a clock, in seconds since 1970.
    package init(clock: @escaping @Sendable () -> Int) {
        self.clock = clock
        file = nil
        name = UUID().uuidString
    }

    private static let systemTime: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }

    /// Creates a jar with the cookies of a file, and writes changes to the file after a short delay.
    ///
    /// A missing file means no cookies. The file is replaced atomically, so that a killed process leaves either the old
    /// or the new cookies, and only its owner can read it. Cookies without an expiration time belong to the session and
    /// aren't stored. Use a file with one jar at a time.
    ///
    /// - Parameter path: The file.
    /// - Throws: `.fileFailed` if the file can't be read, `.invalidJSON` or `.decodingFailed` if it isn't a jar's.
    public convenience init(file path: String) throws(NetworkError) {
        try self.init(file: path, clock: Self.systemTime)
    }

    package init(file path: String, clock: @escaping @Sendable () -> Int) throws(NetworkError) {
        let file = CookieFile(path)
        let (cookies, now) = (try file.read(), clock())
        self.clock = clock
        self.file = file
        name = path
        stored.withLock { stored in
            for cookie in cookies { stored.set(cookie, now: now) }
        }
    }

    deinit { try? save() }

    /// The cookies that have not expired, oldest first.
    public var cookies: [NetworkCookie] {
        let now = clock()
        return stored.withLock { $0.cookies(now: now) }
    }

    /// Adds a cookie or replaces the one with the same name, domain and path; an expired cookie removes it.
    ///
    /// - Parameter cookie: The cookie.
    /// - Returns: Whether the jar accepts it; a name or value with control characters such as CR and LF, or a semicolon,
    ///   can't be sent, and neither can an empty name or one with an equals sign.
    @discardableResult
    public func set(_ cookie: NetworkCookie) -> Bool { set(cookie, began: nil) }

    private func set(_ cookie: NetworkCookie, began generation: Int?, mayHide: Bool = true) -> Bool {
        let isSendable = [cookie.name, cookie.value].allSatisfy { text in
            text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: ";") }
        }
        guard isSendable, !cookie.name.isEmpty, !cookie.name.contains("="),
            (try? HTTPField("Cookie", "\(cookie.name)=\(cookie.value)").validate()) != nil
        else { return false }
        let now = clock()
        let isCurrent = stored.withLock { stored in
            guard generation == nil || generation == stored.generation, mayHide || !stored.hides(cookie, now: now)
            else { return false }
            stored.set(cookie, now: now)
            return true
        }
        if isCurrent { file?.scheduleWrite(of: self) }
        return isCurrent
    }

    /// Removes all cookies.
    ///
    /// They are removed from the file, too, when the method returns. If it can't be written, the jar tries again shortly.
    /// The cookies of responses whose requests began before aren't stored, so that a logout isn't undone.
    public func removeAll() {
        stored.withLock { $0 = CookieTable(generation: $0.generation + 1) }
        file?.scheduleWrite(of: self)
        try? save()
    }

    /// Writes the changes that aren't in the file yet; has no effect for a jar in memory.
    ///
    /// A jar also does this shortly after each change and when it is released, but then can't report a failure.
    ///
    /// - Throws: `.fileFailed`; the changes are then written with the next change.
    public func save() throws(NetworkError) { try file?.write(cookies) }

    /// The number of times that all cookies were removed.
    var generation: Int { stored.withLock(\.generation) }

    /// Identifies the jar until all cookies are removed, because the next ones can be another user's.
    var owner: String { "\(name)\n\(generation)" }

    /// Stores the cookies of a response, unless all cookies were removed after its request began.
    package func store(_ headers: HTTPHeaders, from url: HTTPURL, began generation: Int? = nil) {
        guard headers.contains("Set-Cookie") else { return }
        let now = clock()
        for text in headers.values(for: "Set-Cookie") {
            guard let cookie = NetworkCookie(setCookie: text, from: url, now: now) else { continue }
            // An unencrypted response must not replace or shadow a secure cookie (RFC 6265bis, section 5.7).
            _ = set(cookie, began: generation, mayHide: url.scheme != .http)
        }
    }

    /// The value of the `Cookie` field for a URL, longest paths first, or nil if there is none.
    ///
    /// - Complexity: O(*n*) in the number of cookies of the URL's host and its parent domains.
    package func header(for url: HTTPURL) -> String? {
        let candidates = stored.withLock { $0.candidates(for: url) }
        guard !candidates.isEmpty else { return nil }
        let now = clock()
        let live = candidates.filter { ($0.cookie.expires ?? .max) > now }
        let ordered = live.sorted { ($1.cookie.path.count, $0.order) < ($0.cookie.path.count, $1.order) }
        return ordered.isEmpty ? nil : ordered.map { "\($0.cookie.name)=\($0.cookie.value)" }.joined(separator: "; ")
    }
}

/// Cookies by domain; a value without I/O.
struct CookieTable {
    struct Entry {
        var cookie: NetworkCookie
        /// The position in order of creation.
        let order: Int
    }

    private static let mostOfDomain = 50
    private static let most = 3000

    private var domains: [String: [Entry]] = [:]
    private var count = 0
    private var nextOrder = 0
    let generation: Int

    init(generation: Int = 0) { self.generation = generation }

    /// Returns the cookies that haven't expired, oldest first.
    func cookies(now: Int) -> [NetworkCookie] {
        domains.values.joined().filter { ($0.cookie.expires ?? .max) > now }.sorted { $0.order < $1.order }.map(
            \.cookie)
    }

    /// Adds or replaces a cookie; an expired cookie removes it.
    mutating func set(_ cookie: NetworkCookie, now: Int) {
        var entries = domains[cookie.domain] ?? []
        let before = entries.count
        let place = entries.firstIndex { $0.cookie.name == cookie.name && $0.cookie.path == cookie.path }
        if (cookie.expires ?? .max) <= now {
            if let place { entries.remove(at: place) }
        } else if let place {
            entries[place].cookie = cookie
        } else {
            entries.removeAll { ($0.cookie.expires ?? .max) <= now }
            entries.append(Entry(cookie: cookie, order: nextOrder))
            nextOrder += 1
            if entries.count > Self.mostOfDomain {
                // A server without TLS must not displace secure cookies (RFC 6265bis, section 5.7).
                entries.remove(at: entries.firstIndex { !$0.cookie.isSecure } ?? 0)
            }
        }
        domains[cookie.domain] = entries.isEmpty ? nil : entries
        count += entries.count - before
        if count > Self.most { trim(now) }
    }

    /// Removes expired cookies, and the oldest if that isn't enough, secure cookies last.
    private mutating func trim(_ now: Int) {
        let live = domains.values.joined().filter { ($0.cookie.expires ?? .max) > now }
        let kept = live.sorted { ($0.cookie.isSecure ? 1 : 0, $0.order) < ($1.cookie.isSecure ? 1 : 0, $1.order) }
            .suffix(Self.most).sorted { $0.order < $1.order }
        domains = Dictionary(grouping: kept) { $0.cookie.domain }
        count = kept.count
    }

    /// Returns the cookies for a URL in no particular order, including expired ones.
    func candidates(for url: HTTPURL) -> [Entry] {
        guard count > 0 else { return [] }
        return Self.domains(of: url.host).flatMap { domain in
            (domains[domain] ?? []).filter { $0.cookie.matches(url) }
        }
    }

    /// Whether a secure cookie of the same name is sent to the same hosts and paths.
    func hides(_ cookie: NetworkCookie, now: Int) -> Bool {
        domains.contains { domain, entries in
            guard
                domain == cookie.domain || cookie.domain.hasSuffix("." + domain)
                    || domain.hasSuffix("." + cookie.domain)
            else { return false }
            return entries.contains { old in
                old.cookie.isSecure && old.cookie.name == cookie.name && (old.cookie.expires ?? .max) > now
                    && NetworkCookie.path(cookie.path, isBelow: old.cookie.path)
            }
        }
    }

    /// Returns a host and its parent domains.
    private static func domains(of host: String) -> [String] {
        var (domains, rest) = ([host], host[...])
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }
}
