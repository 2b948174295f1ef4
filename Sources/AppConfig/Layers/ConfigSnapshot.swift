internal import AshlarCore

/// The result of loading: the merged tree, its index, and its layers.
///
/// A snapshot never changes; values set at run time are stored in `ApplicationConfig`.
final class ConfigSnapshot: Sendable {
    let tree: ConfigTree
    let index: ConfigIndex
    let context: ConfigContext
    /// The secret nodes, computed on first use; invalid after the program declares another secret key.
    private let secrecy = Mutex<(declarations: Int, isSecret: [Bool])?>(nil)

    init(tree: ConfigTree, context: ConfigContext) {
        self.tree = tree
        self.index = ConfigIndex(tree)
        self.context = context
    }

    /// Creates a snapshot of the same values with another context.
    init(_ other: ConfigSnapshot, context: ConfigContext) {
        tree = other.tree
        index = other.index
        self.context = context
    }

    /// Whether each node is secret.
    var secretNodes: [Bool] {
        let declarations = ConfigDeclaredKeys.secretPaths.count + context.declaredSecrets.count
        if let known = secrecy.withLock({ $0 }), known.declarations == declarations { return known.isSecret }
        let isSecret = tree.secretNodes(by: context.secrets)
        secrecy.withLock { $0 = (declarations, isSecret) }
        return isSecret
    }

    /// Whether the value of a node is secret.
    func isSecret(_ node: Int) -> Bool { secretNodes[node] }

    /// Returns the node for the text of a key: a literal root key first, then a path.
    func find(_ key: String) -> Int? {
        index.find(key) ?? (mayBeSpelledOtherwise(key.utf8) ? find(ConfigPath(key).components) : nil)
    }

    /// Whether a text that isn't in the index can be the path of a value: with an alternative notation (`::`, `\`,
    /// `[2]`), as a path that a literal key hides, or as a path deeper than the index.
    private func mayBeSpelledOtherwise(_ text: String.UTF8View) -> Bool {
        text.isEmpty || text.count >= ConfigIndex.maximumDepth * 2 - 1 || !index.hidden.isEmpty
            || text.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "\\") }
    }

    /// The node that a path means.
    func find(_ path: ConfigPath) -> Int? {
        switch path.storage {
        case .text(let text): find(text)
        case .components(let components): find(components)
        }
    }

    /// The node at exactly these steps.
    func find(_ components: [ConfigPath.Component]) -> Int? {
        let keys = components.prefix {
            if case .key = $0 { true } else { false }
        }
        if keys.isEmpty { return tree.descend(components) }
        var found: Int?
        if keys.count == 1, case .key(let key) = keys[0] {
            found = index.find(key)
            if let node = found, tree.nodes[node].parent != 0 { found = nil }
        } else {
            var text: [UInt8] = []
            for case .key(let key) in keys { ConfigPath.append(key: key.utf8, to: &text, isFirst: text.isEmpty) }
            found = index.find(text)
            // Exact steps don't refer to a literal root key with the same text.
            if let node = found, tree.nodes[node].parent == 0 { found = nil }
        }
        guard let found else { return tree.descend(components) }
        return keys.count == components.count ? found : tree.descend(from: found, components.dropFirst(keys.count))
    }
}

/// Finds the node for the text of a path with one hash and one probe.
///
/// Every value that is reached through dictionaries only is stored under the hash of its path's text. A root key is
/// stored under its own bytes, so a literal `a.b` and a nested `a{b}` have the same text; the literal key takes
/// precedence. A hit is compared with the keys of the tree, so colliding hashes never return a wrong value.
struct ConfigIndex: Sendable {
    /// The maximum depth of the index; deeper values are found by following the path.
    static let maximumDepth = 32

    private let seed = ByteHash.seed
    private let tree: ConfigTree
    private let nodes: [ConfigNode]
    private let keyBytes: ContiguousArray<UInt8>
    private var table: HashIndex
    /// Nested nodes whose text is also that of a literal root key.
    private(set) var hidden: [Int] = []

    init(_ tree: ConfigTree) {
        self.tree = tree
        nodes = tree.nodes
        keyBytes = tree.keyBytes
        table = HashIndex(expecting: tree.nodes.count)
        var text: [UInt8] = []
        var ends: [(end: Int, length: Int)] = []
        var number = 1
        while number < nodes.count {
            while let last = ends.last, last.end <= number { ends.removeLast() }
            text.removeLast(text.count - (ends.last?.length ?? 0))
            let node = nodes[number]
            let key = keyBytes[node.keyRange]
            if node.parent == 0 {
                text += key
            } else if node.flags.contains(.escapedKey) {
                ConfigPath.append(key: key, to: &text, isFirst: false)
            } else {
                text.append(UInt8(ascii: "."))
                text += key
            }
            insert(number, text)
            let end = Int(node.end)
            guard node.kind == .dictionary, ends.count < Self.maximumDepth - 1, end > number + 1 else {
                number = end
                continue
            }
            if node.parent == 0, node.flags.contains(.escapedKey) {
                // Below a root key with dots, the canonical text starts with the escaped key.
                text.removeAll(keepingCapacity: true)
                ConfigPath.append(key: key, to: &text, isFirst: true)
            }
            ends.append((end, text.count))
            number += 1
        }
    }

    private mutating func insert(_ number: Int, _ text: [UInt8]) {
        let (tree, nodes, keyBytes) = (tree, nodes, keyBytes)
        let keys = keyBytes.span
        let isRootKey = nodes[number].parent == 0
        let slice = text[...]
        let bytes = slice.span.bytes
        let twin = table.insert(number, hash: ByteHash.hash(bytes, seed: seed), replaces: isRootKey) { other in
            Self.matches(other, bytes, in: nodes, keys: keys, of: tree)
        }
        if let twin { hidden.append(isRootKey ? twin : number) }
    }

    /// Returns the node whose path has this text; a literal root key takes precedence over a nested path.
    @inline(__always)
    func find(_ text: RawSpan) -> Int? {
        let keys = keyBytes.span
        return table.find(ByteHash.hash(text, seed: seed)) {
            Self.matches($0, text, in: nodes, keys: keys, of: tree)
        }
    }

    func find(_ text: [UInt8]) -> Int? {
        let slice = text[...]
        return find(slice.span.bytes)
    }

    func find(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { find(Span(_unsafeElements: $0).bytes) }
    }

    /// Whether a node's path has this text, compared from the last key to the first.
    @inline(__always)
    private static func matches(
        _ number: Int, _ text: RawSpan, in nodes: [ConfigNode], keys: Span<UInt8>, of tree: ConfigTree
    ) -> Bool {
        var number = number
        var rest = text.byteCount
        while true {
            let node = nodes[number]
            let isRootKey = node.parent == 0
            if node.flags.contains(.escapedKey), !(isRootKey && rest == text.byteCount) {
                let path = tree.path(of: number).description
                return text.extracting(0..<rest).withUnsafeBytes { $0.elementsEqual(path.utf8) }
            }
            let from = rest - Int(node.keyLength)
            guard from >= 0, text.extracting(from..<rest).hasSameBytes(as: keys.extracting(node.keyRange).bytes) else {
                return false
            }
            if isRootKey { return from == 0 }
            guard from > 0, text.unsafeLoad(fromByteOffset: from - 1, as: UInt8.self) == UInt8(ascii: ".") else {
                return false
            }
            rest = from - 1
            number = Int(node.parent)
        }
    }
}
