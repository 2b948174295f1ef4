import Testing

@testable import AshlarNetworking

/// The rules for `Vary` and for directives of the response and the request.
extension CacheRules {
    static let vary: [Case] = [
        Case("Vary: *", ["Cache-Control": "max-age=60", "Vary": "*"], .requested),
        Case("Vary with * among others", ["Cache-Control": "max-age=60", "Vary": "Accept, *"], .requested),
        Case(
            "equal fields", ["Cache-Control": "max-age=60", "Vary": "Accept"], .cached, first: ["Accept": "a"],
            second: ["Accept": "a"]),
        Case(
            "different fields", ["Cache-Control": "max-age=60", "Vary": "Accept"], .requested, first: ["Accept": "a"],
            second: ["Accept": "b"]),
        Case("missing in both", ["Cache-Control": "max-age=60", "Vary": "X-A"], .cached),
        Case("missing in the second", ["Cache-Control": "max-age=60", "Vary": "X-A"], .requested, first: ["X-A": "1"]),
        Case("missing in the first", ["Cache-Control": "max-age=60", "Vary": "X-A"], .requested, second: ["X-A": "1"]),
        Case("empty isn't missing", ["Cache-Control": "max-age=60", "Vary": "X-A"], .requested, second: ["X-A": ""]),
        Case(
            "names without case", ["Cache-Control": "max-age=60", "vary": "ACCEPT"], .cached, first: ["Accept": "a"],
            second: ["accept": "a"]),
        Case(
            "values with case", ["Cache-Control": "max-age=60", "Vary": "Accept"], .requested, first: ["Accept": "a"],
            second: ["Accept": "A"]),
        Case(
            "spaces around commas don't matter", ["Cache-Control": "max-age=60", "Vary": "Accept"], .cached,
            first: ["Accept": "a, b"], second: ["Accept": " a ,b "]),
        Case(
            "one field or two don't matter", ["Cache-Control": "max-age=60", "Vary": "Accept"], .cached,
            first: ["Accept": "a, b"], second: ["Accept": "a", "accept": "b"]),
        Case(
            "the order matters", ["Cache-Control": "max-age=60", "Vary": "Accept"], .requested,
            first: ["Accept": "a, b"], second: ["Accept": "b, a"]),
        Case(
            "two names, both equal", ["Cache-Control": "max-age=60", "Vary": "X-A, X-B"], .cached,
            first: ["X-A": "1", "X-B": "2"], second: ["X-B": "2", "X-A": "1"]),
        Case(
            "two names, one different", ["Cache-Control": "max-age=60", "Vary": "X-A, X-B"], .requested,
            first: ["X-A": "1", "X-B": "2"], second: ["X-A": "1", "X-B": "3"]),
        Case(
            "names in two fields", ["Cache-Control": "max-age=60", "Vary": "X-A", "vary": "X-B"], .requested,
            first: ["X-B": "2"], second: ["X-B": "3"]),
        Case(
            "a field that Vary doesn't name doesn't matter", ["Cache-Control": "max-age=60", "Vary": "X-A"], .cached,
            first: ["X-C": "1"], second: ["X-C": "2"]),
        Case(
            "Authorization that the client adds", ["Cache-Control": "max-age=60", "Vary": "Authorization"], .requested),
        Case(
            "the request's own Authorization", ["Cache-Control": "max-age=60", "Vary": "Authorization"], .cached,
            first: ["Authorization": "a"], second: ["Authorization": "a"]),
        Case("empty Vary", ["Cache-Control": "max-age=60", "Vary": ""], .cached),
        Case(
            "Accept-Encoding, which the transport adds", ["Cache-Control": "max-age=60", "Vary": "Accept-Encoding"],
            .cached),
        Case(
            "a stale response of another field", ["ETag": "\"a\"", "Vary": "Accept"], .requested,
            first: ["Accept": "a"], second: ["Accept": "b"]),
    ]

    // MARK: Directives of the response

    static let response: [Case] = [
        Case("no-cache validates", ["Cache-Control": "no-cache, max-age=60", "ETag": "\"a\""], .validated),
        Case("no-cache without a validator", ["Cache-Control": "no-cache, max-age=60"], .requested),
        Case(
            "no-cache with fields doesn't", ["Cache-Control": "no-cache=\"Set-Cookie\", max-age=60", "ETag": "\"a\""],
            .cached),
        Case(
            "no-cache before stale-while-revalidate",
            ["Cache-Control": "no-cache, max-age=0, stale-while-revalidate=60", "ETag": "\"a\""], .validated),
        Case("must-revalidate while fresh", ["Cache-Control": "must-revalidate, max-age=60"], .cached),
        Case(
            "must-revalidate when stale", ["Cache-Control": "must-revalidate, max-age=5", "ETag": "\"a\""], .validated),
        Case(
            "must-revalidate forbids max-stale", ["Cache-Control": "must-revalidate, max-age=5", "ETag": "\"a\""],
            .validated, second: ["Cache-Control": "max-stale"]),
        Case(
            "must-revalidate forbids stale-while-revalidate",
            ["Cache-Control": "must-revalidate, max-age=5, stale-while-revalidate=60", "ETag": "\"a\""], .validated),
        Case(
            "proxy-revalidate doesn't concern a private cache",
            ["Cache-Control": "proxy-revalidate, max-age=5", "ETag": "\"a\""], .cached,
            second: ["Cache-Control": "max-stale"]),
        Case("no-transform doesn't matter", ["Cache-Control": "no-transform, max-age=60"], .cached),
        Case(
            "stale-while-revalidate in its time",
            ["Cache-Control": "max-age=5, stale-while-revalidate=5", "ETag": "\"a\""], after: 10, .cachedAndValidated),
        Case(
            "stale-while-revalidate after its time",
            ["Cache-Control": "max-age=5, stale-while-revalidate=5", "ETag": "\"a\""], after: 11, .validated),
        Case("stale-while-revalidate while fresh", ["Cache-Control": "max-age=60, stale-while-revalidate=5"], .cached),
        Case(
            "stale-while-revalidate that isn't a number",
            ["Cache-Control": "max-age=5, stale-while-revalidate=x", "ETag": "\"a\""], .validated),
        Case(
            "stale-while-revalidate without a validator", ["Cache-Control": "max-age=5, stale-while-revalidate=60"],
            .cachedAndValidated),
        Case(
            "stale-if-error alone doesn't allow stale responses",
            ["Cache-Control": "max-age=5, stale-if-error=60", "ETag": "\"a\""], .validated),
    ]

