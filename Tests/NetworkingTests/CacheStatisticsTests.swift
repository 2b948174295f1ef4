import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// The counts and the size of a cache.
@Suite(.timeLimit(.minutes(5))) struct CacheStatisticsTests: CacheClients {
    let time = Mutex(CacheRules.start)

    @Test("The statistics count each request once, and have the size", arguments: [true, false])
    func statistics(isOnDisk: Bool) async throws {
        let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store: any CacheStore =
            isOnDisk ? try DirectoryCacheStore(folder, limit: 1 << 20) : MemoryCacheStore(limit: 1 << 20)
        let cache = cache(store)
        let isDown = Locked(false)
        let stub = StubTransport { request throws(NetworkError) in
            if isDown.withLock({ $0 }) { throw NetworkError(.notConnected, "down", phase: .connect) }
            if request.headers.contains("If-None-Match") { return .status(304) }
            return response("one", ["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
        }
        let client = client(stub, cache)
        #expect(cache.statistics == CacheStatistics())
        func expect(_ hits: Int, _ validated: Int, _ misses: Int) {
            let found = cache.statistics
            #expect(found.hits == hits && found.validated == validated && found.misses == misses)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await get(client) } }
            try await group.waitForAll()
        }
        expect(9, 0, 1)
        #expect(cache.statistics.bytes > 3)
        time.withLock { $0 += 100 }
        _ = try await get(client)
        expect(9, 1, 1)
        isDown.withLock { $0 = true }
        time.withLock { $0 += 100 }
        _ = try await get(client)
        expect(10, 1, 1)
        _ = try? await client.send(NetworkRequest(.get, "https://h/other"))
        expect(10, 1, 2)
        _ = try? await client.send(NetworkRequest(.post, "https://h/other"))
        expect(10, 1, 2)
        cache.removeAll()
        expect(10, 1, 2)
        #expect(cache.statistics.bytes == 0)
    }
}
