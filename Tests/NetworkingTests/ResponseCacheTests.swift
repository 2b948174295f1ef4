import AshlarCore
import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// A cache with a client: validation, errors, invalidation.
@Suite(.timeLimit(.minutes(3))) struct ResponseCacheTests: CacheClients {
    let time = Mutex(CacheRules.start)

    // MARK: Answers

    @Test("A stored response has its age, its state and the event cached, and costs no exchange")
    func hit() async throws {
        let log = Mutex<[NetworkEvent]>([])
        let stub = StubTransport { _ in response("one", ["Cache-Control": "max-age=60", "X-A": "1"]) }
        let client = client(stub, cache(), log)
        #expect(try await get(client).headers["Cache-Status"] == nil)
        time.withLock { $0 += 20 }
        let second = try await get(client)
        #expect(second.bytes == Array("one".utf8) && second.headers["X-A"] == "1" && second.headers["Age"] == "20")
        #expect(second.headers["Cache-Status"] == "Ashlar; hit; ttl=40")
        let head = try await client.send(NetworkRequest(.head, "https://h/"))
        #expect(head.bytes.isEmpty && head.headers["X-A"] == "1")
        #expect(stub.requests.count == 1)
        #expect(
            log.withLock { $0.map(\.kind) } == [
                .began, .sent, .head, .ended, .began, .cached, .ended, .began, .cached, .ended,
            ])
    }

    @Test("The client explains what it would do")
    func explanation() async throws {
        let stub = StubTransport { _ in response("one", ["Cache-Control": "max-age=60"]) }
        let client = client(stub, cache())
        let request = try NetworkRequest(.get, "https://h/")
        #expect(try client.explain(request) == "not cached: nothing is stored")
        _ = try await get(client)
        time.withLock { $0 += 20 }
        #expect(try client.explain(request) == "cached: fresh for 40 s more (max-age=60, age 20)")
        time.withLock { $0 += 60 }
        #expect(
            try client.explain(request)
                == "validated first: the age 80 reaches the lifetime 60 (max-age=60)")
        #expect(
            try client.explain(NetworkRequest(.post, "https://h/")) == "not cached: the method is POST")
        #expect(
            try NetworkClient(transport: stub).explain(request)
                == "not cached: the client has no cache")
    }

    @Test("A 304 renews the stored response: its fields replace the old ones, except those of the body")
    func validation() async throws {
        let stub = StubTransport { request in
            request.headers["If-None-Match"] == "\"a\"" && request.headers["If-Modified-Since"] == "then"
                ? .status(
                    304,
                    headers: [
                        "Cache-Control": "max-age=100", "X-A": "2", "X-A": "3", "Content-Length": "0",
                        "Content-Type": "x/y", "ETag": "W/\"a\"",
                    ])
                : response(
                    "one",
                    [
                        "ETag": "\"a\"", "Last-Modified": "then", "X-A": "1", "X-B": "b", "Content-Type": "text/plain",
                        "Content-Length": "3",
                    ])
        }
        let client = client(stub, cache())
        _ = try await get(client)
        for _ in 0..<2 {
            let renewed = try await get(client)
            #expect(renewed.status == 200 && renewed.bytes == Array("one".utf8))
            #expect(renewed.headers.values(for: "X-A") == ["2", "3"] && renewed.headers["X-B"] == "b")
            #expect(renewed.headers["Content-Type"] == "text/plain" && renewed.headers["Content-Length"] == "3")
        }
        #expect(stub.requests.count == 2)
    }

    @Test("A 304 with another validator leads to a request without a condition")
    func foreignValidator() async throws {
        let count = Counter()
        let stub = StubTransport { request in
            request.headers.contains("If-None-Match")
                ? .status(304, headers: ["ETag": "\"other\""])
                : response("\(count.next())", ["ETag": "\"a\""])
        }
        let client = client(stub, cache())
        #expect(try await get(client).bytes == Array("0".utf8))
        #expect(try await get(client).bytes == Array("1".utf8))
    }

    @Test("The caller's own condition gets the server's 304, and nothing is changed")
    func ownCondition() async throws {
        let stub = StubTransport { request in
            request.headers.contains("If-None-Match")
                ? .status(304) : response("one", ["Cache-Control": "max-age=60", "ETag": "\"a\""])
        }
        let client = client(stub, cache())
        _ = try await get(client)
        var request = try NetworkRequest(.get, "https://h/", headers: ["If-None-Match": "\"x\""])
        request.options.acceptedStatuses = nil
        #expect(try await client.send(request).status == 304)
        #expect(try await get(client).bytes == Array("one".utf8) && stub.requests.count == 2)
    }

    @Test(
        "A stale response replaces errors as long as stale-if-error says",
        arguments: [
            ("max-age=5, stale-if-error=10", "", 15, true), ("max-age=5, stale-if-error=10", "", 16, false),
            ("max-age=5", "", 10, false), ("max-age=5", "stale-if-error=10", 15, true),
            ("max-age=5, stale-if-error=100", "stale-if-error=1", 15, false),
            ("max-age=5, stale-if-error=100, must-revalidate", "", 10, false),
            ("max-age=5, stale-if-error=100", "no-cache", 10, false),
            ("no-cache, stale-if-error=100", "", 10, false),
        ])
    func staleIfError(response directive: String, request: String, seconds: Int64, isReplaced: Bool) async throws {
        let errors: [StubResponse] = [
            .status(500), .status(503), .failing(NetworkError(.connectionLost)), .failing(NetworkError(.timedOut)),
        ]
        for error in errors {
            let count = Counter()
            let stub = StubTransport { _ in
                count.next() == 0 ? response("one", ["Cache-Control": directive, "ETag": "\"a\""]) : error
            }
            let client = client(stub, cache())
            _ = try await get(client)
            time.withLock { $0 += seconds }
            let headers: HTTPHeaders = request.isEmpty ? [:] : ["Cache-Control": request]
            let found = try? await get(client, "/", headers)
            #expect((found?.bytes == Array("one".utf8)) == isReplaced)
            time.withLock { $0 -= seconds }
        }
        // Other failures are never hidden.
        for error in [StubResponse.status(404), .status(501), .failing(NetworkError(.certificateUntrusted))] {
            let count = Counter()
            let stub = StubTransport { _ in
                count.next() == 0 ? response("one", ["Cache-Control": directive, "ETag": "\"a\""]) : error
            }
            let client = client(stub, cache())
            _ = try await get(client)
            time.withLock { $0 += seconds }
            #expect((try? await get(client)) == nil)
            time.withLock { $0 -= seconds }
        }
    }

    @Test(
        "A range of a fresh complete response comes from the cache, and other ranges from the server",
        arguments: [
            ("bytes=2-4", nil, 206, "234", "bytes 2-4/10"), ("bytes=7-", nil, 206, "789", "bytes 7-9/10"),
            ("bytes=-3", nil, 206, "789", "bytes 7-9/10"), ("bytes=-99", nil, 206, "0123456789", "bytes 0-9/10"),
            ("bytes=2-9223372036854775807", nil, 206, "23456789", "bytes 2-9/10"),
            ("bytes=8-99", nil, 206, "89", "bytes 8-9/10"), ("BYTES=0-0", nil, 206, "0", "bytes 0-0/10"),
            ("bytes=2-4", "\"a\"", 206, "234", "bytes 2-4/10"), ("bytes=2-4", "\"b\"", 200, "server", nil),
            ("bytes=2-4", "W/\"a\"", 200, "server", nil), ("bytes=10-", nil, 200, "server", nil),
            ("bytes=4-2", nil, 200, "server", nil), ("bytes=0-1,3-4", nil, 200, "server", nil),
            ("bytes=-0", nil, 200, "server", nil), ("bytes=a-b", nil, 200, "server", nil),
            ("lines=1-2", nil, 200, "server", nil), ("bytes=-", nil, 200, "server", nil),
        ] as [(String, String?, Int, String, String?)])
    func ranges(range: String, condition: String?, status: Int, body: String, content: String?) async throws {
        let stub = StubTransport { request in
            response(
                request.headers.contains("Range") ? "server" : "0123456789",
                ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Length": "10"])
        }
        let client = client(stub, cache())
        _ = try await get(client)
        var headers: HTTPHeaders = ["Range": range]
        if let condition { headers["If-Range"] = condition }
        let part = try await get(client, "/", headers)
        #expect(part.status == status && String(decoding: part.bytes, as: UTF8.self) == body)
        #expect(part.headers["Content-Range"] == content)
        if content != nil { #expect(part.headers.values(for: "Content-Length") == ["\(body.count)"]) }
        #expect(stub.requests.count == (content == nil ? 2 : 1))
        #expect(try await get(client).bytes == Array("0123456789".utf8), "the complete response remains")
        time.withLock { $0 += 61 }
        #expect(try await get(client, "/", headers).bytes == Array("server".utf8), "a stale one isn't used")
    }

    // MARK: Invalidation

    @Test(
        "Unsafe methods that succeed remove what they change",
        arguments: [
            (HTTPMethod.post, 200, [:], "/a", true), (.put, 204, [:], "/a", true), (.delete, 200, [:], "/a", true),
            (.patch, 200, [:], "/a", true), ("PURGE", 200, [:], "/a", true), (.post, 404, [:], "/a", false),
            (.post, 500, [:], "/a", false), (.options, 200, [:], "/a", false), (.post, 200, [:], "/b", false),
            (.post, 201, ["Location": "/a"], "/b", true), (.post, 200, ["Content-Location": "https://h/a"], "/b", true),
            (.post, 201, ["Location": "https://other/a"], "/b", false),
        ] as [(HTTPMethod, Int, HTTPHeaders, String, Bool)])
    func invalidation(
        method: HTTPMethod, status: Int, headers: HTTPHeaders, path: String, isRemoved: Bool
    ) async throws {
        let stub = StubTransport { request in
            request.method == .get
                ? response("one", ["Cache-Control": "max-age=60"]) : .status(status, headers: headers)
        }
        let client = client(stub, cache())
        _ = try await get(client, "/a")
        _ = try? await client.send(NetworkRequest(method, "https://h" + path))
        #expect(try client.explain(NetworkRequest(.get, "https://h/a")).hasPrefix("cached") != isRemoved)
    }

    @Test("An unsafe method that is redirected removes the responses of each URL on its way")
    func redirectedInvalidation() async throws {
        let stub = StubTransport { request in
            switch (request.method, request.url.path) {
            case (.post, "/first"): .redirect(307, to: "/second")
            case (.post, "/second"): .redirect(307, to: "/third")
            case (.post, _): .status(200)
            default: response("one", ["Cache-Control": "max-age=60"])
            }
        }
        let client = client(stub, cache())
        let paths = ["/first", "/second", "/third", "/other"]
        for path in paths { _ = try await get(client, path) }
        #expect(try await client.send(NetworkRequest(.post, "https://h/first")).url.path == "/third")
        let stored = try paths.filter { try client.explain(NetworkRequest(.get, "https://h" + $0)).hasPrefix("cached") }
        #expect(stored == ["/other"])
    }

    @Test("A response that was on its way while its URL was changed isn't stored")
    func race() async throws {
        let isReleased = Mutex(false)
        let stub = StubTransport { request throws(NetworkError) in
            guard request.method == .get else { return .status(204) }
            do { try await until { isReleased.withLock { $0 } } } catch { throw NetworkError(wrapping: error) }
            return response("old", ["Cache-Control": "max-age=60"])
        }
        let client = client(stub, cache())
        async let old = get(client, "/a")
        try await until { !stub.requests.isEmpty }
        _ = try await client.send(NetworkRequest(.put, "https://h/a"))
        isReleased.withLock { $0 = true }
        #expect(try await old.bytes == Array("old".utf8))
        #expect(try !client.explain(NetworkRequest(.get, "https://h/a")).hasPrefix("cached"))
    }

    @Test("Redirects, hosts, credentials and compression don't mix responses up")
    func keys() async throws {
        let stub = StubTransport { request in
            request.url.path == "/r"
                ? .redirect(302, to: "/a")
                : response(
                    "\(request.url.host) \(request.headers["Authorization"] ?? "") \(request.headers["Cookie"] ?? "")",
                    ["Cache-Control": "max-age=60", "Vary": "Cookie"])
        }
        let host = Mutex("first.example")
        let client = client(stub, cache()) { _, _ in
            ProtocolHostPair(scheme: "https", host: host.withLock { $0 })
        }
        struct Get: Endpoint {
            typealias Output = String
            let host: EndpointHost = "api.example"
            let path: EndpointPath = "a"
        }
        #expect(try await client.send(Get()) == "first.example  ")
        host.withLock { $0 = "second.example" }
        #expect(try await client.send(Get()) == "second.example  ")
        let credentials = try await get(client, "/a", ["Authorization": "x"])
        #expect(credentials.bytes == Array("h x ".utf8))
        #expect(try await get(client, "/a").bytes == Array("h  ".utf8))
        client.configuration.cookies?.set(NetworkCookie("s", "1", host: "h"))
        #expect(try await get(client, "/a").bytes == Array("h  s=1".utf8))
        var raw = try NetworkRequest(.get, "https://h/a")
        raw.options.decompresses = false
        #expect(try !client.explain(raw).hasPrefix("cached"))
        _ = try await get(client, "/r")
        #expect(try !client.explain(NetworkRequest(.get, "https://h/r")).hasPrefix("cached"))
    }

    /// Adds a field with the value of the current user.
    private struct AddsUser: NetworkMiddleware {
        let name: String
        let user: Mutex<String>

        nonisolated(nonsending) func intercept(
            _ request: NetworkRequest, next: NetworkNext
        ) async throws(NetworkError) -> StreamedResponse {
            var request = request
            request.headers[name] = user.withLock { $0 }
            return try await next(request)
        }
    }

    @Test(
        "A response to a request that gets a secret below the cache isn't stored for the next user",
        arguments: [true, false], ["Authorization", "Cookie", "X-Api-Key", "X-Team"])
    func secretBelowCache(isBelow: Bool, name: String) async throws {
        let step = AddsUser(name: name, user: Mutex("anna"))
        let stub = StubTransport { request in
            response(request.headers[name] ?? "", ["Cache-Control": "max-age=60", "Vary": "Cookie"])
        }
        var configuration = ClientConfiguration()
        configuration.cache = cache()
        configuration.redaction.headerNames.insert("x-team")
        if isBelow { configuration.attemptMiddleware = [step] } else { configuration.middleware = [step] }
        let client = NetworkClient(configuration, transport: stub)
        for user in ["anna", "ben", "anna"] {
            step.user.withLock { $0 = user }
            #expect(try await get(client).text() == user)
        }
        #expect(stub.requests.count == (isBelow ? 3 : 2))
    }

    @Test("A 304 to a request that gets a secret below the cache doesn't renew the stored response for others")
    func confirmedForSecret() async throws {
        let step = AddsUser(name: "X-Api-Key", user: Mutex(""))
        let stub = StubTransport { request in
            let user = request.headers["X-Api-Key"] ?? ""
            let fields: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\"", "X-For": user]
            return request.headers["If-None-Match"] == nil
                ? response("all", fields) : .status(304, headers: fields)
        }
        let cache = cache()
        var configuration = ClientConfiguration()
        configuration.cache = cache
        let plain = NetworkClient(configuration, transport: stub)
        configuration.attemptMiddleware = [step]
        let secret = NetworkClient(configuration, transport: stub)
        #expect(try await get(plain).text() == "all")
        time.withLock { $0 += 100 }
        step.user.withLock { $0 = "anna" }
        let confirmed = try await get(secret)
        #expect(try confirmed.text() == "all" && confirmed.headers["X-For"] == "anna")
        let next = try await get(plain)
        #expect(try next.text() == "all" && next.headers["X-For"] == "")
        #expect(stub.requests.count == 3)
    }

    @Test("A response to a request with the client's own credentials, or with a plain field from a step, is stored")
    func ownCredentials() async throws {
        let stub = StubTransport { request in
            response(request.headers["Authorization"] ?? "", ["Cache-Control": "max-age=60"])
        }
        var configuration = ClientConfiguration()
        configuration.cache = cache()
        configuration.authentication = .bearer("t")
        configuration.authentication?.allowsEveryHost = true
        configuration.attemptMiddleware = [AddsUser(name: "X-Trace", user: Mutex("1"))]
        let client = NetworkClient(configuration, transport: stub)
        for _ in 0..<2 { #expect(try await get(client).text() == "Bearer t") }
        #expect(stub.requests.count == 1)
    }

    @Test("A response to a request whose URL gets a secret below the cache isn't stored for the next user")
    func secretInURL() async throws {
        struct AddsToken: NetworkMiddleware {
            let user: Mutex<String>

            func intercept(
                _ request: NetworkRequest, next: NetworkNext
            ) async throws(NetworkError) -> StreamedResponse {
                var request = request
                request.url.append(["access_token": user.withLock { $0 }])
                return try await next(request)
            }
        }
        let step = AddsToken(user: Mutex("anna"))
        let stub = StubTransport { response($0.url.query ?? "", ["Cache-Control": "max-age=60"]) }
        var configuration = ClientConfiguration()
        configuration.cache = cache()
        configuration.attemptMiddleware = [step]
        let client = NetworkClient(configuration, transport: stub)
        for user in ["anna", "ben"] {
            step.user.withLock { $0 = user }
            #expect(try await get(client).text() == "access_token=\(user)")
        }
    }

    /// Switches the host while a request is between the cache and the transport, as a retry or the refresh of a token can.
    private struct Switching: NetworkMiddleware {
        let host: Mutex<String>
        /// The host to which the next request switches; nil for none.
        let target: Mutex<String?>

        nonisolated(nonsending) func intercept(
            _ request: NetworkRequest, next: NetworkNext
        ) async throws(NetworkError) -> StreamedResponse {
            if let name = target.withLock({ $0.take() }) { host.withLock { $0 = name } }
            return try await next(request)
        }
    }

    private func switching(_ step: Switching, _ stub: StubTransport) -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.base = "api.example"
        configuration.cache = cache()
        configuration.retry = .standard
        configuration.retry?.firstPause = .zero
        configuration.attemptMiddleware = [step]
        return NetworkClient(
            configuration, transport: stub,
            hosts: { _, _ in ProtocolHostPair(scheme: "https", host: step.host.withLock { $0 }) })
    }

    @Test("A request goes to the host that is selected when it begins, and its response is stored for this host")
    func switchedHost() async throws {
        let step = Switching(host: Mutex("first.example"), target: Mutex("second.example"))
        let stub = StubTransport { request in
            request.headers["If-None-Match"] == nil
                ? response(request.url.host, ["Cache-Control": "max-age=60", "ETag": "\"a\""])
                : .status(304, headers: ["ETag": "\"a\""])
        }
        let client = switching(step, stub)
        #expect(try await client.get("a").text() == "first.example")
        #expect(try client.explain(NetworkRequest(.get, "https://first.example/a")).hasPrefix("cached"))
        #expect(try await client.get("a").text() == "second.example")
        // The 304 of a host confirms its own response.
        time.withLock { $0 += 100 }
        step.target.withLock { $0 = "first.example" }
        #expect(try await client.get("a").text() == "second.example")
        #expect(try client.explain(NetworkRequest(.get, "https://second.example/a")).hasPrefix("cached"))
        #expect(try client.explain(NetworkRequest(.get, "https://first.example/a")).hasPrefix("validated first"))
        #expect(stub.requests.map(\.url.host) == ["first.example", "second.example", "second.example"])
    }

    @Test("After a switch, the failure of the new host isn't replaced by a stale response of the old host")
    func failureAfterSwitch() async throws {
        let step = Switching(host: Mutex("first.example"), target: Mutex(nil))
        let stub = StubTransport { request in
            request.url.host == "first.example" && request.headers["If-None-Match"] == nil
                ? response(
                    "first", ["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
                : .failing(NetworkError(.cannotConnect))
        }
        let client = switching(step, stub)
        #expect(try await client.get("a").text() == "first")
        time.withLock { $0 += 100 }
        // The host of a request that began before the switch has failed, and its own response replaces the failure.
        step.target.withLock { $0 = "second.example" }
        #expect(try await client.get("a").text() == "first")
        #expect(stub.requests.allSatisfy { $0.url.host == "first.example" })
        let error = await outcome { () async throws(NetworkError) in try await client.get("a") }.failure
        #expect(error?.code == .cannotConnect && stub.requests.last?.url.host == "second.example")
    }

    @Test("Eight responses of one URL are stored side by side")
    func variants() async throws {
        let stub = StubTransport { request in
            response(request.headers["X-A"] ?? "", ["Cache-Control": "max-age=60", "Vary": "X-A"])
        }
        let client = client(stub, cache())
        for turn in 0..<3 {
            for number in 0..<8 {
                #expect(try await get(client, "/", ["X-A": "\(number)"]).bytes == Array("\(number)".utf8), "\(turn)")
            }
        }
        #expect(stub.requests.count == 8)
        _ = try await get(client, "/", ["X-A": "8"])
        #expect(try !client.explain(NetworkRequest(.get, "https://h/", headers: ["X-A": "0"])).hasPrefix("cached"))
    }
}
