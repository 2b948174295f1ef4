internal import AshlarCore
import Foundation

/// A private cache of responses (RFC 9111), off by default.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.cache = .memory()
/// let client = NetworkClient(configuration)
/// ```
///
/// Any number of clients can share a cache. It belongs to one user: call ``removeAll()`` after a logout.
public final class ResponseCache: Sendable {
    private let store: any CacheStore
    private let clock: @Sendable () -> Int64
    /// Numbers that increase with each invalidation; an exchange that began before it must not store its response.
    private let generations = Mutex([UInt64](repeating: 0, count: CacheKey.slots))
    let flights = CacheFlights()

    init(_ store: any CacheStore, clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }) {
        (self.store, self.clock) = (store, clock)
    }

    /// Returns a cache in memory.
    ///
    /// - Parameter bytes: The approximate limit of its size; 20 MiB by default. Responses over a quarter of it aren't stored.
    /// - Returns: The cache.
    public static func memory(bytes: Int = 20 << 20) -> ResponseCache { ResponseCache(MemoryCacheStore(limit: bytes)) }

    /// Returns a cache in the files of a folder, which is created if necessary.
    ///
    /// Several clients and processes can use the folder concurrently. A killed process leaves complete responses.
    ///
    /// - Parameters:
    ///   - path: The folder. If it is created, only its owner can read it.
    ///   - bytes: The limit of its size; 100 MiB by default. Responses over a quarter of it aren't stored.
    /// - Returns: The cache.
    /// - Throws: `.fileFailed` if the folder can't be created.
    public static func directory(_ path: String, bytes: Int = 100 << 20) throws(NetworkError) -> ResponseCache {
        ResponseCache(try DirectoryCacheStore(path, limit: bytes))
    }

    /// Removes all responses, for example after a logout.
    public func removeAll() {
        generations.withLock { generations in
            for index in generations.indices { generations[index] += 1 }
            store.removeAll()
        }
    }

    /// Removes all responses of a URL.
    public func remove(_ url: HTTPURL) {
        let slot = CacheKey.slot(of: url)
        generations.withLock { generations in
            generations[slot] += 1
            store.remove(url)
        }
    }

    /// The time in seconds since 1970.
    var now: Int64 { clock() }
    /// The maximum length of a stored body.
    var bodyLimit: Int { store.recordLimit }

    func decide(_ request: NetworkRequest) -> CachePolicy.Decision {
        CachePolicy.decide(request, now: now) { store.record(CacheKey(request.url)) }
    }

    func generation(_ request: NetworkRequest) -> UInt64 {
        let slot = CacheKey.slot(of: request.url)
        return generations.withLock { $0[slot] }
    }

    /// Stores the response of an exchange, or removes an old one for nil, unless an invalidation happened since it
    /// began.
    func replace(_ request: NetworkRequest, by entry: CacheEntry?, began generation: UInt64) {
        let (key, slot) = (CacheKey(request.url), CacheKey.slot(of: request.url))
        // The lock makes the check and the change atomic.
        generations.withLock { generations in
            guard generations[slot] == generation else { return }
            var record = store.record(key) ?? CacheRecord(variants: [])
            guard entry != nil || !record.variants.isEmpty else { return }
            record.replace(request, by: entry)
            while record.variants.count > 1, record.cost > store.recordLimit { record.variants.removeLast() }
            store.set(key, record)
        }
    }
}
