import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

/// Tokens and their refresh, with many requests at once.
@Suite(.timeLimit(.minutes(2))) struct BearerTokenTests {
    private struct Refused: Error {}

    /// A server that accepts one token at a time.
    private final class Server: Sendable {
        let valid: Mutex<String>
        let requests = Mutex<[String]>([])
        /// The number of requests that must arrive before the first is answered.
        let together: Int
        init(_ valid: String, together: Int = 1) { (self.valid, self.together) = (Mutex(valid), together) }

        var stub: StubTransport {
            StubTransport { [self] request in
                let sent = request.headers["Authorization"] ?? "none"
                requests.withLock { $0.append(sent) }
                try? await until { requests.withLock { $0.count } >= together }
                return .status(sent == "Bearer " + valid.withLock { $0 } ? 200 : 401)
            }
        }
    }

    private func client(
        _ stub: any NetworkTransport, _ authentication: NetworkAuthentication, base: EndpointHost? = nil
    ) -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.authentication = authentication
        if base == nil, authentication.hosts == nil { configuration.authentication?.allowsEveryHost = true }
        configuration.base = base
        return NetworkClient(configuration, transport: stub)
    }

    private func status(_ client: NetworkClient, _ url: String = "https://h/") async -> Int? {
        do throws(NetworkError) {
            return try await client.send(NetworkRequest(.get, url)).status
        } catch { return error.status }
    }

    // MARK: Which requests

    @Test(
        "Credentials go to their hosts only",
        arguments: [
            (nil, "https://api.example/v2", "https://api.example/x", true),
            (nil, "https://api.example/v2", "https://API.example.:81/x", true),
            (nil, "https://api.example/v2", "https://other.example/x", false),
            (["API.example."], "https://other.example", "https://api.example/", true),
            (["::1", "127.0.0.1"], nil, "http://[::1]:8080/", true),
            (["[::1]"], nil, "http://[::1]/", true), (["api.example"], nil, "https://evil-api.example/", false),
            ([], nil, "https://any.example/", false),
        ] as [(Set<String>?, EndpointHost?, String, Bool)])
    func hosts(hosts: Set<String>?, base: EndpointHost?, url: String, isSent: Bool) async throws {
        var authentication = NetworkAuthentication.basic(user: "u", password: "p")
        authentication.hosts = hosts
        let stub = StubTransport { _ in .status(200) }
        _ = await status(client(stub, authentication, base: base), url)
        #expect(stub.requests.map { $0.headers["Authorization"] } == [isSent ? "Basic dTpw" : nil])
    }

    @Test("Without a host of their own, credentials fail each request")
    func noHosts() async throws {
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("t")
        let stub = StubTransport { _ in .status(200) }
        for hosts in [nil, HostSwitch(.empty)] {
            let client = NetworkClient(configuration, transport: stub, hosts: hosts)
            await #expect(throws: NetworkError.self) {
                do throws(NetworkError) { _ = try await client.send(NetworkRequest(.get, "https://h/")) } catch {
                    #expect(error.code == .invalidConfiguration && error.message.contains("authentication.hosts"))
                    throw error
                }
            }
        }
        #expect(stub.requests.isEmpty)
    }

    @Test(
        "With a host map, credentials go to its canonical hosts and their environments only",
        arguments: [
            ("https://api.example/x", true), ("https://www.example/x", true), ("https://QA.example.:81/x", true),
            ("https://other.example/x", false), ("http://other.example/x", false), ("https://x.api.example/", false),
            ("https://typed.example/", false),
        ])
    func mapHosts(url: String, isSent: Bool) async throws {
        let map = try HostMap(
            json: Array(
                #"""
                {"configurations": [{"canonical_host": "api.example", "canonical_protocol": "https", "release_key": "P",
                  "hosts": [{"key": "P", "host": "www.example"}, {"key": "Q", "host": "qa.example:8443"}, {"key": "U"}]}]}
                """#.utf8))
        let hosts = HostSwitch(map)
        try hosts.select("U", for: "api.example", userHost: "typed.example")
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("t")
        let stub = StubTransport { _ in .status(200) }
        let client = NetworkClient(configuration, transport: stub, hosts: hosts)
        _ = try await client.send(NetworkRequest(.get, url))
        // A typed host receives the credentials of its canonical host.
        var endpoint = try NetworkRequest(.get, "https://api.example/x")
        endpoint.canonicalHost = CanonicalHost("API.example")
        _ = try await client.send(endpoint)
        #expect(stub.requests.map { $0.headers.contains("Authorization") } == [isSent, true])
        #expect(stub.requests.last?.url.host == "typed.example")
    }

    @Test(
        "Credentials aren't sent over plain HTTP to another machine, unless an option allows it",
        arguments: [
            ("http://h.example/", false), ("http://10.0.0.1/", false), ("http://localhost.example/", false),
            ("http://localhost:8080/", true), ("http://api.localhost./", true), ("http://127.8.0.1/", true),
            ("http://[::1]/", true), ("http://[::ffff:127.0.0.1]/", true), ("http://[::2]/", false),
            ("https://h.example/", true),
        ])
    func plainHTTP(url: String, isSent: Bool) async throws {
        let schemes: [NetworkAuthentication] = [
            .bearer("t"), .basic(user: "u", password: "p"), .bearer(BearerToken("t") { _ in "t" }),
        ]
        for var authentication in schemes {
            authentication.allowsEveryHost = true
            let stub = StubTransport { _ in .status(200) }
            do throws(NetworkError) {
                _ = try await client(stub, authentication).send(NetworkRequest(.get, url))
                #expect(isSent)
            } catch {
                #expect(!isSent && error.code == .insecureCredentials && stub.requests.isEmpty)
            }
            authentication.allowsPlainHTTP = true
            #expect(try await client(stub, authentication).send(NetworkRequest(.get, url)).status == 200)
            #expect(stub.requests.last?.headers.contains("Authorization") == true)
        }
    }

    @Test("A host whose environment is plain HTTP gets no credentials")
    func plainEnvironment() async throws {
        let map = try HostMap(
            json: Array(
                #"""
                {"configurations": [{"canonical_host": "api.example", "canonical_protocol": "https", "release_key": "P",
                  "hosts": [{"key": "P", "host": "api.example"}, {"key": "Q", "host": "qa.example", "protocol": "http"}]}]}
                """#.utf8))
        let hosts = HostSwitch(map)
        try hosts.select("Q", for: "api.example")
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("t")
        let stub = StubTransport { _ in .status(200) }
        let client = NetworkClient(configuration, transport: stub, hosts: hosts)
        var request = try NetworkRequest(.get, "https://api.example/")
        request.canonicalHost = CanonicalHost("api.example")
        do throws(NetworkError) {
            _ = try await client.send(request)
            Issue.record("the request was sent")
        } catch {
            #expect(error.code == .insecureCredentials && error.message.contains("qa.example"))
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("A request's own credentials remain, and a redirect to another origin loses the client's")
    func ownCredentials() async throws {
        let stub = StubTransport { $0.url.host == "h" ? .redirect(302, to: "https://other/") : .status(200) }
        let client = client(stub, .bearer("t"))
        _ = try await client.send(NetworkRequest(.get, "https://h/"))
        _ = try await client.send(NetworkRequest(.get, "https://x/", headers: ["authorization": "Mine"]))
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer t", nil, "Mine"])
    }

    @Test("A fixed token that is rejected is sent once")
    func fixed() async {
        let server = Server("new")
        #expect(await status(client(server.stub, .bearer("old"))) == 401)
        #expect(server.requests.withLock { $0 } == ["Bearer old"])
    }

    @Test("A token with a line break is refused before anything is sent, and appears in no message")
    func injection() async throws {
        let stub = StubTransport { _ in .status(200) }
        let client = client(stub, .bearer("secret\r\nX-Evil: 1"))
        let error = await outcome { () async throws(NetworkError) in
            try await client.send(NetworkRequest(.get, "https://h/"))
        }.failure
        #expect(error?.code == .invalidHeader && stub.requests.isEmpty)
        #expect(!"\(String(describing: error))".contains("secret"))
    }

    // MARK: One refresh

    @Test("1,000 requests that are rejected at once cause one refresh and one repetition each")
    func together() async throws {
        let (server, refreshes) = (Server("new", together: 1000), Counter())
        let token = BearerToken("old") { rejected in
            #expect(rejected == "old")
            _ = refreshes.next()
            return "new"
        }
        let client = client(server.stub, .bearer(token))
        let statuses = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<1000 { group.addTask { await status(client) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count == 1000 && statuses.allSatisfy { $0 == 200 })
        #expect(refreshes.value == 1)
        let sent = server.requests.withLock { $0 }
        #expect(sent.filter { $0 == "Bearer old" }.count == 1000 && sent.filter { $0 == "Bearer new" }.count == 1000)
    }

    @Test("A request that was rejected with an older token is sent again without a refresh")
    func outdated() async throws {
        let refreshes = Counter()
        let token = BearerToken("first") { _ in "token \(refreshes.next())" }
        let answers = Counter()
        let stub = StubTransport { _ in
            // While the first answer is on its way, the token is replaced.
            guard answers.next() == 0 else { return .status(200) }
            token.replace(with: "second")
            return .status(401)
        }
        let response = try await client(stub, .bearer(token)).send(NetworkRequest(.get, "https://h/"))
        #expect(response.status == 200 && refreshes.value == 0 && answers.value == 2)
    }

    @Test("A refreshed token that is rejected as well leads to the 401, not to another refresh")
    func stillRejected() async throws {
        let (server, refreshes) = (Server("other"), Counter())
        let token = BearerToken("old") { _ in "new \(refreshes.next())" }
        #expect(await status(client(server.stub, .bearer(token))) == 401)
        #expect(refreshes.value == 1 && server.requests.withLock { $0 } == ["Bearer old", "Bearer new 0"])
    }

    @Test("A failed refresh fails every waiting request once, and isn't repeated until the pause is over")
    func failedRefresh() async throws {
        let (server, refreshes) = (Server("good", together: 50), Counter())
        let clock = ManualClock()
        let token = BearerToken("old", failurePause: .seconds(10), clock: clock) { _ in
            if refreshes.next() > 0 { return "good" }
            throw Refused()
        }
        let client = client(server.stub, .bearer(token))
        func error() async -> NetworkError? {
            await outcome { () async throws(NetworkError) in
                try await client.send(NetworkRequest(.get, "https://h/"))
            }.failure
        }
        let errors = await withTaskGroup(of: NetworkError?.self) { group in
            for _ in 0..<50 { group.addTask { await error() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for error in errors {
            #expect(error?.code == .authenticationFailed && error?.underlying is Refused && error?.status == 401)
            #expect(error?.isTransient == false)
        }
        #expect(refreshes.value == 1 && server.requests.withLock { $0.count } == 50)
        clock.advance(by: .seconds(9))
        #expect(await error()?.code == .authenticationFailed && refreshes.value == 1)
        clock.advance(by: .seconds(2))
        #expect(await status(client) == 200 && refreshes.value == 2)
    }

    @Test("An empty token from a refresh is a failure and isn't sent")
    func emptyToken() async throws {
        let server = Server("good")
        let client = client(server.stub, .bearer(BearerToken("old") { _ in "" }))
        let error = await #expect(throws: NetworkError.self) {
            try await client.send(NetworkRequest(.get, "https://h/"))
        }
        #expect(error?.code == .authenticationFailed && error?.status == 401)
        #expect(server.requests.withLock { $0 } == ["Bearer old"])
    }

    @Test("A missing token is refreshed before the first request is sent")
    func missing() async {
        let server = Server("new")
        let token = BearerToken { rejected in
            #expect(rejected == nil)
            return "new"
        }
        #expect(await status(client(server.stub, .bearer(token))) == 200)
        #expect(server.requests.withLock { $0 } == ["Bearer new"])
        let logout = BearerToken("t")
        logout.replace(with: nil)
        #expect(await status(client(server.stub, .bearer(logout))) == 401)
        #expect(server.requests.withLock { $0.last } == "none")
    }

    @Test("The refresh may use the same client: its requests carry no credentials and don't wait for themselves")
    func reentrant() async throws {
        let server = Server("new")
        let holder = Mutex<NetworkClient?>(nil)
        let token = BearerToken("old") { _ in
            let inner = try #require(holder.withLock { $0 })
            #expect(await status(inner) == 401)
            return "new"
        }
        let client = client(server.stub, .bearer(token))
        holder.withLock { $0 = client }
        #expect(await status(client) == 200)
        #expect(server.requests.withLock { $0 } == ["Bearer old", "none", "Bearer new"])
        holder.withLock { $0 = nil }
    }

    @Test("A token that a login sets ends the waiting; the later result of the refresh is ignored")
    func login() async throws {
        let server = Server("login")
        let (isReleased, hasReturned) = (Mutex(false), Mutex(false))
        let token = BearerToken("old") { _ in
            try await until { isReleased.withLock { $0 } }
            defer { hasReturned.withLock { $0 = true } }
            return "late"
        }
        let client = client(server.stub, .bearer(token))
        async let waiting = status(client)
        try await until { !server.requests.withLock { $0.isEmpty } }
        token.replace(with: "login")
        #expect(await waiting == 200)
        isReleased.withLock { $0 = true }
        try await until { hasReturned.withLock { $0 } }
        for _ in 0..<100 { await Task.yield() }
        #expect(token.value == "login")
    }

    @Test("A cancelled or timed-out request leaves the waiting, and the refresh continues for the others")
    func cancellation() async throws {
        let server = Server("new", together: 2)
        let isReleased = Mutex(false)
        let token = BearerToken("old") { _ in
            try await until { isReleased.withLock { $0 } }
            return "new"
        }
        let client = client(server.stub, .bearer(token))
        let cancelled = Task {
            await outcome { () async throws(NetworkError) in
                try await client.send(NetworkRequest(.get, "https://h/"))
            }
        }
        async let patient = status(client)
        try await until { server.requests.withLock { $0.count } == 2 }
        cancelled.cancel()
        #expect(await cancelled.value.failure?.code == .cancelled)
        var short = try NetworkRequest(.get, "https://h/")
        short.options.totalTimeout = .milliseconds(30)
        let request = short
        let late = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(late?.code == .timedOut)
        isReleased.withLock { $0 = true }
        #expect(await patient == 200)
    }

    @Test("A body that can be sent only once is not repeated, but its 401 refreshes the token")
    func once() async throws {
        let server = Server("new")
        let token = BearerToken("old") { _ in "new" }
        let client = client(server.stub, .bearer(token))
        let body = RequestBody.once(AsyncStream<[UInt8]> { $0.finish() })
        let error = await outcome { () async throws(NetworkError) in
            try await client.send(NetworkRequest(.put, "https://h/", body: body))
        }.failure
        #expect(error?.status == 401 && token.value == "new" && server.requests.withLock { $0.count } == 1)
    }

    @Test("The 401 of another origin, to which a redirect led, refreshes nothing")
    func foreign() async throws {
        let refreshes = Counter()
        let stub = StubTransport { $0.url.host == "h" ? .redirect(302, to: "https://other/") : .status(401) }
        let token = BearerToken("old") { _ in "new \(refreshes.next())" }
        #expect(await status(client(stub, .bearer(token))) == 401)
        #expect(refreshes.value == 0 && stub.requests.count == 2)
    }
}

extension StreamedResponse {
    /// Creates an empty response to a request.
    init(_ request: NetworkRequest, _ status: Int, _ headers: HTTPHeaders = [:]) {
        self.init(head: ResponseHead(status: status, headers: headers), body: ResponseBody(), url: request.url)
    }
}
