/// A configuration: the merged values of all layers, each with its origin.
///
/// A configuration is a value type without locks and I/O; a copy costs two retains. Writing to a copy with a subscript
/// affects only this copy and is never saved. Use a ``ConfigStore`` for the current configuration of a
/// program.
///
/// ```swift
/// let config = ApplicationConfig(["http": ["timeout": 30, "host": "example.org"]])
/// let timeout = config.int(forKey: "http.timeout") ?? 10  // 30
/// let retries = config.int(forKey: "http.retries") ?? 3  // 3
/// ```
///
/// ## How a key is found
///
/// A key is first looked up as one literal key of the root, including dots, and then as a path; see ``ConfigPath``.
/// Keys are case-sensitive. Paths with up to 32 keys are found by one hash of the text, in O(1).
public struct ApplicationConfig: Sendable {
    var snapshot: ConfigSnapshot
    /// The root keys written at run time, each with its whole new section; nil if nothing was written.
    ///
    /// A section is a tree whose root contains only this key, or nothing if the key was removed.
    var overlay: [String: ConfigSnapshot]?
    /// The writes that produced `overlay`, which a store repeats after a reload.
    var writes = ConfigWrites()

    init(snapshot: ConfigSnapshot) { self.snapshot = snapshot }

    /// Creates a configuration from values in code, without directives and references; by default, an empty one.
    public init(_ values: [String: ConfigValue] = [:]) { self.init(values, context: nil) }

    init(_ values: [String: ConfigValue], context: ConfigContext?) {
        var builder = ConfigTreeBuilder()
        builder.value(.dictionary(values), dropsNulls: true)
        let tree = builder.finish(sources: [.code("code")])
        let layer = ConfigLayer(kind: .defaults, label: "code", tree: tree)
        self.init(snapshot: ConfigSnapshot(tree: tree, context: context ?? ConfigContext(layers: [layer])))
    }
}

extension ApplicationConfig {
    /// Returns the snapshot with the values written at run time merged into it.
    ///
    /// - Complexity: O(*n*) in the number of values if anything was written, O(1) otherwise.
    func flattened() -> ConfigSnapshot {
        guard let overlay else { return snapshot }
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        let base = snapshot.tree.marked(by: snapshot.context.secrets)
        for child in base.children(of: 0) {
            let key = base.key(of: child)
            if overlay[key] != nil { continue }
            builder.key(key)
            builder.copy(child, of: base, sourceOffset: 1)
        }
        for (key, section) in overlay.sorted(by: { $0.key < $1.key }) {
            guard let child = section.tree.child(of: 0, key: key) else { continue }
            builder.key(key)
            builder.copy(child, of: section.tree, sourceOffset: 0)
        }
        builder.close()
        // All sections have these sources, or only the first of them.
        let sources = [ConfigTreeSource.code(ConfigLayerKind.runtime.description)] + base.sources
        return ConfigSnapshot(tree: builder.finish(sources: sources), context: snapshot.context)
    }
}

extension ApplicationConfig: Equatable {
    /// Whether both configurations have equal values, regardless of their origins.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public static func == (left: ApplicationConfig, right: ApplicationConfig) -> Bool {
        if left.snapshot === right.snapshot, left.overlay == nil, right.overlay == nil { return true }
        return left.flattened().tree.hasSameValue(at: 0, as: right.flattened().tree, at: 0)
    }
}

extension ApplicationConfig {
    /// All values as a dictionary.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public var values: [String: ConfigValue] { flattened().tree.value(of: 0).dictionary ?? [:] }

    /// The keys of the root, sorted.
    ///
    /// - Complexity: O(*n* log *n*) in the number of root keys.
    public var allKeys: [String] {
        var keys = Set(snapshot.tree.children(of: 0).map { snapshot.tree.key(of: $0) })
        for (key, section) in overlay ?? [:] {
            if section.tree.count(of: 0) == 0 { keys.remove(key) } else { keys.insert(key) }
        }
        return keys.sorted()
    }

    /// Returns the paths of all values except dictionaries with entries, in sorted order.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public func paths() -> [ConfigPath] {
        let tree = flattened().tree
        var found: [(text: String, path: ConfigPath)] = []
        var node = 1
        while node < tree.nodes.count {
            let isDictionary = tree.kind(of: node) == .dictionary && tree.count(of: node) > 0
            if !isDictionary {
                let path = tree.path(of: node)
                found.append((path.description, path))
            }
            node = isDictionary ? node + 1 : Int(tree.nodes[node].end)
        }
        return found.sorted { $0.text < $1.text }.map(\.path)
    }

    /// The diagnostics of loading and reading, such as missing optional files, conflicts of types, and malformed
    /// values.
    public var diagnostics: [ConfigDiagnostic] { snapshot.context.diagnostics + snapshot.context.log.all }
}

