import AshlarCore
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Requests with a cache that share an exchange, and bodies that are stored while they arrive.
@Suite(.timeLimit(.minutes(3))) struct SharedExchangeTests: CacheClients {
    let time = Mutex(CacheRules.start)

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
        let count = Counter()
        let isReleased = Mutex(false)
        let stub = StubTransport { request in
            try? await until { isReleased.withLock { $0 } }
            return request.url.path == "/fails"
                ? .failing(NetworkError(.cannotConnect))
                : response("\(count.next())", ["Cache-Control": "no-store"])
        }
        let cache = cache()
        let client = client(stub, cache)
        /// Starts 20 requests, of which 19 wait for the exchange of one, and returns their bodies.
        func bodies(_ path: String) async throws -> [[UInt8]?] {
            isReleased.withLock { $0 = false }
            return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                for _ in 0..<20 { group.addTask { (try? await get(client, path))?.bytes } }
                try await until { cache.exchanges.waiterCount == 19 }
                isReleased.withLock { $0 = true }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(Set(try await bodies("/")).count == 20)
        #expect(try await bodies("/fails").allSatisfy { $0 == nil })
        #expect(stub.requests.count { $0.url.path == "/fails" } == 1)
    }

    @Test(
        "A failure that results from the own options of a request isn't shared",
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
                try await until { isReleased.withLock { $0 } }
            } catch { throw NetworkError(wrapping: error) }
            return .failing(NetworkError(code))
        }
        let slow = self.client(failing, cache)
        let first = Task { try await get(slow) }
        try await until { failing.requests.count == 1 }
        let waiter = Task { try await get(client) }
        try await until { cache.exchanges.waiterCount == 1 }
        isReleased.withLock { $0 = true }
        #expect((await first.result.failure as? NetworkError)?.code == code)
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
        func cachedCount() throws -> Int { try requests.filter { try client.explain($0).hasPrefix("cached") }.count }
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

    @Test(
        "When the request that performs an exchange is cancelled, another one performs it, and a waiting request can be cancelled or time out"
    )
    func cancellation() async throws {
        let isReleased = Mutex(false)
        let stub = StubTransport { _ throws(NetworkError) in
            do {
                try await until { isReleased.withLock { $0 } }
            } catch { throw NetworkError(wrapping: error) }
            return response("one", ["Cache-Control": "max-age=60"])
        }
        let client = client(stub, cache())
        let first = Task { try await get(client) }
        try await until { stub.requests.count == 1 }
        let (cancelled, patient) = (Task { try await get(client) }, Task { try await get(client) })
        var short = try NetworkRequest(.get, "https://h/")
        short.options.totalTimeout = .milliseconds(50)
        let request = short
        let late = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(late?.code == .timedOut)
        cancelled.cancel()
        #expect(await cancelled.result.failure as? NetworkError != nil)
        first.cancel()
        try await until { stub.requests.count == 2 }
        isReleased.withLock { $0 = true }
        #expect(try await patient.value.bytes == Array("one".utf8))
        #expect(stub.requests.count == 2)
    }

    @Test("A validation in the background renews the response once, as a call of its own")
    func background() async throws {
        let log = Mutex<[NetworkEvent]>([])
        let count = Counter()
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
