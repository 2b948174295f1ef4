internal import AshlarCore

/// Finds the entries of one dictionary for a type that decodes them one after the other.
///
/// An object, because the standard library copies a decoding container for every question.
final class ConfigEntries {
    let decoder: ConfigDecoder
    let tree: ConfigTree
    /// Contiguous because `Array.span` is newer than the deployment targets.
    private let keyBytes: ContiguousArray<UInt8>
    private let index: HashIndex?

    /// Dictionaries of more entries get a hash index.
    private static let largestScan = 8

    init(_ decoder: ConfigDecoder) {
        self.decoder = decoder
        tree = decoder.tree
        guard tree.count(of: decoder.node) > Self.largestScan else {
            (keyBytes, index) = ([], nil)
            return
        }
        var index = HashIndex(expecting: tree.count(of: decoder.node))
        let keyBytes = ContiguousArray(tree.keyBytes)
        self.keyBytes = keyBytes
        let keys = keyBytes.span
        for child in tree.children(of: decoder.node) {
            let hash = ByteHash.hash(keys.extracting(tree.nodes[child].keyRange).bytes)
            _ = index.insert(child, hash: hash) { _ in false }
        }
        self.index = index
    }

    /// The node of the entry with this key.
    func find(_ name: String) -> Int? {
        guard let index else { return tree.child(of: decoder.node, key: name) }
        var name = name
        let (nodes, keyBytes) = (tree.nodes, keyBytes)
        return name.withUTF8 { name in
            let (name, keys) = (Span(_unsafeElements: name).bytes, keyBytes.span)
            return index.find(ByteHash.hash(name)) {
                keys.extracting(nodes[$0].keyRange).bytes.hasSameBytes(as: name)
            }
        }
    }
}
