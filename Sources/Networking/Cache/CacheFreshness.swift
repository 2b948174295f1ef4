/// The lifetime and age of a stored response (RFC 9111, section 4.2).
struct CacheFreshness: Hashable, Sendable {
    /// The seconds for which the response is fresh.
    let lifetime: Int64
    /// The seconds since the origin server sent or validated it.
    let age: Int64
    /// The field or rule that determines the lifetime.
    let source: String

    /// The rest of the lifetime; negative for a stale response.
    var rest: Int64 { lifetime - age }
    var isFresh: Bool { rest > 0 }

    /// The statuses whose responses have a lifetime without explicit fields (RFC 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// The maximum lifetime without explicit fields: one day.
    private static let longestHeuristic: Int64 = 86_400

    init(_ entry: CacheEntry, now: Int64) {
        let date = entry.headers["Date"].flatMap(HTTPDate.seconds)
        (lifetime, source) = Self.lifetime(entry, date ?? entry.received)
        // If the clock was set back, the difference is not the age.
        let resident = now - entry.received
        let first = entry.headers.list(for: "Age").first
        let sentAge = first.map(CacheControl.deltaSeconds) ?? 0
        let apparent = max(0, entry.received - (date ?? entry.received))
        let initial = max(apparent, sentAge + max(0, entry.received - entry.requested))
        age = resident < 0 ? max(lifetime, initial) : initial + resident
    }

    private static func lifetime(_ entry: CacheEntry, _ date: Int64) -> (Int64, String) {
        let control = CacheControl(entry.headers)
        if let seconds = control.seconds("max-age") { return (seconds, "max-age=\(seconds)") }
        let expires = Set(entry.headers.values(for: "Expires"))
        if let value = expires.first {
            // A malformed date, such as 0, means the past.
            guard expires.count == 1, let end = HTTPDate.seconds(value) else { return (0, "a malformed Expires") }
            return (max(0, end - date), "Expires")
        }
        guard heuristicStatuses.contains(entry.status) || control.contains("public"),
            let modified = entry.headers["Last-Modified"].flatMap(HTTPDate.seconds), modified < date
        else { return (0, "no field for freshness") }
        return (min((date - modified) / 10, longestHeuristic), "a tenth of the time since Last-Modified")
    }
}
