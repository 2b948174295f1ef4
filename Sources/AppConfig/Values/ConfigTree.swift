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
        /// Whether the node was removed from its container, as a directive or a malformed setting is.
        static let removed = Flags(rawValue: 4)
        /// Whether references produced the value.
        static let interpolated = Flags(rawValue: 8)
        /// Whether a dictionary sets elements of a weaker array; its keys are their indices.
        static let elements = Flags(rawValue: 16)
        /// Whether a dictionary replaces a weaker one instead of merging with it.
        static let replaces = Flags(rawValue: 32)
    }
}

/// The values of one source, or of all merged sources, in preorder: the descendants of a container follow it.
///
/// Nodes are addressed by number; node 0 is the root, which is always a dictionary. A tree is immutable.
final class ConfigTree: Sendable {
    let nodes: [ConfigNode]
    /// The bytes of all keys; contiguous because `Array.span` is newer than the deployment targets.
    let keyBytes: ContiguousArray<UInt8>
    let strings: [String]
    let blobs: [[UInt8]]
    let sources: [ConfigTreeSource]
    /// Whether a key begins with `$` and can be a directive.
    let hasDirectives: Bool
    /// Whether a string contains `${`.
    let hasTemplates: Bool
    /// Whether a node is `removed` or `null`, which a merge omits, or sets elements, which a merge applies.
    let hasGaps: Bool
    /// For each node that contains references, the nodes that they refer to.
    let sourceNodes: [Int: [Int]]

    init(
        nodes: [ConfigNode], keyBytes: ContiguousArray<UInt8>, strings: [String], blobs: [[UInt8]],
        sources: [ConfigTreeSource],
        hasDirectives: Bool, hasTemplates: Bool, hasGaps: Bool, sourceNodes: [Int: [Int]]
    ) {
        self.nodes = nodes
        self.keyBytes = keyBytes
        self.strings = strings
        self.blobs = blobs
        self.sources = sources
        self.hasDirectives = hasDirectives
        self.hasTemplates = hasTemplates
        self.hasGaps = hasGaps
        self.sourceNodes = sourceNodes
    }

    private func copy(
        nodes: [ConfigNode]? = nil, sources: [ConfigTreeSource]? = nil, hasDirectives: Bool? = nil,
        hasTemplates: Bool? = nil, hasGaps: Bool? = nil
    ) -> ConfigTree {
        ConfigTree(
            nodes: nodes ?? self.nodes, keyBytes: keyBytes, strings: strings, blobs: blobs,
            sources: sources ?? self.sources, hasDirectives: hasDirectives ?? self.hasDirectives,
            hasTemplates: hasTemplates ?? self.hasTemplates, hasGaps: hasGaps ?? self.hasGaps,
            sourceNodes: nodes == nil ? sourceNodes : [:])
    }

    /// Returns the same values with secret nodes marked, for trees in which the values have other paths.
    func marked(by rule: ConfigSecrets) -> ConfigTree {
        let isSecret = secretNodes(by: rule)
        if !isSecret.contains(true) { return self }
        var nodes = nodes
        for node in nodes.indices where isSecret[node] { nodes[node].flags.insert(.secret) }
        return copy(nodes: nodes)
    }

    /// Returns the same values, all of which are secret.
    func secret() -> ConfigTree {
        var nodes = nodes
        for node in nodes.indices where nodes[node].kind != .dictionary { nodes[node].flags.insert(.secret) }
        return copy(nodes: nodes)
    }

    /// Returns the tree without some values; the numbers of the other nodes don't change.
    func removing(_ removed: [Int]) -> ConfigTree {
        var nodes = nodes
        for node in removed where !nodes[node].flags.contains(.removed) {
            nodes[node].flags.insert(.removed)
            nodes[Int(nodes[node].parent)].payload -= 1
        }
        return copy(nodes: nodes, hasGaps: true)
    }

    /// Returns the same values without directives and templates.
    func literal() -> ConfigTree {
        var sources = sources
        for source in sources.indices { sources[source].isLiteral = true }
        return copy(sources: sources, hasDirectives: false, hasTemplates: false)
    }

