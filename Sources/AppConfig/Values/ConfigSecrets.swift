internal import AshlarCore

/// Decides which values are secret and print as `<redacted>` in descriptions, errors, explanations, and differences.
///
/// A value is secret if
/// - a key on its path has the name of a secret, such as `dbPassword`, `API_TOKEN`, or `licenseKey`;
/// - its path, or the path of a container around it, is listed here or in a file's `$secret`;
/// - a key of the program declares it as secret, with `ConfigKey(…, secret: true)`;
/// - it contains a reference `${…}` to a secret value, or to a name that is secret.
///
/// The same paths are secret in sections of bundle identifiers. Credentials in URLs, as in
/// `postgres://user:password@host`, are hidden in every printed string. Code can read secret values, and a
/// ``ConfigValue`` that was read prints its content.
public struct ConfigSecrets: Sendable, Hashable {
    /// Whether the standard vocabulary applies: words such as `password`, `token`, `auth`, and `pin`, in any notation.
    ///
    /// Names that describe a secret, such as `passwordLength` or `tokenType`, and other words that contain one, such as
    /// `tokenizer` or `pinColor`, aren't secret.
    var includesStandardNames: Bool
    /// Additional lowercase words that make a key secret.
    package var words: Set<String>
    /// The paths of secret values.
    public var paths: Set<ConfigPath>
    /// The root keys whose values were merged over the root.
    var sections: Set<String> = []

    /// Creates rules for secret values; by default, those of the standard vocabulary.
    public init(words: Set<String> = [], paths: Set<ConfigPath> = [], includesStandardNames: Bool = true) {
        self.words = words
        self.paths = paths
        self.includesStandardNames = includesStandardNames
    }

    /// Returns whether the value at a path is secret by these rules, or by a key that the program declared as secret.
    package func isSecret(_ path: ConfigPath) -> Bool {
        var matcher = ConfigSecretMatcher(self)
        return path.components.reduce(matcher.root) { matcher.step($0, $1) }.isSecret
    }

    /// Returns whether a key has the name of a secret.
    func isSecretKey(_ key: String) -> Bool {
        SecretNames(additionalWords: words, includesStandard: includesStandardNames).matches(key)
    }
}

/// The typed keys of the program, in any module.
enum ConfigDeclaredKeys {
    private struct Keys {
        var types: [String: Any.Type] = [:]
        var secretPaths: Set<ConfigPath> = []
    }

    private static let keys = Mutex(Keys())

    static func add(_ name: String, _ type: Any.Type, isSecret: Bool) {
        keys.withLock { keys in
            keys.types[name] = type
            if isSecret { keys.secretPaths.insert(ConfigPath(name)) }
        }
    }

    /// The types of all typed keys by name.
    static var types: [String: Any.Type] { keys.withLock { $0.types } }

    /// The paths of all keys that were declared as secret.
    static var secretPaths: Set<ConfigPath> { keys.withLock { $0.secretPaths } }
}

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
            let mayBeSection = key.utf8.contains(where: ConfigPath.needsEscape) || rule.sections.contains(key)
            if state.isRoot, !listed.isEmpty, mayBeSection {
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
            zip(path, steps).allSatisfy(includes) ? path.dropFirst(steps.count) : nil
        }
    }

    /// Whether a step of a listed path means a step of a value's path.
    private static func includes(_ listed: ConfigPath.Component, _ step: ConfigPath.Component) -> Bool {
        switch listed {
        case .anyIndex: step.key == nil
        case .anyKey: step.key != nil
        default: listed == step
        }
    }
}

/// Decides which nodes of a tree are secret: by their paths, by their entries, and by the values that they use.
struct ConfigSecrecy {
    typealias State = ConfigSecretMatcher.State

    private var matcher: ConfigSecretMatcher
    /// The tree in which references were resolved.
    private let loaded: ConfigNode
    private var known: [[ConfigPath.Component]: Bool] = [:]

    init(_ rules: ConfigSecrets, loaded: ConfigNode) {
        matcher = ConfigSecretMatcher(rules)
        self.loaded = loaded
    }

