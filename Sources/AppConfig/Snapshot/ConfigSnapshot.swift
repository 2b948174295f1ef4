internal import AshlarCore

/// The result of loading: the merged tree, its index, and its layers.
///
/// A snapshot never changes; values set at run time are stored in `ApplicationConfig`.
final class ConfigSnapshot: Sendable {
    /// Identifies a snapshot, so that a typed key can cache the position of its value.
    let generation: UInt64
    let tree: ConfigTree
    let index: ConfigIndex
    let context: ConfigContext
    /// Whether numbers are converted as in NEIApplicationConfig.
    let readsAsSeed: Bool
    let tracker: ConfigAccessTracker?
    /// The secret nodes, computed on first use; invalid after the program declares another secret key.
    private let secrecy = Mutex<(declarations: Int, isSecret: [Bool])?>(nil)

    private static let generations = Mutex<UInt64>(0)

    init(tree: ConfigTree, context: ConfigContext) {
        self.tree = tree
        self.index = ConfigIndex(tree)
        self.context = context
        readsAsSeed = context.coercion.kind == .seed
        tracker = nil
        generation = Self.generations.withLock { generation in
            generation += 1
            return generation
        }
    }

    /// Creates a snapshot of the same values with another context.
    init(_ other: ConfigSnapshot, context: ConfigContext, tracker: ConfigAccessTracker? = nil) {
        tree = other.tree
        index = other.index
        self.tracker = tracker
        generation = other.generation
        self.context = context
        readsAsSeed = context.coercion.kind == .seed
    }

    /// Whether each node is secret.
    var secretNodes: [Bool] {
        let declarations = ConfigDeclaredKeys.secretPaths.count
        if let known = secrecy.withLock({ $0 }), known.declarations == declarations { return known.isSecret }
        let isSecret = tree.secretNodes(by: context.secrets)
        secrecy.withLock { $0 = (declarations, isSecret) }
        return isSecret
    }

    /// Whether the value of a node is secret.
    func isSecret(_ node: Int) -> Bool { secretNodes[node] }

    /// Returns the node for the text of a key: a literal root key first, then a path.
    func find(_ key: String) -> Int? {
        let found = key.utf8.withContiguousStorageIfAvailable { text in
            index.find(Span(_unsafeElements: text).bytes) ?? (mayBeSpelledOtherwise(text) ? nil : Self.absent)
        }
        guard let node = found ?? nil else { return findSpelled(key) }
        return node == Self.absent ? nil : node
    }

    private static let absent = -1

    /// Whether a text that isn't in the index can be the path of a value: with an alternative notation (`::`, `\`,
    /// `[2]`), as a path that a literal key hides, or as a path deeper than the index.
    private func mayBeSpelledOtherwise(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.isEmpty || text.count >= ConfigIndex.maximumDepth * 2 - 1 || !index.hidden.isEmpty
            || text.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "\\") }
    }

    @inline(never)
    private func findSpelled(_ key: String) -> Int? {
        key.isEmpty ? 0 : index.find(key) ?? find(ConfigPath(key).components)
    }

    /// The node that a path means.
    func find(_ path: ConfigPath) -> Int? {
        switch path.storage {
        case .text(let text): find(text)
        case .components(let components): find(components)
        }
    }

    /// The node at exactly these steps.
    func find(_ components: [ConfigPath.Component]) -> Int? {
        let keys = components.prefix {
            if case .key = $0 { true } else { false }
        }
        if keys.isEmpty { return tree.descend(components) }
        var found: Int?
        if keys.count == 1, case .key(let key) = keys[0] {
            found = index.find(key)
            if let node = found, tree.nodes[node].parent != 0 { found = nil }
        } else {
            var text: [UInt8] = []
            for case .key(let key) in keys { ConfigPath.append(key: key.utf8, to: &text, isFirst: text.isEmpty) }
            found = index.find(text)
            // Exact steps don't refer to a literal root key with the same text.
            if let node = found, tree.nodes[node].parent == 0 { found = nil }
        }
        guard let found else { return tree.descend(components) }
        return keys.count == components.count ? found : tree.descend(from: found, components.dropFirst(keys.count))
    }
}

/// The layers, rules, and diagnostics of a configuration.
final class ConfigContext: Sendable {
    let layers: [ConfigLayer]
    let policy: ConfigMergePolicy
    let coercion: ConfigCoercion
    let secrets: ConfigSecrets
    /// Whether keys that begin with `$` are directives in the layers.
    let readsDirectives: Bool
    /// The syntax of the resolved references; nil if references weren't resolved.
    let references: ConfigReferenceSyntax?
    /// The environment variables that references use.
    let variables: [String: ConfigVariable]
    /// The diagnostics of loading.
    let diagnostics: [ConfigDiagnostic]
    /// The diagnostics of reading.
    let log: ConfigDiagnosticLog

    init(
        layers: [ConfigLayer] = [], policy: ConfigMergePolicy = .deep, coercion: ConfigCoercion = .standard,
        secrets: ConfigSecrets = .standard, diagnostics: [ConfigDiagnostic] = [], readsDirectives: Bool = false,
        references: ConfigReferenceSyntax? = nil, variables: [String: ConfigVariable] = [:],
        log: ConfigDiagnosticLog = ConfigDiagnosticLog()
    ) {
        self.layers = layers
        self.policy = policy
        self.coercion = coercion
        self.secrets = secrets
        self.diagnostics = diagnostics
        self.readsDirectives = readsDirectives
        self.references = references
        self.variables = variables
        self.log = log
    }
}

extension ConfigContext {
    /// Whether a dictionary is the section of a bundle identifier: its root key contains a dot, or it was applied.
    func isSection(_ node: Int, of tree: ConfigTree) -> Bool {
        guard tree.nodes[node].parent == 0 else { return false }
        let key = tree.key(of: node)
        return key.contains(".") || layers.contains { $0.kind == .bundle && $0.label == key }
    }

    /// Returns the same rules with other layers or additional diagnostics.
    func with(layers: [ConfigLayer]? = nil, diagnostics more: [ConfigDiagnostic] = []) -> ConfigContext {
        ConfigContext(
            layers: layers ?? self.layers, policy: policy, coercion: coercion, secrets: secrets,
            diagnostics: diagnostics + more, readsDirectives: readsDirectives, references: references,
            variables: variables, log: log)
    }
}

/// The diagnostics of reading, one for each subject.
final class ConfigDiagnosticLog: Sendable {
    private struct State {
        var seen: Set<String> = []
        var list: [ConfigDiagnostic] = []
    }

    private let state = Mutex(State())

    /// Returns whether there is a diagnostic about a subject.
    func hasSeen(_ subject: String) -> Bool { state.withLock { $0.seen.contains(subject) } }

    /// Adds a diagnostic; returns false if there is one about the same subject.
    func add(_ diagnostic: ConfigDiagnostic, about subject: String) -> Bool {
        state.withLock { state in
            guard state.seen.insert(subject).inserted else { return false }
            state.list.append(diagnostic)
            return true
        }
    }

    var all: [ConfigDiagnostic] { state.withLock { $0.list } }
}