    /// Returns the same values; locations without a file are moved to the given file.
    func placed(in file: ConfigLocation) -> ConfigTree {
        var sources = sources
        for number in sources.indices {
            sources[number].whole = sources[number].whole.placed(in: file)
            if case .places(let places) = sources[number].positions {
                sources[number].positions = .places(places.map { $0.placed(in: file) })
            }
        }
        return copy(sources: sources)
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

    func location(of node: Int) -> ConfigLocation {
        let node = nodes[node]
        return sources[Int(node.source)].location(at: node.position)
    }

    /// The number of children of a container.
    func count(of node: Int) -> Int { Int(nodes[node].payload) }

    /// The numbers of all nodes inside a node.
    func descendants(of node: Int) -> Range<Int> { (node + 1)..<max(node + 1, Int(nodes[node].end)) }

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
                if !tree.nodes[node].flags.contains(.removed) { return node }
            }
            return nil
        }

        /// The first child, if there is one.
        var first: Int? {
            var copy = self
            return copy.next()
        }
    }

    func key(of node: Int) -> String { String(decoding: keyBytes[nodes[node].keyRange], as: UTF8.self) }

    /// Whether a node is a string with references to resolve.
    func isTemplate(_ node: Int, _ syntax: ConfigReferenceSyntax) -> Bool {
        nodes[node].kind == .string && !sources[Int(nodes[node].source)].isLiteral
            && syntax.isTemplate(strings[Int(nodes[node].payload)])
    }

    func isDirective(_ node: Int) -> Bool {
        nodes[node].keyLength > 0 && keyBytes[Int(nodes[node].keyStart)] == UInt8(ascii: "$")
    }

    /// Returns the entry of a dictionary by comparing its keys in order.
    func child(of node: Int, key: some Collection<UInt8>) -> Int? {
        guard nodes[node].kind == .dictionary else { return nil }
        return children(of: node).first { child in
            Int(nodes[child].keyLength) == key.count && keyBytes[nodes[child].keyRange].elementsEqual(key)
        }
    }

    func child(of node: Int, key: String) -> Int? { child(of: node, key: key.utf8) }

    /// Returns the element of an array.
    func child(of node: Int, index: Int) -> Int? {
        if nodes[node].flags.contains(.elements) { return child(of: node, key: "\(index)") }
        guard nodes[node].kind == .array, index >= 0, index < count(of: node) else { return nil }
        // Scalars have consecutive numbers.
        if Int(nodes[node].end) - node - 1 == count(of: node) { return node + 1 + index }
        return children(of: node).dropFirst(index).first { _ in true }
    }

    /// Returns the steps from the root to a node.
    func path(of node: Int) -> ConfigPath {
        var components: [ConfigPath.Component] = []
        var at = node
        while at != 0 {
            let parent = Int(nodes[at].parent)
            if nodes[parent].kind == .array {
                components.append(.index(children(of: parent).prefix { $0 < at }.count))
            } else if nodes[parent].flags.contains(.elements), let index = Int(key(of: at)) {
                components.append(.index(index))
            } else {
                components.append(.key(key(of: at)))
            }
            at = parent
        }
        return ConfigPath(components.reversed())
    }

    /// Returns the node that sets, removes or hides the value at a path when the tree is merged over another one.
    ///
    /// A value that isn't a dictionary replaces everything below it, a literal root key such as `a.b` hides the path `a.b`,
    /// and the section of a bundle identifier can be merged over the root.
    func change(of path: ConfigPath) -> Int? {
        let text = path.description
        for child in children(of: 0) {
            let key = key(of: child)
            if key == text || key.hasPrefix(text + ".") { return child }
            let isSection = key.contains(".") && kind(of: child) == .dictionary
            if isSection, let node = change(of: path.components, from: child) { return node }
        }
        return change(of: path.components, from: 0)
    }

    private func change(of components: [ConfigPath.Component], from root: Int) -> Int? {
        var node = root
        for component in components {
            guard kind(of: node) == .dictionary else { return node }
            guard let next = descend(from: node, [component]) else { return nil }
            node = next
        }
        return node
    }

    /// Follows exactly these steps from a node.
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

extension ConfigTree {
    /// Whether two nodes have equal values, regardless of their locations and the order of keys.
    ///
    /// The comparison isn't recursive, so trees of any depth can be compared. NaN equals itself; otherwise a file with
    /// NaN would differ at each reload.
    ///
    /// - Complexity: O(*n*) in the number of values below the nodes.
    func hasSameValue(at node: Int, as other: ConfigTree, at otherNode: Int) -> Bool {
        if self === other, node == otherNode { return true }
        var pending = [(node, otherNode)]
        while let (left, right) = pending.popLast() {
            switch (kind(of: left), other.kind(of: right)) {
            case (.array, .array):
                guard count(of: left) == other.count(of: right) else { return false }
                for pair in zip(children(of: left), other.children(of: right)) { pending.append(pair) }
            case (.dictionary, .dictionary):
                guard count(of: left) == other.count(of: right) else { return false }
                let twins = Dictionary(other.children(of: right).map { (other.key(of: $0), $0) }) { $1 }
                for child in children(of: left) {
                    guard let twin = twins[key(of: child)] else { return false }
                    pending.append((child, twin))
                }
            default:
                guard hasSameScalar(at: left, as: other, at: right) else { return false }
            }
        }
        return true
    }

    private func hasSameScalar(at left: Int, as other: ConfigTree, at right: Int) -> Bool {
        let (first, second) = (nodes[left], other.nodes[right])
        guard first.kind == second.kind else { return false }
        switch first.kind {
        case .string: return strings[Int(first.payload)] == other.strings[Int(second.payload)]
        case .data: return blobs[Int(first.payload)] == other.blobs[Int(second.payload)]
        case .real, .date:
            return first.payload == second.payload
                || Double(bitPattern: first.payload) == Double(bitPattern: second.payload)
        default: return first.payload == second.payload
        }
    }
}
