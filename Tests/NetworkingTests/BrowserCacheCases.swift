@testable import AshlarNetworking

/// The table of ``BrowserCacheTests``.
enum BrowserCacheCases {
    static func date(_ offset: Int) -> String { CacheRules.date(offset) }

    // MARK: Lifetimes

    static let freshness: [BrowserCacheCase] = [
        two("freshness-none", [:], .notReused),
        two("freshness-max-age", ["Cache-Control": "max-age=3600"], .reused),
        two("freshness-max-age-stale", ["Cache-Control": "max-age=2"], .notReused),
        two("freshness-max-age-0", ["Cache-Control": "max-age=0"], .notReused),
        two("freshness-max-age-age", ["Cache-Control": "max-age=3600", "Age": "7200"], .notReused),
        two("freshness-max-age-date", ["Cache-Control": "max-age=3600", "Date": date(-7200)], .notReused),
        two("freshness-max-age-expires", ["Cache-Control": "max-age=3600", "Expires": date(-7200)], .reused),
        two("freshness-max-age-expires-invalid", ["Cache-Control": "max-age=3600", "Expires": "0"], .reused),
        two("freshness-max-age-0-expires", ["Cache-Control": "max-age=0", "Expires": date(3600)], .notReused),
        two("freshness-max-age-case-insensitive", ["Cache-Control": "MaX-aGe=3600"], .reused),
        two("freshness-max-age-extension", ["Cache-Control": "foobar, max-age=3600"], .reused),
        two("freshness-max-age-ignore-quoted", ["Cache-Control": "extension=\"max-age=3600\", max-age=1"], .notReused),
        two("freshness-max-age-ignore-quoted-rev", ["Cache-Control": "max-age=1, ext=\"max-age=3600\""], .notReused),
        two("freshness-max-age-leading-zero", ["Cache-Control": "max-age=03600"], .reused),
        two("freshness-max-age-negative", ["Cache-Control": "max-age=-3600"], .notReused),
        two("freshness-max-age-single-quoted", ["Cache-Control": "max-age='3600'"], .notReused),
        two("freshness-max-age-quoted", ["Cache-Control": "max-age=\"3600\""], .reused),
        two("freshness-max-age-100a", ["Cache-Control": "max-age=3600a"], .notReused),
        two("freshness-max-age-a100", ["Cache-Control": "max-age=a3600"], .notReused),
        two("freshness-max-age-decimal-five", ["Cache-Control": "max-age=3600.5"], .notReused),
        two("freshness-max-age-space-before-equals", ["Cache-Control": "max-age =3600"], .notReused),
        two("freshness-max-age-space-after-equals", ["Cache-Control": "max-age= 3600"], .notReused),
        two("freshness-max-age-max-minus-1", ["Cache-Control": "max-age=2147483647"], .reused),
        two("freshness-max-age-max", ["Cache-Control": "max-age=2147483648"], .reused),
        two("freshness-max-age-max-plus-1", ["Cache-Control": "max-age=2147483649"], .reused),
        two("freshness-max-age-max-plus", ["Cache-Control": "max-age=99999999999"], .reused),
        two("freshness-max-age-two-fresh-stale-sameline", ["Cache-Control": "max-age=1800, max-age=1"], .notReused),
        two(
            "freshness-max-age-two-fresh-stale-sepline",
            ["Cache-Control": "max-age=1800", "cache-control": "max-age=1"],
            .notReused),
        two("freshness-max-age-two-stale-fresh-sameline", ["Cache-Control": "max-age=1, max-age=1800"], .notReused),
        two(
            "freshness-max-age-two-stale-fresh-sepline",
            ["Cache-Control": "max-age=1", "cache-control": "max-age=1800"],
            .notReused),
        two("freshness-max-age-s-maxage-private", ["Cache-Control": "max-age=3600, s-maxage=1"], .reused),
        two(
            "freshness-max-age-s-maxage-private-multiple",
            ["Cache-Control": "max-age=3600", "cache-control": "s-maxage=1"],
            .reused),
    ]

    static let expires: [BrowserCacheCase] = [expiresValues, expiresForms, expiresInvalid].flatMap(\.self)

    private static let expiresValues: [BrowserCacheCase] = [
        two("freshness-expires-future", ["Expires": date(3600), "Date": date(0)], .reused),
        two("freshness-expires-past", ["Expires": date(-3600), "Date": date(0)], .notReused),
        two("freshness-expires-present", ["Expires": date(0), "Date": date(0)], .notReused),
        two("freshness-expires-age-slow-date", ["Expires": date(10), "Date": date(-10), "Age": "25"], .notReused),
        two("freshness-expires-age-fast-date", ["Expires": date(20), "Date": date(10), "Age": "2"], .reused),
        two("freshness-expires-far-future", ["Expires": "Sun, 21 Nov 2286 04:46:39 GMT"], .reused),
        two("freshness-expires-32bit", ["Expires": "Tue, 19 Jan 2038 14:14:08 GMT"], .reused),
        two("freshness-expires-invalid", ["Expires": "0"], .notReused),
    ]

