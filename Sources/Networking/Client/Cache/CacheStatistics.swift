internal import AshlarCore

/// The results of the requests to a cache since it was created, and its size.
///
/// Each request that the cache may answer counts once: as a hit, as validated, or as a miss.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of stored responses that were returned without asking the server, or because it failed.
    public var hits = 0
    /// The number of stored responses that were returned after the server had confirmed them.
    public var validated = 0
    /// The number of requests for which nothing usable was stored, also if they failed.
    public var misses = 0
    /// The approximate size of the stored responses in bytes; in a folder, that of the files at the last measurement.
    public var bytes = 0
}

extension ResponseCache {
    /// The counts since the cache was created, by all clients that share it, and its size.
    ///
    /// Validations in the background don't count.
    public var statistics: CacheStatistics {
        var statistics = counts.withLock { $0 }
        statistics.bytes = store.size
        return statistics
    }
}
