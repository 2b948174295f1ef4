extension ApplicationConfig {
    /// Returns the configuration of a dictionary in it, whose entries become root keys.
    ///
    /// With `inheritsRoot`, the entries are merged over the whole root, so the root provides keys that the scope lacks;
    /// `with(scope:)` of NEIApplicationConfig does the same. If the scope is missing or not a dictionary, the result is
    /// the root, or empty without `inheritsRoot`. Explanations of a scoped configuration contain the files of the
    /// values, but not the values that they override.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func scoped(to scope: ConfigPath, inheritsRoot: Bool = true) -> ApplicationConfig {
        let whole = flattened()
        guard let node = whole.find(scope), whole.tree.kind(of: node) == .dictionary else {
            return inheritsRoot ? self : derived([])
        }
        // Values have other paths in the scope, so secret values are marked.
        let tree = whole.tree.marked(by: snapshot.context.secrets)
        let section = ConfigLayer(kind: .base, label: "\(scope)", tree: tree, root: node)
        let root = ConfigLayer(kind: .defaults, label: "root", tree: tree)
        return derived(inheritsRoot ? [root, section] : [section])
    }

    /// Returns the configuration with other values merged over it.
    ///
    /// With the policy `seed`, the values replace whole root keys, as `with(dictionary:)` of NEIApplicationConfig does.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func merging(_ values: [String: ConfigValue], policy: ConfigMergePolicy = .deep) -> ApplicationConfig {
        var builder = ConfigTreeBuilder()
        builder.value(.dictionary(values))
        let tree = builder.finish(sources: [.code("merged values")])
        let root = ConfigLayer(
            kind: .base, label: "root", tree: flattened().tree.marked(by: snapshot.context.secrets))
        let layers = [root, ConfigLayer(kind: .runtime, label: "merged values", tree: tree)]
        var merger = ConfigMerger(layers, policy: policy, readsDirectives: false)
        let merged = merger.merge()
        return ApplicationConfig(
            snapshot: ConfigSnapshot(
                tree: merged,
                context: snapshot.context.with(
                    layers: snapshot.context.layers + runtimeLayers + [layers[1]])))
    }

    private func derived(_ layers: [ConfigLayer]) -> ApplicationConfig {
        var merger = ConfigMerger(layers, policy: .seed, readsDirectives: false)
        return ApplicationConfig(
            snapshot: ConfigSnapshot(
                tree: merger.merge(), context: snapshot.context.with(layers: layers)))
    }

    /// The values written at run time as layers, for explanations.
    var runtimeLayers: [ConfigLayer] {
        (overlay ?? [:]).sorted { $0.key < $1.key }.map {
            ConfigLayer(kind: .runtime, label: "run time", tree: $0.value.tree)
        }
    }
}
