/// What a JSON document may be at most, and what happens to keys that appear twice in one object.
public struct JSONLimits: Hashable, Sendable {
    /// How a key that appears twice in one object is treated.
    public enum DuplicateKeys: Hashable, Sendable {
        /// The last value is read; the others are still iterated, counted and written.
        case lastWins
        /// The document is refused with `.invalidJSON`.
        case refuse
    }

    /// How deep arrays and objects may lie in each other; 512 unless set, never more than ``deepest``.
    public var depth: Int
    /// How many bytes a document may have; ``largest`` unless set, never more.
    public var bytes: Int
    /// How a key that appears twice in one object is treated; the last wins unless set.
    public var duplicateKeys: DuplicateKeys

    /// The greatest depth that can be allowed: 1,024; also that of values made in code.
    public static let deepest: Int = 1024
    /// The greatest size that can be allowed: 256 MiB less one byte.
    public static let largest: Int = (1 << 28) - 1

    /// The limits that hold unless others are given, but a key that appears twice in one object is refused.
    public static let strict: JSONLimits = JSONLimits(duplicateKeys: .refuse)

    /// Creates limits; values beyond the possible ones are lowered to them.
    public init(depth: Int = 512, bytes: Int = JSONLimits.largest, duplicateKeys: DuplicateKeys = .lastWins) {
        self.depth = min(max(depth, 0), Self.deepest)
        self.bytes = min(max(bytes, 0), Self.largest)
        self.duplicateKeys = duplicateKeys
    }
}
