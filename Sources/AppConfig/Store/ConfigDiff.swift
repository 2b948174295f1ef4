/// The values that differ between two configurations, by path.
///
/// ```swift
/// let diff = try ConfigDiff(from: [.debug], to: ["staging"], in: .directory("Resources"))
/// for change in diff.changes { print(change, change.newLocation as Any) }
/// print(diff.json)
/// ```
public struct ConfigDiff: Sendable, Hashable, CustomStringConvertible {
    /// One value that differs.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        /// The path of the value.
        public let path: ConfigPath
        /// Whether the value is secret.
        public let isSecret: Bool
        /// The old value; `nil` if there was none or it is secret.
        ///
        /// - Complexity: O(*n*) in the number of values below the path.
        public var oldValue: ConfigValue? { isSecret ? nil : before.value }
        /// The new value; `nil` if there is none or it is secret.
        ///
        /// - Complexity: O(*n*) in the number of values below the path.
        public var newValue: ConfigValue? { isSecret ? nil : after.value }
        /// The location of the old value, if there was one.
        public let oldLocation: ConfigLocation?
        /// The location of the new value, if there is one.
        public let newLocation: ConfigLocation?
        /// The old value as text, `nil` if there was none; `<redacted>` if it is secret.
        public let old: String?
        /// The new value as text, `nil` if there is none; `<redacted>` if it is secret.
        public let new: String?

        fileprivate let before: Side
        fileprivate let after: Side

        /// Path, old and new value in a line.
        public var description: String { "\(path): \(old ?? "nothing") → \(new ?? "nothing")" }
    }

    /// The node of a value on one side, because values made of it may be nested deeply.
    fileprivate struct Side: Sendable, Hashable {
        let tree: ConfigTree
        let node: Int?

        var value: ConfigValue? { node.map { tree.value(of: $0) } }

        static func == (left: Side, right: Side) -> Bool {
            guard let node = left.node, let other = right.node else { return left.node == right.node }
            return left.tree.hasSameValue(at: node, as: right.tree, at: other)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(node == nil) }
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
        func change(_ path: ConfigPath, _ old: Int?, _ new: Int?, isSecret: Bool) -> Change {
            Change(
                path: path, isSecret: isSecret, oldLocation: old.map { before.tree.location(of: $0) },
                newLocation: new.map { after.tree.location(of: $0) }, old: old.map { before.text($0, isSecret) },
                new: new.map { after.text($0, isSecret) }, before: Side(tree: before.tree, node: old),
                after: Side(tree: after.tree, node: new))
        }
        var changes: [Change] = []
        for (path, node) in before.nodes {
            guard let other = after.nodes[path] else {
                changes.append(change(path, node, nil, isSecret: before.isSecret[node] || isSecret(path, in: new)))
                continue
            }
            if !before.tree.hasSameValue(at: node, as: after.tree, at: other) {
                // A value that is secret on one side is redacted on both.
                changes.append(change(path, node, other, isSecret: before.isSecret[node] || after.isSecret[other]))
            }
        }
        for (path, node) in after.nodes where before.nodes[path] == nil {
            changes.append(change(path, nil, node, isSecret: after.isSecret[node] || isSecret(path, in: old)))
        }
        self.changes = changes.sorted { $0.path < $1.path }
    }

    /// Compares the configurations of two lists of environments.
    ///
    /// - Throws: ``ConfigError`` with every problem of the first configuration that does not load.
    public init(
        from old: [ConfigEnvironment], to new: [ConfigEnvironment], in plan: ConfigPlan
    ) throws(ConfigError) {
        var (before, after) = (plan, plan)
        (before.environments, after.environments) = (old, new)
        self.init(from: try ApplicationConfig.load(before), to: try ApplicationConfig.load(after))
    }

    /// The changes as a JSON array of objects with `path`, `old`, `new`, `oldLocation`, and `newLocation`.
    ///
    /// A secret value is `"<redacted>"`; entries of values that do not exist are left out.
    public var json: String {
        let redacted = ConfigValue.string(ConfigDescription.redacted)
        let objects = changes.map { change -> ConfigValue in
            var object: [String: ConfigValue] = ["path": .string(change.path.description)]
            if change.old != nil { object["old"] = change.oldValue ?? redacted }
            if change.new != nil { object["new"] = change.newValue ?? redacted }
            object["oldLocation"] = change.oldLocation.map { .string($0.description) }
            object["newLocation"] = change.newLocation.map { .string($0.description) }
            return .dictionary(object)
        }
        return JSONWriter(isPretty: true).text(.array(objects)) + "\n"
    }

    /// The values of one side that are not dictionaries, and its empty dictionaries.
    private struct Leaves {
        let tree: ConfigTree
        let isSecret: [Bool]
        var nodes: [ConfigPath: Int] = [:]

        init(_ config: ApplicationConfig) {
            let whole = config.flattened()
            (tree, isSecret) = (whole.tree, whole.secretNodes)
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
