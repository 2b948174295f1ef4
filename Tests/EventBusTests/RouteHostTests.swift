import AshlarTestSupport
import Testing

@testable import AshlarEventBus

@Suite("Hosts of URLs")
struct RouteHostTests {
    let router = Router(bus: EventBus())

    init() throws {
        for pattern in [
            "https://good.com/*rest", "https://good.com:8443/any/*rest", "app://h:8080/a", "https://[::1]/a",
        ] {
            try router.route(pattern) { _ in }
        }
    }

    @Test(
        "An authority with a byte that RFC 3986 forbids is an error",
        arguments: [
            (#"https://evil.com\@good.com/a"#, 16), ("https://a b@good.com/a", 9),
            ("https://evil.com%2F@good.com/a", -1),
            ("https://evil.com%2f.good.com/a", 16), ("https://good.com:44x/a", 19), ("https://good.com:123456/a", 17),
            ("https://a@b@good.com/a", 9), ("https://good.com%5C/a", 16),
            ("https://[::1/a", 8), ("https://[::1]x/a", 13), ("https://good.com%00/a", 16), ("https://a<b.com/a", 9),
            ("https://[]/a", 8), ("https://[good.com]/a", 8), ("https://:443/a", 8), ("https://u@/a", 10),
            ("https://good.com:65536/a", 17), ("https://good.com\t/a", 16), ("https://good.com%0A/a", 16),
        ])
    func forbidden(url: String, offset: Int) {
        guard offset >= 0 else {
            // An escaped slash is allowed in user information, which isn't part of the host.
            #expect((try? router.match(url).host) == "good.com")
            return
        }
        #expect { try router.match(url) } throws: { error in
            (error as? EventBusError)?.code == .invalidAuthority && (error as? EventBusError)?.offset == offset
        }
        #expect(!router.contains(url))
    }

    @Test(
        "Equal hosts have one normal form, for match and contains",
        arguments: [
            "https://good.com/a", "https://GOOD.com/a", "https://good.com:443/a", "https://good.com./a",
            "https://good.com.:443/a", "https://good.com:/a", "https://%67ood.com/a", "https://u:p@good.com/a",
            "https://good%2Ecom%2E/a", "https://%67ood.com/%61", "https://good.com:0443/a",
        ])
    func normalForm(url: String) throws {
        let match = try router.match(url)
        #expect(match.pattern == "https://good.com/*rest")
        #expect(match.host == "good.com")
        #expect(match.parameters["rest"] == "a")
        #expect(router.contains(url))
    }

    @Test(
        "User information with a malformed escape is an error",
        arguments: [("https://a%zz@good.com/a", 9), ("https://a%4@good.com/a", 9), ("https://%@good.com/a", 8)])
    func malformedUser(url: String, offset: Int) {
        let error = #expect(throws: EventBusError.self) { try router.match(url) }
        #expect(error?.code == .invalidPercentEncoding && error?.offset == offset)
    }

    @Test("A URL with a scheme has the verdict and the normal form of requests", arguments: URLTable.rows)
    func table(text: String, normalForm: String?) throws {
        // Text that starts with a slash is a path.
        if text.hasPrefix("/") { return }
        let url: RouteURL
        do { url = try RouteURL.parse(text, RouterOptions()) } catch {
            // The values of a route are text.
            let isNotText = error.code == .invalidUTF8 && error.offset.map { $0 > "https://a".utf8.count } == true
            #expect(isNotText == (normalForm != nil), "\(error)")
            return
        }
        let authority = try #require(normalForm).split(separator: "/", omittingEmptySubsequences: false)[2]
        let host = authority.split(separator: "@").last.map { $0.hasSuffix(".") ? $0.dropLast() : $0 }
        #expect(Substring(url.authority?.host ?? "") == host ?? "")
        #expect(normalForm?.hasPrefix("\(url.authority?.scheme ?? "")://") == true)
    }

    @Test("An international host is written in ASCII, in patterns and in URLs")
    func international() throws {
        let table = try RouteTable(["https://xn--bcher-kva.example/"])
        #expect(try table.match("https://XN--bcher-kva.example/").host == "xn--bcher-kva.example")
        let error = routeError { _ = try table.match("https://bücher.example/") }
        #expect(error?.code == .invalidAuthority && error?.offset == 9)
        #expect(error?.expected?.contains("xn--") == true)
        #expect(routeError { _ = try RoutePattern("https://bücher.example/") }?.expected?.contains("xn--") == true)
        #expect(throws: EventBusError.self) { try RoutePattern("https://a..b/") }
    }

    @Test("A URL with a scheme can't contain a space, which a path can")
    func spaces() throws {
        let table = try RouteTable(["https://h/:x", "/:x"])
        let error = routeError { _ = try table.match("https://h/a b") }
        #expect(error?.code.description == "invalidCharacter" && error?.offset == 11)
        #expect(try table.match("/a b").parameters["x"] == "a b")
    }

    @Test("A port other than the default is part of the host, also in a pattern")
    func ports() throws {
        #expect(!router.contains("https://good.com:8443/a"))
        #expect(try router.match("https://good.com:8443/any/a").host == "good.com:8443")
        #expect(
            router.contains("app://h:8080/a") && router.contains("app://H.:8080/a") && !router.contains("app://h/a"))
        #expect(router.contains("https://[::1]:443/a") && !router.contains("https://[::1]:44/a"))
        #expect(router.contains("app://h:08080/a") && !router.contains("app://h:0/a"))
        let other = Router(bus: EventBus())
        try other.route("https://Example.org.:0443/a") { _ in }
        #expect(other.contains("https://example.org/a"))
        #expect(throws: EventBusError.self) { try other.route("https://example.org/a") { _ in } }
    }
}

@Suite("Paths and names are compared as strings")
struct StringNameTests {
    static let composed = "/caf\u{E9}"
    static let decomposed = "/cafe\u{301}"

    @Test("Patterns in composed and decomposed form are one route")
    func routes() throws {
        let router = Router(bus: EventBus())
        try router.route(Self.composed) { _ in }
        #expect(routeError { try router.route(Self.decomposed) { _ in } }?.code == .routeConflict)
        #expect(router.contains(Self.composed) && router.contains(Self.decomposed))
        #expect(router.contains("/cafe%CC%81") && router.unroute(Self.decomposed) && router.patterns.isEmpty)
    }

    @Test("Parameters and query items in composed and decomposed form are the same")
    func readingRoutes() throws {
        let match = try RoutePattern("/:\u{E9}").match("/x?e\u{301}=1")
        #expect(match.parameters["\u{E9}"] == "x" && match.parameters["e\u{301}"] == "x", "names are strings")
        #expect(match.query["e\u{301}"] == "1" && match.query["\u{E9}"] == "1")
    }
}
