import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Credentials and what they protect never cross from one user or server to another.
@Suite(.timeLimit(.minutes(5))) struct CredentialBoundaryTests: CacheClients {
    let time = Mutex<Int64>(1_000_000)

    private func client(
        _ stub: StubTransport, _ cache: ResponseCache, _ change: (inout ClientConfiguration) -> Void
    ) -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.cache = cache
        configuration.base = "https://h"
        change(&configuration)
        return NetworkClient(configuration, transport: stub)
    }

    /// Answers with the credentials of the request, fresh for a minute.
    private func echo() -> StubTransport {
        StubTransport { request in
            let names = ["Authorization", "X-Api-Key", "Cookie", "X-House"]
            let text = names.lazy.compactMap { request.headers[$0] }.first ?? "nobody"
            return StubResponse(headers: ["Cache-Control": "max-age=60"], chunks: [Array(text.utf8)])
        }
    }

    @Test("The fields that aren't searched have no words of secrets, and an app's own rules apply to them")
    func plainFields() {
        for field in NetworkRedaction.plainFields {
            #expect(!NetworkRedaction.standard.hides(parameter: field), "\(field)")
            #expect(NetworkRedaction(headerNames: [field], nameFragments: []).hides(header: field.uppercased()))
            #expect(NetworkRedaction(headerNames: [], nameFragments: [String(field.suffix(3))]).hides(header: field))
        }
        #expect(
            NetworkRedaction.standard.hides(header: "X-Api-Key") && NetworkRedaction.standard.hides(header: "COOKIE"))
    }

    @Test("Two clients with one cache and different credentials get different responses")
    func users() async throws {
        let (stub, cache) = (echo(), cache())
        let token = BearerToken("c")
        let changes: [(expected: String, change: (inout ClientConfiguration) -> Void)] = [
            ("nobody", { _ in }), ("Bearer a", { $0.authentication = .bearer("a") }),
            ("Bearer b", { $0.authentication = .bearer("b") }), ("Bearer c", { $0.authentication = .bearer(token) }),
            ("key 1", { $0.headers = ["X-Api-Key": "key 1"] }), ("key 2", { $0.headers = ["X-Api-Key": "key 2"] }),
            ("Signed", { $0.signs = { $0.headers["Authorization"] = "Signed" } }),
        ]
        for _ in 0..<2 {
            for (expected, change) in changes {
                #expect(try await get(client(stub, cache, change)).text() == expected)
            }
        }
        // Only the signed one, whose credentials nobody knows, isn't shared by two clients.
        #expect(stub.requests.count == changes.count + 1)
        token.replace(with: "d")
        #expect(try await get(client(stub, cache) { $0.authentication = .bearer(token) }).text() == "Bearer d")
    }

    @Test("Two clients with one cache and different cookies or secret fields of the app get different responses")
    func appSecrets() async throws {
        let (stub, cache) = (echo(), cache())
        let house = NetworkRedaction(headerNames: ["X-House"], nameFragments: [])
        let jars = [CookieJar(), CookieJar()]
        for (number, jar) in jars.enumerated() { jar.set(NetworkCookie("sid", "\(number)", host: "h")) }
        for _ in 0..<2 {
            for (number, jar) in jars.enumerated() {
                #expect(try await get(client(stub, cache) { $0.cookies = jar }).text() == "sid=\(number)")
                let client = client(stub, cache) { ($0.headers, $0.redaction) = (["X-House": "\(number)"], house) }
                #expect(try await get(client).text() == "\(number)")
            }
        }
        #expect(stub.requests.count == 4)
        // A rotated cookie belongs to the same user, and one after a removal of all doesn't.
        jars[0].set(NetworkCookie("sid", "2", host: "h"))
        #expect(try await get(client(stub, cache) { $0.cookies = jars[0] }).text() == "sid=0")
        jars[0].removeAll()
        jars[0].set(NetworkCookie("sid", "3", host: "h"))
        #expect(try await get(client(stub, cache) { $0.cookies = jars[0] }).text() == "sid=3")
    }

    @Test(
        "A step that leads a request to another host takes the credentials of the canonical host from it",
        arguments: [("https://mirror.example/a", nil), ("https://api.example/other", "Bearer t")])
    func otherHost(url: String, expected: String?) async throws {
        struct Leading: NetworkMiddleware {
            let url: HTTPURL

            func intercept(
                _ request: NetworkRequest, next: NetworkNext
            ) async throws(NetworkError) -> StreamedResponse {
                var request = request
                request.url = url
                return try await next(request)
            }
        }
        let stub = StubTransport { _ in .status(200) }
        var configuration = ClientConfiguration()
        configuration.base = .canonical("api.example")
        configuration.authentication = .bearer("t")
        configuration.middleware = [Leading(url: try HTTPURL(url))]
        let client = NetworkClient(configuration, transport: stub)
        _ = try await client.get("a")
        #expect(stub.requests.map(\.url.requestText) == [url])
        #expect(stub.requests.first?.headers["Authorization"] == expected)
    }

    @Test("A host with a dot at its end gets no cookies of all hosts of its top-level domain")
    func dots() throws {
        for (host, domain) in [("evil.com.", "com"), ("evil.com.", "com."), ("evil.co.uk.", "co.uk."), ("a.b.", "b.")] {
            let jar = CookieJar()
            jar.store(["Set-Cookie": "a=b; Domain=\(domain)"], from: try HTTPURL("https://\(host)/"))
            for other in ["bank.com.", "bank.com", "bank.co.uk.", "c.b."] {
                #expect(jar.header(for: try HTTPURL("https://\(other)/")) == nil, "\(host) \(domain)")
            }
        }
    }

    @Test("A request after a logout doesn't get the response of one that began before it")
    func logout() async throws {
        let (arrived, goesOn) = (Counter(), Counter())
        let stub = StubTransport { _ async in
            let number = arrived.next()
            if number == 0 { try? await until { goesOn.value > 0 } }
            return StubResponse(headers: ["Cache-Control": "max-age=60"], chunks: [Array("\(number)".utf8)])
        }
        let cache = cache()
        let client = client(stub, cache) { _ in }
        let first = Task { try await get(client).text() }
        try await until { arrived.value == 1 }
        cache.removeAll()
        #expect(try await get(client).text() == "1")
        _ = goesOn.next()
        #expect(try await first.value == "0")
        #expect(try await get(client).text() == "1")
    }

    @Test("The files of a cache contain no credentials of requests and responses")
    func atRest() async throws {
        let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stub = StubTransport { _ in
            StubResponse(
                headers: [
                    "Cache-Control": "max-age=60", "Vary": "Cookie, X-Auth-Token", "Set-Cookie": "sid=secret-3",
                    "X-Refresh-Token": "secret-5",
                ],
                chunks: [[1]])
        }
        let cache = cache(try DirectoryCacheStore(folder, limit: 1 << 20))
        let client = client(stub, cache) { $0.authentication = .bearer("secret-1") }
        let fields: HTTPHeaders = ["Cookie": "sid=secret-2", "X-Auth-Token": "secret-4"]
        #expect(try await get(client, "/", fields).headers["Set-Cookie"] == "sid=secret-3")
        #expect(try await get(client, "/", fields).headers["Set-Cookie"] == nil)
        #expect(stub.requests.count == 1)
        _ = try await get(client, "/", ["Cookie": "sid=other", "X-Auth-Token": "secret-4"])
        #expect(stub.requests.count == 2)
        _ = try await get(client, "/a?access_token=secret-6")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!names.isEmpty)
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
        }
    }

    @Test("A redirect to another host drops every field that redaction knows as secret")
    func redirects() async throws {
        let stub = StubTransport { request in
            request.url.host == "a" ? .redirect(302, to: "https://b/") : StubResponse(chunks: [[1]])
        }
        var configuration = ClientConfiguration()
        configuration.redaction = NetworkRedaction(headerNames: ["X-House"], nameFragments: [])
        let client = NetworkClient(configuration, transport: stub)
        let fields: HTTPHeaders = [
            "X-Api-Key": "1", "X-Auth-Token": "2", "Cookie": "3", "Authorization": "4", "X-House": "5", "X-Plain": "6",
        ]
        _ = try await client.send(NetworkRequest(.get, "https://a/", headers: fields))
        let left = stub.requests.last?.headers.map(\.name) ?? []
        #expect(left.filter { fields.contains($0) } == ["X-Plain"])
    }

    @Test("A transport takes no secret field to another host", arguments: TransportKind.allCases)
    func redirectsOverSockets(kind: TransportKind) async throws {
        let names = ["x-api-key", "x-auth-token", "cookie", "authorization", "x-house", "x-plain"]
        let second = try FaultServer(answering: { request in
            let left = request.fields.map { $0.name.lowercased() }.filter(names.contains)
            return answer(body: left.joined(separator: " "))
        })
        let first = try FaultServer(answering: { request in
            let port = request.target.dropFirst()
            return answer(302, ["Location: http://localhost:\(port)/"])
        })
        var configuration = ClientConfiguration()
        configuration.redaction = NetworkRedaction(headerNames: ["X-House"], nameFragments: [])
        let client = try kind.client(configuration)
        let fields = HTTPHeaders(names.map { HTTPField($0, "1") })
        let url = "\(first.url)/\(second.port)"
        #expect(try await client.send(client.request(.get, url, headers: fields)).text() == "x-plain")
    }

    @Test("Cookies of plain HTTP never displace secure ones")
    func cookies() throws {
        let jar = CookieJar()
        let (secure, plain) = (try HTTPURL("https://h.example/"), try HTTPURL("http://h.example/"))
        jar.store(["Set-Cookie": "__Host-id=1; Secure; Path=/"], from: secure)
        jar.store(["Set-Cookie": "sid=2; Secure"], from: secure)
        for number in 0..<60 { jar.store(["Set-Cookie": "junk\(number)=x"], from: plain) }
        #expect(jar.cookies.count == 50)
        #expect(Set(jar.cookies.map(\.name)).isSuperset(of: ["__Host-id", "sid"]))
        for host in 0..<61 {
            for number in 0..<50 {
                jar.store(["Set-Cookie": "junk\(number)=x"], from: try HTTPURL("http://h\(host).example/"))
            }
        }
        #expect(jar.cookies.count == 3000)
        #expect(Set(jar.cookies.map(\.name)).isSuperset(of: ["__Host-id", "sid"]))
    }

    @Test("A cookie for a part of an address is refused, and isn't sent to one")
    func addresses() throws {
        let jar = CookieJar()
        for host in ["10.0.0.1", "a.0.0.1"] {
            jar.store(["Set-Cookie": "a=b; Domain=0.0.1"], from: try HTTPURL("http://\(host)/"))
        }
        #expect(jar.header(for: try HTTPURL("http://127.0.0.1/")) == nil)
    }

    @Test("Removed cookies are gone from the file at once, and cookies that can't be sent are refused")
    func removal() throws {
        let path = NSTemporaryDirectory() + "cookies-\(UUID()).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let jar = try CookieJar(file: path)
        var cookie = NetworkCookie("sid", "secret", host: "h.example")
        cookie.expires = 4_000_000_000
        #expect(jar.set(cookie))
        try jar.save()
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("secret"))
        jar.removeAll()
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("secret"))
        for text in ["a\r\nX: y", "a\nb", "a;b", "a\u{0}"] {
            #expect(!jar.set(NetworkCookie("n", text, host: "h.example")))
            #expect(!jar.set(NetworkCookie(text, "v", host: "h.example")))
        }
        for name in ["", "n=m"] { #expect(!jar.set(NetworkCookie(name, "v", host: "h.example"))) }
        #expect(jar.cookies.isEmpty)
    }

    @Test(
        "Basic credentials with a colon in the user name or with control characters are refused",
        arguments: [("a:b", "c"), ("a:\u{301}b", "c"), ("a\n", "b"), ("a", "b\0"), ("a", "\u{85}")])
    func unsendable(user: String, password: String) async throws {
        let stub = StubTransport { _ in StubResponse(chunks: [[1]]) }
        var configuration = ClientConfiguration()
        configuration.authentication = .basic(user: user, password: password)
        configuration.authentication?.hosts = ["h"]
        let client = NetworkClient(configuration, transport: stub)
        let request = try client.request(.get, "http://h/")
        let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(failure?.code == .authenticationFailed)
        let plain = NetworkClient(transport: stub)
        func escaped(_ text: String) -> String {
            text.utf8.map { "%" + String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
        }
        let other = try plain.request(.get, "http://\(escaped(user)):\(escaped(password))@h/")
        let refused = await outcome { () async throws(NetworkError) in try await plain.send(other) }.failure
        #expect(refused?.code == .invalidURL)
        #expect(stub.requests.isEmpty)
    }

    @Test("A URL of 1 MiB is an error before sending, and a failure names the hops before it")
    func longURLs() async throws {
        let stub = StubTransport { request in
            request.url.host == "a" ? .redirect(302, to: "http://b/") : .failing(NetworkError(.connectionLost))
        }
        let client = NetworkClient(transport: stub)
        let long = try client.request(.get, "http://a/?" + String(repeating: "x", count: 1 << 20))
        let error = await outcome { () async throws(NetworkError) in try await client.send(long) }.failure
        #expect(error?.code == .invalidURL)
        #expect(error?.requestState == .notSent)
        #expect(stub.requests.isEmpty)
        let request = try client.request(.get, "http://a/")
        let lost = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(lost?.history == ["http://a/"])
    }

    @Test(
        "Expires has one of three forms; anything else means the past",
        arguments: [
            ("Thu, 18 Aug 2050 02:01:18 GMT", true), ("Thursday, 18-Aug-50 02:01:18 GMT", true),
            ("Thu Aug 18 02:01:18 2050", true), ("Thu Aug  8 02:01:18 2050", true),
            ("THU, 18 aug 2050 02:01:18 gmt", true),
            ("Thu, 18 Aug 2050 02:01:18 AEST", false), ("Thu, 18 Aug 2050 02:01:18 UTC", false),
            ("Thu, 18 Aug 2050 02:01:18", false), ("Thu 18 Aug 2050 02:01:18 GMT", false),
            ("Thu, 18  Aug  2050  02:01:18  GMT", false), ("Thu, 18-Aug-2050 02:01:18 GMT", false),
            ("Thu, 18 Aug 50 02:01:18 GMT", false), ("Thu, 18 Aug 2050 2:01:18 GMT", false),
            ("Thu, 18 Aug 2050 02.01.18 GMT", false), ("0", false), ("", false),
            ("Thu, 38 Aug 2050 02:01:18 GMT", false),
        ])
    func dates(text: String, isValid: Bool) {
        #expect((HTTPDate.strictSeconds(text) != nil) == isValid)
    }

    #if os(Linux)
        @Test("Trust roots that are missing or contain no certificate are an error when the transport is created")
        func roots() throws {
            let folder = try TemporaryFolder(["empty": "", "text": "no certificate"])
            for path in ["/nonexistent/ca.pem", "/tmp", "/dev/null", folder.path + "/empty", folder.path + "/text"] {
                var configuration = TransportConfiguration()
                configuration.trustRoots = path
                #expect {
                    _ = try CurlTransport(configuration)
                } throws: { error in
                    let error = error as? NetworkError
                    return error?.code == .invalidConfiguration && error?.key == "trustRoots"
                }
            }
        }
    #endif

    @Test("A response for a refreshed token isn't for a later request without a token")
    func tokenOfRefresh() async throws {
        let (stub, cache) = (echo(), cache())
        let users = Mutex(["anna", "ben"])
        let token = BearerToken { _ in users.withLock { $0.removeFirst() } }
        let client = client(stub, cache) { $0.authentication = .bearer(token) }
        #expect(try await get(client).text() == "Bearer anna")
        token.replace(with: nil)
        #expect(try await get(client).text() == "Bearer ben")
        // From now on, the token is known before the request.
        let count = stub.requests.count
        for _ in 0..<2 { #expect(try await get(client).text() == "Bearer ben") }
        #expect(stub.requests.count == count + 1)
    }
}