    private static let expiresForms: [BrowserCacheCase] = [
        two("freshness-expires-ansi-c", ["Expires": "Thu Aug 18 02:01:18 2050"], .reused),
        two("freshness-expires-rfc850", ["Expires": "Thursday, 18-Aug-50 02:01:18 GMT"], .reused),
        two("freshness-expires-wrong-case-month", ["Expires": "Thu, 18 AUG 2050 02:01:18 GMT"], .reused),
        two("freshness-expires-wrong-case-tz", ["Expires": "Thu, 18 Aug 2050 02:01:18 gMT"], .reused),
        two("freshness-expires-wrong-case-weekday", ["Expires": "THU, 18 Aug 2050 02:01:18 GMT"], .reused),
    ]

    private static let expiresInvalid: [BrowserCacheCase] = [
        two("freshness-expires-invalid-1-digit-hour", ["Expires": "Thu, 18 Aug 2050 2:01:18 GMT"], .notReused),
        two("freshness-expires-invalid-2-digit-year", ["Expires": "Thu, 18 Aug 50 02:01:18 GMT"], .notReused),
        two("freshness-expires-invalid-aest", ["Expires": "Thu, 18 Aug 2050 02:01:18 AEST"], .notReused),
        two("freshness-expires-invalid-utc", ["Expires": "Thu, 18 Aug 2050 02:01:18 UTC"], .notReused),
        two("freshness-expires-invalid-date-dashes", ["Expires": "Thu, 18-Aug-2050 02:01:18 GMT"], .notReused),
        two("freshness-expires-invalid-no-comma", ["Expires": "Thu 18 Aug 2050 02:01:18 GMT"], .notReused),
        two("freshness-expires-invalid-multiple-spaces", ["Expires": "Thu, 18  Aug  2050  02:01:18 GMT"], .notReused),
        two("freshness-expires-invalid-time-periods", ["Expires": "Thu, 18 Aug 2050 02.01.18 GMT"], .notReused),
        two(
            "freshness-expires-invalid-multiple-lines",
            ["Expires": "Thu, 18 Aug 2050 02:01:18 GMT", "expires": "Thu, 18 Aug 2050 02:01:19 GMT"], .notReused),
    ]

    private static func age(_ name: String, _ value: String, _ expected: CacheReuse) -> BrowserCacheCase {
        two("age-parse-" + name, ["Cache-Control": "max-age=3600", "Age": value], expected)
    }

    static let ages: [BrowserCacheCase] = [
        age("larger", "99999999999", .notReused), age("large", "2147483648", .notReused),
        age("large-minus-one", "2147483647", .notReused), age("suffix", "7200, a", .notReused),
        age("dup-old", "7200, 0", .notReused), age("dup-0", "7200, 7200", .notReused),
        age("nonnumeric", "abc", .reused), age("negative", "-7200", .reused), age("float", "7200.0", .reused),
    ]

    // MARK: Directives

