import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Redirects beyond the cases of the matrix.
@Suite(.timeLimit(.minutes(5))) struct RedirectEdgeTests {
    @Test(
        "Statuses other than redirects are returned, with or without a Location", arguments: TransportKind.allCases,
        [300, 304, 305, 399])
    func delivered(kind: TransportKind, status: Int) async throws {
        let server = try FaultServer(answering: {
            $0.target == "/" ? "HTTP/1.1 \(status) S\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n" : answer(body: "x")
        })
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        let refused = request
        let error = await outcome { () async throws(NetworkError) in try await client.send(refused) }.failure
        #expect(error?.code == .unacceptableStatus && error?.status == status)
        #expect(error?.attempts == 1)
        request.options.acceptedStatuses = [status]
        let response = try await client.send(request)
        #expect(response.status == status && response.history.isEmpty && response.headers["Location"] == "/x")
    }

    struct Way: CustomTestStringConvertible, Sendable {
        let location: [UInt8]
        let target: String
        let fragment: String?
        var testDescription: String { String(decoding: location, as: UTF8.self) }

        init(_ location: String, _ target: String, _ fragment: String? = "old") {
            self.init(Array(location.utf8), target, fragment)
        }

        init(_ location: [UInt8], _ target: String, _ fragment: String? = "old") {
            (self.location, self.target, self.fragment) = (location, target, fragment)
        }
    }

    @Test(
        "Every form of Location is followed over sockets", arguments: TransportKind.allCases,
        [
            Way("//127.0.0.1:PORT/p", "/p"), Way("HTTP://127.0.0.1:PORT/p#new", "/p", "new"), Way("p?q", "/a/p?q"),
            Way("?q=%20", "/a/b?q=%20"), Way("/x y", "/x%20y"), Way("/ü", "/%C3%BC"),
            Way(Array("/".utf8) + [0xE9], "/%E9"), Way("/50%", "/50%25"), Way("/a#", "/a", ""),
            Way("  /trimmed\t", "/trimmed"), Way("/a?b=http://c/d?e", "/a?b=http://c/d?e"), Way("/;p=1:2", "/;p=1:2"),
            Way("/x?url=//h/../y", "/x?url=//h/../y"), Way("./c:d", "/a/c:d"),
        ])
    func followed(kind: TransportKind, way: Way) async throws {
        let port = Mutex(0)
        let server = try FaultServer { connection in
            while let request = connection.request() {
                if request.target == "/a/b" {
                    let text = way.location.split(separator: Array("PORT".utf8))
                    let location = text.count == 2 ? text[0] + Array("\(port.withLock { $0 })".utf8) + text[1] : text[0]
                    connection.write(Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + location)
                    connection.write("\r\n\r\n")
                } else {
                    connection.write(answer(body: request.target))
                }
            }
        }
        port.withLock { $0 = server.port }
        let client = try kind.client()
        let request = try client.request(.get, server.url + "/a/b#old")
        let response = try await client.send(request)
        #expect(try response.text() == way.target)
        #expect(response.url.fragment == way.fragment)
    }

    #if os(Linux)
        // Foundation delivers a redirect only after the end of its body.
        @Test(
            "A redirect with an endless body is followed",
            arguments: ["Content-Length: 1000\r\n", "Transfer-Encoding: chunked\r\n", ""])
        func endlessBody(framing: String) async throws {
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    guard request.target == "/" else {
                        connection.write(answer(body: "there"))
                        continue
                    }
                    connection.write("HTTP/1.1 302 Found\r\nLocation: /x\r\n\(framing)\r\n")
                    connection.write(framing.contains("chunked") ? "1\r\nx\r\n" : "x")
                    _ = connection.waitForClose()
                }
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.idleTimeout = nil
            request.options.totalTimeout = .seconds(60)
            #expect(try await client.send(request).text() == "there")
        }
    #endif

    @Test("A short body of a redirect is read, so that its connection serves the next request")
    func reused() async throws {
        let server = try FaultServer(answering: {
            $0.target == "/"
                ? answer(302, ["Location: /x"], body: String(repeating: "b", count: 30_000)) : answer(body: "x")
        })
        let client = try TransportKind.allCases[0].client()
        _ = try await client.send(client.request(.get, server.url))
        #expect(server.connectionCount == 1)
    }

    @Test("Secrets removed for another origin aren't sent when a redirect leads back")
    func roundTrip() async throws {
        let stub = StubTransport { request in
            switch (request.url.host, request.url.path) {
            case ("a.example", "/start"): .redirect(307, to: "https://b.example/")
            case ("b.example", _): .redirect(307, to: "https://a.example/end")
            default: .text("end")
            }
        }
        let jar = CookieJar()
        jar.set(NetworkCookie("jar", "a", host: "a.example"))
        jar.set(NetworkCookie("jar", "b", host: "b.example"))
        var configuration = ClientConfiguration()
        configuration.cookies = jar
        configuration.headers.append("X-App-Token", "t", isSensitive: true)
        let client = NetworkClient(configuration, transport: stub)
        let headers: HTTPHeaders = ["Authorization": "Bearer x", "Proxy-Authorization": "Basic y", "X": "kept"]
        _ = try await client.send(
            client.request(.post, "https://a.example/start", headers: headers, body: .text("payload")))
        #expect(stub.requests.map { $0.headers["Cookie"] ?? "-" } == ["jar=a", "jar=b", "jar=a"])
        #expect(stub.requests.map { $0.headers.contains("Authorization") } == [true, false, false])
        #expect(stub.requests.map { $0.headers.contains("Proxy-Authorization") } == [true, false, false])
        #expect(stub.requests.map { $0.headers.contains("X-App-Token") } == [true, false, false])
        #expect(stub.requests.map { $0.headers["X"] ?? "-" } == ["kept", "kept", "kept"])
        #expect(stub.requests.map { $0.body.length } == [7, 7, 7])
    }

    @Test(
        "Credentials are preserved if only http on its default port changes to https",
        arguments: [
            ("http://a.example/", "https://a.example/x", true),
            ("http://a.example:80/", "https://A.EXAMPLE:443/", true),
            ("http://a.example:8080/", "https://a.example/", false),
            ("http://a.example/", "https://a.example:8443/", false),
            ("http://a.example/", "https://www.a.example/", false),
            ("https://a.example/", "https://a.example:443/y", true),
            ("https://a.example/", "https://a.example:444/y", false),
            ("http://a.example/", "http://a.example./", false),
            ("http://[::1]/", "http://[::1]:80/x", true),
        ])
    func origins(from: String, to: String, keeps: Bool) async throws {
        let stub = StubTransport { request in
            request.url.target.count > 1 || request.url.requestText.hasPrefix("https") && from.hasPrefix("http:")
                || request.url.host.hasSuffix(".") || request.url.port == 443
                ? .text("x") : .redirect(302, to: to)
        }
        let client = NetworkClient(transport: stub)
        _ = try await client.send(client.request(.get, from, headers: ["Authorization": "Bearer x"]))
        #expect(stub.requests.count == 2)
        #expect(stub.requests.last?.headers.contains("Authorization") == keeps)
    }

    @Test("A redirect from https to http is rejected with its history")
    func insecure() async throws {
        let stub = StubTransport {
            $0.url.scheme == .https ? .redirect(302, to: "http://a.example/?token=2") : .text("x")
        }
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "https://a.example/?token=1", headers: ["Authorization": "Bearer x"])
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .insecureRedirect)
        #expect(error?.status == 302)
        #expect(error?.history == ["https://a.example/?token=<redacted>", "http://a.example/?token=<redacted>"])
        #expect(stub.requests.count == 1)
    }

    @Test("Changing to GET removes the fields of the body, and no others")
    func bodyFields() async throws {
        let stub = StubTransport { $0.url.path == "/" ? .redirect(303, to: "/x") : .text("x") }
        let client = NetworkClient(transport: stub)
        let headers: HTTPHeaders = [
            "content-type": "a/b", "Content-Encoding": "gzip", "Content-Language": "de",
            "Content-Location": "/y",
            "Content-MD5": "kept", "If-Match": "\"1\"", "Accept": "z",
        ]
        _ = try await client.send(client.request(.put, "http://h/", headers: headers, body: .bytes([1])))
        let second = try #require(stub.requests.last)
        #expect(second.method == .get && second.body.isEmpty)
        #expect(second.headers.map(\.name).sorted() == ["Accept", "Content-MD5", "If-Match", "User-Agent"])
    }

    @Test("A stream is created for every hop; after 303 a one-shot stream isn't needed")
    func streams() async throws {
        let made = Counter()
        let body = RequestBody.stream {
            _ = made.next()
            return AsyncStream<[UInt8]> { $0.finish() }
        }
        let stub = StubTransport { request throws(NetworkError) in
            _ = try request.body.makeReader()
            return request.url.path == "/3"
                ? .text("x") : .redirect(308, to: "/\((Int(request.url.path.dropFirst()) ?? 0) + 1)")
        }
        let client = NetworkClient(transport: stub)
        _ = try await client.send(client.request(.post, "http://h/0", body: body))
        #expect(made.value == 4)
        let once = RequestBody.once(AsyncStream<[UInt8]> { $0.finish() })
        let see = StubTransport { $0.url.path == "/" ? .redirect(303, to: "/x") : .text("x") }
        _ = try await NetworkClient(transport: see).send(client.request(.post, "http://h/", body: once))
        #expect(see.requests.map(\.method) == [.post, .get])
    }

    @Test("The client's own redaction applies to the history of an error")
    func redaction() async throws {
        var configuration = ClientConfiguration()
        configuration.redaction.nameFragments = ["pin"]
        let hops = Counter()
        let stub = StubTransport { _ in .redirect(302, to: "/\(hops.next())?pin=4711#pin=4712") }
        let client = NetworkClient(configuration, transport: stub)
        let request = try client.request(.get, "http://h/?pin=4710")
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.headers?["Location"]?.hasSuffix("?pin=<redacted>#pin=<redacted>") == true)
        #expect(error?.description.contains("471") == false, "\(String(describing: error))")
    }
}
