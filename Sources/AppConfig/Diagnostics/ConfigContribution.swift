/// What one layer of a configuration has to say, value by value, and what became of it.
///
/// The description has a line for the layer and one for each value, such as
///
/// ```text
/// environment debug
///   http.timeout = 15 (ApplicationConfig.debug.plist:12)
///   title = "Debug" (ApplicationConfig.debug.plist:3), hidden by ApplicationConfig.plist:9
/// ```
public struct ConfigContribution: Sendable, CustomStringConvertible {
    /// What became of a layer's value.
    public enum Outcome: Sendable, Hashable {
        /// It is the configuration's value, or a part of it where lists were added to.
        case used
        /// A stronger layer gives or removes the value; where it does so.
        case hidden(by: ConfigOrigin)
        /// It is no value but removes those of weaker layers.
        case removes
    }

    /// One value of the layer.
    public struct Entry: Sendable, Hashable {
        /// Where the value is in the configuration.
        public let path: ConfigPath
        /// The place it was written.
        public let origin: ConfigOrigin
        /// The value as text, as the layer wrote it: before `${…}` were resolved; `<redacted>` if it is secret.
        public let text: String
        /// What became of it.
        public let outcome: Outcome
    }

    /// The kind of layer.
    public let layer: ConfigLayerKind
    /// The layer's own name, such as a file's environment or a bundle identifier's pattern.
    public let label: String
    /// The layer's values, those of arrays as one, in the order of their paths.
    public let entries: [Entry]

    /// The values that are the configuration's.
    public var used: [Entry] { entries.filter { $0.outcome == .used } }

    /// The layer, and a line for each of its values.
    public var description: String {
        let lines = entries.map { entry in
            switch entry.outcome {
            case .used: "  \(entry.path) = \(entry.text) (\(entry.origin))"
            case .hidden(let origin): "  \(entry.path) = \(entry.text) (\(entry.origin)), hidden by \(origin)"
            case .removes: "  \(entry.path) removed (\(entry.origin))"
            }
        }
        let name = label == layer.description ? label : "\(layer) \(label)"
        return ([name] + lines).joined(separator: "\n")
    }
}

extension ApplicationConfig {
    /// Lists what each layer contributed, the weakest layer first; a layer without values is listed too.
    ///
    /// - Complexity: O(*n* · *l* · *w*) in the values of all layers, the number of layers and the width of dictionaries.
    public func contributions() -> [ConfigContribution] {
        let layers = snapshot.context.layers
        var listed = layers.indices.map { number in
            ConfigContribution(
                layer: layers[number].kind, label: layers[number].label,
                entries: entries(of: number, in: layers).sorted { $0.path < $1.path })
        }
        if overlay != nil { listed.append(runtimeContribution()) }
        return listed
    }

    private func entries(of number: Int, in layers: [ConfigLayer]) -> [ConfigContribution.Entry] {
        let (tree, root) = (layers[number].tree, layers[number].root)
        let reads = snapshot.context.readsDirectives && snapshot.context.policy.isDeep && tree.hasDirectives
        let base = tree.path(of: root).components.count
        var entries: [ConfigContribution.Entry] = []
        func add(_ components: [ConfigPath.Component], _ node: Int, removes: Bool) {
            let explainer = explainer(layers, components)
            let isSecret = isSecret(components, tree, node)
            let outcome: ConfigContribution.Outcome =
                if removes {
                    .removes
                } else if explainer.live.contains(where: { $0.layer == number && $0.node == node }) {
                    outcomeOfLive(components)
                } else if let above = explainer.live.last ?? explainer.removal {
                    .hidden(by: layers[above.layer].tree.origin(of: above.node))
                } else {
                    .used
                }
            entries.append(
                ConfigContribution.Entry(
                    path: ConfigPath(components), origin: tree.origin(of: node),
                    text: isSecret ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree),
                    outcome: outcome))
        }
        var node = root + 1
        while node < Int(tree.nodes[root].end) {
            let end = Int(tree.nodes[node].end)
            let isDirective = reads && tree.isDirective(node)
            let isList = reads && ConfigDirectives.isList(node, tree)
            let components = Array(tree.path(of: node).components.dropFirst(base))
            if tree.nodes[node].flags.contains(.superseded) {
                node = end
            } else if isDirective {
                if tree.key(of: node) == ConfigDirectives.unset {
                    let parent = Int(tree.nodes[node].parent)
                    for name in ConfigDirectives.unset(parent, tree) {
                        add(components.dropLast() + [.key(name)], node, removes: true)
                    }
                }
                node = end
            } else if tree.kind(of: node) == .dictionary, tree.count(of: node) > 0, !isList {
                node += 1
            } else {
                add(components, node, removes: tree.kind(of: node) == .null)
                node = end
            }
        }
        return entries
    }

    /// A value that won among the layers may still be hidden by a write at run time.
    private func outcomeOfLive(_ components: [ConfigPath.Component]) -> ConfigContribution.Outcome {
        guard let overlay, case .key(let key)? = components.first, let section = overlay[key] else { return .used }
        if let node = section.find(components), section.tree.nodes[node].source != ConfigSectionWriter.source {
            return .used
        }
        return .hidden(by: ConfigOrigin(name: ConfigLayerKind.runtime.description))
    }

    private func isSecret(_ components: [ConfigPath.Component], _ tree: ConfigTree, _ node: Int) -> Bool {
        let rule = snapshot.context.secrets
        if tree.isSecret(node, by: rule) || rule.isSecret(ConfigPath(components)) { return true }
        return locate(ConfigPath(components)).map { $0.tree.isSecret($0.node, by: rule) } ?? false
    }

    private func runtimeContribution() -> ConfigContribution {
        let origin = ConfigOrigin(name: ConfigLayerKind.runtime.description)
        let entries = writes.values.map { keys, write in
            let place = locate(ConfigPath(keys))
            let isSecret =
                place.map { $0.tree.isSecret($0.node, by: snapshot.context.secrets) }
                ?? snapshot.context.secrets.isSecret(ConfigPath(keys))
            let text = place.map { ConfigDescription.text($0.node, in: $0.tree) } ?? "nothing"
            return ConfigContribution.Entry(
                path: ConfigPath(keys), origin: origin, text: isSecret ? ConfigDescription.redacted : text,
                outcome: write.value == nil ? .removes : .used)
        }
        return ConfigContribution(
            layer: .runtime, label: ConfigLayerKind.runtime.description, entries: entries.sorted { $0.path < $1.path })
    }
}
