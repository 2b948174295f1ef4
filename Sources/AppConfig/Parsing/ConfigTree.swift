/// One value of a tree: 32 bytes without references, so a tree of any depth is copied and freed without recursion.
struct ConfigNode {
    /// The bits of a number, the index of a text or of bytes, or the number of children.
    var payload: UInt64
    /// Where the value starts, in the terms of its source (see `ConfigSource.Positions`).
    var position: UInt32
    /// The node's key in the tree's key bytes.
    var keyStart: UInt32
    /// The number of the first node behind this one's subtree.
    var end: UInt32
    /// The number of the container that holds the node; the root is its own.
    var parent: UInt32
    var keyLength: UInt16
    /// The number of the node's source in the tree.
    var source: UInt16
    var kind: ConfigKind
    var flags: Flags

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The value is never printed.
        static let secret = Flags(rawValue: 1)
        /// The key holds a character that a path's text escapes.
        static let escapedKey = Flags(rawValue: 2)
        /// The node is not there: a later duplicate took its place.
        static let superseded = Flags(rawValue: 4)
        /// The text came out of a `${…}` template.
        static let interpolated = Flags(rawValue: 8)
    }
}

/// The values of one source, or of all of them merged, in preorder: a container is followed by its children.
///
/// Nodes are addressed by number; 0 is the root, always a dictionary. A tree never changes after it is made.
///
/// The runs of nodes, key bytes and texts are memory of the tree's own, so that reading one counts no references.
final class ConfigTree: @unchecked Sendable {
    // Nothing is written after `init`; the memory is freed with the tree.
    let nodes: UnsafeBufferPointer<ConfigNode>
    let keyBytes: UnsafeBufferPointer<UInt8>
    let strings: UnsafeBufferPointer<String>
    private let nodeStorage: ConfigStorage<ConfigNode>
    private let keyStorage: ConfigStorage<UInt8>
    private let textStorage: ConfigTexts
    let blobs: ContiguousArray<[UInt8]>
    let sources: [ConfigSource]
    /// Some key begins with `$`.
    let hasDirectives: Bool
    /// Some text holds `${` or `$$`.
    let hasTemplates: Bool
    /// Some node is `superseded` or `null`, which a merge leaves out.
    let hasGaps: Bool
    /// The nodes that a node was built from by references.
    let sourceNodes: [Int: [Int]]

    init(
        nodes: ConfigStorage<ConfigNode>, keyBytes: ConfigStorage<UInt8>, strings: ConfigTexts,
        blobs: ContiguousArray<[UInt8]>, sources: [ConfigSource], hasDirectives: Bool, hasTemplates: Bool,
        hasGaps: Bool, sourceNodes: [Int: [Int]]
    ) {
        (nodeStorage, keyStorage) = (nodes, keyBytes)
        self.nodes = nodes.buffer
        self.keyBytes = keyBytes.buffer
        textStorage = strings
        self.strings = strings.buffer
        self.blobs = blobs
        self.sources = sources
        self.hasDirectives = hasDirectives
        self.hasTemplates = hasTemplates
        self.hasGaps = hasGaps
        self.sourceNodes = sourceNodes
    }

    /// The same values with what is secret marked at the nodes themselves, for trees in which they have other paths.
    func marked(by rule: ConfigSecrets) -> ConfigTree {
        let isSecret = secretNodes(by: rule)
        if !isSecret.contains(true) { return self }
        let copy = ConfigStorage<ConfigNode>(capacity: nodes.count)
        copy.append(contentsOf: nodes)
        for node in nodes.indices where isSecret[node] { copy[node].flags.insert(.secret) }
        return ConfigTree(
            nodes: copy, keyBytes: keyStorage, strings: textStorage, blobs: blobs, sources: sources,
            hasDirectives: hasDirectives, hasTemplates: hasTemplates, hasGaps: hasGaps, sourceNodes: [:])
    }

    /// The same values, in which no key is a directive and no text a template.
    func literal() -> ConfigTree {
        var sources = sources
        for source in sources.indices { sources[source].isLiteral = true }
        return ConfigTree(
            nodes: nodeStorage, keyBytes: keyStorage, strings: textStorage, blobs: blobs, sources: sources,
            hasDirectives: false, hasTemplates: false, hasGaps: hasGaps, sourceNodes: sourceNodes)
    }

    /// The same values, in which no key is a directive.
    func withoutDirectives() -> ConfigTree {
        if !hasDirectives { return self }
        return ConfigTree(
            nodes: nodeStorage, keyBytes: keyStorage, strings: textStorage, blobs: blobs, sources: sources,
            hasDirectives: false, hasTemplates: hasTemplates, hasGaps: hasGaps, sourceNodes: sourceNodes)
    }

