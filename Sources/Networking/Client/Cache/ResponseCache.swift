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
    let store: any CacheStore
    private let clock: @Sendable () -> Int64
    /// Numbers that increase with each invalidation, by bucket of URLs; an exchange that began before it must not store
    /// its response.
    private let generations = Mutex([UInt64](repeating: 0, count: CacheKey.buckets))
    /// The validations in the background that are in progress.
    let validations = Mutex<Set<Validation>>([])

    /// Identifies a stored response.
    struct Validation: Hashable {
        let key: CacheKey
        let varying: [CacheEntry.Varying]
    }

    init(_ store: any CacheStore, clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }) {
        self.store = store
        self.clock = clock
    }

    /// Returns a cache in memory.
    ///
    /// - Parameter bytes: The approximate limit of its size; 20 MiB by default. Responses over a quarter of it aren't stored.
    /// - Returns: The cache.
    public static func memory(bytes: Int = 20 << 20) -> ResponseCache { ResponseCache(MemoryCacheStore(limit: bytes)) }

    /// Returns a cache in the files of a folder, which is created if necessary.
    ///
    /// Several clients and processes can use the folder concurrently. A killed process leaves complete responses. Files
    /// are read and written one after the other, on a thread of the cache.
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
    ///
    /// For a folder, the method returns when the files are removed.
    public func removeAll() {
        generations.withLock { generations in
            for bucket in generations.indices { generations[bucket] += 1 }
        }
        store.removeNow(nil)
    }

    /// Removes all responses of a URL; see ``removeAll()``.
    public func remove(_ url: HTTPURL) {
        invalidate(url)
        store.removeNow([url])
    }

    /// Removes all responses of a URL that a request has changed.
    nonisolated(nonsending) func removeChanged(_ url: HTTPURL) async {
        invalidate(url)
        await store.remove(url)
    }

    private func invalidate(_ url: HTTPURL) { generations.withLock { $0[CacheKey.bucket(of: url)] += 1 } }

    /// The time in seconds since 1970.
    var now: Int64 { clock() }
    /// The maximum length of a stored body.
    var bodyLimit: Int { store.recordLimit }

    nonisolated(nonsending) func decide(_ query: CacheQuery) async -> CachePolicy.Decision {
        let record = CachePolicy.needsRecord(query.request) ? await store.record(CacheKey(query.request.url)) : nil
        return CachePolicy.decide(query, now: now, record)
    }

    /// Returns the decision, and blocks the thread meanwhile.
    func decideNow(_ query: CacheQuery) -> CachePolicy.Decision {
        let record = CachePolicy.needsRecord(query.request) ? store.recordNow(CacheKey(query.request.url)) : nil
        return CachePolicy.decide(query, now: now, record)
    }

    func generation(_ query: CacheQuery) -> UInt64 {
        generations.withLock { $0[CacheKey.bucket(of: query.request.url)] }
    }

    /// Stores the response of an exchange, or removes an old one for nil, unless an invalidation happened since it
    /// began.
    nonisolated(nonsending) func replace(
        _ query: CacheQuery, by entry: CacheEntry?, began generation: UInt64
    ) async {
        let limit = store.recordLimit
        await store.update(CacheKey(query.request.url)) { [self] stored in
            // An invalidation after this line removes the record after this change.
            guard self.generation(query) == generation else { return nil }
            var record = stored ?? CacheRecord(variants: [])
            guard entry != nil || !record.variants.isEmpty else { return nil }
            record.replace(query, by: entry)
            while record.cost > limit, record.variants.popLast() != nil {}
            return record
        }
    }
}

extension CachePolicy.Decision: CustomStringConvertible {
    /// The result and its reason in one line.
    var description: String {
        switch self {
        case .bypass(let reason): return "not cached: \(reason)"
        case .miss(let reason): return "not cached: \(reason)"
        case .validate(_, let reason): return "validated first: \(reason)"
        case .unavailable(let reason): return "fails with 504: only-if-cached, and \(reason)"
        case .use(_, let freshness):
            let source = "(\(freshness.source), age \(freshness.age))"
            return freshness.isFresh
                ? "cached: fresh for \(freshness.rest) s more \(source)"
                : "cached: stale for \(-freshness.rest) s \(source), which the request's max-stale allows"
        case .useAndValidate(_, let freshness):
            let source = "(\(freshness.source), age \(freshness.age))"
            return "cached: stale for \(-freshness.rest) s \(source), and validated in the background "
                + "(stale-while-revalidate)"
        }
    }
}
