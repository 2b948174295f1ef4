internal import AshlarCore
internal import AshlarTrees

/// Reads XML and binary property lists into trees.
enum PropertyListReader {
    /// Reads the bytes of a file: as binary if they start with `bplist`, otherwise as XML in UTF-8.
    static func read(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigTree {
        let isBinary = BinaryPropertyListParser.recognizes(bytes)
        let limits = PropertyListLimits(
            depth: context.limits.depth, values: context.limits.values, keyBytes: max(context.limits.bytes, 1 << 16))
        let document: PropertyListDocument
        do throws(PropertyListError) {
            document =
                isBinary
                ? try BinaryPropertyListParser.parse(bytes, limits: limits)
                : try XMLPropertyListParser.parse(bytes, limits: limits)
        } catch {
            throw self.error(error, context)
        }
        let source = ConfigTreeSource(
            whole: context.location, positions: isBinary ? .offsets : .lines(LineTable(bytes)))
        let root = document.nodes[0]
        guard root.kind == .dictionary else {
            throw ConfigError(
                .malformedSource, location: source.location(at: root.position), expected: "a dictionary as the root",
                found: root.kind.phrase)
        }
        var builder = ConfigTreeBuilder(
            keys: document.keyBytes, strings: document.strings, blobs: document.blobs)
        if let refused = builder.append(document) {
            let node = document.nodes[refused]
            let isLongKey = node.kind != .uid
            throw ConfigError(
                isLongKey ? .limitExceeded : .malformedSource, key: isLongKey ? nil : document.path(of: refused),
                location: source.location(at: isLongKey ? node.keyPosition : node.position),
                expected: isLongKey ? "a key of at most 65535 bytes" : "a value",
                found: isLongKey ? nil : node.kind.phrase)
        }
        if let twin = document.duplicates.first {
            let first = source.location(at: document.nodes[twin.earlier].keyPosition)
            throw ConfigError(
                .duplicateKey, key: document.path(of: twin.later),
                location: source.location(at: document.nodes[twin.later].keyPosition), reason: "duplicate key",
                notes: ["first defined at \(first)"])
        }
        return builder.finish(sources: [source])
    }

    private static func error(_ error: PropertyListError, _ context: ConfigReaderContext) -> ConfigError {
        return ConfigError(
            error.code == .malformed ? .malformedSource : .limitExceeded, key: ConfigPath(error.path),
            location: ConfigLocation(
                file: context.location.file, line: error.line ?? 0, column: error.column ?? 0, offset: error.offset,
                name: context.location.name),
            reason: error.reason, expected: error.expected, found: error.found)
    }
}

extension PropertyListDocument {
    /// Returns the path of a node by walking down from the root.
    fileprivate func path(of target: Int) -> ConfigPath {
        var components: [ConfigPath.Component] = []
        var node = 0
        while node != target {
            for (index, child) in children(of: node).enumerated() where target < Int(nodes[child].end) {
                components.append(nodes[node].kind == .array ? .index(index) : .key(key(of: child)))
                node = child
                break
            }
        }
        return ConfigPath(components)
    }
}

extension ConfigTreeBuilder {
    /// Appends the nodes of a document; returns the first node that a configuration can't contain, if there is one.
    fileprivate mutating func append(_ document: PropertyListDocument) -> Int? {
        reserve(nodes: document.nodes.count)
        for (number, node) in document.nodes.enumerated() {
            while let open = container, Int(document.nodes[open].end) <= number { close() }
            guard node.keyLength <= UInt16.max else { return number }
            let start = Int(node.keyStart)
            let key = start..<(start + Int(node.keyLength))
            switch node.kind {
            case .string: append(.string, node.payload, position: node.position, key: key)
            case .integer: append(.integer, node.payload, position: node.position, key: key)
            case .unsigned: append(.unsigned, node.payload, position: node.position, key: key)
            case .real: append(.real, node.payload, position: node.position, key: key)
            case .boolean: append(.boolean, node.payload, position: node.position, key: key)
            case .date: append(.date, node.payload, position: node.position, key: key)
            case .data: append(.data, node.payload, position: node.position, key: key)
            case .array: open(.array, position: node.position, key: key)
            case .dictionary: open(.dictionary, position: node.position, key: key)
            case .uid: return number
            }
        }
        while container != nil { close() }
        return nil
    }
}
