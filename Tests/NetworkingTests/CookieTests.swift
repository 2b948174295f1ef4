import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Synchronization
import Testing

@Suite struct CookieTests {
    private static let start = 1_700_000_000

    private func jar(_ cookies: [String], from url: String = "https://api.example.com/a/b") throws -> CookieJar {
        let jar = CookieJar(clock: { Self.start })
        jar.store(HTTPHeaders(cookies.map { HTTPField("Set-Cookie", $0) }), from: try HTTPURL(url))
        return jar
    }

    @Test(
        "A cookie is sent to the URLs that RFC 6265 specifies",
        arguments: [
            ("a=b", "https://api.example.com/a/x", "a=b"), ("a=b", "https://api.example.com/ab", nil),
            ("a=b; Path=/", "https://api.example.com/", "a=b"), ("a=b; Path=/", "http://api.example.com:81/", "a=b"),
            ("a=b; Path=/; Secure", "http://api.example.com/", nil), ("a=b; Path=/", "https://x.api.example.com/", nil),
            ("a=b; Path=/; Domain=example.com", "https://www.example.com/", "a=b"),
            ("a=b; Path=/; Domain=.example.com", "https://example.com/", "a=b"),
            ("a=b; Path=/; Domain=example.com", "https://badexample.com/", nil),
            ("a=b; Path=/; Domain=com", "https://api.example.com/", nil),
            ("a=b; Path=/; Domain=other.example", "https://api.example.com/", nil),
            ("a=b; Path=/; Domain=sub.api.example.com", "https://sub.api.example.com/", nil),
            ("a=b; Path=/; Max-Age=0", "https://api.example.com/", nil),
            ("a=b; Path=/; Max-Age=60", "https://api.example.com/", "a=b"),
            ("a=b; Path=/; Max-Age=-5", "https://api.example.com/", nil),
            ("a=b; Path=/; Max-Age=junk", "https://api.example.com/", "a=b"),
            ("a=b; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "https://api.example.com/", nil),
            ("a=b; Path=/; Expires=Wed, 21-Oct-2037 07:28:00 GMT", "https://api.example.com/", "a=b"),
            ("a=b; Path=/; Expires=Thu Jan  1 00:00:00 1970; Max-Age=99", "https://api.example.com/", "a=b"),
            ("a=b; Path=/; Expires=never", "https://api.example.com/", "a=b"),
            ("a; Path=/", "https://api.example.com/", nil),
            ("=b; Path=/", "https://api.example.com/", nil), ("a=\u{1}; Path=/", "https://api.example.com/", nil),
            (" a = b c ; pAtH=/ ; httponly; SameSite=Lax; X=y", "https://api.example.com/", "a=b c"),
            ("a=b=c; Path=relative", "https://api.example.com/a/", "a=b=c"),
        ] as [(String, String, String?)])
    func rules(setCookie: String, url: String, expected: String?) throws {
        #expect(try jar([setCookie]).header(for: HTTPURL(url)) == expected)
    }

    @Test("Longer paths are first; an equal cookie is replaced; an expired one is removed")
    func order() throws {
        let jar = try jar(["a=1; Path=/", "b=2; Path=/a/b", "c=3; Path=/a", "a=4; Path=/"])
        let url = try HTTPURL("https://api.example.com/a/b")
        #expect(jar.header(for: url) == "b=2; c=3; a=4")
        jar.store(["Set-Cookie": "b=; Path=/a/b; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], from: url)
        #expect(jar.header(for: url) == "c=3; a=4")
        #expect(jar.cookies.map(\.name) == ["a", "c"])
        #expect(!"\(jar.cookies)".contains("4"))
        jar.removeAll()
        #expect(jar.header(for: url) == nil)
    }

    @Test("A cookie expires at its time")
    func expiry() throws {
        let time = AtomicTime(Self.start)
        let jar = CookieJar(clock: { time.now })
        let url = try HTTPURL("https://a.example/")
        jar.store(["Set-Cookie": "a=b; Max-Age=10"], from: url)
        #expect(jar.header(for: url) == "a=b")
        time.now += 10
        #expect(jar.header(for: url) == nil)
        #expect(jar.cookies.isEmpty)
    }

    @Test("A domain holds 50 cookies, the jar 3,000; an IP address only its own")
    func limits() throws {
        let jar = CookieJar(clock: { Self.start })
        for number in 0..<60 { jar.set(NetworkCookie("c\(number)", "v", host: "a.example")) }
        #expect(jar.cookies.map(\.name) == (10..<60).map { "c\($0)" })
        for number in 0..<3100 { jar.set(NetworkCookie("x", "v", host: "h\(number).example")) }
        #expect(jar.cookies.count <= 3000)
        let address = CookieJar(clock: { Self.start })
        address.store(["Set-Cookie": "a=b; Domain=127.0.0.1"], from: try HTTPURL("http://127.0.0.1/"))
        #expect(address.cookies.first?.isHostOnly == true)
        address.store(["Set-Cookie": "a=b; Domain=0.0.1"], from: try HTTPURL("http://127.0.0.2/"))
        #expect(address.cookies.count == 1)
    }

    @Test(
        "A client sends cookies across requests and redirects; the caller's own field takes precedence",
        arguments: TransportKind.allCases)
    func client(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { request in
            switch request.target {
            case "/set": answer(302, ["Set-Cookie: a=1; Path=/", "Set-Cookie: b=2; Path=/", "Location: /show"])
            case "/loop":
                request["Cookie"]?.contains("seen") == true
                    ? answer(body: "in") : answer(302, ["Set-Cookie: seen=1; Path=/", "Location: /loop"])
            default: answer(body: request["Cookie"] ?? "none")
            }
        })
        let client = try kind.client()
        let shown = try await client.send(client.request(.get, server.url + "/set")).text()
        #expect(shown.split(separator: "; ").sorted() == ["a=1", "b=2"])
        #expect(try await client.send(client.request(.get, server.url + "/loop")).text() == "in")
        #expect(try await client.send(client.request(.get, server.url, headers: ["Cookie": "own=1"])).text() == "own=1")
        #expect(try await kind.client().send(client.request(.get, server.url)).text() == "none")
    }
}

/// A time that a test advances.
final class AtomicTime: Sendable {
    private let value: Mutex<Int>
    init(_ start: Int) { value = Mutex(start) }
    var now: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