    static let directives: [BrowserCacheCase] = [
        two("cc-resp-no-store", ["Cache-Control": "no-store"], .notReused),
        two("cc-resp-no-store-case-insensitive", ["Cache-Control": "No-StOrE, max-age=60"], .notReused),
        two("cc-resp-no-store-fresh", ["Cache-Control": "max-age=10000, no-store"], .notReused),
        two("cc-resp-no-store-etag", ["Cache-Control": "no-store, max-age=60", "ETag": "\"a\""], .notReused),
        two("cc-resp-no-cache", ["Cache-Control": "no-cache"], .notReused),
        two("cc-resp-no-cache-case-insensitive", ["Cache-Control": "No-CaChE, max-age=60"], .notReused),
        two("cc-resp-no-cache-fresh", ["Cache-Control": "max-age=10000, no-cache"], .notReused),
        two("cc-resp-no-cache-revalidate", ["Cache-Control": "no-cache", "ETag": "\"a\""], .validated),
        two(
            "cc-resp-no-cache-revalidate-fresh", ["Cache-Control": "max-age=10000, no-cache", "ETag": "\"a\""],
            .validated),
        two("cc-resp-must-revalidate-fresh", ["Cache-Control": "max-age=10000, must-revalidate"], .reused),
        two("cc-resp-must-revalidate-stale", ["Cache-Control": "max-age=2, must-revalidate"], .notReused),
        two("cc-resp-private-private", ["Cache-Control": "private, max-age=3600"], .reused),
        two("cc-resp-immutable-fresh", ["Cache-Control": "max-age=3600, immutable", "ETag": "\"a\""], .reused),
        two("cc-resp-immutable-stale", ["Cache-Control": "max-age=2, immutable", "ETag": "\"a\""], .validated),
        two("ccreq-ma0", ["Cache-Control": "max-age=3600"], .notReused, second: ["Cache-Control": "max-age=0"]),
        two("ccreq-ma1", ["Cache-Control": "max-age=3600"], .notReused, second: ["Cache-Control": "max-age=1"]),
        two(
            "ccreq-magreaterage", ["Cache-Control": "max-age=3600", "Age": "1800"], .notReused,
            second: ["Cache-Control": "max-age=600"]),
        two(
            "ccreq-max-stale", ["Cache-Control": "max-age=1"], .reused, after: 2,
            second: ["Cache-Control": "max-stale=1000"]),
        two(
            "ccreq-max-stale-age", ["Cache-Control": "max-age=1500", "Age": "2000"], .reused,
            second: ["Cache-Control": "max-stale=1000"]),
        two(
            "ccreq-min-fresh", ["Cache-Control": "max-age=1500"], .notReused,
            second: ["Cache-Control": "min-fresh=2000"]),
        two(
            "ccreq-min-fresh-age", ["Cache-Control": "max-age=1500", "Age": "1000"], .notReused,
            second: ["Cache-Control": "min-fresh=1000"]),
        two("ccreq-no-cache", ["Cache-Control": "max-age=3600"], .notReused, second: ["Cache-Control": "no-cache"]),
        two(
            "ccreq-no-cache-lm", ["Cache-Control": "max-age=3600", "Last-Modified": date(-100)], .validated,
            second: ["Cache-Control": "no-cache"]),
        two(
            "ccreq-no-cache-etag", ["Cache-Control": "max-age=3600", "ETag": "\"a\""], .validated,
            second: ["Cache-Control": "no-cache"]),
        two(
            "ccreq-no-store", ["Cache-Control": "max-age=3600"], .notReused, first: ["Cache-Control": "no-store"],
            second: [:]),
        two(
            "ccreq-no-store-reuse", ["Cache-Control": "max-age=3600"], .notReused, second: ["Cache-Control": "no-store"]
        ),
        BrowserCacheCase(name: "ccreq-oic") { world in
            let response = try await world.send(cacheAnswer([:]), ["Cache-Control": "only-if-cached"])
            return response.status == 504 && world.count == 0
        },
        two("pragma-request-no-cache", ["Cache-Control": "max-age=3600"], .notReused, second: ["Pragma": "no-cache"]),
        two("pragma-request-extension", ["Cache-Control": "max-age=3600"], .reused, second: ["Pragma": "foo"]),
        two("pragma-response-no-cache", ["Cache-Control": "max-age=3600", "Pragma": "no-cache"], .reused),
        two(
            "pragma-response-no-cache-heuristic", ["Pragma": "foo", "Last-Modified": date(-100_000), "Date": date(0)],
            .reused),
        two("pragma-response-extension", ["Cache-Control": "max-age=3600", "Pragma": "foo"], .reused),
        two("query-args-same", ["Cache-Control": "max-age=3600"], .reused),
        BrowserCacheCase(name: "query-args-different") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600"]), path: "/?a")
            try await world.send(cacheAnswer([:]), path: "/?b")
            return world.count == 2
        },
    ]

    // MARK: Statuses

    private static let plain = [200, 203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599]

    static let statuses: [BrowserCacheCase] = [plainStatuses, redirects, heuristicStatuses].flatMap(\.self)

    /// Redirects that the client returns instead of following them.
    private static let redirects: [BrowserCacheCase] = [301, 302, 303, 307, 308].flatMap {
        status -> [BrowserCacheCase] in
        let fresh: HTTPHeaders = ["Location": "/other", "Cache-Control": "max-age=3600"]
        let stale: HTTPHeaders = ["Location": "/other", "Cache-Control": "max-age=2"]
        return [
            two("status-\(status)-fresh", fresh, .reused, status: status),
            two("status-\(status)-stale", stale, .notReused, status: status),
        ]
    }

    private static let plainStatuses: [BrowserCacheCase] = plain.flatMap { status -> [BrowserCacheCase] in
        [
            two("status-\(status)-fresh", ["Cache-Control": "max-age=3600"], .reused, status: status),
            two("status-\(status)-stale", ["Cache-Control": "max-age=2"], .notReused, status: status),
            two("status-\(status)-no-store", ["Cache-Control": "max-age=3600, no-store"], .notReused, status: status),
        ]
    }

    private static let heuristicStatuses: [BrowserCacheCase] = {
        let headers: HTTPHeaders = ["Last-Modified": date(-100_000), "Date": date(0)]
        let cached = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
        let others = [201, 202, 302, 303, 305, 306, 307, 403, 500, 502, 503, 504, 599]
        let first = cached.map { two("heuristic-\($0)-cached", headers, .reused, status: $0) }
        return first + others.map { two("heuristic-\($0)-not_cached", headers, .notReused, status: $0) }
    }()

    // MARK: Vary

    private static func varying(
        _ name: String, _ fields: String, _ first: HTTPHeaders, _ second: HTTPHeaders, _ expected: CacheReuse
    ) -> BrowserCacheCase {
        two(
            name, ["Cache-Control": "max-age=5000", "Vary": fields], expected, after: 1, first: first, second: second)
    }

    static let vary: [BrowserCacheCase] = [
        varying("vary-match", "Foo", ["Foo": "1"], ["Foo": "1"], .reused),
        varying("vary-no-match", "Foo", ["Foo": "1"], ["Foo": "2"], .notReused),
        varying("vary-omit", "Foo", ["Foo": "1"], [:], .notReused),
        varying("vary-omit-first", "Foo", [:], ["Foo": "1"], .notReused),
        varying("vary-star", "*", ["Foo": "1"], ["Foo": "1"], .notReused),
        varying("vary-syntax-star", "*", [:], [:], .notReused),
        varying("vary-syntax-star-star", "*, *", [:], [:], .notReused),
        varying("vary-syntax-empty-star", ", *", [:], [:], .notReused),
        varying("vary-syntax-foo-star", "Foo, *", [:], [:], .notReused),
        two(
            "vary-syntax-star-star-lines", ["Cache-Control": "max-age=5000", "Vary": "*", "vary": "*"], .notReused),
        two(
            "vary-syntax-empty-star-lines", ["Cache-Control": "max-age=5000", "Vary": "", "vary": "*"], .notReused),
        varying("vary-2-match", "Foo, Bar", ["Foo": "1", "Bar": "a"], ["Foo": "1", "Bar": "a"], .reused),
        varying("vary-2-no-match", "Foo, Bar", ["Foo": "1", "Bar": "a"], ["Foo": "2", "Bar": "a"], .notReused),
        varying("vary-2-match-omit", "Foo, Bar", ["Foo": "1"], ["Foo": "1"], .reused),
        varying("vary-2-no-match-omit", "Foo, Bar", ["Foo": "1", "Bar": "a"], ["Foo": "1"], .notReused),
        varying("vary-3-match", "A, B, C", ["A": "1", "B": "2", "C": "3"], ["A": "1", "B": "2", "C": "3"], .reused),
        varying(
            "vary-3-no-match", "A, B, C", ["A": "1", "B": "2", "C": "3"], ["A": "1", "B": "2", "C": "4"], .notReused),
        varying("vary-3-omit", "A, B, C", ["A": "1", "C": "3"], ["A": "1", "C": "3"], .reused),
        varying("vary-3-order", "A, B, C", ["C": "3", "B": "2", "A": "1"], ["A": "1", "B": "2", "C": "3"], .reused),
        varying("vary-normalise-combine", "Foo", ["Foo": "1, 2"], ["Foo": "1", "foo": "2"], .reused),
        varying("vary-normalise-space", "Foo", ["Foo": "1,2"], ["Foo": "1, 2"], .reused),
        varying("vary-case-name", "fOO", ["Foo": "1"], ["Foo": "2"], .notReused),
        BrowserCacheCase(name: "vary-cache-key", isRequired: false) { world in
            for value in ["1", "2"] {
                try await world.send(
                    cacheAnswer(["Cache-Control": "max-age=5000", "Vary": "Foo"], value), ["Foo": value])
            }
            let first = try await world.send(cacheAnswer([:]), ["Foo": "1"])
            return world.count == 2 && String(decoding: first.bytes, as: UTF8.self) == "1"
        },
        BrowserCacheCase(name: "vary-invalidate") { world in
            for value in ["1", "2"] {
                try await world.send(cacheAnswer(["Cache-Control": "max-age=5000", "Vary": "Foo"]), ["Foo": value])
            }
            try await world.send(cacheAnswer([:]), method: .post)
            try await world.send(cacheAnswer([:]), ["Foo": "1"])
            return world.count == 4
        },
    ]
}
