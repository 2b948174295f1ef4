/// Limits of a JSON document, and the treatment of duplicate keys.
public struct JSONLimits: Hashable, Sendable {
    /// The treatment of a key that occurs twice in one object.
    public enum DuplicateKeys: Hashable, Sendable {
        /// The last value is read; all values are iterated, counted and written.
        case lastWins
        /// The document is rejected with `.invalidJSON`.
        case refuse
    }

    /// The maximum depth of nested containers; 512 by default, at most ``deepest``.
    public var depth: Int
    /// The maximum number of bytes; by default and at most ``largest``.
    public var bytes: Int
    /// The treatment of duplicate keys; by default, the last applies.
    public var duplicateKeys: DuplicateKeys

    /// The greatest value of ``depth``, 1,024, which also applies to values created in code.
    public static let deepest: Int = 1024
    /// The greatest value of ``bytes``: 256 MiB less one byte.
    public static let largest: Int = (1 << 28) - 1

    /// The default limits, with duplicate keys rejected.
    public static let strict: JSONLimits = JSONLimits(duplicateKeys: .refuse)

    /// Creates limits, clamped to the greatest values.
    public init(depth: Int = 512, bytes: Int = JSONLimits.largest, duplicateKeys: DuplicateKeys = .lastWins) {
        self.depth = min(max(depth, 0), Self.deepest)
        self.bytes = min(max(bytes, 0), Self.largest)
        self.duplicateKeys = duplicateKeys
    }
}
