internal import AshlarCore

/// The rules of a private cache (RFC 9111 and RFC 5861); values without I/O.
enum CachePolicy {
    /// The treatment of a request.
    enum Decision: Hashable, Sendable {
        /// The request bypasses the cache.
        case bypass(String)
        /// No stored response matches.
        case miss(String)
        /// The stored response is returned.
        case use(CacheEntry, CacheFreshness)
        /// The stored response is returned, and validated in the background.
        case useAndValidate(CacheEntry, CacheFreshness)
        /// The stored response is validated first.
        case validate(CacheEntry, String)
        /// The request accepts only a stored response, and there is none to return.
        case unavailable(String)
    }

    /// The fields with which a request has its own conditions.
    private static let ownConditions = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
    ]

    private static let hasRange = "the request has Range"

    /// Whether responses to a method may come from a cache.
    static func isAnswered(_ method: HTTPMethod) -> Bool { method == .get || method == .head }

    /// Returns the treatment of a request.
    ///
    /// - Parameters:
    ///   - query: The request and its user.
    ///   - now: The time in seconds since 1970.
    ///   - record: The stored responses of its URL, if ``needsRecord(_:)`` is true.
    /// - Returns: The decision.
    static func decide(_ query: CacheQuery, now: Int64, _ record: CacheRecord?) -> Decision {
        let control = CacheControl(query.request.headers, isRequest: true)
        let decision =
            if let reason = bypassReason(query.request, control) {
                Decision.bypass(reason)
            } else {
                decide(query, record, control, now)
            }
        guard control.contains("only-if-cached") else { return decision }
        switch decision {
        case .bypass(let reason), .miss(let reason), .validate(_, let reason): return .unavailable(reason)
        case .useAndValidate(let entry, let freshness): return .use(entry, freshness)
        default: return decision
        }
    }

    /// Whether the decision about a request depends on the stored responses.
    static func needsRecord(_ request: NetworkRequest) -> Bool {
        bypassReason(request, CacheControl(request.headers, isRequest: true)) == nil
    }

    private static func bypassReason(_ request: NetworkRequest, _ control: CacheControl) -> String? {
        guard isAnswered(request.method) else { return "the method is \(request.method)" }
        guard request.body.isEmpty else { return "the request has a body" }
        if control.contains("no-store") { return "the request says no-store" }
        if let field = ownConditions.first(where: { request.headers.contains($0) }) {
            return "the request has \(field)"
        }
        if asksForPart(request), request.method != .get { return hasRange }
        return request.url.userInfo == nil ? nil : "the URL contains user information"
    }

    /// Whether a request asks for a part of the response, which comes from the server unless it is part of a fresh one.
    private static func asksForPart(_ request: NetworkRequest) -> Bool {
        request.headers.contains("Range") || request.headers.contains("If-Range")
    }

    /// Returns the bytes that a request asks for of a complete response, or nil if it doesn't ask for one range of them.
    static func part(_ request: NetworkRequest, of entry: CacheEntry) -> Range<Int>? {
        guard let range = request.headers["Range"], entry.status == 200, !entry.headers.contains("Content-Encoding")
        else { return nil }
        if let condition = request.headers["If-Range"] {
            // A weak tag and a date don't guarantee equal bytes.
            guard condition.hasPrefix("\""), condition == entry.headers["ETag"] else { return nil }
        }
        return HTTPSyntax.byteRange(range, of: entry.body.count)
    }

    private static func decide(
        _ query: CacheQuery, _ record: CacheRecord?, _ control: CacheControl, _ now: Int64
    ) -> Decision {
        let decision = decideWhole(query, record, control, now)
        guard asksForPart(query.request) else { return decision }
        if case .use(let entry, _) = decision, part(query.request, of: entry) != nil { return decision }
        return .bypass(hasRange)
    }

    private static func decideWhole(
        _ query: CacheQuery, _ record: CacheRecord?, _ control: CacheControl, _ now: Int64
    ) -> Decision {
        guard let record, !record.variants.isEmpty else { return .miss("nothing is stored") }
        guard let entry = record.entry(for: query) else {
            let names = Set(record.variants.flatMap { $0.differences(from: query) }).sorted()
            return .miss("the stored responses are for other values of \(names.joined(separator: ", "))")
        }
        let freshness = CacheFreshness(entry, now: now)
        let stored = CacheControl(entry.headers)
        if stored.containsUnqualified("no-cache") { return .validate(entry, "the response says no-cache") }
        if control.contains("no-cache") { return .validate(entry, "the request says no-cache") }
        if let most = control.seconds("max-age"), freshness.age > most || most == 0 {
            return .validate(entry, "the age \(freshness.age) exceeds the request's max-age=\(most)")
        }
        if let least = control.seconds("min-fresh"), freshness.rest < least {
            return .validate(entry, "it is fresh for \(freshness.rest) s, less than the request's min-fresh=\(least)")
        }
        if freshness.isFresh { return .use(entry, freshness) }
        let staleness = -freshness.rest
        let reason = "the age \(freshness.age) reaches the lifetime \(freshness.lifetime) (\(freshness.source))"
        if stored.contains("must-revalidate") { return .validate(entry, reason) }
        if control.contains("max-stale") {
            let isAny = control.containsUnqualified("max-stale")
            if isAny || staleness <= control.seconds("max-stale") ?? 0 { return .use(entry, freshness) }
        }
        if let most = stored.seconds("stale-while-revalidate"), staleness <= most {
            return .useAndValidate(entry, freshness)
        }
        return .validate(entry, reason)
    }

    /// Returns the request with the conditions that validate an entry.
    static func conditional(_ request: NetworkRequest, _ entry: CacheEntry) -> NetworkRequest {
        var request = request
        if let tag = entry.headers["ETag"] { request.headers.set("If-None-Match", tag) }
        if let date = entry.headers["Last-Modified"] { request.headers.set("If-Modified-Since", date) }
        return request
    }

    /// Whether a 304 confirms an entry: it has the same strong validator, or none (RFC 9111, section 4.3.4).
    static func confirms(_ head: ResponseHead, _ entry: CacheEntry) -> Bool {
        guard let tag = head.headers["ETag"], let stored = entry.headers["ETag"] else { return true }
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        return opaque(tag) == opaque(stored)
    }

    /// Whether a stale entry can replace a failure: a status of 500, 502, 503 or 504, or a lost connection (RFC 5861).
    static func isUsable(_ entry: CacheEntry, onErrorOf request: NetworkRequest, now: Int64) -> Bool {
        let stored = CacheControl(entry.headers)
        guard !stored.contains("must-revalidate"), !stored.containsUnqualified("no-cache") else { return false }
        let control = CacheControl(request.headers, isRequest: true)
        guard !control.contains("no-cache") else { return false }
        guard let most = control.seconds("stale-if-error") ?? stored.seconds("stale-if-error") else { return false }
        return -CacheFreshness(entry, now: now).rest <= most
    }

    /// Returns the reason that a response isn't stored, or nil if it is (RFC 9111, section 3).
    static func reasonNotToStore(_ request: NetworkRequest, _ head: ResponseHead) -> String? {
        guard request.method == .get else { return "the method is \(request.method)" }
        let control = CacheControl(head.headers)
        let isUnderstood = CacheFreshness.heuristicStatuses.contains(head.status)
        if control.contains("must-understand") {
            guard isUnderstood else { return "the response says must-understand" }
        } else if control.contains("no-store") {
            return "the response says no-store"
        }
        // A stored redirect would be returned instead of followed.
        guard !(300...399).contains(head.status), head.status != 206, head.status >= 200 else {
            return "the status is \(head.status)"
        }
        let vary = head.headers.list(for: "Vary").map { $0.lowercased() }
        if vary.contains("*") { return "the response says Vary: *" }
        // The authentication adds the field inside the cache, so the cache can't compare it.
        if vary.contains("authorization"), !request.headers.contains("Authorization") {
            return "the response says Vary: Authorization"
        }
        let hasLifetime = control.contains("max-age") || head.headers.contains("Expires")
        guard isUnderstood || hasLifetime || control.contains("public") || control.contains("private") else {
            return "the status \(head.status) needs explicit freshness"
        }
        guard hasLifetime || head.headers.contains("ETag") || head.headers.contains("Last-Modified") else {
            return "the response has neither freshness nor a validator"
        }
        return nil
    }

    /// Whether a status of an unsafe request invalidates the stored responses for its URLs (RFC 9111, section 4.4).
    static func invalidates(_ status: Int) -> Bool { (200...399).contains(status) }
}

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
            guard expires.count == 1, let end = HTTPDate.strictSeconds(value) else {
                return (0, "a malformed Expires")
            }
            return (max(0, end - date), "Expires")
        }
        guard heuristicStatuses.contains(entry.status) || control.contains("public"),
            let modified = entry.headers["Last-Modified"].flatMap(HTTPDate.seconds), modified < date
        else { return (0, "no field for freshness") }
        return (min((date - modified) / 10, longestHeuristic), "a tenth of the time since Last-Modified")
    }
}

