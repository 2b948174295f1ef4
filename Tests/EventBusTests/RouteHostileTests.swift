import AshlarCore
import AshlarEventBus
import Testing

/// A hostile URL of repeated parts, and its expected result.
struct HostileURL: Sendable, CustomTestStringConvertible {
    var behaviour: String
    var url: String
    /// The code of the error, or the pattern that matches.
    var outcome: String
    var testDescription: String { behaviour }

    init(_ behaviour: String, _ parts: (String, Int)..., to outcome: String) {
        self.behaviour = behaviour
        self.outcome = outcome
        url = parts.map { String(repeating: $0.0, count: $0.1) }.joined()
    }
}

@Suite("Hostile paths and tables", .timeLimit(.minutes(5)))
struct RouteHostileTests {
    static let patterns = [
        "/a/b", "/:x", "/:x/:y", "/s/:a(double)", "/:p(int)/:q(int)/:r(int)", "/f/*rest", "https://h/:x",
    ]

    static let rows: [HostileURL] = [
        HostileURL("a megabyte of one segment", ("/", 1), ("x", 1 << 20), to: "pathTooLong"),
        HostileURL("a megabyte of slashes", ("/", 1 << 20), to: "pathTooLong"),
        HostileURL("a megabyte of segments", ("/x", 1 << 19), to: "pathTooLong"),
        HostileURL("a megabyte of percent signs", ("/", 1), ("%", 1 << 20), to: "pathTooLong"),
        HostileURL("a megabyte of escapes", ("/", 1), ("%41", 1 << 19), to: "pathTooLong"),
        HostileURL("a megabyte of query", ("/x?", 1), ("a=1&", 1 << 18), to: "pathTooLong"),
        HostileURL("a megabyte of fragment", ("/x#", 1), ("a", 1 << 20), to: "pathTooLong"),
        HostileURL("a megabyte of host", ("https://", 1), ("h", 1 << 20), to: "pathTooLong"),
        HostileURL("a megabyte of scheme", ("h", 1 << 20), ("://x/", 1), to: "pathTooLong"),
        HostileURL("a megabyte without a slash", ("x", 1 << 20), to: "pathTooLong"),
        HostileURL("one byte over the path's limit", ("/", 1), ("x", 8192), to: "pathTooLong"),
        HostileURL("the path's limit exactly", ("/", 1), ("x", 8191), to: "/:x"),
        HostileURL("a path over its limit, a short query", ("/", 1), ("x", 8192), ("?a", 1), to: "pathTooLong"),
        HostileURL("a query at its limit", ("/x?", 1), ("a", 16_381), to: "/:x"),
        HostileURL("a query over its limit", ("/x?", 1), ("a", 16_384), to: "pathTooLong"),
        HostileURL("one segment over their limit", ("/x", 129), to: "pathTooManySegments"),
        HostileURL("the limit of segments exactly", ("/f", 1), ("/x", 127), to: "/f/*rest"),
        HostileURL("empty segments over their limit", ("/", 130), to: "pathTooManySegments"),
        HostileURL("empty segments up to their limit", ("/", 129), to: "routeNotFound"),
        HostileURL("segments over the limit after a host", ("https://h", 1), ("/x", 129), to: "pathTooManySegments"),
        HostileURL("escapes up to the path's limit", ("/", 1), ("%41", 2730), to: "/:x"),
        HostileURL(
            "a bad escape at the end of a long path", ("/", 1), ("x", 8000), ("%", 1), to: "invalidPercentEncoding"),
        HostileURL("encoded slashes without end", ("/", 1), ("%2F", 2700), to: "/:x"),
        HostileURL("encoded dots and slashes", ("/", 1), ("%2E%2E%2F", 900), to: "/:x"),
        HostileURL("overlong slashes", ("/", 1), ("%C0%AF", 1000), to: "invalidUTF8"),
        HostileURL("an encoded zero byte", ("/x%00y", 1), to: "/:x"),
        HostileURL("a raw zero byte", ("/x\u{0}y", 1), to: "/:x"),
        HostileURL("control characters", ("/x\r\nSet-Cookie: a", 1), to: "/:x"),
        HostileURL("what regular expressions fear", ("/s/", 1), ("-", 4000), ("y", 1), to: "/:x/:y"),
        HostileURL("a very long number", ("/s/", 1), ("9", 8000), to: "/:x/:y"),
        HostileURL("a very long fraction", ("/s/0.", 1), ("0", 8000), to: "/s/:a(double)"),
        HostileURL("a very long exponent", ("/s/1e", 1), ("9", 8000), to: "/:x/:y"),
        HostileURL("ints that overflow", ("/9223372036854775808/1", 1), to: "/:x/:y"),
        HostileURL(
            "a name and password without end", ("https://", 1), ("u:p@", 2000), ("h/x", 1), to: "invalidAuthority"),
        HostileURL("slashes after a scheme", ("https:", 1), ("/", 100), to: "invalidAuthority"),
        HostileURL("marks without end", ("/x", 1), ("?#", 4000), to: "/:x"),
        HostileURL("a query of separators", ("/x?", 1), ("&=", 8000), to: "/:x"),
        HostileURL("nothing", to: "pathNotAbsolute"),
        HostileURL("a combining mark after the slash", ("/\u{301}", 1), to: "/:x"),
        HostileURL("a space before the slash", (" /x", 1), to: "pathNotAbsolute"),
    ]

