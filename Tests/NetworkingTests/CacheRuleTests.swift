import Testing

@testable import AshlarNetworking

/// The rules of RFC 9111 and RFC 5861 for a private cache: a request, its response, a time, and a second request.
@Suite struct CacheRuleTests {
    /// What happens with the second request.
    enum Expectation: Sendable {
        /// The stored response is returned.
        case cached
        /// It is returned and validated in the background.
        case cachedAndValidated
        /// It is validated with a condition.
        case validated
        /// It is requested again without a condition.
        case requested
        /// The request fails with 504.
        case unavailable
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var method = HTTPMethod.get
        var first: HTTPHeaders = [:]
        var status = 200
        var response: HTTPHeaders
        var delay = 0
        var seconds: Int
        var second: HTTPHeaders = [:]
        let expected: Expectation

        init(
            _ name: String, _ response: HTTPHeaders, after seconds: Int = 10, _ expected: Expectation,
            status: Int = 200, first: HTTPHeaders = [:], second: HTTPHeaders = [:], method: HTTPMethod = .get,
            delay: Int = 0
        ) {
            testDescription = name
            (self.response, self.seconds, self.expected, self.status) = (response, seconds, expected, status)
            (self.first, self.second, self.method, self.delay) = (first, second, method, delay)
        }
    }

