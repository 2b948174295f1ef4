import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

private struct Secret: Endpoint {
    typealias Output = Void
    let host: EndpointHost = "api.example.com"
    let path: EndpointPath = "x"
    let query: HTTPQuery = ["api_key": "k-123", "page": 1]
    var headers: HTTPHeaders = ["Authorization": "Bearer t-456", "X": "y"]
}

private struct Appending: NetworkMiddleware {
    let mark: String
    func intercept(_ request: NetworkRequest, next: NetworkNext) async throws(NetworkError) -> StreamedResponse {
        var request = request
        request.headers["X-Trace"] = (request.headers["X-Trace"] ?? "") + mark
        var response = try await next(request)
        response.head.headers["X-Trace"] = (response.head.headers["X-Trace"] ?? "") + mark
        return response
    }
}

@Suite struct NetworkClientTests {
    @Test("The error for an unacceptable status has all details except secrets")
    func refusedStatus() async throws {
        var answer = StubResponse.text(String(repeating: "x", count: 5000), status: 503)
        answer.head.headers["Set-Cookie"] = "s=abc"
        let client = NetworkClient(transport: StubTransport(["GET /x": answer]))
        let error = try #require(await #expect(throws: NetworkError.self) { try await client.send(Secret()) })
        #expect(error.code == .unacceptableStatus)
        #expect(error.status == 503)
        #expect(error.isTransient)
        #expect(error.attempts == 1)
        #expect(error.bodyPrefix.count == 4096)
        #expect(error.headers?["set-cookie"] == "<redacted>")
        #expect(error.request?.url == "https://api.example.com/x?api_key=<redacted>&page=1")
        for text in ["\(error)", String(reflecting: error), "\(String(describing: error.request))"] {
            #expect(!text.contains("k-123") && !text.contains("t-456") && !text.contains("s=abc"))
        }
        #expect(error.userMessage == "The server is busy; try again later.")
        #expect(NetworkError(.insecureCredentials, "", phase: .prepare).userMessage == "The request can't be sent.")
    }

    @Test("Cancelling the task ends a waiting request with .cancelled", .timeLimit(.minutes(5)))
    func cancelling() async throws {
        let stub = StubTransport(["GET /x": .text("a").delayed(.seconds(1000))])
        let client = NetworkClient(transport: stub)
        var endpoint = Secret()
        endpoint.headers = [:]
        let sent = endpoint
        let task = Task { try await client.send(sent) }
        try await until { !stub.requests.isEmpty }
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("A GET accepts a string that isn't a literal, absolute or below the base", arguments: [nil, "https://h/v2"])
    func getOfString(base: String?) async throws {
        let stub = StubTransport { .json("[\"\($0.url.requestText)\"]") }
        var configuration = ClientConfiguration()
        configuration.base = base.map { .url($0) }
        let client = NetworkClient(configuration, transport: stub)
        let url: String = "https://other.example/a%2Fb?c=d"
        #expect(try await client.get(url, as: [String].self) == [url])
        #expect(try await client.get(url, query: ["e": 1]).json()[0] == "https://other.example/a%2Fb?c=d&e=1")
        let (path, name) = ("notes/a b", "x/y")
        if base == nil {
            let error = await #expect(throws: NetworkError.self) { try await client.get(path, as: [String].self) }
            #expect(error?.code == .invalidURL)
        } else {
            #expect(try await client.get(path, as: [String].self) == ["https://h/v2/notes/a%20b"])
            // A literal is a path whose values stay within a segment.
            #expect(try await client.get("notes/\(name)", as: [String].self) == ["https://h/v2/notes/x%2Fy"])
        }
    }

    @Test("Middleware runs outermost first on the way out and last on the way back")
    func middleware() async throws {
        var configuration = ClientConfiguration()
        configuration.middleware = [Appending(mark: "a"), Appending(mark: "b")]
        let stub = StubTransport(["GET /": .text("ok")])
        let response = try await NetworkClient(configuration, transport: stub).send(
            NetworkRequest(.get, HTTPURL("http://h/")))
        #expect(stub.requests[0].headers["X-Trace"] == "ab")
        #expect(response.headers["X-Trace"] == "ba")
    }

    @Test("A canonical host is replaced together with its scheme; a URL is unchanged")
    func hosts() async throws {
        let stub = StubTransport { _ in .status(200) }
        let asked = Mutex<[String]>([])
        let client = NetworkClient(transport: stub) { host, scheme in
            asked.withLock { $0.append("\(host) \(scheme ?? "-")") }
            return host == "api.example.com" ? ProtocolHostPair(scheme: "http", host: "127.0.0.1:9000") : nil
        }
        try await client.send(Secret())
        _ = try await client.send(client.request(.get, "https://api.example.com/y"))
        #expect(
            stub.requests.map(\.url.requestText) == [
                "http://127.0.0.1:9000/x?api_key=k-123&page=1", "https://api.example.com/y",
            ])
        #expect(asked.withLock { $0 } == ["api.example.com -"])
        let broken = NetworkClient(transport: stub) { _, _ in
            ProtocolHostPair(scheme: nil, host: "evil.example/path")
        }
        let error = await #expect(throws: NetworkError.self) { try await broken.send(Secret()) }
        #expect(error?.code == .invalidURL)
    }

