import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

/// The order of the chain, and steps at each place.
@Suite(.timeLimit(.minutes(2))) struct MiddlewareChainTests {
    private struct Mark: NetworkMiddleware {
        let name: String
        let log: Mutex<[String]>

        func intercept(_ request: NetworkRequest, next: NetworkNext) async throws(NetworkError) -> StreamedResponse {
            let hasCredentials = request.headers.contains("Authorization") ? " with credentials" : ""
            log.withLock { $0.append(name + hasCredentials) }
            let response = try await next(request)
            log.withLock { $0.append("\(name) \(response.status)") }
            return response
        }
    }

    @Test("Steps run at their places: once per call, and once per attempt with credentials")
    func places() async throws {
        let log = Mutex<[String]>([])
        let answers = Counter()
        let stub = StubTransport { _ in answers.next() == 0 ? .status(503) : .status(200) }
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("t")
        configuration.authentication?.allowsEveryHost = true
        configuration.authentication?.allowsPlainHTTP = true
        configuration.retry = .standard
        configuration.retry?.firstPause = .zero
        configuration.middleware = [Mark(name: "first", log: log), Mark(name: "second", log: log)]
        configuration.attemptMiddleware = [Mark(name: "outer", log: log), Mark(name: "inner", log: log)]
        let client = NetworkClient(configuration, transport: stub)
        _ = try await client.send(client.request(.get, "http://h/"))
        #expect(
            log.withLock { $0 } == [
                "first", "second", "outer with credentials", "inner with credentials", "inner 503", "outer 503",
                "outer with credentials", "inner with credentials", "inner 200", "outer 200", "second 200", "first 200",
            ])
    }

    @Test("Observers see a retry with its pause, between the two attempts")
    func retryEvents() async throws {
        let log = Mutex<[NetworkEvent]>([])
        let answers = Counter()
        var configuration = ClientConfiguration()
        configuration.retry = .standard
        configuration.retry?.firstPause = .microseconds(10)
        configuration.observers = [NetworkObserver { event in log.withLock { $0.append(event) } }]
        let client = NetworkClient(
            configuration, transport: StubTransport { _ in answers.next() == 0 ? .status(503) : .status(200) })
        _ = try await client.send(client.request(.get, "http://h/"))
        let events = log.withLock { $0 }
        #expect(events.map(\.kind) == [.began, .sent, .head, .retrying, .sent, .head, .ended])
        let pause = try #require(events.first { $0.kind == .retrying }?.pause)
        #expect(pause <= .microseconds(10))
    }

    @Test("A step may send a request many times through the rest of the chain")
    func repeats() async throws {
        struct Twice: NetworkMiddleware {
            func intercept(
                _ request: NetworkRequest, next: NetworkNext
            ) async throws(NetworkError) -> StreamedResponse {
                async let first = next(request)
                async let second = next(request)
                do {
                    try await first.body.cancel()
                    return try await second
                } catch {
                    throw NetworkError(wrapping: error)
                }
            }
        }
        let stub = StubTransport { _ in .text("x") }
        var configuration = ClientConfiguration()
        configuration.middleware = [Twice(), Twice()]
        configuration.attemptMiddleware = [Twice()]
        let client = NetworkClient(configuration, transport: stub)
        let response = try await client.send(client.request(.get, "http://h/"))
        #expect(stub.requests.count == 8 && response.bytes == Array("x".utf8))
    }

    // MARK: Signing

    private func signing(
        _ stub: StubTransport, _ sign: @escaping @Sendable (inout NetworkRequest) async throws -> Void
    ) throws -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.signs = sign
        configuration.retry = .standard
        configuration.retry?.firstPause = .zero
        return NetworkClient(configuration, transport: stub) { _, _ in
            ProtocolHostPair(scheme: "https", host: "actual.example.com")
        }
    }

    private struct Get: Endpoint {
        typealias Output = Void
        let host: EndpointHost = "api.example.com"
        let path: EndpointPath = "a"
    }

    @Test("A signature covers the selected host, and each attempt and redirect of the origin has its own")
    func signature() async throws {
        let count = Counter()
        let stub = StubTransport { request in
            switch (request.url.path, count.next()) {
            case ("/a", 0): .status(503)
            case ("/a", _): .redirect(307, to: "/b")
            case ("/b", _): .redirect(307, to: "https://other.example.com/c")
            case ("/c", _): .redirect(307, to: "https://actual.example.com/d")
            default: .status(200)
            }
        }
        let number = Counter()
        let client = try signing(stub) { request in
            request.headers["X-Signature"] = "\(number.next()) \(request.url)"
        }
        try await client.send(Get())
        #expect(
            stub.requests.map { $0.headers["X-Signature"] } == [
                "0 https://actual.example.com/a", "1 https://actual.example.com/a", "2 https://actual.example.com/b",
                nil, nil,
            ])
    }

    @Test("A step that changes a field of the client or of the credentials can't send an invalid value")
    func changedFields() async throws {
        struct Injecting: NetworkMiddleware {
            let name: String
            func intercept(
                _ request: NetworkRequest, next: NetworkNext
            ) async throws(NetworkError) -> StreamedResponse {
                var request = request
                request.headers = HTTPHeaders(
                    request.headers.map { field in
                        var field = field
                        if field.name == name { field.value += "\r\nX-Evil: 1" }
                        return field
                    })
                return try await next(request)
            }
        }
        let stub = StubTransport { _ in .status(200) }
        for name in ["X-Client", "Authorization", "none"] {
            var configuration = ClientConfiguration()
            configuration.headers["X-Client"] = "1"
            configuration.authentication = .bearer("t")
            configuration.authentication?.allowsEveryHost = true
            configuration.authentication?.allowsPlainHTTP = true
            configuration.attemptMiddleware = [Injecting(name: name)]
            let client = NetworkClient(configuration, transport: stub)
            let error = await outcome { () async throws(NetworkError) in
                try await client.send(NetworkRequest(.get, "https://h/"))
            }.failure
            #expect(error?.key == (name == "none" ? nil : name))
        }
        #expect(stub.requests.count == 1)
    }

    @Test("A signature that fails or sets an invalid field sends nothing")
    func failures() async throws {
        struct NoKey: Error {}
        let stub = StubTransport { _ in .status(200) }
        let failing = try signing(stub) { _ in throw NoKey() }
        let error = await outcome { () async throws(NetworkError) in try await failing.send(Get()) }.failure
        #expect(error?.code == .authenticationFailed && error?.underlying is NoKey && error?.requestState == .notSent)
        let injecting = try signing(stub) { $0.headers["X-Signature"] = "a\r\nX-Evil: 1" }
        let invalid = await outcome { () async throws(NetworkError) in try await injecting.send(Get()) }.failure
        #expect(invalid?.code == .invalidHeader && invalid?.key == "X-Signature")
        #expect(stub.requests.isEmpty)
    }

    @Test("A redirected POST isn't sent again if the next server can't be reached", arguments: [303, 307])
    func postedOnce(status: Int) async throws {
        let stub = StubTransport { request in
            request.url.host == "a"
                ? .redirect(status, to: "https://b/") : .failing(NetworkError(.cannotConnect, phase: .connect))
        }
        var configuration = ClientConfiguration()
        configuration.retry = .standard
        configuration.retry?.firstPause = .zero
        let client = NetworkClient(configuration, transport: stub)
        let error = await #expect(throws: NetworkError.self) {
            try await client.send(NetworkRequest(.post, "https://a/", body: .text("order")))
        }
        #expect(stub.requests.filter { $0.url.host == "a" }.count == 1)
        #expect(error?.requestState == .answered)
    }
}