    /// 1994-11-06 08:49:37, in the form of header fields with an offset in seconds.
    static let start: Int64 = 784_111_777
    static func date(_ offset: Int) -> String {
        let seconds = start + Int64(offset)
        let days = Int(seconds / 86_400)
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // Days from civil, inverted (Howard Hinnant).
        let z = days + 719_468
        let era = z / 146_097
        let doe = z - era * 146_097
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100)
        let mp = (5 * doy + 2) / 153
        let (day, month) = (doy - (153 * mp + 2) / 5 + 1, mp < 10 ? mp + 3 : mp - 9)
        let year = yoe + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        let s = Int(seconds % 86_400)
        return "\(names[days % 7]), \(two(day)) \(months[month - 1]) \(year) "
            + "\(two(s / 3600)):\(two(s / 60 % 60)):\(two(s % 60)) GMT"
    }

    private static let etag: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

    // MARK: Freshness

    static let freshness: [Case] = [
        Case("max-age in its first second", ["Cache-Control": "max-age=60"], after: 0, .cached),
        Case("max-age in its last second", ["Cache-Control": "max-age=60"], after: 59, .cached),
        Case("max-age at its end", ["Cache-Control": "max-age=60"], after: 60, .requested),
        Case("max-age=0", ["Cache-Control": "max-age=0"], after: 0, .requested),
        Case("max-age=0 with a validator", ["Cache-Control": "max-age=0", "ETag": "\"a\""], after: 0, .validated),
        Case("max-age in upper case", ["CACHE-CONTROL": "MAX-AGE=60"], .cached),
        Case("max-age in quotes", ["Cache-Control": "max-age=\"60\""], .cached),
        Case("max-age with spaces around commas", ["Cache-Control": " public ,  max-age=60 , x"], .cached),
        Case("max-age in the second field", ["Cache-Control": "public", "cache-control": "max-age=60"], .cached),
        Case("max-age twice with one value", ["Cache-Control": "max-age=60, max-age=60"], .cached),
        Case("max-age twice with two values is stale", ["Cache-Control": "max-age=60, max-age=50"], .requested),
        Case("max-age that isn't a number is stale", ["Cache-Control": "max-age=soon"], .requested),
        Case("negative max-age is stale", ["Cache-Control": "max-age=-1"], .requested),
        Case("max-age with a fraction is stale", ["Cache-Control": "max-age=60.5"], .requested),
        Case("max-age without a value is stale", ["Cache-Control": "max-age"], .requested),
        Case("empty max-age is stale", ["Cache-Control": "max-age="], .requested),
        Case(
            "max-age beyond 64 bits is very long", ["Cache-Control": "max-age=99999999999999999999"], after: 1 << 30,
            .cached),
        Case("max-age beyond 2^31 is 2^31", ["Cache-Control": "max-age=99999999999"], after: 1 << 31, .requested),
        Case(
            "max-age inside another directive's quotes doesn't apply", ["Cache-Control": "x=\"max-age=60\""], .requested
        ),
        Case("max-age after a malformed directive", ["Cache-Control": "=, ;;, max-age=60"], .cached),
        Case("s-maxage doesn't concern a private cache", ["Cache-Control": "s-maxage=0, max-age=60"], .cached),
        Case("s-maxage alone gives no lifetime", ["Cache-Control": "s-maxage=60", "ETag": "\"a\""], .validated),
        Case(
            "max-age before Expires", ["Cache-Control": "max-age=60", "Expires": date(-100), "Date": date(0)], .cached),
        Case(
            "max-age=0 before a later Expires", ["Cache-Control": "max-age=0", "Expires": date(100), "Date": date(0)],
            .requested),
        Case("an unknown directive is ignored", ["Cache-Control": "magic, max-age=60"], .cached),
        Case("immutable is fresh like any other", ["Cache-Control": "max-age=60, immutable"], .cached),
        Case("immutable ends with max-age", ["Cache-Control": "max-age=60, immutable"], after: 61, .requested),
        Case("Expires later than Date", ["Date": date(0), "Expires": date(60)], after: 59, .cached),
        Case("Expires at its time", ["Date": date(0), "Expires": date(60)], after: 60, .requested),
        Case("Expires equal to Date", ["Date": date(0), "Expires": date(0)], after: 0, .requested),
        Case("Expires earlier than Date", ["Date": date(0), "Expires": date(-60)], after: 0, .requested),
        Case("Expires: 0", ["Date": date(0), "Expires": "0"], after: 0, .requested),
        Case("Expires: -1", ["Date": date(0), "Expires": "-1"], after: 0, .requested),
        Case("malformed Expires", ["Date": date(0), "Expires": "tomorrow"], after: 0, .requested),
        Case("Expires without Date uses the time of arrival", ["Expires": date(60)], after: 59, .cached),
        Case("Expires without Date ends as well", ["Expires": date(60)], after: 60, .requested),
        Case("two equal Expires", ["Date": date(0), "Expires": date(60), "expires": date(60)], .cached),
        Case(
            "two different Expires are stale", ["Date": date(0), "Expires": date(60), "expires": date(70)], .requested),
        Case(
            "Expires in the form of RFC 850", ["Date": date(0), "Expires": "Sunday, 06-Nov-94 08:50:37 GMT"], .cached),
        Case("Expires in the form of asctime", ["Date": date(0), "Expires": "Sun Nov  6 08:50:37 1994"], .cached),
        Case(
            "Expires is relative to the server's Date", ["Date": date(3600), "Expires": date(3660)], after: 59, .cached),
        Case(
            "a server's clock in the future isn't younger", ["Date": date(3600), "Expires": date(3660)], after: 60,
            .requested),
        Case(
            "a server's clock in the past counts as age", ["Date": date(-50), "Cache-Control": "max-age=60"], after: 9,
            .cached),
        Case(
            "a Date before the arrival counts as age", ["Date": date(-50), "Cache-Control": "max-age=60"], after: 10,
            .requested),
    ]

    static let ages: [Case] = [
        Case("Age shortens the rest", ["Cache-Control": "max-age=60", "Age": "30"], after: 29, .cached),
        Case("Age ends the lifetime", ["Cache-Control": "max-age=60", "Age": "30"], after: 30, .requested),
        Case("Age beyond the lifetime", ["Cache-Control": "max-age=60", "Age": "61"], after: 0, .requested),
        Case("malformed Age is ignored", ["Cache-Control": "max-age=60", "Age": "old"], .cached),
        Case("negative Age is ignored", ["Cache-Control": "max-age=60", "Age": "-5"], .cached),
        Case("the first of two Ages applies", ["Cache-Control": "max-age=60", "Age": "10, 70"], .cached),
        Case(
            "Age beyond 64 bits is very old", ["Cache-Control": "max-age=60", "Age": "99999999999999999999"], after: 0,
            .requested),
        Case(
            "the larger of Age and Date's age applies", ["Cache-Control": "max-age=60", "Age": "5", "Date": date(-55)],
            after: 5, .requested),
        Case(
            "Age outweighs a younger Date", ["Cache-Control": "max-age=60", "Age": "55", "Date": date(-1)], after: 5,
            .requested),
        Case(
            "the time of the exchange counts as age", ["Cache-Control": "max-age=60"], after: 40, .requested, delay: 20),
        Case("a short exchange leaves the rest", ["Cache-Control": "max-age=60"], after: 39, .cached, delay: 20),
        Case(
            "the time of the exchange adds to Age", ["Cache-Control": "max-age=60", "Age": "30"], after: 10, .requested,
            delay: 20),
        Case(
            "a clock that was set back makes a response stale", ["Cache-Control": "max-age=60"], after: -100, .requested
        ),
    ]

    static let heuristics: [Case] =
        [
            Case(
                "a tenth of the time since Last-Modified", ["Date": date(0), "Last-Modified": date(-1000)], after: 99,
                .cached),
            Case("the tenth ends", ["Date": date(0), "Last-Modified": date(-1000)], after: 100, .validated),
            Case("at most a day", ["Date": date(0), "Last-Modified": date(-100_000_000)], after: 86_399, .cached),
            Case(
                "not more than a day", ["Date": date(0), "Last-Modified": date(-100_000_000)], after: 86_400, .validated
            ),
            Case("without Date, since the arrival", ["Last-Modified": date(-1000)], after: 99, .cached),
            Case(
                "Last-Modified in the future gives none", ["Date": date(0), "Last-Modified": date(1000)], after: 0,
                .validated),
            Case("malformed Last-Modified gives none", ["Date": date(0), "Last-Modified": "x"], after: 0, .validated),
            Case("ETag alone gives none", ["ETag": "\"a\""], after: 0, .validated),
            Case("a weak ETag validates", ["ETag": "W/\"a\""], after: 0, .validated),
            Case("nothing at all isn't stored", [:], after: 0, .requested),
            Case("public without anything isn't stored", ["Cache-Control": "public"], after: 0, .requested),
            Case(
                "Expires: 0 leaves no heuristic", ["Expires": "0", "Last-Modified": date(-1000)], after: 0, .validated),
            Case(
                "max-age=0 leaves no heuristic", ["Cache-Control": "max-age=0", "Last-Modified": date(-1000)], after: 0,
                .validated),
            Case("500 has no heuristic", ["Last-Modified": date(-1000)], after: 0, .requested, status: 500),
            Case(
                "public gives 418 a heuristic", ["Cache-Control": "public", "Last-Modified": date(-1000)], .cached,
                status: 418),
        ]
        + [200, 203, 204, 404, 405, 410, 414, 501].map {
            Case("\($0) has a heuristic", ["Last-Modified": date(-1000)], .cached, status: $0)
        }

    // MARK: Storing

    static let storing: [Case] =
        [
            Case("no-store", ["Cache-Control": "no-store, max-age=60"], .requested),
            Case("no-store in upper case", ["Cache-Control": "No-Store, max-age=60"], .requested),
            Case(
                "no-store of the request isn't stored", ["Cache-Control": "max-age=60"], .requested,
                first: ["Cache-Control": "no-store"]),
            Case(
                "no-store of the second request isn't answered", ["Cache-Control": "max-age=60"], .requested,
                second: ["Cache-Control": "no-store"]),
            Case(
                "must-understand with a known status overrides no-store",
                ["Cache-Control": "no-store, must-understand, max-age=60"], .cached),
            Case(
                "must-understand with an unknown status", ["Cache-Control": "must-understand, max-age=60"], .requested,
                status: 299),
            Case("private is stored", ["Cache-Control": "private, max-age=60"], .cached),
            Case("private with fields is stored", ["Cache-Control": "private=\"X-A\", max-age=60"], .cached),
            Case("public is stored", ["Cache-Control": "public, max-age=60"], .cached),
            Case(
                "a request with credentials is stored", ["Cache-Control": "max-age=60"], .cached,
                first: ["Authorization": "a"], second: ["Authorization": "a"]),
            Case(
                "other credentials don't share", ["Cache-Control": "max-age=60"], .requested,
                first: ["Authorization": "a"], second: ["Authorization": "b"]),
            Case(
                "missing credentials don't share", ["Cache-Control": "max-age=60"], .requested,
                first: ["Authorization": "a"]),
            Case("206 isn't stored", ["Cache-Control": "max-age=60"], .requested, status: 206),
            Case("299 with max-age is stored", ["Cache-Control": "max-age=60"], .cached, status: 299),
            Case("299 with Expires is stored", ["Expires": date(60)], .cached, status: 299),
            Case("299 with a validator only isn't stored", ["ETag": "\"a\""], .requested, status: 299),
            Case("201 without lifetime isn't stored", ["Last-Modified": date(-1000)], .requested, status: 201),
            Case("400 with max-age is stored", ["Cache-Control": "max-age=60"], .cached, status: 400),
            Case("503 with max-age is stored", ["Cache-Control": "max-age=60"], .cached, status: 503),
            Case("204 with max-age is stored", ["Cache-Control": "max-age=60"], .cached, status: 204),
            Case("HEAD isn't stored", ["Cache-Control": "max-age=60"], .requested, method: .head),
            Case("OPTIONS isn't stored", ["Cache-Control": "max-age=60"], .requested, method: .options),
            Case("POST isn't stored", ["Cache-Control": "max-age=60"], .requested, method: .post),
            Case("PUT isn't stored", ["Cache-Control": "max-age=60"], .requested, method: .put),
            Case("Set-Cookie doesn't prevent storing", ["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], .cached),
            Case("Pragma of a response is ignored", ["Cache-Control": "max-age=60", "Pragma": "no-cache"], .cached),
        ]
        + [300, 301, 302, 303, 307, 308].map {
            Case("\($0) isn't stored", ["Cache-Control": "max-age=60"], .requested, status: $0)
        }

    // MARK: Vary

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
        Case("Range passes by", etag, .requested, second: ["Range": "bytes=0-1"]),
        Case("If-None-Match passes by", etag, .requested, second: ["If-None-Match": "\"x\""]),
        Case("If-Modified-Since passes by", etag, .requested, second: ["If-Modified-Since": date(0)]),
        Case("If-Match passes by", etag, .requested, second: ["If-Match": "\"a\""]),
        Case("If-Unmodified-Since passes by", etag, .requested, second: ["If-Unmodified-Since": date(0)]),
        Case("If-Range passes by", etag, .requested, second: ["If-Range": "\"a\""]),
        Case(
            "a request with Range isn't stored", ["Cache-Control": "max-age=60"], .requested,
            first: ["Range": "bytes=0-1"]),
    ]

    static let all = freshness + ages + heuristics + storing + vary + response + request

    @Test("There are at least 150 rules, each with its own name")
    func count() {
        #expect(Self.all.count >= 150)
        #expect(Self.date(0) == "Sun, 06 Nov 1994 08:49:37 GMT" && Self.date(-100_000_000).hasSuffix("GMT"))
    }

    @Test("The second request is answered by the rules of RFC 9111", arguments: all)
    func rule(input: Case) async throws {
        let time = Mutex(Self.start)
        let cache = ResponseCache(MemoryCacheStore(limit: 1 << 20), clock: { time.withLock { $0 } })
        let sent = Mutex<[NetworkRequest]>([])
        let next = NetworkNext { request throws(NetworkError) in
            sent.withLock { $0.append(request) }
            time.withLock { $0 += Int64(input.delay) }
            let head = ResponseHead(status: input.status, headers: input.response)
            return StreamedResponse(head: head, body: ResponseBody([1, 2, 3]), url: request.url)
        }
        let step = CacheMiddleware(cache)
        let url = "https://api.example.com/a"
        let first = try await step.intercept(NetworkRequest(input.method, url, headers: input.first), next: next)
        #expect(try await first.body.collect() == [1, 2, 3])
        // Dates are relative to the arrival of the first response.
        time.withLock { $0 = Self.start + Int64(input.delay + input.seconds) }
        let request = try NetworkRequest(.get, url, headers: input.second)
        let explanation = CacheExplanation(cache.decide(request))
        let second = try await step.intercept(request, next: next)
        let isConditional = ["If-None-Match", "If-Modified-Since"].map { name in
            sent.withLock { $0.last }?.headers[name] != nil && input.second[name] == nil
        }.contains(true)
        let found: Expectation
        if second.status == 504 && input.status != 504 {
            found = .unavailable
        } else if second.headers["Cache-Status"]?.contains("hit; ttl") == true {
            found = .cached
        } else {
            found = isConditional ? .validated : .requested
        }
        switch input.expected {
        case .cachedAndValidated:
            #expect(found == .cached && explanation.isCached)
            try await until { sent.withLock { $0.count } == 2 }
        default:
            #expect(found == input.expected, "\(explanation)")
            #expect(explanation.isCached == (found == .cached))
            #expect(sent.withLock { $0.count } == (found == .cached || found == .unavailable ? 1 : 2))
        }
        if found == .cached { #expect(try await second.body.collect() == [1, 2, 3]) }
    }
}
