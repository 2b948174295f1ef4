/// The limits beyond which a source is rejected with a `limitExceeded` error.
public struct ConfigLimits: Sendable, Hashable {
    /// The maximum nesting of dictionaries and arrays, 512 by default and at most 10,000.
    public var depth: Int { didSet { depth = min(max(depth, 1), 10_000) } }
    /// The maximum number of bytes in one file, 64 MiB by default and at most 1 GiB.
    public var bytes: Int { didSet { bytes = min(max(bytes, 1), 1 << 30) } }
    /// The maximum number of values in one configuration, 4,000,000 by default, including each use of a shared object.
    public var values: Int { didSet { values = min(max(values, 1), 1 << 27) } }
    /// The maximum number of bytes to which `${…}` expands one value, 1 MiB by default.
    public var expandedValueBytes: Int
    /// The maximum number of bytes to which `${…}` expands all values, 16 MiB by default.
    public var expandedTotalBytes: Int

    /// Creates limits.
    public init(
        depth: Int = 512, bytes: Int = 64 << 20, values: Int = 4_000_000, expandedValueBytes: Int = 1 << 20,
        expandedTotalBytes: Int = 16 << 20
    ) {
        self.depth = min(max(depth, 1), 10_000)
        self.bytes = min(max(bytes, 1), 1 << 30)
        self.values = min(max(values, 1), 1 << 27)
        self.expandedValueBytes = expandedValueBytes
        self.expandedTotalBytes = expandedTotalBytes
    }
}
