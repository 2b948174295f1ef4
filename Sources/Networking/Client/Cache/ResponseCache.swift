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
    let exchanges = CacheExchanges()

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
    /// are read and written on a thread of the cache; a request doesn't wait longer than 100 ms for a slow disk: then its
    /// response isn't taken from the cache, and is stored later or not at all.
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
            while record.variants.count > 1, record.cost > limit { record.variants.removeLast() }
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

/// The exchanges in progress, which identical requests share.
final class CacheExchanges: Sendable {
    /// The properties of requests that can share an exchange.
    struct Key: Hashable {
        let key: CacheKey
        let headers: HTTPHeaders
        let decompresses: Bool
        /// The user whose credentials the client adds.
        let user: String?
        /// An exchange that began before an invalidation isn't shared with later requests.
        let generation: UInt64

        init(_ query: CacheQuery, generation: UInt64) {
            key = CacheKey(query.request.url)
            user = query.user
            self.generation = generation
            headers = query.request.headers
            decompresses = query.request.options.decompresses
        }
    }

    /// The result for a request that waits for another one's exchange.
    enum Outcome: Sendable {
        /// The request performs the exchange itself, for the others as well.
        case perform
        /// The response that the exchange stored.
        case stored(CacheEntry)
        /// The response can't be shared, so that each request performs its own exchange.
        case unshared
        case failed(NetworkError)
    }

    /// The failures that result from the timeouts, limits and redirect policy of the request that performs it.
    private static let ownFailures: Set<NetworkError.Code> = [
        .timedOut, .badResponse, .bodyTooLarge, .decompressionLimit, .insecureRedirect, .tooManyRedirects,
    ]

    private let running = Mutex<[Key: Promise<Outcome>]>([:])

    /// The number of waiting requests.
    var waiterCount: Int { running.withLock { $0.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Begins an exchange; returns whether there was none.
    func begin(_ key: Key) -> Bool { enter(key) == nil }

    /// Begins an exchange, or returns the promise of the one in progress.
    private func enter(_ key: Key) -> Promise<Outcome>? {
        running.withLock { running in
            if let promise = running[key] { return promise }
            running[key] = Promise()
            return nil
        }
    }

    /// Begins an exchange, or waits for that of another request.
    ///
    /// - Throws: `.cancelled` or `.timedOut`.
    func join(_ key: Key, timeout: Duration?) async throws(NetworkError) -> Outcome {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        while let promise = enter(key) {
            let outcome = try await promise.outcome(within: deadline.map { $0 - .now })
            // After a cancelled exchange, one of the waiting requests performs it.
            if case .perform = outcome { continue }
            return outcome
        }
        return .perform
    }

    /// Ends an exchange and returns its outcome to the waiting requests.
    ///
    /// If it was cancelled, one of them performs it. If it failed because of its own options, each performs its own exchange.
    func finish(_ key: Key, _ outcome: Outcome) {
        var outcome = outcome
        if case .failed(let error) = outcome {
            if Self.ownFailures.contains(error.code) { outcome = .unshared }
            if error.code == .cancelled { outcome = .perform }
        }
        running.withLock { $0.removeValue(forKey: key) }?.fulfill(outcome)
    }
}
