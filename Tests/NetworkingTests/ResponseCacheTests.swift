import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// A cache with a client: validation, errors, invalidation, sharing.
@Suite(.timeLimit(.minutes(3))) struct ResponseCacheTests {
    private let time = Mutex(CacheRules.start)

    private func cache(_ store: any CacheStore = MemoryCacheStore(limit: 1 << 20)) -> ResponseCache {
        ResponseCache(store, clock: { [time] in time.withLock { $0 } })
    }

    private func client(
        _ stub: any NetworkTransport, _ cache: ResponseCache, _ log: Mutex<[NetworkEvent]>? = nil,
        hosts: HostResolver? = nil
    ) -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.cache = cache
        configuration.observers =
            log.map { log in
                [ClosureNetworkObserver { event in log.withLock { $0.append(event) } }]
            } ?? []
        return NetworkClient(configuration, transport: stub, hosts: hosts)
    }

    private func get(
        _ client: NetworkClient, _ path: String = "/", _ headers: HTTPHeaders = [:]
    ) async throws -> NetworkResponse {
        try await client.send(NetworkRequest(.get, "https://h" + path, headers: headers))
    }

    private func response(_ text: String, _ headers: HTTPHeaders, status: Int = 200) -> StubResponse {
        StubResponse(status: status, headers: headers, chunks: [Array(text.utf8)])
    }

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
        #expect(try client.explain(request).description == "not cached: nothing is stored")
        _ = try await get(client)
        time.withLock { $0 += 20 }
        #expect(try client.explain(request).description == "cached: fresh for 40 s more (max-age=60, age 20)")
        time.withLock { $0 += 60 }
        #expect(
            try client.explain(request).description
                == "validated first: the age 80 reaches the lifetime 60 (max-age=60)")
        #expect(
            try client.explain(NetworkRequest(.post, "https://h/")).description == "not cached: the method is POST")
        #expect(
            try NetworkClient(transport: stub).explain(request).description
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
        let count = LockedCounter()
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
        request.options.acceptedStatuses = .every
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
            let count = LockedCounter()
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
            let count = LockedCounter()
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
        #expect(try client.explain(NetworkRequest(.get, "https://h/a")).isCached != isRemoved)
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
        #expect(try !client.explain(NetworkRequest(.get, "https://h/a")).isCached)
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
        #expect(try !client.explain(raw).isCached)
        _ = try await get(client, "/r")
        #expect(try !client.explain(NetworkRequest(.get, "https://h/r")).isCached)
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
        #expect(try !client.explain(NetworkRequest(.get, "https://h/", headers: ["X-A": "0"])).isCached)
    }

    // MARK: Sharing

    @Test("1,000 identical requests at once share one exchange; other requests have their own")
    func together() async throws {
        let stub = StubTransport { request in
            response(request.url.path, ["ETag": "\"a\""]).delayed(.milliseconds(200))
        }
        let client = client(stub, cache())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let path = number % 10 == 0 ? "/b" : "/a"
                    #expect((try? await get(client, path))?.bytes == Array(path.utf8))
                }
            }
        }
        // Requests that start after the exchange validate again.
        #expect(stub.requests.count < 12, "\(stub.requests.count)")
    }

    @Test("Responses that aren't stored aren't shared, and a failure is shared")
    func notShared() async throws {
        let count = LockedCounter()
        let stub = StubTransport { request in
            try? await Task.sleep(for: .milliseconds(100))
            return request.url.path == "/fails"
                ? .failing(NetworkError(.cannotConnect))
                : response("\(count.next())", ["Cache-Control": "no-store"])
        }
        let client = client(stub, cache())
        let bodies = await withTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<20 { group.addTask { (try? await get(client))?.bytes } }
            return await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
        }
        #expect(bodies.count == 20)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { #expect((try? await get(client, "/fails")) == nil) } }
        }
        #expect(stub.requests.filter { $0.url.path == "/fails" }.count < 5)
    }

    @Test(
        "A failure that results from a leader's own options isn't shared",
        arguments: [
            (NetworkError.Code.timedOut, false), (.bodyTooLarge, false), (.tooManyRedirects, false),
            (.cannotConnect, true),
        ])
    func ownFailures(code: NetworkError.Code, isShared: Bool) async throws {
        let cache = cache()
        let stub = StubTransport { _ in response("two", [:]) }
        let client = client(stub, cache)
        let isReleased = Mutex(false)
        let failing = StubTransport { _ throws(NetworkError) in
            do {
                while !isReleased.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
            } catch { throw NetworkError(wrapping: error) }
            return .failing(NetworkError(code))
        }
        let slow = self.client(failing, cache)
        let leader = Task { try await get(slow) }
        try await until { failing.requests.count == 1 }
        let waiter = Task { try await get(client) }
        try await until { cache.flights.waiterCount == 1 }
        isReleased.withLock { $0 = true }
        #expect((await leader.result.failure as? NetworkError)?.code == code)
        let result = await waiter.result
        #expect((result.failure as? NetworkError)?.code == (isShared ? code : nil))
        #expect(isShared || (try? result.get())?.bytes == Array("two".utf8))
    }

    @Test(
        "A change of a URL removes its responses for all credentials and forms of the body", arguments: [true, false])
    func invalidatesEverything(isMemory: Bool) async throws {
        let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stub = StubTransport { _ in response("one", ["Cache-Control": "max-age=60"]) }
        let cache = cache(isMemory ? MemoryCacheStore(limit: 1 << 20) : try DirectoryCacheStore(folder, limit: 1 << 20))
        let client = client(stub, cache)
        let plain = try NetworkRequest(.get, "https://h/a")
        var raw = plain
        raw.options.decompresses = false
        let (own, other) = (
            try NetworkRequest(.get, "https://h/a", headers: ["Authorization": "Bearer own"]),
            try NetworkRequest(.get, "https://h/a", headers: ["Authorization": "Bearer other"])
        )
        let requests = [plain, raw, own, other]
        func cachedCount() throws -> Int { try requests.filter { try client.explain($0).isCached }.count }
        for change in ["PUT", "remove"] {
            for request in requests { _ = try await client.send(request) }
            #expect(try cachedCount() == 4)
            if change == "PUT" {
                _ = try await client.send(
                    NetworkRequest(.put, "https://h/a", headers: ["Authorization": "Bearer own"]))
            } else {
                cache.remove(plain.url)
            }
            #expect(try cachedCount() == 0, "\(change)")
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("Bearer"))
        }
    }

    @Test("A leader that is cancelled passes the lead on, and a waiting request can be cancelled or time out")
    func cancellation() async throws {
        let isReleased = Mutex(false)
        let stub = StubTransport { _ throws(NetworkError) in
            do {
                while !isReleased.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
            } catch { throw NetworkError(wrapping: error) }
            return response("one", ["Cache-Control": "max-age=60"])
        }
        let client = client(stub, cache())
        let leader = Task { try await get(client) }
        try await until { stub.requests.count == 1 }
        let (cancelled, patient) = (Task { try await get(client) }, Task { try await get(client) })
        var short = try NetworkRequest(.get, "https://h/")
        short.options.totalTimeout = .milliseconds(50)
        let request = short
        let late = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(late?.code == .timedOut)
        cancelled.cancel()
        #expect(await cancelled.result.failure as? NetworkError != nil)
        leader.cancel()
        try await until { stub.requests.count == 2 }
        isReleased.withLock { $0 = true }
        #expect(try await patient.value.bytes == Array("one".utf8))
        #expect(stub.requests.count == 2)
    }

    @Test("A validation in the background renews the response once, as a call of its own")
    func background() async throws {
        let log = Mutex<[NetworkEvent]>([])
        let count = LockedCounter()
        let stub = StubTransport { _ in
            response("\(count.next())", ["Cache-Control": "max-age=5, stale-while-revalidate=60"])
                .delayed(.milliseconds(50))
        }
        let client = client(stub, cache(), log)
        _ = try await get(client)
        time.withLock { $0 += 10 }
        for _ in 0..<5 { #expect(try await get(client).bytes == Array("0".utf8)) }
        try await until { log.withLock { $0.filter { $0.kind == .ended }.count } == 7 }
        #expect(stub.requests.count == 2)
        #expect(try await get(client).bytes == Array("1".utf8))
        let began = log.withLock { $0.filter { $0.kind == .began }.map(\.id) }
        #expect(Set(began).count == began.count)
    }

    // MARK: Bodies

    @Test("A long body isn't stored but complete, and a body that breaks off isn't stored and fails as before")
    func bodies() async throws {
        let long = [[UInt8]](repeating: [UInt8](repeating: 7, count: 1000), count: 300)
        let stub = StubTransport { request in
            var response = StubResponse(headers: ["Cache-Control": "max-age=60"], chunks: long)
            if request.url.path == "/broken" {
                response = StubResponse(headers: ["Cache-Control": "max-age=60"], chunks: [[1], [2]])
                response.bodyFailure = NetworkError(.truncated, phase: .receive)
            }
            return response
        }
        let client = client(stub, cache())
        for _ in 0..<2 { #expect(try await get(client, "/long").bytes.count == 300_000) }
        let streamed = try await client.stream(NetworkRequest(.get, "https://h/broken"))
        #expect(try await streamed.body.next() == [1, 2])
        await #expect(throws: NetworkError.self) { try await streamed.body.next() }
        let error = await outcome { () async throws(NetworkError) in
            try await client.send(NetworkRequest(.get, "https://h/broken"))
        }.failure
        #expect(error?.code == .truncated && error?.bodyPrefix == [1, 2])
        #expect(stub.requests.count == 4)
    }
}
