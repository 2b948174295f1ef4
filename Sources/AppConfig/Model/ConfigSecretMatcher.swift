/// Follows a path step by step and decides whether the value it leads to is secret.
///
/// Paths and trees are both matched by these steps, so they always agree.
struct ConfigSecretMatcher {
    struct State {
        /// Whether the value at this point, and with it every value below, is secret.
        var isSecret: Bool
        /// What is left of each listed path that leads through this point.
        fileprivate var rest: [ArraySlice<ConfigPath.Component>]
        fileprivate var isRoot = false

        /// Whether only names of keys can make a value below secret.
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
                // A root key with dots may be a path, or a section of a bundle identifier, in which paths begin again.
                rest += Self.advance(listed, ConfigPath(key).components) + listed
            }
        }
        return State(isSecret: rest.contains { $0.isEmpty }, rest: rest)
    }

    private static func advance(
        _ paths: [ArraySlice<ConfigPath.Component>], _ steps: [ConfigPath.Component]
    ) -> [ArraySlice<ConfigPath.Component>] {
        paths.compactMap { path in
            // A path that ends on the way lists the values below as well.
            path.count < steps.count
                ? (steps.starts(with: path) ? [] : nil)
                : (path.starts(with: steps) ? path.dropFirst(steps.count) : nil)
        }
    }
}
