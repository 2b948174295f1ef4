// Values written at run time. They are the strongest layer, are taken as they are (no directives, no `${…}`), change what
// this copy reads from then on and nothing that was built from the old value, and are never persisted.
extension ApplicationConfig {
    /// The value at a path; setting it writes a run-time value, and setting `nil` removes the key.
    ///
    /// Writing makes missing dictionaries on the way and replaces other values that are in it. An index may be that of an
    /// element or one past the last; other writes to arrays change nothing and leave a diagnostic in `diagnostics`.
    ///
    /// - Complexity: Reading is O(*n*) in the values below the path, writing in those of the root key it begins with.
    public subscript(_ path: ConfigPath) -> ConfigValue? {
        get { place(of: path).map { $0.tree.value(of: $0.node) } }
        set { write(newValue, at: path) }
    }

    /// The value of a key; setting it writes a run-time value, and setting `nil` removes the key.
    public subscript(_ key: String) -> ConfigValue? {
        get { object(forKey: key) }
        set { write(newValue, at: ConfigPath(key)) }
    }

    /// Sets or overrides a value for as long as this copy lives; `nil` removes the key.
    public mutating func set(_ value: ConfigValue?, forKey key: String) { write(value, at: ConfigPath(key)) }

    private mutating func write(_ value: ConfigValue?, at path: ConfigPath) {
        var components = path.components
        // A literal root key comes first here as it does in reading.
        if case .text(let text) = path.storage, components.count > 1, locate(ConfigPath(components: [text])) != nil {
            components = [.key(text)]
        }
        guard case .key? = components.first else {
            record(ConfigDiagnostic(.defaultUsed, key: path, message: "cannot write: the path has no key"))
            return
        }
        switch write(value, at: components) {
        case .changed: record(components)
        case .unchanged: break
        case .impossible:
            record(ConfigDiagnostic(.defaultUsed, key: path, message: "cannot write: no such element"))
        }
    }

    private enum Outcome {
        case changed, unchanged, impossible
    }

    /// Writes a value at exact steps, the first of which is a key; all other values retain their places.
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

    /// Remembers a write for the next reload; arrays are remembered whole, as indices mean others in another array.
    private mutating func record(_ components: [ConfigPath.Component]) {
        let keys = Array(components.prefix { if case .key = $0 { true } else { false } })
        writes.count += 1
        writes.values[keys] = (writes.count, locate(ConfigPath(keys)).map { $0.tree.value(of: $0.node) })
    }

    /// Repeats the writes to another configuration, in the same order.
    mutating func repeatWrites(of other: ConfigWrites) {
        for (keys, old) in other.values.sorted(by: { $0.value.order < $1.value.order }) {
            if write(old.value, at: keys) != .impossible { record(keys) }
        }
    }
}
