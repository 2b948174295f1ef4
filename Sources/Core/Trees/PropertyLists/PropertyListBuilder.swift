import AshlarCore

/// Collects the nodes of a document while a parser reads them.
struct PropertyListBuilder {
    let limits: PropertyListLimits
    private(set) var document = PropertyListDocument()
    /// The open containers, outermost first.
    private var open: [Int] = []
    private var keyStart: UInt32 = 0
    private var keyLength: UInt32 = 0
    private var keyPosition: UInt32 = 0
    private var keys = HashIndex()

    init(limits: PropertyListLimits) { self.limits = limits }

    mutating func reserve(nodes: Int, keyBytes: Int, strings: Int) {
        document.nodes.reserveCapacity(nodes)
        document.keyBytes.reserveCapacity(keyBytes)
        document.strings.reserveCapacity(strings)
    }

    var depth: Int { open.count }

    /// The kind of the innermost open container.
    var container: PropertyListDocument.Kind? { open.last.map { document.nodes[$0].kind } }

    /// Sets the key of the next value.
    mutating func setKey(_ bytes: ArraySlice<UInt8>, position: Int) {
        keyStart = UInt32(document.keyBytes.count)
        keyLength = UInt32(bytes.count)
        keyPosition = UInt32(position)
        document.keyBytes.append(contentsOf: bytes)
    }

    mutating func append(_ kind: PropertyListDocument.Kind, _ payload: UInt64, position: Int) {
        let number = document.nodes.count
        if let container = open.last { document.nodes[container].payload += 1 }
        document.nodes.append(
            PropertyListDocument.Node(
                payload: payload, position: UInt32(position), keyPosition: keyPosition, keyStart: keyStart,
                keyLength: keyLength, end: UInt32(number + 1), kind: kind))
        keyStart = UInt32(document.keyBytes.count)
        keyLength = 0
        keyPosition = 0
    }

    mutating func append(_ text: String, position: Int) {
        document.strings.append(text)
        append(.string, UInt64(document.strings.count - 1), position: position)
    }

    mutating func append(_ data: [UInt8], position: Int) {
        document.blobs.append(data)
        append(.data, UInt64(document.blobs.count - 1), position: position)
    }

    mutating func append(_ integer: NumberText.Integer, position: Int) {
        switch integer {
        case .signed(let value): append(.integer, UInt64(bitPattern: value), position: position)
        case .unsigned(let value): append(.unsigned, value, position: position)
        }
    }

    mutating func open(_ kind: PropertyListDocument.Kind, position: Int) {
        append(kind, 0, position: position)
        open.append(document.nodes.count - 1)
    }

    mutating func close() {
        guard let container = open.popLast() else { return }
        document.nodes[container].end = UInt32(document.nodes.count)
        if document.nodes[container].kind == .dictionary, document.nodes[container].payload > 1 {
            findDuplicates(in: container)
        }
    }

    private mutating func findDuplicates(in container: Int) {
        let (nodes, keyBytes) = (document.nodes, document.keyBytes)
        let slice = keyBytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        func range(_ node: Int) -> Range<Int> {
            let start = Int(nodes[node].keyStart)
            return start..<(start + Int(nodes[node].keyLength))
        }
        keys.reset(expecting: nodes[container].index)
        var duplicates: [PropertyListDocument.Duplicate] = []
        var child = container + 1
        while child < nodes.count {
            let key = range(child)
            let twin = keys.insert(child, hash: ByteHash.hash(text.extracting(key).bytes), replaces: true) {
                text.extracting(range($0)).bytes.hasSameBytes(as: text.extracting(key).bytes)
            }
            if let twin { duplicates.append(PropertyListDocument.Duplicate(earlier: twin, later: child)) }
            child = Int(nodes[child].end)
        }
        document.duplicates += duplicates
    }

    /// The path of the value that would be appended next.
    func path() -> [TreeStep] {
        var steps: [TreeStep] = []
        for (container, child) in zip(open, open.dropFirst()) {
            let parent = document.nodes[container]
            steps.append(parent.kind == .array ? .index(parent.index - 1) : .key(document.key(of: child)))
        }
        if let last = open.last {
            if document.nodes[last].kind == .array {
                steps.append(.index(document.nodes[last].index))
            } else if keyLength > 0 {
                let key = document.keyBytes[Int(keyStart)..<Int(keyStart + keyLength)]
                steps.append(.key(String(decoding: key, as: UTF8.self)))
            }
        }
        return steps
    }
}
