// Values written at run time. They are the strongest layer, are taken as they are (no directives, no `${…}`), change what
// this copy reads from then on and nothing that was built from the old value, and are never persisted.
extension ApplicationConfig {
    /// The value at a path; setting it writes a run-time value, and setting `nil` removes the key.
    ///
    /// Writing makes missing dictionaries on the way and replaces other values that are in it. An index may be that of an
    /// element or one past the last; other writes to arrays change nothing and leave a remark in `diagnostics`.
    ///
    /// - Complexity: Reading is O(*n*) in the values below the path, writing in those of the root key it begins with.
    public subscript(_ path: ConfigPath) -> ConfigValue? {
        get { value(at: path) }
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
        var value = value
        if case .null? = value { value = nil }
        var components = path.components
        // A literal root key comes first here as it does in reading.
        if case .text(let text) = path.storage, components.count > 1, locate(ConfigPath(components: [text])) != nil {
            components = [.key(text)]
        }
        guard case .key(let first)? = components.first else {
            remark(ConfigDiagnostic(.defaultUsed, key: path, message: "a path without a key is not written"))
            return
        }
        let old = locate(ConfigPath(components: [first])).map { $0.tree.value(of: $0.node) }
        let (section, isDone) = Self.changed(old, components.dropFirst(), to: value)
        guard isDone else {
            remark(ConfigDiagnostic(.defaultUsed, key: path, message: "there is no such element to write"))
            return
        }
        var builder = ConfigTreeBuilder()
        builder.value(.dictionary(section.map { [first: $0] } ?? [:]))
        let tree = builder.finish(sources: [.code("run time")])
        overlay = overlay ?? [:]
        overlay?[first] = ConfigSnapshot(tree: tree, context: snapshot.context)
    }

    /// A value with what lies at some steps below it changed.
    private static func changed(
        _ old: ConfigValue?, _ steps: ArraySlice<ConfigPath.Component>, to new: ConfigValue?
    ) -> (value: ConfigValue?, isDone: Bool) {
        guard let step = steps.first else { return (new, true) }
        switch step {
        case .key(let key):
            var entries = old?.dictionary ?? [:]
            if old?.dictionary == nil, new == nil { return (old, true) }
            let (value, isDone) = changed(entries[key], steps.dropFirst(), to: new)
            entries[key] = value
            return (.dictionary(entries), isDone)
        case .index(let index):
            var elements = old?.array ?? []
            guard index <= elements.count, index < elements.count || new != nil else { return (old, false) }
            let (value, isDone) = changed(
                index < elements.count ? elements[index] : nil, steps.dropFirst(), to: new)
            if let value, index < elements.count {
                elements[index] = value
            } else if let value {
                elements.append(value)
            } else {
                elements.remove(at: index)
            }
            return (.array(elements), isDone)
        }
    }
}