    // MARK: Directives of the request

    static let request: [Case] = [
        Case("no-cache", etag, .validated, second: ["Cache-Control": "no-cache"]),
        Case(
            "no-cache without a validator", ["Cache-Control": "max-age=60"], .requested,
            second: ["Cache-Control": "no-cache"]),
        Case("Pragma: no-cache", etag, .validated, second: ["Pragma": "no-cache"]),
        Case(
            "Pragma next to Cache-Control is ignored", etag, .cached,
            second: ["Pragma": "no-cache", "Cache-Control": "max-age=50"]),
        Case("another Pragma is ignored", etag, .cached, second: ["Pragma": "x"]),
        Case("max-age above the age", etag, .cached, second: ["Cache-Control": "max-age=11"]),
        Case("max-age equal to the age", etag, .cached, second: ["Cache-Control": "max-age=10"]),
        Case("max-age below the age", etag, .validated, second: ["Cache-Control": "max-age=9"]),
        Case("max-age=0", etag, after: 0, .validated, second: ["Cache-Control": "max-age=0"]),
        Case("malformed max-age validates", etag, .validated, second: ["Cache-Control": "max-age=x"]),
        Case(
            "max-age doesn't extend the lifetime", etag, after: 61, .validated, second: ["Cache-Control": "max-age=100"]
        ),
        Case(
            "max-age and Age", ["Cache-Control": "max-age=60", "Age": "20", "ETag": "\"a\""], .validated,
            second: ["Cache-Control": "max-age=25"]),
        Case("min-fresh below the rest", etag, .cached, second: ["Cache-Control": "min-fresh=49"]),
        Case("min-fresh equal to the rest", etag, .cached, second: ["Cache-Control": "min-fresh=50"]),
        Case("min-fresh above the rest", etag, .validated, second: ["Cache-Control": "min-fresh=51"]),
        Case("max-stale of any length", etag, after: 10_000, .cached, second: ["Cache-Control": "max-stale"]),
        Case("max-stale equal to the staleness", etag, after: 70, .cached, second: ["Cache-Control": "max-stale=10"]),
        Case("max-stale below the staleness", etag, after: 71, .validated, second: ["Cache-Control": "max-stale=10"]),
        Case(
            "malformed max-stale allows nothing", etag, after: 71, .validated, second: ["Cache-Control": "max-stale=x"]),
        Case(
            "max-stale forbidden by no-cache", ["Cache-Control": "no-cache", "ETag": "\"a\""], .validated,
            second: ["Cache-Control": "max-stale"]),
        Case("only-if-cached while fresh", etag, .cached, second: ["Cache-Control": "only-if-cached"]),
        Case("only-if-cached when stale", etag, after: 61, .unavailable, second: ["Cache-Control": "only-if-cached"]),
        Case(
            "only-if-cached without a response", ["Cache-Control": "no-store"], .unavailable,
            second: ["Cache-Control": "only-if-cached"]),
        Case(
            "only-if-cached and max-stale", etag, after: 61, .cached,
            second: ["Cache-Control": "only-if-cached, max-stale"]),
        Case(
            "only-if-cached bypasses nothing: no-store", etag, .unavailable,
            second: ["Cache-Control": "only-if-cached, no-store"]),
        Case(
            "only-if-cached bypasses nothing: a range", etag, .unavailable,
            second: ["Cache-Control": "only-if-cached", "Range": "bytes=7-8"]),
        Case("only-if-cached and no-cache", etag, .unavailable, second: ["Cache-Control": "only-if-cached, no-cache"]),
        Case(
            "only-if-cached sends nothing in the background", ["Cache-Control": "max-age=5, stale-while-revalidate=60"],
            .cached, second: ["Cache-Control": "only-if-cached"]),
        Case(
            "only-if-cached with another field of Vary", ["Cache-Control": "max-age=60", "Vary": "X-A"], .unavailable,
            second: ["Cache-Control": "only-if-cached", "X-A": "1"]),
        Case(
            "stale-if-error in advance changes nothing", etag, .cached, second: ["Cache-Control": "stale-if-error=60"]),
        Case("no-transform changes nothing", etag, .cached, second: ["Cache-Control": "no-transform"]),
        Case("Range that isn't in the response passes by", etag, .requested, second: ["Range": "bytes=3-4"]),
        Case("If-None-Match passes by", etag, .requested, second: ["If-None-Match": "\"x\""]),
        Case("If-Modified-Since passes by", etag, .requested, second: ["If-Modified-Since": date(0)]),
        Case("If-Match passes by", etag, .requested, second: ["If-Match": "\"a\""]),
        Case("If-Unmodified-Since passes by", etag, .requested, second: ["If-Unmodified-Since": date(0)]),
        Case("If-Range passes by", etag, .requested, second: ["If-Range": "\"a\""]),
        Case(
            "a request with Range isn't stored", ["Cache-Control": "max-age=60"], .requested,
            first: ["Range": "bytes=0-1"]),
    ]
}
