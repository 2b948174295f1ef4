internal import AshlarCore

/// The differences between the values of two configurations, by path.
///
/// ```swift
/// let old: ApplicationConfig = ["http": ["timeout": 30]]
/// var new = old
/// new["http.timeout"] = 5
/// print(ConfigDiff(from: old, to: new))  // http.timeout: 30 → 5
/// ```
public struct ConfigDiff: Sendable, Hashable, CustomStringConvertible {
    /// One different value.
    public struct Change: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The path of the value.
        public let path: ConfigPath
        /// Whether the value is secret.
        package let isSecret: Bool
        /// The old value; `nil` if there is none or it is secret.
        ///
        /// Secret parts of an array, and credentials in URLs, are `<redacted>`.
        ///
        /// - Complexity: O(*n*) in the number of values below the path.
        public var oldValue: ConfigValue? { isSecret ? nil : before.value }
        /// The new value; `nil` if there is none or it is secret.
        ///
        /// Secret parts of an array, and credentials in URLs, are `<redacted>`.
        ///
        /// - Complexity: O(*n*) in the number of values below the path.
        public var newValue: ConfigValue? { isSecret ? nil : after.value }
        /// The location of the old value, if there is one.
        package let oldLocation: ConfigLocation?
        /// The location of the new value, if there is one.
        package let newLocation: ConfigLocation?
        /// The old value as text; `nil` if there is none, `<redacted>` if it is secret.
        ///
        /// An array is compact JSON, shortened to 200 characters.
        package var old: String? { before.text(isSecret) }
        /// The new value as text; `nil` if there is none, `<redacted>` if it is secret.
        ///
        /// An array is compact JSON, shortened to 200 characters.
        package var new: String? { after.text(isSecret) }

        fileprivate let before: Side
        fileprivate let after: Side

        /// The path, the old and the new value in one line.
        public var description: String { "\(path): \(old ?? "nothing") → \(new ?? "nothing")" }

        /// The path, the old and the new value as text.
        public var customMirror: Mirror {
            Mirror(self, children: ["path": path, "old": old as Any, "new": new as Any], displayStyle: .struct)
        }
    }

    /// The node of a value in one configuration; not a value, because values can be nested deeply.
    fileprivate struct Side: Sendable, Hashable {
        let tree: ConfigTree
        let isSecret: [Bool]
        let node: Int?

        /// The value without secrets.
        var value: ConfigValue? { node.map { tree.value(of: $0, hiding: isSecret) } }

        func text(_ isHidden: Bool) -> String? {
            guard let node, let value else { return nil }
            if isHidden { return ConfigDescription.redacted }
            guard tree.kind(of: node) == .array else { return ConfigDescription.text(node, in: tree) }
            let text = JSONWriter(isPretty: false).text(value)
            let shown = text.prefix(200)
            return shown.endIndex == text.endIndex ? text : shown + "…"
        }

        static func == (left: Side, right: Side) -> Bool {
            guard let node = left.node, let other = right.node else { return left.node == right.node }
            return left.tree.hasSameValue(at: node, as: right.tree, at: other)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(node == nil) }
    }

    /// The changes, sorted by path; a change inside an array changes the whole array.
    public let changes: [Change]

    /// Whether nothing changed.
    package var isEmpty: Bool { changes.isEmpty }

    /// The changes, one per line.
    public var description: String { changes.map(\.description).joined(separator: "\n") }

    /// Compares two configurations.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public init(from old: ApplicationConfig, to new: ApplicationConfig) {
        // A value that is secret in one configuration is redacted in both.
        var (before, after) = (Leaves(old, and: new), Leaves(new, and: old))
        var pairs: [(path: ConfigPath, old: Int?, new: Int?)] = []
        for (path, node) in before.nodes {
            let other = after.nodes[path]
            if let other {
                if before.tree.hasSameValue(at: node, as: after.tree, at: other) { continue }
                before.addSecrets(of: after, from: other, to: node)
                after.addSecrets(of: before, from: node, to: other)
            }
            pairs.append((path, node, other))
        }
        for (path, node) in after.nodes where before.nodes[path] == nil { pairs.append((path, nil, node)) }
        let changes = pairs.map { path, old, new in
            Change(
                path: path,
                isSecret: old.map { before.isSecret[$0] } ?? false || new.map { after.isSecret[$0] } ?? false,
                oldLocation: old.map { before.tree.location(of: $0) },
                newLocation: new.map { after.tree.location(of: $0) },
                before: Side(tree: before.tree, isSecret: before.isSecret, node: old),
                after: Side(tree: after.tree, isSecret: after.isSecret, node: new))
        }
        self.changes = changes.map { (path: $0.path.description, change: $0) }.sorted { $0.path < $1.path }
            .map(\.change)
    }

    /// The values of one configuration that aren't dictionaries, and its empty dictionaries.
    private struct Leaves {
        let tree: ConfigTree
        var isSecret: [Bool]
        var nodes: [ConfigPath: Int] = [:]

        /// Reads the values of a configuration, including the secret paths of the other one.
        init(_ config: ApplicationConfig, and other: ApplicationConfig) {
            let whole = config.flattened()
            tree = whole.tree
            isSecret = whole.secretNodes
            let secrets = other.snapshot.context.secrets
            if secrets != config.snapshot.context.secrets {
                for (node, isListed) in tree.secretNodes(by: secrets).enumerated() where isListed {
                    isSecret[node] = true
                }
            }
            var node = 1
            while node < tree.nodes.count {
                if tree.kind(of: node) == .dictionary, tree.count(of: node) > 0 {
                    node += 1
                    continue
                }
                nodes[tree.path(of: node)] = node
                node = Int(tree.nodes[node].end)
            }
        }

        /// Marks values as secret if they contain secrets in the other configuration.
        mutating func addSecrets(of other: Leaves, from otherRoot: Int, to root: Int) {
            for node in otherRoot..<Int(other.tree.nodes[otherRoot].end) where other.isSecret[node] {
                guard let twin = tree.descend(other.tree.path(of: node).components) else { continue }
                for node in twin..<Int(tree.nodes[twin].end) { isSecret[node] = true }
            }
        }
    }
}
