internal import AshlarCore

/// The layers, rules, and diagnostics of a configuration.
struct ConfigContext: Sendable {
    var layers: [ConfigLayer] = []
    var policy = ConfigMergePolicy.deep
    var coercion = ConfigCoercion.standard
    /// The rules of the plan, with the secrets of the settings that were read from this configuration.
    var secrets: ConfigSecrets {
        get { declaredSecrets.adding(to: rules) }
        set { rules = newValue }
    }
    private var rules: ConfigSecrets
    let declaredSecrets = ConfigDeclaredSecrets()
    /// The diagnostics of loading.
    var diagnostics: [ConfigDiagnostic] = []
    /// The syntax of the resolved references; nil if references weren't resolved.
    var references: ConfigReferenceSyntax?
    /// The environment variables that references use.
    var variables: [String: ConfigVariable] = [:]
    /// The diagnostics of reading.
    let log = ConfigDiagnosticLog()

    init(layers: [ConfigLayer] = [], secrets: ConfigSecrets = ConfigSecrets()) {
        self.layers = layers
        rules = secrets
    }

    /// Whether a dictionary is the section of a bundle identifier: its root key contains a dot, or it was applied.
    func isSection(_ node: Int, of tree: ConfigTree) -> Bool {
        guard tree.nodes[node].parent == 0 else { return false }
        let key = tree.key(of: node)
        return key.contains(".") || layers.contains { $0.kind == .bundle && $0.label == key }
    }

    /// Returns the same rules with other layers.
    func with(layers: [ConfigLayer]) -> ConfigContext {
        var context = self
        context.layers = layers
        return context
    }
}

/// The secrets of the settings that were read from a configuration and its copies.
final class ConfigDeclaredSecrets: Sendable {
    private let paths = Mutex<Set<ConfigPath>>([])

    /// The number of secrets, which only grows.
    var count: Int { paths.withLock { $0.count } }

    func add(_ secrets: [ConfigPath]) {
        if !secrets.isEmpty { paths.withLock { $0.formUnion(secrets) } }
    }

    func adding(to rules: ConfigSecrets) -> ConfigSecrets {
        let paths = paths.withLock { $0 }
        if paths.isEmpty { return rules }
        var rules = rules
        rules.paths.formUnion(paths)
        return rules
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

    /// Adds a diagnostic, unless there is one about the same subject.
    func add(_ diagnostic: ConfigDiagnostic, about subject: String) {
        state.withLock { state in
            if state.seen.insert(subject).inserted { state.list.append(diagnostic) }
        }
    }

    var all: [ConfigDiagnostic] { state.withLock { $0.list } }
}
