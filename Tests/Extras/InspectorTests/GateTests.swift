import AshlarBase
import AshlarCore
import AshlarTestSupport
import Testing

@testable import AshlarInspector

/// Which requests are accepted.
@Suite struct GateTests {
    /// A request of a browser, with fields that a case changes.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        var target = "/"
        var fields: [(name: String, value: String)] = [("Host", "127.0.0.1:8123")]
        var body = "{}"
        /// Whether the request has the cookie of a browser that was opened.
        var hasCookie = true
        let status: Int

        /// A request for a page.
        init(
            _ title: String, _ status: Int, _ target: String = "/", method: String = "GET", host: String? = nil,
            cookie: Bool = true, fields: [(name: String, value: String)] = []
        ) {
            testDescription = title
            self.status = status
            self.target = target
            self.method = method
            self.hasCookie = cookie
            self.fields = (host == "" ? [] : [("Host", host ?? "127.0.0.1:8123")]) + fields
        }

        /// An action.
        init(
            action title: String, _ status: Int, origin: String? = "http://127.0.0.1:8123",
            type: String? = "application/json", site: String? = "same-origin", host: String = "127.0.0.1:8123",
            method: String = "POST", target: String = "/actions", bytes: Int = 2, cookie: Bool = true
        ) {
            testDescription = title
            self.status = status
            self.method = method
            self.target = target
            hasCookie = cookie
            body = String(repeating: " ", count: bytes)
            fields = [("Host", host)]
            if let origin { fields.append(("Origin", origin)) }
            if let type { fields.append(("Content-Type", type)) }
            if let site { fields.append(("Sec-Fetch-Site", site)) }
        }
    }

    static let cases: [Case] = [
        Case("the page", 200),
        Case("the page by the name localhost", 200, host: "localhost:8123"),
        Case("the stream", 200, "/events"),
        Case("the exchanges", 200, "/exchanges"),
        Case("the exchanges without a cookie", 403, "/exchanges", cookie: false),
        Case("the exchanges for a page at another port", 403, "/exchanges", fields: [("Sec-Fetch-Site", "same-site")]),
        Case("the stream after a cursor", 200, "/events?after=a-1-2-3-4"),
        Case("another host", 403, host: "evil.com"),
        Case("another host with the port", 403, host: "evil.com:8123"),
        Case("a name that begins like the host", 403, host: "127.0.0.1.evil.com:8123"),
        Case("a name that ends like the host", 403, host: "evil-localhost:8123"),
        Case("another port", 403, host: "localhost:8124"),
        Case("the host without its port", 403, host: "127.0.0.1"),
        Case("the address in IPv6", 403, host: "[::1]:8123"),
        Case("the address as a number", 403, host: "2130706433:8123"),
        Case("a short form of the address", 403, host: "127.1:8123"),
        Case("another address of the loopback", 403, host: "127.0.0.2:8123"),
        Case("a final dot", 403, host: "localhost.:8123"),
        Case("a space", 403, host: "localhost:8123 "),
        Case("credentials before the host", 403, host: "a@127.0.0.1:8123"),
        Case("no host", 403, host: ""),
        Case("two hosts", 403, fields: [("Host", "evil.com")]),
        Case("two equal hosts", 403, fields: [("host", "127.0.0.1:8123")]),
        Case("no cookie", 403, cookie: false),
        Case("the stream without a cookie", 403, "/events", cookie: false),
        Case(
            "a wrong cookie", 403, cookie: false,
            fields: [("Cookie", "ashlar-inspector-8123=00000000000000000000000000000000")]
        ),
        Case("an empty cookie", 403, cookie: false, fields: [("Cookie", "ashlar-inspector-8123=")]),
        Case("two cookies of the name", 403, fields: [("Cookie", "ashlar-inspector-8123=0")]),
        Case("another cookie beside the own one", 200, fields: [("Cookie", "theme=dark")]),
        Case("a wrong token", 403, "/?token=00000000000000000000000000000000"),
        Case("an empty token", 403, "/?token="),
        Case("a wrong token without a cookie", 403, "/?token=1", cookie: false),
        Case("the token at another path", 403, "/events?token=TOKEN", cookie: false),
        Case("an unknown path", 404, "/secrets"),
        Case("a path out of the folder", 404, "/../../etc/passwd"),
        Case("an encoded path out of the folder", 404, "/%2e%2e/etc/passwd"),
        Case("two slashes", 404, "//"),
        Case("a slash after the path", 404, "/events/"),
        Case("another case", 404, "/Events"),
        Case("a zero in the path", 404, "/\0"),
        Case("a URL as the target", 404, "http://127.0.0.1:8123/"),
        Case("an empty target", 404, ""),
        Case("HEAD", 405, method: "HEAD"),
        Case("HEAD of the stream", 405, "/events", method: "HEAD"),
        Case("POST of the page", 405, method: "POST"),
        Case("OPTIONS, as before a request of another origin", 405, "/actions", method: "OPTIONS"),
        Case("CONNECT", 405, method: "CONNECT"),
        Case("a method in lowercase", 405, method: "get"),
        Case("the stream for a page of another site", 403, "/events", fields: [("Sec-Fetch-Site", "cross-site")]),
        Case("the stream for a page at another port", 403, "/events", fields: [("Sec-Fetch-Site", "same-site")]),
        Case("the stream by hand", 403, "/events", fields: [("Sec-Fetch-Site", "none")]),
        Case("the stream for the own page", 200, "/events", fields: [("Sec-Fetch-Site", "same-origin")]),
        Case("the page from the address bar", 200, fields: [("Sec-Fetch-Site", "none")]),
        Case("the page in a frame of another port", 403, fields: [("Sec-Fetch-Site", "same-site")]),
        Case(action: "an action", 200),
        Case(action: "an action with a charset", 200, type: "application/json; charset=utf-8"),
        Case(action: "an action by the name localhost", 200, origin: "http://localhost:8123", host: "localhost:8123"),
        Case(action: "an action without the origin, of the own page", 200, origin: nil),
        Case(action: "an action with the origin, of an old browser", 200, site: nil),
        Case(action: "an action without the origin, of an old browser", 403, origin: nil, site: nil),
        Case(action: "an action of another site", 403, origin: "https://evil.com"),
        Case(action: "an action of another port", 403, origin: "http://127.0.0.1:8124", site: "same-site"),
        Case(action: "an action of the other name", 403, origin: "http://localhost:8123"),
        Case(action: "an action by https", 403, origin: "https://127.0.0.1:8123"),
        Case(action: "an action of a sandboxed frame or a file", 403, origin: "null"),
        Case(action: "an action whose origin has a path", 403, origin: "http://127.0.0.1:8123/"),
        Case(action: "an action with the own origin, from another site", 403, site: "cross-site"),
        Case(action: "an action without a cookie", 403, cookie: false),
        Case(action: "an action by GET", 405, method: "GET"),
        Case(action: "an action as a form", 415, type: "application/x-www-form-urlencoded"),
        Case(action: "an action as a text", 415, type: "text/plain"),
        Case(action: "an action without a type", 415, type: nil),
        Case(action: "an action with a type that begins alike", 415, type: "application/jsonp"),
        Case(action: "the largest action", 200, bytes: 64 << 10),
        Case(action: "an action that is too large", 413, bytes: 64 << 10 + 1),
    ]

    /// The secret of a cookie, from the value of `Set-Cookie`.
    private func opened(_ gate: inout InspectorGate) throws -> String {
        let token = try #require(gate.makeURL().split(separator: "=").last)
        let request = InspectorRequest(
            method: "GET", target: "/?token=\(token)", fields: [("Host", "127.0.0.1:8123")])
        guard case .page(let cookie?) = try gate.judge(request) else { throw CancellationError() }
        return String(cookie.prefix { $0 != ";" })
    }

    @Test("Only requests of the inspector's own page are accepted", arguments: cases)
    func table(_ one: Case) throws {
        var gate = InspectorGate(port: 8123)
        let cookie = try opened(&gate)
        let token = try #require(gate.makeURL().split(separator: "=").last)
        let request = InspectorRequest(
            method: one.method, target: one.target.replacing("TOKEN", with: token),
            fields: one.fields + (one.hasCookie ? [("Cookie", cookie)] : []), body: Array(one.body.utf8))
        var status = 200
        do { _ = try gate.judge(request) } catch { status = error.status }
        #expect(status == one.status)
    }

    @Test("A token opens one browser, which has a cookie for its requests")
    func token() throws {
        var gate = InspectorGate(port: 8123)
        let url = gate.makeURL()
        #expect(url.hasPrefix("http://127.0.0.1:8123/?token=") && url.utf8.count == 29 + 32)
        let fields = [(name: "Host", value: "127.0.0.1:8123")]
        let request = InspectorRequest(method: "GET", target: String(url.dropFirst(21)), fields: fields)
        guard case .page(let cookie?) = try gate.judge(request) else { throw CancellationError() }
        #expect(cookie.hasPrefix("ashlar-inspector-8123=") && cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
        #expect(!cookie.contains(try #require(url.split(separator: "=").last)))
        #expect(throws: InspectorRefusal.self) { try gate.judge(request) }
        // A stream, and the number of the event that the browser received last.
        let again = InspectorRequest(
            method: "GET", target: "/events?after=x", fields: fields + [("Cookie", String(cookie.prefix { $0 != ";" }))]
        )
        #expect(try gate.judge(again) == .events(after: "x"))
        let reconnected = InspectorRequest(
            method: "GET", target: again.target, fields: again.fields + [("last-event-id", "y")])
        #expect(try gate.judge(reconnected) == .events(after: "y"))
    }

    @Test("A new URL replaces one that wasn't opened, and doesn't end the browsers before it")
    func newURL() throws {
        var gate = InspectorGate(port: 8123)
        let first = try opened(&gate)
        let unused = try #require(gate.makeURL().split(separator: "=").last)
        _ = gate.makeURL()
        let host = (name: "Host", value: "127.0.0.1:8123")
        #expect(throws: InspectorRefusal.self) {
            try gate.judge(InspectorRequest(method: "GET", target: "/?token=\(unused)", fields: [host]))
        }
        func isOpen(_ cookie: String) -> Bool {
            let request = InspectorRequest(method: "GET", target: "/", fields: [host, ("Cookie", cookie)])
            return (try? gate.judge(request)) != nil
        }
        #expect(isOpen(first))
        var others: [String] = []
        for _ in 0..<8 { others.append(try opened(&gate)) }
        // The ninth browser replaces the first one.
        #expect(!isOpen(first) && others.allSatisfy { isOpen($0) })
    }

    @Test("Random requests are refused, whatever their cookies, tokens and hosts")
    func random() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed: seed)
        var gate = InspectorGate(port: 8123)
        let cookie = try opened(&gate)
        let url = gate.makeURL()
        for _ in 0..<2000 {
            // One digit differs, so that only the whole secret is accepted.
            func changed(_ text: String) -> String {
                var digits = Array(text)
                let index = digits.count - 1 - random.below(32)
                digits[index] = digits[index] == "0" ? "1" : "0"
                return String(digits.dropLast(random.below(2)))
            }
            let target = random.pick(["/", "/events", "/actions", String(changed(url).dropFirst(21))])
            let request = InspectorRequest(
                method: random.pick(["GET", "POST"]), target: target,
                fields: [("Host", "127.0.0.1:8123"), ("Cookie", changed(cookie))])
            #expect(throws: InspectorRefusal.self, "seed \(seed)") { try gate.judge(request) }
        }
    }

    @Test(
        "The head of a request is read in parts of any size",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / Host:a 0"),
            (
                "POST /actions?x HTTP/1.1\r\nHost:a\r\nX: \t b c \t\r\nContent-Length: 2\r\n\r\n{}",
                "POST /actions?x Host:a,X:b c,Content-Length:2 2"
            ),
            ("GET / HTTP/1.1\r\n\r\n", "GET /  0"), ("GET / HTTP/2\r\n\r\n", "400"), ("GET  / HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n: a\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost a\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n folded: a\r\n\r\n", "400"),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "400"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
            ("POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n", "POST / Content-Length:70000 too large"),
            ("\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 17_000) + "\r\n\r\n", "431"),
            (String(repeating: "x", count: 17_000), "431"), ("GET / HTTP/1.1\r\nHost: a\r\n", "incomplete"),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n{}", "incomplete"),
        ])
    func reader(text: String, expected: String) {
        for size in [1, 7, 100_000] {
            var reader = InspectorRequestReader()
            var found = "incomplete"
            var rest = Array(text.utf8)[...]
            do throws(InspectorRefusal) {
                while !rest.isEmpty {
                    guard let request = try reader.add(rest.prefix(size)) else {
                        rest = rest.dropFirst(size)
                        continue
                    }
                    let fields = request.fields.map { "\($0.name):\($0.value)" }.joined(separator: ",")
                    let body = request.isTooLarge ? "too large" : "\(request.body.count)"
                    found = "\(request.method) \(request.target) \(fields) \(body)"
                    break
                }
            } catch {
                found = "\(error.status)"
            }
            #expect(found == expected, "parts of \(size) bytes")
        }
    }
}
