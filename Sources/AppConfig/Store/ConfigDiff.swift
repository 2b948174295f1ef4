/// What a reload changed, by path.
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
        let (before, after) = (Self.leaves(old), Self.leaves(new))
        var changes: [Change] = []
        for (path, value) in before {
            let other = after[path]
            if other?.value != value.value { changes.append(Change(path: path, old: value.text, new: other?.text)) }
        }
        for (path, value) in after where before[path] == nil {
            changes.append(Change(path: path, old: nil, new: value.text))
        }
        self.changes = changes.sorted { $0.path < $1.path }
    }

    private static func leaves(_ config: ApplicationConfig) -> [ConfigPath: (value: ConfigValue, text: String)] {
        let tree = config.flattened().tree
        let rule = config.snapshot.context.secrets
        var leaves: [ConfigPath: (ConfigValue, String)] = [:]
        var node = 1
        while node < tree.nodes.count {
            if tree.kind(of: node) == .dictionary, tree.count(of: node) > 0 {
                node += 1
                continue
            }
            let isSecret = tree.isSecret(node, by: rule)
            let text = isSecret ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree)
            leaves[tree.path(of: node)] = (tree.value(of: node), text)
            node = Int(tree.nodes[node].end)
        }
        return leaves
    }
}
