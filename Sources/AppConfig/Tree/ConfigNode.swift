/// One value of a tree.
///
/// A node has 32 bytes and no references, so trees of any depth are copied and freed without recursion.
struct ConfigNode {
    /// The bits of a number, the index of a string or of data, or the number of children.
    var payload: UInt64
    /// The position of the value; its meaning depends on the source (see `ConfigTreeSource.Positions`).
    var position: UInt32
    /// The start of the node's key in the tree's key bytes.
    var keyStart: UInt32
    /// The number of the first node after this one and its descendants.
    var end: UInt32
    /// The number of the container of the node; 0 for the root.
    var parent: UInt32
    var keyLength: UInt16
    /// The number of the node's source in the tree.
    var source: UInt16
    var kind: ConfigKind
    var flags: Flags

    /// The range of the node's key in the tree's key bytes.
    var keyRange: Range<Int> { Int(keyStart)..<(Int(keyStart) + Int(keyLength)) }

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Whether the value is never printed.
        static let secret = Flags(rawValue: 1)
        /// Whether the key contains a character that is escaped in the text of a path.
        static let escapedKey = Flags(rawValue: 2)
        /// Whether a later duplicate replaced the node.
        static let superseded = Flags(rawValue: 4)
        /// Whether references produced the value.
        static let interpolated = Flags(rawValue: 8)
    }
}
