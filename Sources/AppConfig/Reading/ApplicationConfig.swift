internal import AshlarTrees

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
    /// The tree with the values written at run time; nil if nothing was written.
    var written: ConfigNode?
    /// The writes that produced `written`, which a store repeats after a reload.
    var writes = ConfigWrites()

    init(snapshot: ConfigSnapshot) { self.snapshot = snapshot }

    /// Creates a configuration from values in code, without directives and references; by default, an empty one.
    public init(_ values: [String: ConfigValue] = [:]) { self.init(values, context: nil) }

    init(_ values: [String: ConfigValue], context: ConfigContext?) {
        let layer = ConfigLayer(.defaults, label: "code", source: ConfigTreeSource.code("code").literal)
        var merger = ConfigMerger(layer)
        let root = merger.merge(PlacedValue(values), over: nil)
        self.init(snapshot: ConfigSnapshot(root, context ?? ConfigContext()))
    }

    /// The tree with the values written at run time.
    var root: ConfigNode { written ?? snapshot.root }
}

extension ApplicationConfig: Equatable {
    /// Whether both configurations have equal values, regardless of their origins.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public static func == (left: ApplicationConfig, right: ApplicationConfig) -> Bool {
        if left.snapshot === right.snapshot, left.written == nil, right.written == nil { return true }
        return left.root.hasSameValue(as: right.root)
    }
}

extension ApplicationConfig {
    /// All values as a dictionary.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public var values: [String: ConfigValue] { root.value.dictionary ?? [:] }

    /// The keys of the root, sorted.
    ///
    /// - Complexity: O(*n* log *n*) in the number of root keys.
    public var allKeys: [String] { root.keys.sorted() }

    /// Returns the paths of all values except dictionaries with entries, in sorted order.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public func paths() -> [ConfigPath] {
        root.leaves().map { ConfigPath($0.steps) }.map { ($0.description, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
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
    /// the root, or empty without `inheritsRoot`. Explanations of a scoped configuration lack the values that were
    /// replaced together with the scope.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func scoped(to scope: ConfigPath, inheritsRoot: Bool = true) -> ApplicationConfig {
        guard let section = locate(scope)?.node, section.members != nil else {
            return inheritsRoot ? self : ApplicationConfig([:], context: snapshot.context)
        }
        // Values have other paths in the scope, so secret values are marked.
        var secrecy = snapshot.secrecy()
        let whole = secrecy.marked(root)
        let steps = root.steps(of: scope)
        guard var result = inheritsRoot ? whole : .some(.empty(ConfigLayer(.base, label: "\(scope)"))),
            case .dictionary(var members, let origin) = result,
            let entries = whole.descend(steps)?.members
        else { return self }
        for (key, node) in entries { members.set(key, node) }
        result = .dictionary(members, origin)
        return ApplicationConfig(snapshot: ConfigSnapshot(result, snapshot.context))
    }

    /// Returns the configuration with other values merged over it.
    ///
    /// With the policy `seed`, the values replace whole root keys, as `with(dictionary:)` of NEIApplicationConfig does.
    /// Explanations contain the overridden values of up to about 200 merges.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func merging(_ values: [String: ConfigValue], policy: ConfigMergePolicy = .deep) -> ApplicationConfig {
        let layer = ConfigLayer(
            .runtime, label: "merged values", source: ConfigTreeSource.code("merged values").literal)
        var merger = ConfigMerger(layer, policy: policy)
        var secrecy = snapshot.secrecy()
        var base = secrecy.marked(root)
        // A configuration can be merged any number of times.
        if base.origin.merged.count >= Self.explainedMerges { base = base.withoutPast }
        let merged = merger.merge(PlacedValue(values), over: base)
        return ApplicationConfig(snapshot: ConfigSnapshot(merged, snapshot.context))
    }

    private static let explainedMerges = 200
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
        lines().map { "\($0.path) = \($0.text)  // \($0.node.location)" }.joined(separator: "\n")
    }

    /// The paths and the text of their values; secret values are `<redacted>`.
    public var customMirror: Mirror {
        let children = lines().map { line -> Mirror.Child in (line.path, line.text) }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    /// All values that aren't containers, including elements of arrays, in the order of their paths.
    private func lines() -> [(path: String, text: String, node: ConfigNode)] {
        var lines: [(path: String, text: String, node: ConfigNode)] = []
        var secrecy = snapshot.secrecy()
        secrecy.forEachLeaf(of: root) { steps, node, isSecret in
            if steps.isEmpty { return }
            let text = isSecret ? ConfigDescription.redacted : ConfigDescription.text(node)
            lines.append((ConfigPath(steps).description, text, node))
        }
        return lines.sorted { $0.path < $1.path }
    }
}
