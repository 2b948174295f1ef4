/// The values that differ between two configurations, by path.
public struct ConfigDiff: Sendable, Hashable, CustomStringConvertible {
    /// One value that is not what it was.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        /// Where the value is.
        public let path: ConfigPath
        /// The old value as text, `nil` if there was none; `<redacted>` if it is secret.
        public let old: String?
        /// The new value as text, `nil` if there is none; `<redacted>` if it is secret.
        public let new: String?

        /// Path, old and new value in a line.
        public var description: String { "\(path): \(old ?? "nothing") → \(new ?? "nothing")" }
    }

    /// The changes, sorted by path; an array changes as a whole.
    public let changes: [Change]

    /// Whether nothing changed.
    public var isEmpty: Bool { changes.isEmpty }

    /// A line for each change.
    public var description: String { changes.map(\.description).joined(separator: "\n") }

    /// Compares two configurations.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public init(from old: ApplicationConfig, to new: ApplicationConfig) {
        let (before, after) = (Leaves(old), Leaves(new))
        func isSecret(_ path: ConfigPath, in other: ApplicationConfig) -> Bool {
            other.snapshot.context.secrets.isSecret(path)
        }
        var changes: [Change] = []
        for (path, node) in before.nodes {
            guard let other = after.nodes[path] else {
                let isSecret = before.isSecret[node] || isSecret(path, in: new)
                changes.append(Change(path: path, old: before.text(node, isSecret), new: nil))
                continue
            }
            if !before.tree.hasSameValue(at: node, as: after.tree, at: other) {
                // A value that is secret on one side is redacted on both.
                let isSecret = before.isSecret[node] || after.isSecret[other]
                changes.append(Change(path: path, old: before.text(node, isSecret), new: after.text(other, isSecret)))
            }
        }
        for (path, node) in after.nodes where before.nodes[path] == nil {
            let isSecret = after.isSecret[node] || isSecret(path, in: old)
            changes.append(Change(path: path, old: nil, new: after.text(node, isSecret)))
        }
        self.changes = changes.sorted { $0.path < $1.path }
    }

    /// The values of one side that are not dictionaries, and its empty dictionaries.
    private struct Leaves {
        let tree: ConfigTree
        let isSecret: [Bool]
        var nodes: [ConfigPath: Int] = [:]

        init(_ config: ApplicationConfig) {
            tree = config.flattened().tree
            isSecret = tree.secretNodes(by: config.snapshot.context.secrets)
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

        func text(_ node: Int, _ isSecret: Bool) -> String {
            isSecret ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree)
        }
    }
}
