// Values written at run time. They are the strongest layer, are used literally (without directives and references),
// change later reads of this copy but no value that was built from the old value, and are never saved.
extension ApplicationConfig {
    /// The value at a path; setting it writes a run-time value, and setting `nil` removes the key.
    ///
    /// Writing creates missing dictionaries on the path and replaces other values on it. An index can be that of an
    /// element, or the number of elements to append one. Other writes to arrays change nothing and record a diagnostic
    /// in `diagnostics`.
    ///
    /// - Complexity: Reading is O(*n*) in the values below the path; writing is O(*n*) in the values of its root key.
    public subscript(_ path: ConfigPath) -> ConfigValue? {
        get { locate(path).map { $0.tree.value(of: $0.node) } }
        set { write(newValue, at: path) }
    }

    private mutating func write(_ value: ConfigValue?, at path: ConfigPath) {
        var components = path.components
        // A literal root key takes precedence, as in reading.
        if case .text(let text) = path.storage, components.count > 1, locate(ConfigPath(components: [text])) != nil {
            components = [.key(text)]
        }
        guard case .key? = components.first else {
            record(ConfigDiagnostic(.defaultUsed, key: path, message: "can't write: the path has no key"))
            return
        }
        switch write(value, at: components) {
        case .changed: record(components)
        case .unchanged: break
        case .impossible:
            record(ConfigDiagnostic(.defaultUsed, key: path, message: "can't write: no such element"))
        }
    }

    private enum Outcome {
        case changed, unchanged, impossible
    }

    /// Writes a value at exact steps, the first of which is a key; all other values retain their locations.
    private mutating func write(_ value: ConfigValue?, at components: [ConfigPath.Component]) -> Outcome {
        guard case .key(let first)? = components.first else { return .impossible }
        let value = value == .null ? nil : value
        let old = locate(ConfigPath(components: [first]))
        let isThere = old.map { $0.tree.descend(from: $0.node, components.dropFirst()) != nil } ?? false
        if value == nil, !isThere, components.allSatisfy({ if case .key = $0 { true } else { false } }) {
            return .unchanged
        }
        let isSection = overlay?[first] != nil
        let writer = ConfigSectionWriter(old: old, isSection: isSection)
        guard let tree = writer.tree(of: components, value) else { return .impossible }
        overlay = overlay ?? [:]
        overlay?[first] = ConfigSnapshot(tree: tree, context: snapshot.context)
        return .changed
    }

    /// Records a write for the next reload; an array is recorded as a whole, because its indices may change.
    private mutating func record(_ components: [ConfigPath.Component]) {
        let keys = Array(components.prefix { if case .key = $0 { true } else { false } })
        writes.count += 1
        writes.values[keys] = (writes.count, locate(ConfigPath(keys)).map { $0.tree.value(of: $0.node) })
    }

    /// Removes the value written at a path, so that the one of the other layers applies again.
    ///
    /// Values written at paths above and below it remain.
    package mutating func removeWrite(at path: ConfigPath) {
        // An array is written as a whole, and a key with dots can be one literal key of the root.
        let keys = path.components.prefix { if case .key = $0 { true } else { false } }
        let removed = [Array(keys), [.key(path.description)]]
        var rest = writes
        rest.values = rest.values.filter { !removed.contains($0.key) }
        overlay = nil
        writes = ConfigWrites()
        repeatWrites(of: rest)
    }

    /// Repeats the writes of another configuration, in the same order.
    mutating func repeatWrites(of other: ConfigWrites) {
        for (keys, old) in other.values.sorted(by: { $0.value.order < $1.value.order }) {
            if write(old.value, at: keys) != .impossible { record(keys) }
        }
    }
}

/// Builds the tree of a root key with one changed value; all other values retain their locations.
struct ConfigSectionWriter {
    /// The number of the source of written values in a section.
    static let source: UInt16 = 0

    /// The current value of the root key.
    let old: ConfigPlace?
    /// Whether the old value is in a section, whose sources the new section uses.
    let isSection: Bool

    private var sourceOffset: UInt16 { isSection ? 0 : 1 }

    /// Returns the new tree, whose root contains only this key, or nothing if it was removed; nil for an invalid index.
    func tree(of components: [ConfigPath.Component], _ value: ConfigValue?) -> ConfigTree? {
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        if value != nil || components.count > 1 {
            guard write(value, components[...], &builder) else { return nil }
        }
        builder.close()
        let sources = old?.tree.sources ?? []
        return builder.finish(
            sources: isSection && !sources.isEmpty
                ? sources : [.code(ConfigLayerKind.runtime.description)] + sources)
    }

    private func write(
        _ value: ConfigValue?, _ steps: ArraySlice<ConfigPath.Component>, _ builder: inout ConfigTreeBuilder
    ) -> Bool {
        guard case .key(let first)? = steps.first else { return false }
        builder.key(first)
        var node = old?.node
        /// The elements after the step into each open container.
        var trailing: [[Int]] = []
        for (depth, step) in steps.dropFirst().enumerated() {
            let isRemoved = value == nil && depth + 2 == steps.count
            let (kind, children) = contents(of: node)
            var behind: [Int] = []
            switch step {
            case .key(let key):
                open(.dictionary, at: node, isKept: kind == .dictionary, &builder)
                node = nil
                for child in kind == .dictionary ? children : [] {
                    if old?.tree.key(of: child) == key { node = child } else { copy(child, &builder) }
                }
                if !isRemoved { builder.key(key) }
            case .index(let index):
                let elements = kind == .array ? children : []
                guard index <= elements.count, index < elements.count || value != nil else { return false }
                open(.array, at: node, isKept: kind == .array, &builder)
                for child in elements[..<index] { copy(child, &builder) }
                behind = Array(elements[min(index + 1, elements.count)...])
                node = index < elements.count ? elements[index] : nil
            }
            trailing.append(behind)
        }
        if let value {
            builder.source = Self.source
            builder.value(value, dropsNulls: true)
        }
        for behind in trailing.reversed() {
            for child in behind { copy(child, &builder) }
            builder.close()
        }
        return true
    }

    private func contents(of node: Int?) -> (kind: ConfigKind?, children: [Int]) {
        guard let node, let old else { return (nil, []) }
        let kind = old.tree.kind(of: node)
        return (kind, kind.isContainer ? Array(old.tree.children(of: node)) : [])
    }

    /// Opens a container, which retains its location if the old value has the same type.
    private func open(
        _ kind: ConfigKind, at node: Int?, isKept: Bool, _ builder: inout ConfigTreeBuilder
    ) {
        if isKept, let node, let old {
            builder.source = old.tree.nodes[node].source + sourceOffset
            builder.open(kind, position: old.tree.nodes[node].position)
        } else {
            builder.source = Self.source
            builder.open(kind, position: 0)
        }
    }

    private func copy(_ child: Int, _ builder: inout ConfigTreeBuilder) {
        guard let tree = old?.tree else { return }
        if tree.kind(of: Int(tree.nodes[child].parent)) == .dictionary { builder.key(tree.key(of: child)) }
        builder.copy(child, of: tree, sourceOffset: sourceOffset)
    }
}

/// The writes at run time: the last value at each path, or `nil` for a removed value.
struct ConfigWrites: Sendable {
    var values: [[ConfigPath.Component]: (order: Int, value: ConfigValue?)] = [:]
    var count = 0
}
