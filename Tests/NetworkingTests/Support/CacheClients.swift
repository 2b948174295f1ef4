import AshlarTestSupport

@testable import AshlarNetworking

/// Tests with a cache whose clock they set.
protocol CacheClients {
    var time: Mutex<Int64> { get }
}

extension CacheClients {
    func cache(_ store: any CacheStore = MemoryCacheStore(limit: 1 << 20)) -> ResponseCache {
        ResponseCache(store, clock: { [time] in time.withLock { $0 } })
    }

    func client(
        _ stub: any NetworkTransport, _ cache: ResponseCache, _ log: Mutex<[NetworkEvent]>? = nil,
        hosts: HostResolver? = nil
    ) -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.cache = cache
        configuration.observers =
            log.map { log in
                [NetworkObserver { event in log.withLock { $0.append(event) } }]
            } ?? []
        return NetworkClient(configuration, transport: stub, hosts: hosts)
    }

    func get(
        _ client: NetworkClient, _ path: String = "/", _ headers: HTTPHeaders = [:]
    ) async throws -> NetworkResponse {
        try await client.send(NetworkRequest(.get, "https://h" + path, headers: headers))
    }

    func response(_ text: String, _ headers: HTTPHeaders, status: Int = 200) -> StubResponse {
        StubResponse(status: status, headers: headers, chunks: [Array(text.utf8)])
    }
}
