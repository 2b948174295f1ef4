import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// The redirect matrix: statuses × methods × bodies × origins, with servers of the test.
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    struct Hop: Hashable, CustomTestStringConvertible, Sendable {
        let status: Int
        let method: String
        let hasBody: Bool
        let sameOrigin: Bool
        var testDescription: String { "\(status) \(method)\(hasBody ? " body" : "") \(sameOrigin ? "same" : "other")" }
    }

    static let hops: [Hop] = [301, 302, 303, 307, 308].flatMap { status in
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].flatMap { method in
            [false, true].flatMap { hasBody in
                [true, false].compactMap { sameOrigin in
                    if hasBody, method == "GET" || method == "HEAD" { return nil }
                    return Hop(status: status, method: method, hasBody: hasBody, sameOrigin: sameOrigin)
                }
            }
        }
    }

    @Test("Every redirect arrives with the correct method, body and fields", arguments: TransportKind.allCases, hops)
    func matrix(kind: TransportKind, hop: Hop) async throws {
        let seen = Mutex<[ServedRequest]>([])
        let target = try FaultServer(answering: { request in
            seen.withLock { $0.append(request) }
            return request.method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" : answer(body: "there")
        })
        let first = try FaultServer(answering: { request in
            if request.target == "/final" {
                seen.withLock { $0.append(request) }
                return request.method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" : answer(body: "there")
            }
            return answer(hop.status, ["Location: \(hop.sameOrigin ? "/final" : target.url + "/final")"])
        })
        let client = try kind.client()
        var request = try client.request(HTTPMethod(rawValue: hop.method), first.url + "/start#part")
        request.headers = ["Authorization": "Bearer x", "Cookie": "a=b", "Origin": "http://here", "X-Keep": "yes"]
        request.headers.append("X-Secret", "s", isSensitive: true)
        if hop.hasBody { request.body = .text("payload") }
        let response = try await client.send(request)
        #expect(response.status == 200)
        #expect(response.history.map(\.path) == ["/start"])
        #expect(response.url.fragment == "part")
        let final = try #require(seen.withLock { $0.last })
        let becomesGet =
            hop.status == 303
            ? hop.method != "GET" && hop.method != "HEAD"
            : (hop.status == 301 || hop.status == 302) && hop.method == "POST"
        #expect(final.method == (becomesGet ? "GET" : hop.method))
        #expect(final.text == (hop.hasBody && !becomesGet ? "payload" : ""))
        #expect((final["Content-Type"] != nil) == (hop.hasBody && !becomesGet))
        #expect(final["X-Keep"] == "yes")
        for name in ["Authorization", "Cookie", "Origin", "X-Secret"] {
            #expect((final[name] != nil) == hop.sameOrigin, "\(name)")
        }
    }

    @Test("A one-shot body is not sent again", arguments: TransportKind.allCases, [301, 302, 307, 308])
    func oneShot(kind: TransportKind, status: Int) async throws {
        let server = try FaultServer(answering: {
            $0.target == "/a" ? answer(status, ["Location: /b"]) : answer(body: $0.text)
        })
        let client = try kind.client()
        let bytes = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("once".utf8))
            continuation.finish()
        }
        let request = try client.request(.put, server.url + "/a", body: .once(length: 4, bytes))
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .bodyNotReplayable)
        let stream = RequestBody.stream {
            AsyncStream<[UInt8]> {
                $0.yield(Array("again".utf8))
                $0.finish()
            }
        }
        #expect(try await client.send(client.request(.put, server.url + "/a", body: stream)).text() == "again")
    }

    @Test("Too many redirects, a cycle, and a policy without redirects", arguments: TransportKind.allCases)
    func limits(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { request in
            if request.target == "/circle" { return answer(302, ["Location: /circle2"]) }
            if request.target == "/circle2" { return answer(302, ["Location: /circle"]) }
            let number = Int(request.target.dropFirst().prefix { $0.isNumber }) ?? 0
            return number == 0 ? answer(body: "end") : answer(302, ["Location: /\(number - 1)?token=t"])
        })
        let client = try kind.client()
        #expect(try await client.send(client.request(.get, server.url + "/0")).history.isEmpty)
        let long = try client.request(.get, server.url + "/99?token=t")
        let error = await outcome { () async throws(NetworkError) in try await client.send(long) }.failure
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.history.count == 12)
        #expect(error?.history.first == server.url + "/99?token=<redacted>")
        #expect(error?.attempts == 11)
        let circle = try client.request(.get, server.url + "/circle")
        let round = await outcome { () async throws(NetworkError) in try await client.send(circle) }.failure
        #expect(round?.code == .tooManyRedirects)
        #expect(round?.attempts == 11)
        var none = try client.request(.get, server.url + "/5")
        none.options.redirects = 0
        #expect(try await client.send(none).headers["Location"] == "/4?token=t")
    }

    @Test("A redirect to the same URL is followed until the server is ready", arguments: TransportKind.allCases)
    func sameURL(kind: TransportKind) async throws {
        let asked = Counter()
        let server = try FaultServer(answering: { _ in
            asked.next() < 5 ? answer(302, ["Location: /job"]) : answer(body: "ready")
        })
        let response = try await kind.client().send(try kind.client().request(.get, server.url + "/job"))
        #expect(try response.text() == "ready")
        #expect(response.history.count == 5)
    }

    @Test(
        "An invalid Location is rejected",
        arguments: TransportKind.allCases,
        [
            "Location: file:///etc/passwd", "Location: ftp://127.0.0.1/", "Location: data:text/plain,x", "Location:",
            "Location: http://", "Location: http://[::1", "Location: http://a b/", "Location: http://u:p@127.0.0.1/",
            "Location: javascript:alert(1)", "X-No: location", "Location: /a\r\nLocation: /b",
            "Location: http://h:99999/",
            "Location: \\\\evil.example/x",
        ])
    func refused(kind: TransportKind, field: String) async throws {
        let server = try FaultServer(answering: { $0.target == "/" ? answer(302, [field]) : answer(body: "followed") })
        let client = try kind.client()
        let request = try client.request(.get, server.url)
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        if error?.code == .badResponse {
            // Newer versions of libcurl reject a response with two Locations.
            #expect(field.contains("\r\n"))
        } else {
            #expect(error?.code == .invalidRedirect)
            #expect(error?.status == 302)
        }
    }

    @Test(
        "A Location is resolved by RFC 3986",
        arguments: [
            ("/x", "/x"), ("x", "/a/x"), ("../x", "/x"), ("../../../x", "/x"), ("?q=1", "/a/b?q=1"), ("./", "/a/"),
            ("", nil),
            ("/a b/ü", "/a%20b/%C3%BC"), ("/%zz", "/%25zz"), ("x/./y/../z", "/a/x/z"), ("/..%2f..", "/..%2f.."),
            ("/%2e%2e/x", "/x"), ("//127.0.0.1:1/y", "/y"), ("#f", "/a/b?old"), ("y?a=/../b", "/a/y?a=/../b"),
            ("g:h", nil),
        ] as [(String, String?)])
    func resolution(location: String, expected: String?) async throws {
        let stub = StubTransport { request in
            guard request.url.path == "/a/b", request.url.query == "old" else { return .status(200) }
            // Each character of a Location is a byte.
            let bytes = String(String.UnicodeScalarView(location.utf8.map { Unicode.Scalar($0) }))
            return .redirect(302, to: bytes)
        }
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "http://h.example/a/b?old")
        let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
        guard location != "#f" else {
            #expect(result.failure?.code == .tooManyRedirects)
            return
        }
        guard let expected else {
            #expect(result.failure?.code == .invalidRedirect)
            return
        }
        #expect(try result.get().url.target == expected)
    }

    @Test("https never redirects to http; http to https on default ports preserves credentials")
    func schemes() async throws {
        let stub = StubTransport { request in
            switch request.url.requestText {
            case "https://a.example/": .redirect(302, to: "http://a.example/plain")
            case "http://a.example/up": .redirect(302, to: "https://a.example/done")
            case "http://a.example:81/up": .redirect(302, to: "https://a.example/done")
            default: .text(request.headers["Authorization"] ?? "none")
            }
        }
        let client = NetworkClient(transport: stub)
        var request = try client.request(.get, "https://a.example/", headers: ["Authorization": "x"])
        let sent = request
        let error = await outcome { () async throws(NetworkError) in try await client.send(sent) }.failure
        #expect(error?.code == .insecureRedirect)
        request = try client.request(.get, "http://a.example/up", headers: ["Authorization": "x"])
        #expect(try await client.send(request).text() == "x")
        request = try client.request(.get, "http://a.example:81/up", headers: ["Authorization": "x"])
        #expect(try await client.send(request).text() == "none")
    }

    @Test("Statuses other than redirects are delivered", arguments: TransportKind.allCases, [300, 304, 305, 306])
    func others(kind: TransportKind, status: Int) async throws {
        let server = try FaultServer(raw: "HTTP/1.1 \(status) X\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        request.options.acceptedStatuses = nil
        #expect(try await client.send(request).status == status)
    }
}
