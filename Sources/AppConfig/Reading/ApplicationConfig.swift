/// A configuration: the merged values of all layers, each with its origin.
///
/// A configuration is a value type without locks and I/O; a copy costs two retains. Writing to a copy with a subscript
/// or `set` affects only this copy and is never saved. Use a ``ConfigStore`` for the current configuration of a
/// program.
///
/// ```swift
/// let config = ApplicationConfig(["http": ["timeout": 30, "host": "example.org"]])
/// let timeout = config.int(forKey: "http.timeout", default: 10)  // 30
/// let retries = config.int(forKey: "http.retries", default: 3)  // 3
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

    /// An empty configuration.
    public init() { self.init([:]) }

    /// Creates a configuration from values in code, without directives and references.
    public init(_ values: [String: ConfigValue]) {
        self.init(values, context: nil)
    }

    init(_ values: [String: ConfigValue], context: ConfigContext?) {
        var builder = ConfigTreeBuilder()
        builder.value(.dictionary(values), dropsNulls: true)
        let tree = builder.finish(sources: [.code("code")])
        let layer = ConfigLayer(kind: .defaults, label: "code", tree: tree)
        self.init(snapshot: ConfigSnapshot(tree: tree, context: context ?? ConfigContext(layers: [layer])))
    }
}

/// A node and its tree.
struct ConfigPlace {
    let snapshot: ConfigSnapshot
    let node: Int

    var tree: ConfigTree { snapshot.tree }
    var kind: ConfigKind { tree.nodes[node].kind }
}

extension ApplicationConfig {
    /// Returns the value of a key's text, and records the read.
    @inline(__always)
    func place(of key: String) -> ConfigPlace? {
        let node = snapshot.find(key)
        snapshot.note(node, key)
        if overlay != nil { return placeInOverlay(of: key, base: node) }
        return node.map { ConfigPlace(snapshot: snapshot, node: $0) }
    }

    /// Returns the value of a path, and records the read.
    func place(of path: ConfigPath) -> ConfigPlace? {
        switch path.storage {
        case .text(let text): return place(of: text)
        case .components(let components):
            snapshot.note(snapshot.find(components), path.description)
            return place(of: components)
        }
    }

    /// Returns the value of a path without recording a read.
    func locate(_ path: ConfigPath) -> ConfigPlace? {
        switch path.storage {
        case .text(let text) where overlay == nil:
            return snapshot.find(text).map { ConfigPlace(snapshot: snapshot, node: $0) }
        case .text(let text): return placeInOverlay(of: text, base: snapshot.find(text))
        case .components(let components): return place(of: components)
        }
    }

    private func placeInOverlay(of key: String, base: Int?) -> ConfigPlace? {
        guard let overlay else { return nil }
        if let section = overlay[key], let node = section.tree.child(of: 0, key: key) {
            return ConfigPlace(snapshot: section, node: node)
        }
        if let base, base != 0 {
            var root = base
            while snapshot.tree.nodes[root].parent != 0 { root = Int(snapshot.tree.nodes[root].parent) }
            if overlay[snapshot.tree.key(of: root)] == nil { return ConfigPlace(snapshot: snapshot, node: base) }
        }
        return place(of: ConfigPath(key).components)
    }

    private func place(of components: [ConfigPath.Component]) -> ConfigPlace? {
        guard let overlay else { return snapshot.find(components).map { ConfigPlace(snapshot: snapshot, node: $0) } }
        guard case .key(let first)? = components.first else {
            guard components.isEmpty else { return nil }
            let whole = flattened()
            return ConfigPlace(snapshot: whole, node: 0)
        }
        guard let section = overlay[first] else {
            return snapshot.find(components).map { ConfigPlace(snapshot: snapshot, node: $0) }
        }
        return section.find(components).map { ConfigPlace(snapshot: section, node: $0) }
    }

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

    func adding(_ diagnostics: [ConfigDiagnostic]) -> ApplicationConfig {
        ApplicationConfig(snapshot: ConfigSnapshot(snapshot, context: snapshot.context.with(diagnostics: diagnostics)))
    }
}

extension ApplicationConfig: ExpressibleByDictionaryLiteral {
    /// Creates a configuration from values in code; for duplicate keys, the last value wins.
    public init(dictionaryLiteral elements: (String, ConfigValue)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
