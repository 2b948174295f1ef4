import Synchronization

/// All that a configuration is made of after loading: the merged tree, its index, and the layers it came from.
///
/// Never changes; values set at run time lie beside it in `ApplicationConfig`.
@usableFromInline
final class ConfigSnapshot: Sendable {
    /// Distinguishes snapshots, so that a typed key can remember where it found its value.
    let generation: UInt64
    /// The generation where reads are nobody else's business; none at all where there is a tracker.
    @usableFromInline
    let quietGeneration: UInt64
    // Memory of the tree, which never changes and lives as long as the snapshot.
    @usableFromInline
    nonisolated(unsafe) let texts: UnsafeBufferPointer<String>
    let tree: ConfigTree
    let index: ConfigIndex
    let context: ConfigContext
    /// Whether numbers are read as the original did, looked at by the fast reads.
    let readsAsSeed: Bool
    /// Who wants to know of reads, if anybody does.
    let tracker: ConfigAccessTracker?

    private static let generations = Atomic<UInt64>(0)

    init(tree: ConfigTree, context: ConfigContext) {
        self.tree = tree
        self.index = ConfigIndex(tree)
        self.context = context
        readsAsSeed = context.coercion.kind == .seed
        tracker = nil
        generation = Self.generations.add(1, ordering: .relaxed).newValue
        quietGeneration = generation
        texts = tree.strings
    }

    /// The same values with another context.
    init(_ other: ConfigSnapshot, context: ConfigContext, tracker: ConfigAccessTracker? = nil) {
        tree = other.tree
        index = other.index
        self.tracker = tracker
        generation = other.generation
        quietGeneration = tracker == nil ? generation : .max
        texts = tree.strings
        self.context = context
        readsAsSeed = context.coercion.kind == .seed
    }

    /// The node that a key's text means: a literal root key first, then a path.
    @inline(__always)
    func find(_ key: String) -> Int? {
        let short = index.hash(ofShort: key)
        let found = key.utf8.withContiguousStorageIfAvailable { text in
            index.find(text, short ?? index.hash(of: text)) ?? (mayBeSpelledOtherwise(text) ? Self.unsure : Self.absent)
        }
        guard let found, found != Self.unsure else { return findSpelled(key) }
        return found == Self.absent ? nil : found
    }

    private static let absent = -1
    private static let unsure = -2

    /// Whether a text that the index does not know may mean a value all the same: by a spelling that is not canonical
    /// (`::`, `\`, `[2]`), as a path that a literal key hides, or as one deeper than the index.
    private func mayBeSpelledOtherwise(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if text.isEmpty || text.count >= ConfigIndex.maximumDepth * 2 - 1 || !index.hidden.isEmpty { return true }
        for byte in text
        where byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\\") {
            return true
        }
        return false
    }

    @inline(never)
    private func findSpelled(_ key: String) -> Int? {
        var key = key
        if key.isEmpty { return 0 }
        return key.withUTF8 { index.find($0) } ?? find(ConfigPath(key).components)
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
        if keys.count == 1, case .key(var key) = keys[0] {
            found = key.withUTF8 { index.find($0) }
            if let node = found, tree.nodes[node].parent != 0 { found = nil }
        } else {
            var text: [UInt8] = []
            for case .key(let key) in keys { ConfigPath.append(key: key.utf8, to: &text, isFirst: text.isEmpty) }
            found = text.withUnsafeBufferPointer { index.find($0) }
            // A literal root key of the same text is not what exact steps mean.
            if let node = found, tree.nodes[node].parent == 0 { found = nil }
        }
        guard let found else { return tree.descend(components) }
        return keys.count == components.count ? found : tree.descend(from: found, components.dropFirst(keys.count))
    }
}

/// What a configuration carries along besides its values.
final class ConfigContext: Sendable {
    let layers: [ConfigLayer]
    let policy: ConfigMergePolicy
    let coercion: ConfigCoercion
    let secrets: ConfigSecrets
    /// Keys beginning with `$` had a meaning in the layers.
    let readsDirectives: Bool
    /// What loading had to say.
    let diagnostics: [ConfigDiagnostic]
    /// What reading had to say so far.
    let remarks: ConfigRemarks

    init(
        layers: [ConfigLayer] = [], policy: ConfigMergePolicy = .deep, coercion: ConfigCoercion = .standard,
        secrets: ConfigSecrets = .standard, diagnostics: [ConfigDiagnostic] = [], readsDirectives: Bool = false,
        remarks: ConfigRemarks = ConfigRemarks()
    ) {
        self.layers = layers
        self.policy = policy
        self.coercion = coercion
        self.secrets = secrets
        self.diagnostics = diagnostics
        self.readsDirectives = readsDirectives
        self.remarks = remarks
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
            diagnostics: diagnostics + more, readsDirectives: readsDirectives, remarks: remarks)
    }
}

/// Remarks made while reading, each once for what it is about.
final class ConfigRemarks: Sendable {
    private struct State {
        var seen: Set<String> = []
        var list: [ConfigDiagnostic] = []
    }

    private let state = Mutex(State())

    /// Whether a remark about this was made before.
    func hasSeen(_ subject: String) -> Bool { state.withLock { $0.seen.contains(subject) } }

    /// Keeps a remark; false if one about the same was made before.
    func add(_ remark: ConfigDiagnostic, about subject: String) -> Bool {
        state.withLock { state in
            guard state.seen.insert(subject).inserted else { return false }
            state.list.append(remark)
            return true
        }
    }

    var all: [ConfigDiagnostic] { state.withLock { $0.list } }
}
