/// Builds a tree from a stream of opened and closed containers, keys and scalars, as a reader meets them.
struct ConfigTreeBuilder {
    /// A key that a dictionary holds twice.
    struct Duplicate {
        let first: Int
        let second: Int
    }

    private let nodes = ConfigStorage<ConfigNode>()
    private let keys = ConfigStorage<UInt8>()
    private let texts = ConfigTexts()
    private(set) var blobs = ContiguousArray<[UInt8]>()
    private var openNodes: ContiguousArray<UInt32> = []
    /// Where the keys stand, by node; only as far as a reader has said.
    private var keyPositions: ContiguousArray<UInt32> = []
    private var keyPosition: UInt32 = 0
    private var keyStart: UInt32 = 0
    private var keyLength: UInt16 = 0
    private var keyFlags: ConfigNode.Flags = []
    private var hasDirectives = false
    private var hasTemplates = false
    private var hasGaps = false
    private var duplicates = ConfigKeyTable()
    /// The number of the source that nodes are put down to.
    var source: UInt16 = 0

    var depth: Int { openNodes.count }
    var count: Int { nodes.count }
    var keyByteCount: Int { keys.count }
    var stringCount: Int { texts.count }

    /// The innermost open container.
    var container: Int? { openNodes.last.map { Int($0) } }

    mutating func reserve(nodes nodeCount: Int, keyBytes byteCount: Int, strings stringCount: Int) {
        nodes.reserve(nodeCount)
        keys.reserve(byteCount)
        keyPositions.reserveCapacity(nodeCount)
        texts.reserve(stringCount)
    }

    /// Sets the key of the next node; false if it is longer than 65,535 bytes.
    mutating func key(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count <= Int(UInt16.max) else { return false }
        keyStart = UInt32(keys.count)
        keyLength = UInt16(bytes.count)
        keyFlags = bytes.contains(where: ConfigPath.needsEscape) ? .escapedKey : []
        if bytes.first == UInt8(ascii: "$") { hasDirectives = true }
        keys.append(contentsOf: bytes)
        return true
    }

    mutating func key(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { key($0) }
    }

    private mutating func append(_ kind: ConfigKind, _ payload: UInt64, _ position: UInt32) {
        let number = UInt32(nodes.count)
        let parent = openNodes.last ?? 0
        if !openNodes.isEmpty { nodes[Int(parent)].payload += 1 }
        nodes.append(
            ConfigNode(
                payload: payload, position: position, keyStart: keyStart, end: number + 1, parent: parent,
                keyLength: keyLength, source: source, kind: kind, flags: keyFlags))
        keyPositions.append(keyPosition)
        keyStart = UInt32(keys.count)
        keyLength = 0
        keyFlags = []
    }

    /// Says where the key of the next node stands.
    mutating func setKeyPosition(_ position: UInt32) { keyPosition = position }

    func keyPosition(of node: Int) -> UInt32 { keyPositions[node] }

    func isArray(_ node: Int) -> Bool { nodes[node].kind == .array }

    func isEmpty(_ node: Int) -> Bool { nodes[node].payload == 0 }

    /// The path of a child of the innermost open container.
    func path(ofChild node: Int) -> ConfigPath {
        ConfigPath(openPath.components + [.key(key(of: node))])
    }

    mutating func open(_ kind: ConfigKind, position: UInt32) {
        append(kind, 0, position)
        openNodes.append(UInt32(nodes.count - 1))
    }

    /// Closes the innermost container.
    mutating func close() {
        guard let container = openNodes.popLast() else { return }
        nodes[Int(container)].end = UInt32(nodes.count)
    }

    mutating func null(position: UInt32) {
        hasGaps = true
        append(.null, 0, position)
    }

    mutating func boolean(_ value: Bool, position: UInt32) { append(.boolean, value ? 1 : 0, position) }

    mutating func integer(_ value: Int64, position: UInt32) { append(.integer, UInt64(bitPattern: value), position) }

    /// Adds a whole number; up to `Int64.max` it becomes an ordinary integer.
    mutating func unsigned(_ value: UInt64, position: UInt32) {
        append(value > UInt64(Int64.max) ? .unsigned : .integer, value, position)
    }

    mutating func real(_ value: Double, position: UInt32) { append(.real, value.bitPattern, position) }

    /// Adds a point in time, in seconds since 2001-01-01T00:00:00Z.
    mutating func date(_ seconds: Double, position: UInt32) { append(.date, seconds.bitPattern, position) }

    mutating func data(_ bytes: [UInt8], position: UInt32) {
        blobs.append(bytes)
        append(.data, UInt64(blobs.count - 1), position)
    }

    /// Adds a text; `mayBeTemplate` is false when the caller has seen that it holds no `$`.
    mutating func string(_ text: String, mayBeTemplate: Bool = true, position: UInt32) {
        if mayBeTemplate, !hasTemplates { hasTemplates = ConfigTemplate.isTemplate(text) }
        texts.append(text)
        append(.string, UInt64(texts.count - 1), position)
    }

    /// Stores a text for `sharedString`.
    mutating func addText(_ text: String) {
        if !hasTemplates { hasTemplates = ConfigTemplate.isTemplate(text) }
        texts.append(text)
    }

    /// Stores bytes for `sharedData`.
    mutating func addBlob(_ bytes: [UInt8]) { blobs.append(bytes) }

