import AshlarCore
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Changes that remove stored responses, validations in the background, and bodies that are stored while they arrive.
@Suite(.timeLimit(.minutes(3))) struct CacheChangeTests: CacheClients {
    let time = Mutex(CacheRules.start)

    @Test("A request that asks for a coding itself, also a download, has its own stored response")
    func ownCoding() async throws {
        let folder = try TemporaryFolder([:])
        let stub = StubTransport { request in
            let isOwn = request.headers["Accept-Encoding"] == "gzip"
            var headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
            if isOwn { headers.set("Content-Encoding", "gzip") }
            return response(isOwn ? "encoded" : "text", headers)
        }
        let client = client(stub, cache())
        let headers: HTTPHeaders = ["Accept-Encoding": "gzip"]
        try await client.download(NetworkRequest(.get, "https://h/a", headers: headers), to: folder.path + "/file")
        for _ in 0..<2 {
            #expect(try await get(client, "/a").text() == "text")
            #expect(try await get(client, "/a", headers).text() == "encoded")
        }
        #expect(try String(contentsOfFile: folder.path + "/file", encoding: .utf8) == "encoded")
        #expect(stub.requests.count == 2)
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

    @Test("A validation in the background renews the response once, as a call of its own")
    func background() async throws {
        let log = Mutex<[NetworkEvent]>([])
        let count = Counter()
        let stub = StubTransport { _ in
            response("\(count.next())", ["Cache-Control": "max-age=5, stale-while-revalidate=60"])
                .delayed(.milliseconds(50))
        }
        let cache = cache()
        let client = client(stub, cache, log)
        _ = try await get(client)
        time.withLock { $0 += 10 }
        for _ in 0..<5 { #expect(try await get(client).bytes == Array("0".utf8)) }
        try await until { log.withLock { $0.filter { $0.kind == .ended }.count } == 7 }
        #expect(stub.requests.count == 2)
        #expect(try await get(client).bytes == Array("1".utf8))
        try await until { cache.validations.withLock { $0.isEmpty } }
        time.withLock { $0 += 10 }
        #expect(try await get(client).bytes == Array("1".utf8))
        try await until { stub.requests.count == 3 }
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

    @Test("A 304 behind a redirect doesn't confirm the response of the first URL")
    func redirectedConfirmation() async throws {
        let isMoved = Mutex(false)
        let stub = StubTransport { request in
            if request.url.path == "/old" {
                return isMoved.withLock { $0 }
                    ? .redirect(302, to: "/new")
                    : response("old", ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Cache-Control": "no-cache"])
            }
            return request.headers.contains("If-Modified-Since") ? .status(304) : response("new", [:])
        }
        let client = client(stub, cache())
        #expect(try await get(client, "/old").text() == "old")
        isMoved.withLock { $0 = true }
        #expect(try await get(client, "/old").text() == "new")
    }

    @Test("A long response removes the stored one, with or without a length", arguments: [true, false])
    func longReplacement(isAnnounced: Bool) async throws {
        let count = Counter()
        let stub = StubTransport { _ in
            if count.next() == 0 { return response("old", ["Cache-Control": "max-age=60"]) }
            var long = StubResponse(
                headers: ["Cache-Control": "max-age=60"], chunks: [[UInt8](repeating: 7, count: 300_000)])
            if isAnnounced { long.head.headers["Content-Length"] = "300000" }
            return long
        }
        let client = client(stub, cache())
        #expect(try await get(client).bytes.count == 3)
        #expect(try await get(client, "/", ["Cache-Control": "no-cache"]).bytes.count == 300_000)
        #expect(try await get(client).bytes.count == 300_000)
    }

    @Test("A 304 that says no-store removes the stored response")
    func unstorableConfirmation() async throws {
        let fields: HTTPHeaders = [
            "ETag": "\"a\"", "Cache-Control": "max-age=5", "Last-Modified": CacheRules.date(-864_000),
        ]
        let stub = StubTransport { request in
            request.headers.contains("If-None-Match")
                ? .status(304, headers: ["ETag": "\"a\"", "Cache-Control": "no-store"]) : response("one", fields)
        }
        let client = client(stub, cache())
        _ = try await get(client)
        time.withLock { $0 += 10 }
        #expect(try await get(client).text() == "one")
        _ = try await get(client)
        #expect(stub.requests.count == 3)
        #expect(stub.requests.last?.headers.contains("If-None-Match") == false)
    }

    @Test("A redirected change removes the stored response even if the target fails", arguments: [404, 503, 0])
    func redirectedChange(status: Int) async throws {
        let stub = StubTransport { request in
            if request.method == .post { return .redirect(303, to: "/b") }
            if request.url.path == "/a" { return response("one", ["Cache-Control": "max-age=60"]) }
            return status == 0 ? .failing(NetworkError(.connectionLost)) : .status(status)
        }
        let client = client(stub, cache())
        _ = try await get(client, "/a")
        await #expect(throws: NetworkError.self) { try await client.send(NetworkRequest(.post, "https://h/a")) }
        #expect(try client.explain(NetworkRequest(.get, "https://h/a")) == "not cached: nothing is stored")
    }
}
