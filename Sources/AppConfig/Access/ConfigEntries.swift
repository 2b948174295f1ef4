internal import AshlarCore

/// Finds the entries of a dictionary for a type that decodes them one at a time.
///
/// A class, because the standard library copies a decoding container for every request.
final class ConfigEntries {
    /// A hash index of the entries, with what a search needs.
    private struct Index {
        let nodes: [ConfigNode]
        let keyBytes: ContiguousArray<UInt8>
        let seed = ByteHash.seed
        let table: HashIndex

        init(_ decoder: ConfigDecoder) {
            let (tree, seed) = (decoder.tree, self.seed)
            let (nodes, keyBytes) = (tree.nodes, tree.keyBytes)
            var table = HashIndex(expecting: tree.count(of: decoder.node))
            for child in tree.children(of: decoder.node) {
                let hash = ByteHash.hash(keyBytes.span.extracting(nodes[child].keyRange).bytes, seed: seed)
                _ = table.insert(child, hash: hash) { _ in false }
            }
            (self.nodes, self.keyBytes, self.table) = (nodes, keyBytes, table)
        }

        func find(_ name: RawSpan) -> Int? {
            let keys = keyBytes.span
            return table.find(ByteHash.hash(name, seed: seed)) {
                keys.extracting(nodes[$0].keyRange).bytes.hasSameBytes(as: name)
            }
        }
    }

    let decoder: ConfigDecoder
    private let tree: ConfigTree
    private let index: Index

    init(_ decoder: ConfigDecoder) {
        self.decoder = decoder
        tree = decoder.tree
        index = Index(decoder)
    }

    /// Returns the node of the entry with a key.
    func find(_ name: String) -> Int? {
        var name = name
        return name.withUTF8 { index.find(Span(_unsafeElements: $0).bytes) }
    }
}

// Scalars are read here and not in the generic containers, which the compiler can't specialize for the keys of other
// modules.
extension ConfigEntries {
    /// Returns the node of an entry.
    func node(_ name: String) throws -> Int {
        guard let node = find(name) else { throw missing(name) }
        return node
    }

    func isNull(_ name: String) throws -> Bool { tree.nodes[try node(name)].kind == .null }

    func bool(_ name: String) throws -> Bool { try scalar(name) { $0.kind == .boolean ? $0.payload != 0 : nil } }

    func string(_ name: String) throws -> String {
        try scalar(name) { $0.kind == .string ? tree.strings[Int($0.payload)] : nil }
    }

    func double(_ name: String) throws -> Double {
        try scalar(name) { node in
            let number = Double(bitPattern: node.payload)
            return node.kind == .real && number.isFinite ? number : nil
        }
    }

    func integer<T: FixedWidthInteger & ConfigConvertible>(_ name: String) throws -> T {
        try scalar(name) { node in
            node.kind == .integer && !decoder.decoding.snapshot.readsAsSeed
                ? T(exactly: Int64(bitPattern: node.payload)) : nil
        }
    }

    /// Returns the value of an entry, which `value` reads if it has the common type.
    @inline(__always)
    private func scalar<T: ConfigConvertible>(_ name: String, _ value: (ConfigNode) -> T?) throws -> T {
        let node = try node(name)
        return try value(tree.nodes[node]) ?? decoder.at(node).convert()
    }

    @inline(never)
    private func missing(_ name: String) -> ConfigError {
        let names = tree.children(of: decoder.node).map { tree.key(of: $0) }
        return ConfigError(
            .missingKey, key: decoder.fullPath.appending(name), location: tree.location(of: decoder.node),
            expected: "a value", found: "nothing",
            hint: NearestName.find(name, among: names).map { "did you mean \($0)?" })
    }
}