    @Test("Each URL has the result of its row", arguments: rows)
    func row(_ row: HostileURL) throws {
        let table = try RouteTable(Self.patterns)
        do {
            let match = try table.match(row.url)
            #expect(match.pattern == row.outcome)
            #expect(match.parameters.dictionary.values.allSatisfy { !$0.isEmpty })
            #expect(match.query.items.count < 10_000)
        } catch {
            #expect(error.code.description == row.outcome)
            #expect(error.description.utf8.count < 2000)
        }
    }

    @Test("The table is as long as promised")
    func size() { #expect(Self.rows.count >= 30, "\(Self.rows.count) rows") }

    @Test("Overlapping patterns take time proportional to their number at most, or fail with an error")
    func backtracking() throws {
        // Each segment may be taken as text or as a parameter: 2^12 rows of choices, all of which fail at the end.
        var patterns: [String] = []
        for bits in 0..<4096 {
            let parts = (0..<12).map { bits >> $0 & 1 == 0 ? "a" : ":p\($0)" }
            patterns.append("/" + parts.joined(separator: "/") + "/end")
        }
        let path = String(repeating: "/a", count: 12)
        let table = try RouteTable(patterns)
        #expect(routeError { _ = try table.match(path + "/nowhere") }?.code == .routeNotFound)
        #expect(try table.match(path + "/end").pattern == patterns[0])
        #expect(try table.match("/b" + path.dropFirst(2) + "/end").pattern == patterns[1])
    }

    @Test("Overlapping patterns are tried within the limit", arguments: [7, 8])
    func manyChoices(count: Int) throws {
        // A path of ones matches six kinds of segments at each of five positions, then all literals but the last one.
        let kinds = ["1", ":p(uint)", ":p(int)", ":p(double)", ":p(slug)", ":p"]
        let tail = String(repeating: "/a", count: count)
        let patterns = (0..<7776).map { number in
            var rest = number
            let segments = (0..<5).map { position in
                defer { rest /= 6 }
                return "/" + kinds[rest % 6].replacing(":p", with: ":p\(position)")
            }
            return segments.joined() + tail + "/end"
        }
        let table = try RouteTable(patterns)
        let path = "/1/1/1/1/1" + tail
        #expect(try table.match(path + "/end").pattern == path + "/end")
        let error = routeError { _ = try table.match(path + "/nowhere") }
        #expect(error?.code == (9330 + 7776 * count > RouteLimits.steps ? .matchTooCostly : .routeNotFound))
    }

    @Test("Patterns are limited in length, segments and parameters")
    func patternLimits() throws {
        let long = "/" + String(repeating: "x", count: RoutePatternText.maximumBytes)
        #expect(routeError { _ = try RoutePattern(long) }?.code.description == "patternTooLong")
        #expect(try RoutePattern(String(long.dropLast())).match(String(long.dropLast())).pattern.count == 8192)
        let segments = String(repeating: "/x", count: 129)
        #expect(routeError { _ = try RoutePattern(segments) }?.code.description == "patternTooManySegments")
        #expect(routeError { _ = try RoutePattern(segments) }?.offset == 256)
        let longest = String(segments.dropLast(2))
        #expect(try RoutePattern(longest).match(longest).parameters.names.isEmpty)
        let parameters = (0..<33).map { "/:p\($0)" }.joined()
        #expect(routeError { _ = try RoutePattern(parameters) }?.code.description == "patternTooManyParameters")
        let most = try RoutePattern((0..<32).map { "/:p\($0)" }.joined())
        let match = try most.match((0..<32).map { "/v\($0)" }.joined())
        #expect(match.parameters["p31"] == "v31" && match.parameters["p0"] == "v0")
        #expect(match.parameters.names.count == 32)
    }

    @Test("A snapshot doesn't change when the router changes")
    func snapshots() throws {
        let router = Router(bus: EventBus())
        try router.route("/a/:x") { _ in }
        let snapshot = router.current
        try router.route("/b/:y") { _ in }
        router.unroute("/a/:x")
        #expect(snapshot.contains("/a/1") && !snapshot.contains("/b/1") && snapshot.count == 1)
        #expect(!router.contains("/a/1") && router.contains("/b/1"))
    }

    @Test("Removed routes leave nothing in the tree")
    func churn() throws {
        let router = Router(bus: EventBus())
        try router.route("/keep/:x") { _ in }
        for round in 0..<2000 {
            let watch = try router.route("/r\(round)/:a/:b(int)/x") { _ in }
            #expect(router.contains("/r\(round)/1/2/x"))
            watch.cancel()
        }
        #expect(router.current.count == 1)
        #expect(try router.match("/keep/1").parameters["x"] == "1")
        #expect(!router.contains("/r1999/1/2/x"))
    }
}
