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
            if entries.count > Self.mostOfDomain { entries.removeFirst() }
        }
        domains[cookie.domain] = entries.isEmpty ? nil : entries
        count += entries.count - before
        if count > Self.most { trim(now) }
    }

    /// Removes expired cookies, and the oldest if that isn't enough.
    private mutating func trim(_ now: Int) {
        let kept = domains.values.joined().filter { ($0.cookie.expires ?? .max) > now }.sorted { $0.order < $1.order }
            .suffix(Self.most)
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
