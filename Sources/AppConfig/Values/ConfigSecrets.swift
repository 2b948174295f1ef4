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

extension ConfigTree {
    /// For each node, whether it is secret: itself, through a container around it, or through a value that it uses.
    ///
    /// - Complexity: O(*n*) in the number of nodes.
    func secretNodes(by rule: ConfigSecrets) -> [Bool] {
        struct Level {
            let end: Int
            let state: ConfigSecretMatcher.State
            let isArray: Bool
            var index = 0
        }
        var matcher = ConfigSecretMatcher(rule)
        var isSecret = [Bool](repeating: false, count: nodes.count)
        var levels = [Level(end: nodes.count, state: matcher.root, isArray: false)]
        isSecret[0] = matcher.root.isSecret
        for number in nodes.indices.dropFirst() {
            while levels.count > 1, levels[levels.count - 1].end <= number { levels.removeLast() }
            let (node, top) = (nodes[number], levels.count - 1)
            var state = levels[top].state
            if levels[top].isArray {
                if !state.isOutsideListedPaths { state = matcher.step(state, .index(levels[top].index)) }
                if !node.flags.contains(.removed) { levels[top].index += 1 }
            } else {
                state = matcher.step(state, .key(key(of: number)))
            }
            if node.flags.contains(.secret) { state.isSecret = true }
            isSecret[number] = state.isSecret
            if node.kind.isContainer {
                levels.append(Level(end: Int(node.end), state: state, isArray: node.kind == .array))
            }
        }
        if !sourceNodes.isEmpty { spread(&isSecret) }
        return isSecret
    }

    /// Marks the values that use secret values, and their descendants.
    private func spread(_ isSecret: inout [Bool]) {
        var built: [Int: [Int]] = [:]
        for (node, sources) in sourceNodes { for source in sources { built[source, default: []].append(node) } }
        var pending = built.keys.filter { isSecret[$0] }
        while let source = pending.popLast() {
            for root in built[source] ?? [] {
                for node in root..<Int(nodes[root].end) where !isSecret[node] {
                    isSecret[node] = true
                    if built[node] != nil { pending.append(node) }
                }
            }
        }
    }
}
