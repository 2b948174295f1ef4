/// Limits of a JSON document, and the treatment of duplicate keys.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum depth of nested containers; 512 by default, at most ``deepest``.
    public var depth: Int
    /// The maximum number of bytes; by default and at most ``largest``.
    public var bytes: Int
    /// Whether a document with a key that occurs twice in one object is rejected with `.invalidJSON`.
    ///
    /// If it is false, the default, the last value is read, and all values are iterated, counted and written.
    public var rejectsDuplicateKeys: Bool

    /// The greatest value of ``depth``, 1,024, which also applies to values created in code.
    public static let deepest: Int = 1024
    /// The greatest value of ``bytes``: 256 MiB less one byte.
    public static let largest: Int = (1 << 28) - 1

    /// The default limits, with duplicate keys rejected.
    public static let strict: JSONLimits = JSONLimits(rejectsDuplicateKeys: true)

    /// Creates limits, clamped to the greatest values.
    public init(depth: Int = 512, bytes: Int = JSONLimits.largest, rejectsDuplicateKeys: Bool = false) {
        self.depth = min(max(depth, 0), Self.deepest)
        self.bytes = min(max(bytes, 0), Self.largest)
        self.rejectsDuplicateKeys = rejectsDuplicateKeys
    }
}