    var root: State { matcher.root }

    /// Returns the state of a node from that of its container.
    mutating func step(_ state: State, _ step: ConfigPath.Component, to node: ConfigNode) -> State {
        var next = step.key == nil && state.isOutsideListedPaths ? state : matcher.step(state, step)
        if !next.isSecret { next.isSecret = isMarked(node) }
        return next
    }

    /// Returns whether the value at a path, or a container around it, is secret.
    mutating func isSecret(_ steps: [ConfigPath.Component], in root: ConfigNode) -> Bool {
        var state = matcher.root
        var node: ConfigNode? = root
        for step in steps where !state.isSecret {
            node = node?.child(step)
            state = node.map { self.step(state, step, to: $0) } ?? matcher.step(state, step)
        }
        return state.isSecret
    }

    private mutating func isMarked(_ node: ConfigNode) -> Bool {
        let origin = node.origin
        if origin.isSecret || origin.entry.isSecret { return true }
        return origin.built.map { usesSecret($0.uses) } ?? false
    }

    /// Returns whether one of some values, or a value that one of them uses, is secret.
    ///
    /// Chains of references can be long, so the search isn't recursive.
    private mutating func usesSecret(_ uses: [[ConfigPath.Component]]) -> Bool {
        var open: [(path: [ConfigPath.Component], rest: ArraySlice<[ConfigPath.Component]>)] = [([], uses[...])]
        while !open.isEmpty {
            guard let path = open[open.count - 1].rest.popFirst() else {
                open.removeLast()
                continue
            }
            if known[path] == false { continue }
            let (isSecret, uses) = known[path] == true ? (true, []) : own(path)
            known[path] = isSecret
            if isSecret {
                for (path, _) in open where !path.isEmpty { known[path] = true }
                return true
            }
            if !uses.isEmpty { open.append((path, uses[...])) }
        }
        return false
    }

    /// Returns whether a value is secret for another reason than the values that it uses, and these values.
    private mutating func own(_ path: [ConfigPath.Component]) -> (
        isSecret: Bool, uses: [[ConfigPath.Component]]
    ) {
        var state = matcher.root
        var node = loaded
        for step in path {
            state = matcher.step(state, step)
            guard !state.isSecret, let child = node.child(step) else { return (state.isSecret, []) }
            node = child
            if node.origin.isSecret || node.origin.entry.isSecret { return (true, []) }
        }
        return (false, node.origin.built?.uses ?? [])
    }

    /// Returns a tree in which each secret value is marked, for trees in which the values have other paths.
    mutating func marked(_ node: ConfigNode, _ state: State? = nil) -> ConfigNode {
        let state = state ?? root
        var node = node
        switch node {
        case .array(let elements, let origin):
            var marked: [ConfigNode] = []
            for (index, element) in elements.enumerated() {
                marked.append(self.marked(element, step(state, .index(index), to: element)))
            }
            node = .array(marked, origin)
        case .dictionary(let members, let origin):
            node = .dictionary(
                members.mapNodes { key, child in self.marked(child, step(state, .key(key), to: child)) }, origin)
        default: break
        }
        if state.isSecret { node.origin.isSecret = true }
        if let built = node.origin.built {
            node.origin.built = ConfigBuilt(template: built.template, uses: [])
        }
        return node
    }

    /// Calls a closure with each value that isn't a container and with each empty container, in the order of the sources.
    mutating func forEachLeaf(
        of root: ConfigNode, _ body: ([ConfigPath.Component], ConfigNode, _ isSecret: Bool) -> Void
    ) {
        visit(root, [], self.root, body)
    }

    private mutating func visit(
        _ node: ConfigNode, _ steps: [ConfigPath.Component], _ state: State,
        _ body: ([ConfigPath.Component], ConfigNode, Bool) -> Void
    ) {
        guard node.count > 0 || steps.isEmpty else { return body(steps, node, state.isSecret) }
        for (step, child) in node.children {
            visit(child, steps + [step], self.step(state, step, to: child), body)
        }
    }
}
