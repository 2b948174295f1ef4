/// Builds a tree from opened and closed containers, keys, and scalars, in the order of the nodes.
struct ConfigTreeBuilder {
    private var nodes: [ConfigNode] = []
    private var keys: ContiguousArray<UInt8> = []
    private var strings: [String] = []
    private var blobs: [[UInt8]] = []
    private var openNodes: [Int] = []
    private var keyStart = 0
    private var hasDirectives = false
    private var hasTemplates = false
    private var hasGaps = false
    /// The number of the source of the next nodes.
    var source: UInt16 = 0

    init() {}

    /// Starts with the keys, strings, and data of a parsed document, to which its nodes refer by number.
    init(keys: [UInt8], strings: [String], blobs: [[UInt8]]) {
        self.keys = ContiguousArray(keys)
        self.strings = strings
        self.blobs = blobs
        keyStart = keys.count
        hasTemplates = strings.contains { ConfigReferenceSyntax.dollar.isTemplate($0) }
    }

    var depth: Int { openNodes.count }
    var count: Int { nodes.count }

    /// The innermost open container.
    var container: Int? { openNodes.last }

    mutating func reserve(nodes nodeCount: Int, keyBytes: Int = 0, strings stringCount: Int = 0) {
        nodes.reserveCapacity(nodeCount)
        keys.reserveCapacity(keys.count + keyBytes)
        strings.reserveCapacity(strings.count + stringCount)
    }

    /// Sets the key of the next node; returns false if it is longer than 65,535 bytes.
    @discardableResult
    mutating func key(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= Int(UInt16.max) else { return false }
        keyStart = keys.count
        keys.append(contentsOf: bytes)
        return true
    }

    @discardableResult
    mutating func key(_ text: String) -> Bool { key(text.utf8) }

    /// Appends a node with the pending key, or with the given range of the key bytes.
    mutating func append(_ kind: ConfigKind, _ payload: UInt64, position: UInt32, key: Range<Int>? = nil) {
        let number = nodes.count
        let parent = openNodes.last ?? 0
        if !openNodes.isEmpty { nodes[parent].payload += 1 }
        let key = key ?? keyStart..<keys.count
        if !key.isEmpty, keys[key.lowerBound] == UInt8(ascii: "$") { hasDirectives = true }
        let isEscaped = keys[key].contains(where: ConfigPath.needsEscape)
        nodes.append(
            ConfigNode(
                payload: payload, position: position, keyStart: UInt32(key.lowerBound), end: UInt32(number + 1),
                parent: UInt32(parent), keyLength: UInt16(key.count), source: source, kind: kind,
                flags: isEscaped ? .escapedKey : []))
        keyStart = keys.count
    }

    mutating func open(_ kind: ConfigKind, position: UInt32, key: Range<Int>? = nil) {
        append(kind, 0, position: position, key: key)
        openNodes.append(nodes.count - 1)
    }

    /// Closes the innermost container.
    mutating func close() {
        guard let container = openNodes.popLast() else { return }
        nodes[container].end = UInt32(nodes.count)
    }

    mutating func null(position: UInt32, key: Range<Int>? = nil) {
        hasGaps = true
        append(.null, 0, position: position, key: key)
    }

    mutating func data(_ bytes: [UInt8], position: UInt32) {
        blobs.append(bytes)
        append(.data, UInt64(blobs.count - 1), position: position)
    }

    mutating func string(_ text: String, position: UInt32) {
        if !hasTemplates { hasTemplates = ConfigReferenceSyntax.dollar.isTemplate(text) }
        strings.append(text)
        append(.string, UInt64(strings.count - 1), position: position)
    }

    /// Copies a node and its descendants from another tree, under the pending key.
    ///
    /// Gaps are copied without changes.
    mutating func copy(_ root: Int, of tree: ConfigTree, sourceOffset: UInt16) {
        let first = nodes.count
        let old = tree.nodes[root]
        append(old.kind, old.payload, position: old.position)
        nodes[first].flags.formUnion(old.flags.subtracting(.escapedKey))
        let descendants = tree.descendants(of: root)
        if let next = descendants.first, let last = descendants.last {
            // The keys of a subtree are adjacent, because keys have the order of the nodes.
            let from = Int(tree.nodes[next].keyStart)
            let keyShift = keys.count - from
            keys.append(contentsOf: tree.keyBytes[from..<max(from, tree.nodes[last].keyRange.upperBound)])
            nodes.append(contentsOf: tree.nodes[descendants])
            for number in (first + 1)..<nodes.count {
                nodes[number].keyStart = UInt32(Int(nodes[number].keyStart) + keyShift)
                nodes[number].parent = UInt32(Int(nodes[number].parent) - root + first)
            }
        }
        for number in first..<nodes.count {
            let old = tree.nodes[number - first + root]
            nodes[number].end = UInt32(Int(old.end) - root + first)
            nodes[number].source = old.source + sourceOffset
            switch old.kind {
            case .string:
                nodes[number].payload = UInt64(strings.count)
                strings.append(tree.strings[Int(old.payload)])
            case .data:
                nodes[number].payload = UInt64(blobs.count)
                blobs.append(tree.blobs[Int(old.payload)])
            default: break
            }
        }
        keyStart = keys.count
        if tree.hasTemplates { hasTemplates = true }
        if tree.hasGaps { hasGaps = true }
    }

    mutating func mark(_ node: Int, _ flags: ConfigNode.Flags) {
        nodes[node].flags.insert(flags)
        if flags.contains(.elements) { hasGaps = true }
    }

    /// Marks the values from a node on as secret; a dictionary isn't, because other layers can add entries to it.
    mutating func markValues(from first: Int) {
        for node in first..<nodes.count where nodes[node].kind != .dictionary { nodes[node].flags.insert(.secret) }
    }

    /// Returns the tree; all containers must be closed.
    consuming func finish(sources: [ConfigTreeSource], sourceNodes: [Int: [Int]] = [:]) -> ConfigTree {
        ConfigTree(
            nodes: nodes, keyBytes: keys, strings: strings, blobs: blobs, sources: sources,
            hasDirectives: hasDirectives, hasTemplates: hasTemplates, hasGaps: hasGaps, sourceNodes: sourceNodes)
    }
}
