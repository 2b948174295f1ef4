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

    /// The value in one configuration, without its secrets.
    fileprivate struct Side: Sendable, Hashable {
        let value: ConfigValue?

        func text(_ isHidden: Bool) -> String? {
            guard let value else { return nil }
            if isHidden { return ConfigDescription.redacted }
            guard case .array = value else { return ConfigDescription.text(value) }
            let text = JSONWriter(isPretty: false).text(value)
            let shown = text.prefix(200)
            return shown.endIndex == text.endIndex ? text : shown + "…"
        }
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
        var hiding = Hiding(old, new)
        let before = Dictionary(old.root.leaves().map { ($0.steps, $0.node) }) { $1 }
        let after = Dictionary(new.root.leaves().map { ($0.steps, $0.node) }) { $1 }
        var changes: [(path: String, change: Change)] = []
        for path in Set(before.keys).union(after.keys) {
            let (left, right) = (before[path], after[path])
            if let left, let right, left.hasSameValue(as: right) { continue }
            let change = Change(
                path: ConfigPath(path), isSecret: hiding.isSecret(path), oldLocation: left?.location,
                newLocation: right?.location, before: Side(value: left.map { hiding.shown($0, path) }),
                after: Side(value: right.map { hiding.shown($0, path) }))
            changes.append((change.path.description, change))
        }
        self.changes = changes.sorted { $0.path < $1.path }.map(\.change)
    }

    /// Hides in both configurations what is secret by the rules or the values of one of them.
    private struct Hiding {
        private var checks: [(secrecy: ConfigSecrecy, root: ConfigNode)]

        init(_ old: ApplicationConfig, _ new: ApplicationConfig) {
            let rules = [old, new].map(\.snapshot.context.secrets)
            checks = [old, new].flatMap { config in
                (rules[0] == rules[1] ? [rules[0]] : rules).map {
                    (ConfigSecrecy($0, loaded: config.snapshot.root), config.root)
                }
            }
        }

        mutating func isSecret(_ steps: [ConfigPath.Component]) -> Bool {
            checks.indices.contains { checks[$0].secrecy.isSecret(steps, in: checks[$0].root) }
        }

        mutating func shown(_ node: ConfigNode, _ steps: [ConfigPath.Component]) -> ConfigValue {
            if isSecret(steps) { return .string(ConfigDescription.redacted) }
            switch node {
            case .scalar(.string(let text), _): return .string(SecretText.redacted(text))
            case .scalar, .removed: return node.value
            case .array(let elements, _):
                return .array(elements.indices.map { shown(elements[$0], steps + [.index($0)]) })
            case .dictionary(let members, _):
                var shown: [String: ConfigValue] = [:]
                for (key, child) in members { shown[key] = self.shown(child, steps + [.key(key)]) }
                return .dictionary(shown)
            }
        }
    }
}
