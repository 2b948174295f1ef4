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
        get { place(of: path).map { $0.tree.value(of: $0.node) } }
        set { write(newValue, at: path) }
    }

    /// The value of a key; setting it writes a run-time value, and setting `nil` removes the key.
    public subscript(_ key: String) -> ConfigValue? {
        get { object(forKey: key) }
        set { write(newValue, at: ConfigPath(key)) }
    }

    /// Sets or overrides a value in this copy; `nil` removes the key.
    public mutating func set(_ value: ConfigValue?, forKey key: String) { write(value, at: ConfigPath(key)) }

    private mutating func write(_ value: ConfigValue?, at path: ConfigPath) {
        var components = path.components
        // A literal root key takes precedence, as in reading.
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

    /// Repeats the writes of another configuration, in the same order.
    mutating func repeatWrites(of other: ConfigWrites) {
        for (keys, old) in other.values.sorted(by: { $0.value.order < $1.value.order }) {
            if write(old.value, at: keys) != .impossible { record(keys) }
        }
    }
}