    static let empty: ConfigTree = {
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        builder.close()
        return builder.finish(sources: [])
    }()
}

extension ConfigTree {
    func kind(of node: Int) -> ConfigKind { nodes[node].kind }

    /// What the nodes' `keyStart` counts from.
    var firstKeyByte: UnsafePointer<UInt8> { UnsafePointer(keyStorage.base) }

    func origin(of node: Int) -> ConfigOrigin {
        let node = nodes[node]
        return sources[Int(node.source)].origin(at: node.position)
    }

    /// The number of children of a container.
    func count(of node: Int) -> Int { Int(nodes[node].payload) }

    /// The numbers of a container's children, in the order of the source.
    func children(of node: Int) -> Children { Children(tree: self, at: node + 1, end: Int(nodes[node].end)) }

    struct Children: Sequence, IteratorProtocol {
        let tree: ConfigTree
        var at: Int
        let end: Int

        mutating func next() -> Int? {
            while at < end {
                let node = at
                at = Int(tree.nodes[node].end)
                if !tree.nodes[node].flags.contains(.superseded) { return node }
            }
            return nil
        }

        /// The first child, if there is one.
        var first: Int? {
            var copy = self
            return copy.next()
        }
    }

    func withKey<R>(of node: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        body(keyStorage.slice(Int(nodes[node].keyStart), Int(nodes[node].keyLength)))
    }

    func key(of node: Int) -> String { withKey(of: node) { String(decoding: $0, as: UTF8.self) } }

    func isDirective(_ node: Int) -> Bool {
        nodes[node].keyLength > 0 && keyBytes[Int(nodes[node].keyStart)] == UInt8(ascii: "$")
    }

    /// The entry of a dictionary, found by looking at its keys one after the other.
    func child(of node: Int, key: UnsafeBufferPointer<UInt8>) -> Int? {
        guard nodes[node].kind == .dictionary else { return nil }
        return children(of: node).first { child in
            Int(nodes[child].keyLength) == key.count && withKey(of: child) { $0.hasSameBytes(as: key) }
        }
    }

    func child(of node: Int, key: String) -> Int? {
        var key = key
        return key.withUTF8 { child(of: node, key: $0) }
    }

    /// The element of an array.
    func child(of node: Int, index: Int) -> Int? {
        guard nodes[node].kind == .array, index >= 0, index < count(of: node) else { return nil }
        // Scalars follow each other without gaps.
        if Int(nodes[node].end) - node - 1 == count(of: node) { return node + 1 + index }
        return children(of: node).dropFirst(index).first { _ in true }
    }

    /// The steps from the root to a node.
    func path(of node: Int) -> ConfigPath {
        var components: [ConfigPath.Component] = []
        var at = node
        while at != 0 {
            let parent = Int(nodes[at].parent)
            if nodes[parent].kind == .array {
                components.append(.index(children(of: parent).prefix { $0 < at }.count))
            } else {
                components.append(.key(key(of: at)))
            }
            at = parent
        }
        return ConfigPath(components.reversed())
    }

    /// Follows exactly these steps down from a node.
    func descend(from node: Int = 0, _ components: some Sequence<ConfigPath.Component>) -> Int? {
        var at = node
        for component in components {
            let next =
                switch component {
                case .key(let key): child(of: at, key: key)
                case .index(let index): child(of: at, index: index)
                }
            guard let next else { return nil }
            at = next
        }
        return at
    }
}

extension UnsafeBufferPointer<UInt8> {
    func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return UInt8.areSame(left, right, count)
    }
}

extension UInt8 {
    /// Whether two runs of bytes are equal; short ones are compared as two overlapping words.
    @inline(__always)
    static func areSame(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let (left, right) = (UnsafeRawPointer(left), UnsafeRawPointer(right))
        func differ<T: FixedWidthInteger & BitwiseCopyable>(_ at: Int, _: T.Type) -> Bool {
            left.loadUnaligned(fromByteOffset: at, as: T.self) != right.loadUnaligned(fromByteOffset: at, as: T.self)
        }
        if count >= 8 {
            var at = 0
            while at + 8 < count {
                if differ(at, UInt64.self) { return false }
                at += 8
            }
            return !differ(count - 8, UInt64.self)
        }
        if count >= 4 { return !differ(0, UInt32.self) && !differ(count - 4, UInt32.self) }
        if count >= 2 { return !differ(0, UInt16.self) && !differ(count - 2, UInt16.self) }
        return count == 0 || !differ(0, UInt8.self)
    }
}
