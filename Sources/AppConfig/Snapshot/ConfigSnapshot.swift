internal import AshlarCore

/// The result of loading: the merged tree, its index, and the layers it came from.
///
/// A snapshot never changes; values set at run time are stored in `ApplicationConfig`.
final class ConfigSnapshot: Sendable {
    /// Distinguishes snapshots, so that a typed key can cache the place of its value.
    let generation: UInt64
    let tree: ConfigTree
    let index: ConfigIndex
    let context: ConfigContext
    /// Whether numbers are converted as the original did.
    let readsAsSeed: Bool
    let tracker: ConfigAccessTracker?
    /// The secret nodes, found when they are first needed; a later secret key of the program makes them stale.
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

    /// The same values with another context.
    init(_ other: ConfigSnapshot, context: ConfigContext, tracker: ConfigAccessTracker? = nil) {
        tree = other.tree
        index = other.index
        self.tracker = tracker
        generation = other.generation
        self.context = context
        readsAsSeed = context.coercion.kind == .seed
    }

    /// For each node, whether it is secret.
    var secretNodes: [Bool] {
        let declarations = ConfigDeclaredKeys.secretPaths.count
        if let known = secrecy.withLock({ $0 }), known.declarations == declarations { return known.isSecret }
        let isSecret = tree.secretNodes(by: context.secrets)
        secrecy.withLock { $0 = (declarations, isSecret) }
        return isSecret
    }

    /// Whether the value of a node is secret.
    func isSecret(_ node: Int) -> Bool { secretNodes[node] }

    /// The node of a key's text: a literal root key first, then a path.
    func find(_ key: String) -> Int? {
        let found = key.utf8.withContiguousStorageIfAvailable { text in
            index.find(Span(_unsafeElements: text).bytes) ?? (mayBeSpelledOtherwise(text) ? nil : Self.absent)
        }
        guard let node = found ?? nil else { return findSpelled(key) }
        return node == Self.absent ? nil : node
    }

    private static let absent = -1

    /// Whether a text that is not in the index may still name a value: by a spelling that is not canonical (`::`, `\`,
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
            // A literal root key of the same text is not what exact steps mean.
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
    /// Keys beginning with `$` had a meaning in the layers.
    let readsDirectives: Bool
    /// The syntax of the references that were resolved; nil if none were.
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
    /// Whether a dictionary is the section of a bundle identifier: by the dot in its root key, or because it was used.
    func isSection(_ node: Int, of tree: ConfigTree) -> Bool {
        guard tree.nodes[node].parent == 0 else { return false }
        let key = tree.key(of: node)
        return key.contains(".") || layers.contains { $0.kind == .bundle && $0.label == key }
    }

    /// The same rules over other layers, or with more to say.
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

    /// Whether there is a diagnostic about a subject.
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