/// The directives of `Cache-Control` (RFC 9111, section 5.2, and RFC 5861).
struct CacheControl: Hashable, Sendable {
    /// The directives in lowercase with their arguments, which are empty if there are none.
    private var directives: [String: [String]] = [:]

    /// Reads the directives of all fields; malformed parts are skipped.
    ///
    /// - Complexity: O(*n*) in the length of the fields.
    init(_ headers: HTTPHeaders, isRequest: Bool = false) {
        for value in headers.values(for: "Cache-Control") {
            var reader = FieldReader(Array(value.utf8))
            while reader.skipToElement() {
                let name = String(decoding: reader.token(), as: UTF8.self).lowercased()
                let argument = reader.skip("=") ? reader.value() ?? [] : []
                if !name.isEmpty { directives[name, default: []].append(String(decoding: argument, as: UTF8.self)) }
                reader.skipElement()
            }
        }
        if isRequest, directives.isEmpty, headers.list(for: "Pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = [""]
        }
    }

    /// Whether there is a directive, with or without an argument.
    func contains(_ name: String) -> Bool { directives[name] != nil }

    /// Whether there is a directive without an argument, which applies to the whole response.
    func containsUnqualified(_ name: String) -> Bool { directives[name]?.contains("") == true }

    /// Returns the lowercase names of the fields that a directive such as `no-cache="Set-Cookie"` lists.
    func fields(of name: String) -> [String] {
        (directives[name] ?? []).flatMap { $0.split(separator: ",") }.map { $0.trimmingHTTPSpace().lowercased() }
    }

    /// Returns the seconds of a directive; nil if it is missing, 0 if it is malformed or repeated with different values.
    func seconds(_ name: String) -> Int64? {
        guard let values = directives[name] else { return nil }
        let numbers = Set(values.map(Self.deltaSeconds))
        return numbers.count == 1 ? numbers.first ?? 0 : 0
    }

    /// Reads a number of seconds; one that is too large means 2^31, and anything else 0 (RFC 9111, section 1.2.2).
    static func deltaSeconds(_ text: String) -> Int64 {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return 0 }
        return min(Int64(text) ?? .max, 1 << 31)
    }
}
