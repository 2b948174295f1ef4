extension ApplicationConfig {
    /// Tells where the value of a path comes from: the winner, and every value it shadows, with file and line.
    ///
    /// - Complexity: O(*l* · *w*) in the number of layers and the width of the dictionaries on the way; for elements of
    ///   arrays and what a reference put there, O(*n*) in the number of all layers' values.
    public func explain(_ path: ConfigPath) -> ConfigExplanation {
        let place = locate(path)
        let components = place.map { $0.tree.path(of: $0.node).components } ?? path.components
        let layers = explainedLayers(components, place)
        let explainer = explainer(layers, components)
        let rule = snapshot.context.secrets
        let isSecret = place.map { $0.tree.isSecret($0.node, by: rule) } ?? rule.isSecret(path)
        func entry(_ contribution: ConfigExplainer.Contribution) -> ConfigExplanation.Entry {
            let layer = layers[contribution.layer]
            let tree = layer.tree
            let hidesWhatRemoves = contribution.removes && !tree.isDirective(contribution.node)
            let isHidden =
                (isSecret && !contribution.removes)
                || (hidesWhatRemoves && tree.isSecret(contribution.node, by: rule))
            return ConfigExplanation.Entry(
                origin: tree.origin(of: contribution.node), layer: layer.kind, label: layer.label,
                text: isHidden ? ConfigDescription.redacted : ConfigDescription.text(contribution.node, in: tree),
                note: contribution.isAbove ? "at \(tree.key(of: contribution.node))" : nil)
        }
        var (live, shadowed) = (explainer.live, explainer.shadowed)
        if let place, let writer = writer(of: place, components, layers, live) { (live, shadowed) = ([writer], []) }
        var removed = place == nil ? explainer.removal.map(entry) : nil
        if place == nil, !live.isEmpty {
            // The layers have a value there, so a write at run time took it away.
            (live, shadowed) = ([], shadowed + live)
            removed = ConfigExplanation.Entry(
                origin: ConfigOrigin(name: ConfigLayerKind.runtime.description), layer: .runtime,
                label: ConfigLayerKind.runtime.description, text: "nothing", note: nil)
        }
        if let place, let last = live.last, layers[last.layer].kind == .runtime,
            place.tree.nodes[place.node].source == ConfigSectionWriter.source
        {
            // A dictionary written as a whole replaces the lower one; a dictionary with written entries is merged with it.
            (live, shadowed) = ([last], shadowed + live.dropLast())
        }
        let entries = live.reversed().map(entry)
        return ConfigExplanation(
            path: path,
            text: place.map {
                isSecret ? ConfigDescription.redacted : ConfigDescription.text($0.node, in: $0.tree)
            },
            isSecret: isSecret, isBuilt: place.map { $0.tree.nodes[$0.node].flags.contains(.interpolated) } ?? false,
            winner: entries.first, merged: Array(entries.dropFirst()),
            shadowed: shadowed.reversed().map(entry), removed: removed)
    }

    /// Who wrote a value that no layer has at its path.
    ///
    /// That is one that a reference put there, or an element of a list that others put elements before. Nil if the layers
    /// that were found are right.
    private func writer(
        of place: ConfigPlace, _ components: [ConfigPath.Component], _ layers: [ConfigLayer],
        _ live: [ConfigExplainer.Contribution]
    ) -> ConfigExplainer.Contribution? {
        let isElement = components.contains { if case .index = $0 { true } else { false } }
        if let last = live.last, !isElement || isWritten(place, at: last.node, of: layers[last.layer].tree) {
            return nil
        }
        for (number, layer) in layers.enumerated().reversed() {
            let nodes = layer.root + 1..<max(layer.root + 1, Int(layer.tree.nodes[layer.root].end))
            if let node = nodes.first(where: { isWritten(place, at: $0, of: layer.tree) }) {
                return ConfigExplainer.Contribution(layer: number, node: node)
            }
        }
        return nil
    }

    /// Whether a value comes from a node of a layer's tree, by its position or, without positions, by its value.
    private func isWritten(_ place: ConfigPlace, at node: Int, of tree: ConfigTree) -> Bool {
        let (written, read) = (tree.nodes[node], place.tree.nodes[place.node])
        let (source, other) = (tree.sources[Int(written.source)], place.tree.sources[Int(read.source)])
        guard written.position == read.position, source.name == other.name, source.file == other.file else {
            return false
        }
        switch source.positions {
        case .lines, .offsets: return true
        case .names, .none: return tree.hasSameValue(at: node, as: place.tree, at: place.node)
        }
    }

    /// Explains every value, in the order of the paths.
    ///
    /// - Complexity: O(*n*) times that of ``explain(_:)``.
    public func explainAll() -> [ConfigExplanation] { paths().map { explain($0) } }

    func explainer(_ layers: [ConfigLayer], _ components: [ConfigPath.Component]) -> ConfigExplainer {
        ConfigExplainer(
            layers, components, policy: snapshot.context.policy, readsDirectives: snapshot.context.readsDirectives)
    }

    /// The layers, with the section of a root key on top if something at or below the place was written at run time.
    private func explainedLayers(_ components: [ConfigPath.Component], _ place: ConfigPlace?) -> [ConfigLayer] {
        guard let overlay, let place, case .key(let key)? = components.first, let section = overlay[key],
            section === place.snapshot
        else { return snapshot.context.layers }
        let (tree, end) = (section.tree, Int(section.tree.nodes[place.node].end))
        guard (place.node..<end).contains(where: { tree.nodes[$0].source == ConfigSectionWriter.source }) else {
            return snapshot.context.layers
        }
        return snapshot.context.layers + [
            ConfigLayer(kind: .runtime, label: ConfigLayerKind.runtime.description, tree: tree)
        ]
    }
}