extension ApplicationConfig: ExpressibleByDictionaryLiteral {
    /// Creates a configuration from values in code; for duplicate keys, the last value wins.
    public init(dictionaryLiteral elements: (String, ConfigValue)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension ApplicationConfig {
    /// Returns the configuration of a dictionary in it, whose entries become root keys.
    ///
    /// With `inheritsRoot`, the entries are merged over the whole root, so the root provides keys that the scope lacks;
    /// `with(scope:)` of NEIApplicationConfig does the same. If the scope is missing or not a dictionary, the result is
    /// the root, or empty without `inheritsRoot`. Explanations of a scoped configuration contain the files of the
    /// values, but not the values that they override.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func scoped(to scope: ConfigPath, inheritsRoot: Bool = true) -> ApplicationConfig {
        let whole = flattened()
        guard let node = whole.find(scope), whole.tree.kind(of: node) == .dictionary else {
            return inheritsRoot ? self : derived([])
        }
        // Values have other paths in the scope, so secret values are marked.
        let tree = whole.tree.marked(by: snapshot.context.secrets)
        let section = ConfigLayer(kind: .base, label: "\(scope)", tree: tree, root: node)
        let root = ConfigLayer(kind: .defaults, label: "root", tree: tree)
        return derived(inheritsRoot ? [root, section] : [section])
    }

    /// Returns the configuration with other values merged over it.
    ///
    /// With the policy `seed`, the values replace whole root keys, as `with(dictionary:)` of NEIApplicationConfig does.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func merging(_ values: [String: ConfigValue], policy: ConfigMergePolicy = .deep) -> ApplicationConfig {
        var builder = ConfigTreeBuilder()
        builder.value(.dictionary(values))
        let tree = builder.finish(sources: [.code("merged values")])
        let root = ConfigLayer(
            kind: .base, label: "root", tree: flattened().tree.marked(by: snapshot.context.secrets))
        let layers = [root, ConfigLayer(kind: .runtime, label: "merged values", tree: tree)]
        var merger = ConfigMerger(layers, policy: policy)
        let merged = merger.merge()
        return ApplicationConfig(
            snapshot: ConfigSnapshot(
                tree: merged,
                context: snapshot.context.with(
                    layers: snapshot.context.layers + runtimeLayers + [layers[1]])))
    }

    private func derived(_ layers: [ConfigLayer]) -> ApplicationConfig {
        var merger = ConfigMerger(layers, policy: .seed)
        return ApplicationConfig(
            snapshot: ConfigSnapshot(
                tree: merger.merge(), context: snapshot.context.with(layers: layers)))
    }

    /// The values written at run time as layers, for explanations.
    var runtimeLayers: [ConfigLayer] {
        (overlay ?? [:]).sorted { $0.key < $1.key }.map {
            ConfigLayer(kind: .runtime, label: "run time", tree: $0.value.tree)
        }
    }
}

extension ApplicationConfig: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Every value as a line `path = value`, sorted by path; secret values are `<redacted>`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public var description: String {
        lines().map { "\($0.path) = \($0.text)" }.joined(separator: "\n")
    }

    /// The description with the location of each value.
    public var debugDescription: String {
        lines().map { "\($0.path) = \($0.text)  // \($0.tree.location(of: $0.node))" }.joined(separator: "\n")
    }

    /// The paths and the text of their values; secret values are `<redacted>`.
    public var customMirror: Mirror {
        let children = lines().map { line -> Mirror.Child in (line.path, line.text) }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    /// All values that aren't containers, including elements of arrays, in the order of their paths.
    private func lines() -> [(path: String, text: String, node: Int, tree: ConfigTree)] {
        let whole = flattened()
        let (tree, isSecret) = (whole.tree, whole.secretNodes)
        var lines: [(path: String, text: String, node: Int, tree: ConfigTree)] = []
        for node in tree.nodes.indices.dropFirst() {
            if tree.kind(of: node).isContainer, tree.count(of: node) > 0 { continue }
            let text = isSecret[node] ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree)
            lines.append((tree.path(of: node).description, text, node, tree))
        }
        return lines.sorted { $0.path < $1.path }
    }
}
