import Testing

@testable import AshlarNetworking

/// The rules of RFC 9111 and RFC 5861 for a private cache: a request, its response, a time, and a second request.
enum CacheRules {
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

    static let etag: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

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
}
