/// A storage for the records of a cache.
protocol CacheStore: Sendable {
    /// The maximum number of bytes of one record.
    var recordLimit: Int { get }
    /// Returns the record of a key and marks it as used.
    func record(_ key: CacheKey) -> CacheRecord?
    /// Replaces the record of a key, or removes it if it has no variants or is too large.
    func set(_ key: CacheKey, _ record: CacheRecord)
    /// Removes the record of a URL.
    func remove(_ url: HTTPURL)
    /// Removes all records.
    func removeAll()
}
