/// Follows a path step by step and decides whether its value is secret.
///
/// Both paths and trees are matched by these steps, so the results are the same.
struct ConfigSecretMatcher {
    struct State {
        /// Whether the value at this position, and every value inside it, is secret.
        var isSecret: Bool
        /// The rest of each listed path that leads through this position.
        fileprivate var rest: [ArraySlice<ConfigPath.Component>]
        fileprivate var isRoot = false

        /// Whether only the names of keys can make an inner value secret.
        var isOutsideListedPaths: Bool { rest.isEmpty && !isRoot }
    }

    /// The state at the root of a configuration.
    let root: State
    private let rule: ConfigSecrets
    private let listed: [ArraySlice<ConfigPath.Component>]
    private var knownKeys: [String: Bool] = [:]

    init(_ rule: ConfigSecrets) {
        self.rule = rule
        listed = rule.paths.union(ConfigDeclaredKeys.secretPaths).map { $0.components[...] }
        root = State(isSecret: listed.contains { $0.isEmpty }, rest: listed, isRoot: true)
    }

    mutating func step(_ state: State, _ component: ConfigPath.Component) -> State {
        if state.isSecret { return State(isSecret: true, rest: []) }
        var rest = Self.advance(state.rest, [component])
        if case .key(let key) = component {
            let isNamed = knownKeys[key] ?? rule.isSecretKey(key)
            knownKeys[key] = isNamed
            if isNamed { return State(isSecret: true, rest: []) }
            if state.isRoot, !listed.isEmpty, key.utf8.contains(where: ConfigPath.needsEscape) {
                // A root key with dots can be a path, or a section of a bundle identifier, in which paths start again.
                rest += Self.advance(listed, ConfigPath(key).components) + listed
            }
        }
        return State(isSecret: rest.contains { $0.isEmpty }, rest: rest)
    }

    private static func advance(
        _ paths: [ArraySlice<ConfigPath.Component>], _ steps: [ConfigPath.Component]
    ) -> [ArraySlice<ConfigPath.Component>] {
        paths.compactMap { path in
            // A listed path that is shorter than this one also lists the values inside it.
            path.count < steps.count
                ? (steps.starts(with: path) ? [] : nil)
                : (path.starts(with: steps) ? path.dropFirst(steps.count) : nil)
        }
    }
}