    /// Adds a text that was added before.
    mutating func sharedString(_ index: Int, position: UInt32) { append(.string, UInt64(index), position) }

    /// Adds bytes that were added before.
    mutating func sharedData(_ index: Int, position: UInt32) { append(.data, UInt64(index), position) }

    /// Copies a node with all below it from another tree; the pending key is used for it.
    ///
    /// Directives and gaps are copied as they stand.
    mutating func copy(_ root: Int, of tree: ConfigTree, sourceOffset: UInt16) {
        let first = nodes.count
        let (key, length, flags) = (keyStart, keyLength, keyFlags)
        append(tree.nodes[root].kind, 0, 0)
        let end = Int(tree.nodes[root].end)
        nodes[first] = tree.nodes[root]
        (nodes[first].keyStart, nodes[first].keyLength) = (key, length)
        nodes[first].flags.remove(.escapedKey)
        nodes[first].flags.formUnion(flags)
        nodes[first].parent = openNodes.last ?? 0
        if end > root + 1 {
            // Keys of a subtree lie in one piece, as readers append them in the order of the nodes.
            let from = Int(tree.nodes[root + 1].keyStart)
            let to = Int(tree.nodes[end - 1].keyStart) + Int(tree.nodes[end - 1].keyLength)
            let keyShift = keys.count - from
            keys.append(contentsOf: UnsafeBufferPointer(rebasing: tree.keyBytes[from..<max(from, to)]))
            nodes.append(contentsOf: UnsafeBufferPointer(rebasing: tree.nodes[(root + 1)..<end]))
            for number in (first + 1)..<nodes.count {
                nodes[number].keyStart = UInt32(Int(nodes[number].keyStart) + keyShift)
                nodes[number].parent = UInt32(Int(nodes[number].parent) - root + first)
            }
        }
        for number in first..<nodes.count {
            nodes[number].end = UInt32(Int(tree.nodes[number - first + root].end) - root + first)
            nodes[number].source += sourceOffset
            switch nodes[number].kind {
            case .string:
                let text = tree.strings[Int(nodes[number].payload)]
                nodes[number].payload = UInt64(texts.count)
                texts.append(text)
            case .data:
                let blob = tree.blobs[Int(nodes[number].payload)]
                nodes[number].payload = UInt64(blobs.count)
                blobs.append(blob)
            default: break
            }
        }
        keyPositions.append(contentsOf: repeatElement(0, count: nodes.count - keyPositions.count))
        keyStart = UInt32(keys.count)
        if tree.hasTemplates { hasTemplates = true }
        if tree.hasDirectives { hasDirectives = true }
        if tree.hasGaps { hasGaps = true }
    }

    /// The pairs of equal keys in the innermost open dictionary, each with its next twin.
    mutating func findDuplicates() -> [Duplicate] {
        guard let container, nodes[container].kind == .dictionary, nodes[container].payload > 1 else { return [] }
        duplicates.reset(expecting: Int(nodes[container].payload))
        func key(_ node: Int) -> UnsafeBufferPointer<UInt8> {
            keys.slice(Int(nodes[node].keyStart), Int(nodes[node].keyLength))
        }
        var found: [Duplicate] = []
        var child = container + 1
        while child < nodes.count {
            let bytes = key(child)
            let twin = duplicates.insert(
                child, hash: ConfigHash.hash(bytes), replaces: true, isSame: { key($0).hasSameBytes(as: bytes) })
            if let twin { found.append(Duplicate(first: twin, second: child)) }
            child = Int(nodes[child].end)
        }
        return found
    }

    func key(of node: Int) -> String {
        String(decoding: keys.slice(Int(nodes[node].keyStart), Int(nodes[node].keyLength)), as: UTF8.self)
    }

    /// Leaves a node out of its container, as if it had not been read.
    mutating func supersede(_ node: Int) {
        nodes[node].flags.insert(.superseded)
        nodes[Int(nodes[node].parent)].payload -= 1
        hasGaps = true
    }

    mutating func mark(_ node: Int, _ flags: ConfigNode.Flags) { nodes[node].flags.insert(flags) }

    /// The path of the innermost open container.
    var openPath: ConfigPath {
        ConfigPath(
            openNodes.dropFirst().map { number in
                let node = nodes[Int(number)]
                let parent = nodes[Int(node.parent)]
                return parent.kind == .array ? .index(Int(parent.payload) - 1) : .key(key(of: Int(number)))
            })
    }

    /// The path of the value that would be added next, for error messages.
    func pathOfNext() -> ConfigPath {
        guard let container else { return .root }
        if nodes[container].kind == .array { return openPath.appending(index: Int(nodes[container].payload)) }
        if keyLength == 0 { return openPath }
        return openPath.appending(String(decoding: keys.slice(Int(keyStart), Int(keyLength)), as: UTF8.self))
    }

    /// Ends the building; all containers are closed.
    consuming func finish(sources: [ConfigSource], sourceNodes: [Int: [Int]] = [:]) -> ConfigTree {
        nodes.trim()
        keys.trim()
        return ConfigTree(
            nodes: nodes, keyBytes: keys, strings: texts, blobs: blobs, sources: sources,
            hasDirectives: hasDirectives, hasTemplates: hasTemplates, hasGaps: hasGaps,
            sourceNodes: sourceNodes)
    }
}
