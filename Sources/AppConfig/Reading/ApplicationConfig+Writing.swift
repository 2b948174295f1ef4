internal import AshlarTrees

// Values written at run time. They are the strongest layer, are used literally (without directives and references),
// change later reads of this copy but no value that was built from the old value, and are never saved.
extension ApplicationConfig {
    /// The value at a path; setting it writes a run-time value, and setting `nil` removes the key.
    ///
    /// Writing creates missing dictionaries on the path and replaces other values on it. An index can be that of an
    /// element, or the number of elements to append one. Other writes to arrays, and writes at more than 100 steps, change
    /// nothing and record a diagnostic in `diagnostics`.
    ///
    /// - Complexity: Reading is O(*n*) in the values below the path; the first write to a copy is O(*n*) in the entries of the
    ///   containers on the path, and a later one in the depth of the path. After a write, reads follow the path.
    public subscript(_ path: ConfigPath) -> ConfigValue? {
        get { node(at: path)?.value }
        set { write(newValue, at: path) }
    }

    private mutating func write(_ value: ConfigValue?, at path: ConfigPath) {
        // A literal root key takes precedence, as in reading.
        let components = root.steps(of: path)
        guard case .key? = components.first else {
            record(ConfigDiagnostic(.defaultUsed, key: path, message: "can't write: the path has no key"))
            return
        }
        guard components.count <= ConfigLimits.deepest else {
            record(
                ConfigDiagnostic(
                    .defaultUsed, message: "can't write: the path has more than \(ConfigLimits.deepest) steps"))
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
        var merger = ConfigMerger(.runtime)
        if let value, value != .null {
            // Moved out of the configuration, so that it is changed in place.
            var tree: ConfigNode? = root
            let isFirst = written == nil
            written = nil
            do throws(IndexOutOfRange) {
                try merger.set(PlacedValue(value), at: components, in: &tree, replaces: true)
            } catch {
                written = isFirst ? nil : tree
                return .impossible
            }
            written = tree
            return .changed
        }
        if let removed = merger.remove(components[...], from: root) {
            written = removed
            return .changed
        }
        return components.allSatisfy { $0.key != nil } ? .unchanged : .impossible
    }

    /// Records a write for the next reload; an array is recorded as a whole, because its indices may change.
    private mutating func record(_ components: [ConfigPath.Component]) {
        let keys = Array(components.prefix { if case .key = $0 { true } else { false } })
        writes.count += 1
        writes.values[keys] = (writes.count, locate(ConfigPath(keys))?.value)
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
        written = nil
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

/// The writes at run time: the last value at each path, or `nil` for a removed value.
struct ConfigWrites: Sendable {
    var values: [[ConfigPath.Component]: (order: Int, value: ConfigValue?)] = [:]
    var count = 0
}
