internal import AshlarCore

/// Finds the entries of a dictionary for a type that decodes them one at a time.
///
/// A class, because the standard library copies a decoding container for every request.
final class ConfigEntries {
    let decoder: ConfigDecoder
    let tree: ConfigTree
    private let isIndexed: Bool
    private let index: HashIndex

    /// Dictionaries with more entries get a hash index.
    private static let largestScan = 8

    init(_ decoder: ConfigDecoder) {
        self.decoder = decoder
        tree = decoder.tree
        isIndexed = tree.count(of: decoder.node) > Self.largestScan
        var index = HashIndex(expecting: isIndexed ? tree.count(of: decoder.node) : 0)
        if isIndexed {
            let keyBytes = tree.keyBytes
            let keys = keyBytes.span
            for child in tree.children(of: decoder.node) {
                let hash = ByteHash.hash(keys.extracting(tree.nodes[child].keyRange).bytes)
                _ = index.insert(child, hash: hash) { _ in false }
            }
        }
        self.index = index
    }

    /// Returns the node of the entry with a key.
    func find(_ name: String) -> Int? {
        guard isIndexed else { return tree.child(of: decoder.node, key: name) }
        var name = name
        let keyBytes = tree.keyBytes
        return name.withUTF8 { name in
            let (name, keys) = (Span(_unsafeElements: name).bytes, keyBytes.span)
            return index.find(ByteHash.hash(name)) {
                keys.extracting(tree.nodes[$0].keyRange).bytes.hasSameBytes(as: name)
            }
        }
    }
}