    @Test("An invalid method, field or user information prevents sending")
    func validation() async throws {
        let stub = StubTransport { _ in .status(200) }
        let client = NetworkClient(transport: stub)
        for method in ["", "GE T", "GET\r\nX: y", "GÉT"] {
            let request = try client.request(HTTPMethod(rawValue: method), "http://a/")
            await #expect(throws: NetworkError.self) { try await client.send(request) }
        }
        await #expect(throws: NetworkError.self) {
            try await client.send(client.request(.get, "http://a/", headers: ["X\r\nY": "z"]))
        }
        await #expect(throws: NetworkError.self) { try await client.send(client.request(.get, "http://u:p@a/")) }
        #expect(stub.requests.isEmpty)
    }

    @Test("A collected body stops at its limit, by its length before reading, else at the first byte over")
    func bodyLimit() async throws {
        var announced = StubResponse(chunks: [[1, 2, 3, 4]])
        announced.head.headers["Content-Length"] = "4"
        let stub = StubTransport(["GET /a": announced, "GET /b": StubResponse(chunks: [[1, 2], [3], [4]])])
        let client = NetworkClient(transport: stub)
        for path in ["a", "b"] {
            var request = try client.request(.get, "http://h/\(path)")
            request.options.maximumCollectedBytes = 3
            let limited = request
            let error = await #expect(throws: NetworkError.self) { try await client.send(limited) }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.limit == 3)
            request.options.maximumCollectedBytes = 4
            #expect(try await client.send(request).bytes == [1, 2, 3, 4])
        }
    }

    private static let ways: [String] = ["send", "stream", "download"]

    /// Sends a request in one of `ways`, and returns the options that the transport receives.
    private func sentOptions(
        _ way: String, _ configuration: ClientConfiguration, _ set: (inout RequestOptions) -> Void
    ) async throws -> RequestOptions {
        var configuration = configuration
        let now = ContinuousClock.now
        configuration.now = { now }
        let stub = StubTransport { _ in .status(404) }
        let client = NetworkClient(configuration, transport: stub)
        var request = try NetworkRequest(.get, "http://h.example/")
        set(&request.options)
        switch way {
        case "send": _ = try await client.send(request)
        case "stream": _ = try await client.stream(request)
        default:
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)").path
            defer { unlink(path) }
            _ = try await client.download(request, to: path)
        }
        return try #require(stub.requests.first).options
    }

    @Test("Options that a request doesn't set are the client's", arguments: ways)
    func clientOptions(way: String) async throws {
        var configuration = ClientConfiguration()
        configuration.options.connectTimeout = .seconds(1)
        configuration.options.idleTimeout = nil
        configuration.options.totalTimeout = .seconds(3)
        configuration.options.attempts = 4
        configuration.options.redirects = 5
        configuration.options.maximumCollectedBytes = 6
        configuration.options.maximumBodyBytes = 7
        configuration.options.maximumDecompressionRatio = 8
        configuration.options.acceptedStatuses = [404]
        configuration.options.progress = { _ in }
        let adjustments = Counter()
        configuration.adjustsOptions = { options in
            _ = adjustments.next()
            options.measures = true
        }
        let sent = try await sentOptions(way, configuration) { _ in }
        #expect(sent.connectTimeout == .seconds(1) && sent.idleTimeout == nil && sent.totalTimeout == .seconds(3))
        #expect(sent.attempts == 4 && sent.redirects == 5)
        #expect(sent.maximumCollectedBytes == 6 && sent.maximumBodyBytes == 7)
        #expect(sent.maximumDecompressionRatio == 8)
        #expect(sent.acceptedStatuses == [404] && sent.progress != nil && sent.measures)
        #expect(adjustments.next() == 1, "the options are adjusted once")
    }

    @Test("Options that a request sets are its own, even if they have the default value", arguments: ways)
    func ownOptions(way: String) async throws {
        var configuration = ClientConfiguration()
        configuration.options.connectTimeout = .seconds(1)
        configuration.options.idleTimeout = .seconds(2)
        configuration.options.totalTimeout = .seconds(3)
        configuration.options.redirects = 5
        configuration.options.maximumCollectedBytes = 6
        configuration.options.acceptedStatuses = nil
        let sent = try await sentOptions(way, configuration) { options in
            options.connectTimeout = nil
            options.idleTimeout = .seconds(24)
            options.totalTimeout = .seconds(300)
            options.maximumBodyBytes = 9
            options.acceptedStatuses?.insert(404)
        }
        #expect(sent.connectTimeout == nil)
        #expect(sent.idleTimeout == .seconds(24) && sent.totalTimeout == .seconds(300))
        #expect(sent.redirects == 5)
        #expect(sent.maximumCollectedBytes == 6 && sent.maximumBodyBytes == 9)
        #expect(sent.acceptedStatuses == Set(200...299).union([404]))
    }

    @Test("Every request that began ends once for the observers, streams when their body does")
    func observers() async throws {
        let events = Mutex<[String]>([])
        var configuration = ClientConfiguration()
        configuration.observers = [
            NetworkObserver { event in
                events.withLock { $0.append("\(event.kind) \(event.status.map(String.init) ?? "-") \(event.received)") }
            }
        ]
        let stub = StubTransport([
            "GET /a": .redirect(302, to: "/b"), "GET /b": StubResponse(chunks: [[1], [2, 3]]),
        ])
        let client = NetworkClient(configuration, transport: stub)
        let request = try client.request(.get, "http://h/a")
        _ = try await client.send(request)
        let expected = [
            "began - 0", "sent - 0", "head 302 0", "redirected 302 0", "sent - 0", "head 200 0", "ended 200 3",
        ]
        #expect(events.withLock { $0 } == expected)
        events.withLock { $0 = [] }
        let streamed = try await client.stream(request)
        #expect(events.withLock { $0 } == expected.dropLast())
        for try await _ in streamed.body {}
        #expect(events.withLock { $0 } == expected)
        events.withLock { $0 = [] }
        _ = try? await client.send(client.request(.get, "http://h/nowhere"))
        #expect(events.withLock { $0 } == ["began - 0", "sent - 0", "ended - 0"])
    }

    @Test("A request is a value: changing a copy doesn't change the original")
    func requestsAreValues() throws {
        let original = NetworkRequest(.get, try HTTPURL("http://a.example/x"), headers: ["A": "1"])
        var copy = original
        copy.method = .post
        copy.url = try HTTPURL("http://b.example/y")
        copy.headers["A"] = "2"
        copy.body = .text("z")
        copy.options.totalTimeout = .seconds(1)
        copy.canonicalHost = CanonicalHost("c.example")
        #expect(original.method == .get && original.url.host == "a.example" && original.headers["A"] == "1")
        #expect(original.body.isEmpty && original.options.totalTimeout == .seconds(300))
        #expect(original.canonicalHost == nil)
        #expect(copy.method == .post && copy.url.host == "b.example" && copy.headers["A"] == "2")
        #expect(copy.body.length == 1 && copy.options.totalTimeout == .seconds(1))
        let second = copy
        copy.headers.append("B", "3")
        #expect(second.headers.count == 1 && copy.headers.count == 2)
    }

    /// A middleware that takes some time of a clock.
    @Test("Pauses and signing use the total time")
    func totalOfRetries() async throws {
        let time = Locked(ContinuousClock.now)
        let stub = StubTransport { _ in .status(503, headers: ["Retry-After": "1"]) }
        var configuration = ClientConfiguration()
        configuration.now = { time.withLock { $0 } }
        configuration.options.totalTimeout = .seconds(60)
        configuration.retry = .standard
        configuration.middleware = [Slow { time.withLock { $0 += .milliseconds(39_500) } }]
        configuration.signs = { _ in time.withLock { $0 += .seconds(20) } }
        let client = NetworkClient(configuration, transport: stub)
        let error = await #expect(throws: NetworkError.self) { try await client.get("http://h.example/") }
        #expect(error?.status == 503)
        #expect(stub.requests.map(\.options.totalTimeout) == [.milliseconds(500)])
    }

    private struct Slow: NetworkMiddleware {
        let wait: @Sendable () -> Void

        func intercept(
            _ request: NetworkRequest, next: NetworkNext
        ) async throws(NetworkError) -> StreamedResponse {
            wait()
            return try await next(request)
        }
    }

    @Test("Middleware and earlier hops use the total time", arguments: [true, false])
    func remainingTime(hasMiddleware: Bool) async throws {
        let time = Locked(ContinuousClock.now)
        let wait: @Sendable (Duration) -> Void = { pause in time.withLock { $0 += pause } }
        let stub = StubTransport { request in
            wait(.seconds(20))
            return request.url.path == "/first" ? .redirect(302, to: "/second") : .status(200)
        }
        var configuration = ClientConfiguration()
        configuration.now = { time.withLock { $0 } }
        configuration.options.totalTimeout = .seconds(60)
        if hasMiddleware { configuration.middleware = [Slow { wait(.seconds(10)) }] }
        let client = NetworkClient(configuration, transport: stub)
        _ = try await client.send(client.request(.get, "http://h.example/first"))
        let left = stub.requests.compactMap(\.options.totalTimeout)
        #expect(left == (hasMiddleware ? [.seconds(50), .seconds(30)] : [.seconds(60), .seconds(40)]))
    }
}
