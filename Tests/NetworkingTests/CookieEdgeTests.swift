import AshlarNetworking
import AshlarNetworkingTestSupport
import Testing

/// Edge cases of RFC 6265 and of RFC 6265bis's rules for prefixes and secure cookies.
@Suite struct CookieEdgeTests {
    private static let now = 1_700_000_000

    struct Case: CustomTestStringConvertible, Sendable {
        let setCookie: String
        let from: String
        let asked: String
        let sent: String?
        var testDescription: String { "\(setCookie.prefix(60)) from \(from) for \(asked)" }

        init(_ setCookie: String, _ from: String, _ asked: String, _ sent: String?) {
            (self.setCookie, self.from, self.asked, self.sent) = (setCookie, from, asked, sent)
        }
    }

    static let cases: [Case] = [
        // Unchanged values, with quotes.
        Case("a=\"b c\"", "http://h.x/", "http://h.x/", "a=\"b c\""),
        Case("a=b=c", "http://h.x/", "http://h.x/", "a=b=c"),
        Case(" a \t= b ;x", "http://h.x/", "http://h.x/", "a=b"), Case("a=", "http://h.x/", "http://h.x/", "a="),
        Case("=b", "http://h.x/", "http://h.x/", nil), Case("b", "http://h.x/", "http://h.x/", nil),
        Case("", "http://h.x/", "http://h.x/", nil), Case("a=b\u{7}", "http://h.x/", "http://h.x/", nil),
        Case(
            "a=" + String(repeating: "v", count: 4095), "http://h.x/", "http://h.x/",
            "a=" + String(repeating: "v", count: 4095)),
        Case("a=" + String(repeating: "v", count: 4096), "http://h.x/", "http://h.x/", nil),
        Case(
            "a=" + String(repeating: "v", count: 4095) + "; Max-Age=60; Path=/; Version=1", "http://h.x/",
            "http://h.x/", "a=" + String(repeating: "v", count: 4095)),
        Case("a=1; Path=/" + String(repeating: "p", count: 1024), "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Path=/" + String(repeating: "p", count: 1023), "http://h.x/", "http://h.x/", nil),
        // Domains.
        Case("a=1; Domain=h.x", "http://w.h.x/", "http://v.h.x/", "a=1"),
        Case("a=1; Domain=.H.X", "http://w.h.x/", "http://h.x/", "a=1"),
        Case("a=1", "http://h.x/", "http://w.h.x/", nil),
        Case("a=1; Domain=w.h.x", "http://h.x/", "http://w.h.x/", nil),
        Case("a=1; Domain=xh.x", "http://h.x/", "http://xh.x/", nil),
        Case("a=1; Domain=h.x", "http://xh.x/", "http://h.x/", nil),
        Case("a=1; Domain=x", "http://h.x/", "http://h.x/", nil),
        Case("a=1; Domain=x", "http://h.x/", "http://g.x/", nil),
        Case("a=1; Domain=", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Domain=", "http://h.x/", "http://w.h.x/", nil),
        Case("a=1; Domain=localhost", "http://localhost/", "http://localhost:81/", "a=1"),
        Case("a=1; Domain=0.1", "http://10.0.0.1/", "http://10.0.0.1/", nil),
        Case("a=1; Domain=other.x; Domain=h.x", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1", "http://[::1]/", "http://[::1]:8080/", "a=1"),
        // Paths.
        Case("a=1", "http://h.x/p/q", "http://h.x/p/r", "a=1"), Case("a=1", "http://h.x/p/q", "http://h.x/p", "a=1"),
        Case("a=1", "http://h.x/p/q", "http://h.x/px", nil),
        Case("a=1; Path=/p", "http://h.x/", "http://h.x/p/", "a=1"),
        Case("a=1; Path=/p/", "http://h.x/", "http://h.x/p", nil),
        Case("a=1; path=p", "http://h.x/q/", "http://h.x/q/z", "a=1"),
        Case("a=1; Path=/P", "http://h.x/", "http://h.x/p", nil),
        Case("a=1; Path=/x; Path=/y", "http://h.x/", "http://h.x/y", "a=1"),
        // Expiry: Max-Age takes precedence; a malformed number is ignored.
        Case("a=1; Max-Age=0", "http://h.x/", "http://h.x/", nil),
        Case("a=1; Max-Age=-9", "http://h.x/", "http://h.x/", nil),
        Case("a=1; Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Max-Age=x; Expires=Thu, 01 Jan 1970 00:00:01 GMT", "http://h.x/", "http://h.x/", nil),
        Case("a=1; Max-Age=+0", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Max-Age=\"0\"", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Max-Age=99999999999999999999", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Expires=Sun, 06-Nov-94 08:49:37 GMT", "http://h.x/", "http://h.x/", nil),
        Case("a=1; Expires=Thu, 01-Jan-70 00:00:01 GMT", "http://h.x/", "http://h.x/", nil),
        Case("a=1; Expires=Tue, 31-Dec-69 23:59:59 GMT", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Expires=Sun Nov  6 08:49:37 2094", "http://h.x/", "http://h.x/", "a=1"),
        Case("a=1; Expires=never", "http://h.x/", "http://h.x/", "a=1"),
        // Secure, and names that require it.
        Case("a=1; Secure", "https://h.x/", "https://h.x/", "a=1"),
        Case("a=1; Secure", "https://h.x/", "http://h.x/", nil),
        Case("a=1; secure=false", "https://h.x/", "http://h.x/", nil),
        Case("a=1; Secure", "http://h.x/", "https://h.x/", nil),
        Case("__Secure-a=1; Secure", "https://h.x/", "https://h.x/", "__Secure-a=1"),
        Case("__secure-a=1", "https://h.x/", "https://h.x/", nil),
        Case("__Host-a=1; Secure; Path=/", "https://h.x/p/", "https://h.x/", "__Host-a=1"),
        Case("__Host-a=1; Secure; Path=/; Domain=h.x", "https://h.x/", "https://h.x/", nil),
        Case("__Host-a=1; Secure; Path=/p", "https://h.x/p", "https://h.x/p", nil),
        Case("__Host-a=1; Path=/", "https://h.x/", "https://h.x/", nil),
        Case("__Host-a=1; Secure", "https://h.x/", "https://h.x/", nil),
        Case("__Host-a=1; Secure; Path=", "https://h.x/", "https://h.x/", nil),
        // Public suffixes of both divisions of the list, with wildcards and exceptions.
        Case("a=1; Domain=co.uk", "http://shop.co.uk/", "http://bank.co.uk/", nil),
        Case("a=1; Domain=shop.co.uk", "http://www.shop.co.uk/", "http://shop.co.uk/", "a=1"),
        Case("a=1; Domain=github.io", "http://me.github.io/", "http://you.github.io/", nil),
        Case("a=1; Domain=github.io", "http://github.io/", "http://github.io/", "a=1"),
        Case("a=1; Domain=github.io", "http://github.io/", "http://you.github.io/", nil),
        Case("a=1; Domain=any.ck", "http://w.any.ck/", "http://v.any.ck/", nil),
        Case("a=1; Domain=www.ck", "http://w.www.ck/", "http://v.www.ck/", "a=1"),
        Case("a=1; Domain=xn--55qx5d.cn", "http://w.xn--55qx5d.cn/", "http://v.xn--55qx5d.cn/", nil),
        Case("a=1; HttpOnly; SameSite=Strict; Priority=High", "http://h.x/", "http://h.x/", "a=1"),
    ]

    @Test("A cookie is stored and sent by the rules of RFC 6265bis", arguments: cases)
    func rules(input: Case) throws {
        let jar = CookieJar(clock: { Self.now })
        jar.store(["Set-Cookie": input.setCookie], from: try HTTPURL(input.from))
        #expect(jar.header(for: try HTTPURL(input.asked)) == input.sent)
    }

    @Test("A response over http never replaces or shadows a secure cookie")
    func secureStays() throws {
        let jar = CookieJar(clock: { Self.now })
        jar.store(["Set-Cookie": "a=1; Secure; Domain=h.x; Path=/p"], from: try HTTPURL("https://w.h.x/p"))
        for text in ["a=2; Domain=h.x; Path=/p", "a=2; Path=/p/q", "a=; Max-Age=0; Domain=h.x; Path=/p"] {
            jar.store(["Set-Cookie": text], from: try HTTPURL("http://w.h.x/p"))
        }
        #expect(jar.header(for: try HTTPURL("https://w.h.x/p/q")) == "a=1")
        jar.store(["Set-Cookie": "a=3; Path=/other"], from: try HTTPURL("http://w.h.x/"))
        jar.store(["Set-Cookie": "b=4; Path=/p"], from: try HTTPURL("http://w.h.x/"))
        #expect(jar.header(for: try HTTPURL("http://w.h.x/other")) == "a=3")
        #expect(jar.header(for: try HTTPURL("https://w.h.x/p")) == "a=1; b=4")
        jar.store(["Set-Cookie": "a=5; Domain=h.x; Path=/p"], from: try HTTPURL("https://w.h.x/p"))
        #expect(jar.header(for: try HTTPURL("https://w.h.x/p")) == "a=5; b=4", "the new value has the old one's place")
    }

    @Test(
        "All cookies of a response are stored, on every transport", .timeLimit(.minutes(5)),
        arguments: TransportKind.allCases)
    func several(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { request in
            guard request.target == "/set" else { return answer(body: request["Cookie"] ?? "none") }
            return answer(
                200,
                [
                    "Set-Cookie: a=1; Expires=Wed, 21 Oct 2094 07:28:00 GMT; Path=/", "Set-Cookie: b=\"2,3\"; Path=/",
                    "Set-Cookie: c=4,5",
                ])
        })
        let client = try kind.client()
        _ = try await client.send(client.request(.get, server.url + "/set"))
        let sent = try await client.send(client.request(.get, server.url)).text()
        #expect(Set(sent.split(separator: "; ")) == ["a=1", "b=\"2,3\"", "c=4,5"])
    }

    @Test("A cookie that no field can hold is refused", arguments: ["日本", "b "])
    func unsendable(value: String) {
        let jar = CookieJar()
        #expect(!jar.set(NetworkCookie("a", value, host: "h.x")) && jar.cookies.isEmpty)
    }
}
