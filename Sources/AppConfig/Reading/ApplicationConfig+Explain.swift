#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ApplicationConfig {
    /// Explains the origin of a value: its entry, the entries that it overrides, and the values that its references
    /// use, each with file and line.
    ///
    /// - Complexity: For each part, O(*l* · *w*) in the number of layers and the number of keys in the dictionaries on
    ///   the path.
    public func explain(_ path: ConfigPath) -> ConfigExplanation {
        var seen: Set<ConfigPath> = []
        return explain(path, &seen)
    }

    /// Explains every value, in the order of the paths.
    ///
    /// - Complexity: O(*n*) times that of ``explain(_:)``.
    public func explainAll() -> [ConfigExplanation] { paths().map { explain($0) } }

    func explain(_ path: ConfigPath, _ seen: inout Set<ConfigPath>) -> ConfigExplanation {
        let place = locate(path)
        let components = place.map { $0.tree.path(of: $0.node).components } ?? path.components
        let trail = Trail(self, components, place)
        var (live, shadowed) = (trail.trace.live, trail.trace.shadowed)
        var removed = place == nil ? trail.trace.removal.map { trail.entry($0) } : nil
        if place == nil, !live.isEmpty {
            // The layers have a value at this path, so a write at run time removed it.
            (live, shadowed) = ([], shadowed + live)
            removed = ConfigExplanation.Entry(
                location: ConfigLocation(file: ConfigLayerKind.runtime.description), layer: .runtime,
                label: ConfigLayerKind.runtime.description, text: "nothing", note: nil)
        }
        if let place, let last = live.last, trail.fold.layers[last.contributor.layer].kind == .runtime,
            place.tree.nodes[place.node].source == ConfigSectionWriter.source
        {
            // A dictionary that was written as a whole replaces the weaker one; one with written entries is merged with
            // it.
            (live, shadowed) = ([last], shadowed + live.dropLast())
        }
        var isBuilt = place.map { $0.tree.nodes[$0.node].flags.contains(.interpolated) } ?? false
        var entries = live.reversed().map { trail.entry($0) }
        let template = place.flatMap { self.template(at: $0, components, live) }
        if let template, let outer = template.outer { (entries, isBuilt) = ([outer], true) }
        let text = place.map { place in
            trail.isSecret ? ConfigDescription.redacted : ConfigDescription.text(place.node, in: place.tree)
        }
        var explanation = ConfigExplanation(
            path: path, text: text, isSecret: trail.isSecret, isBuilt: isBuilt, winner: entries.first,
            merged: Array(entries.dropFirst()), shadowed: shadowed.reversed().map { trail.entry($0) }, removed: removed)
        if let template, !trail.isSecret, seen.insert(ConfigPath(components)).inserted {
            explanation.parts = parts(of: template, &seen)
        }
        return explanation
    }

    /// The layers of a value, followed to its path.
    struct Trail {
        let fold: ConfigFold
        let trace: ConfigTrace
        let isSecret: Bool
        private let secrets: ConfigSecrets
        private let references: ConfigReferenceSyntax?

        init(_ config: ApplicationConfig, _ components: [ConfigPath.Component], _ place: ConfigPlace?) {
            let context = config.snapshot.context
            fold = ConfigFold(
                config.explainedLayers(components, place), policy: context.policy,
                readsDirectives: context.readsDirectives)
            trace = ConfigTrace(fold, components)
            (secrets, references) = (context.secrets, context.references)
            isSecret = place.map { $0.snapshot.isSecret($0.node) } ?? secrets.isSecret(ConfigPath(components))
        }

        func entry(_ step: ConfigTrace.Step) -> ConfigExplanation.Entry {
            let layer = fold.layers[step.contributor.layer]
            let (tree, node) = (layer.tree, step.contributor.node)
            let isHidden =
                step.removes
                ? !tree.isDirective(node) && tree.secretNodes(by: secrets)[node]
                : isSecret || hasSecretDefault(node, tree)
            return ConfigExplanation.Entry(
                location: tree.location(of: node), layer: layer.kind, label: layer.label,
                text: isHidden ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree),
                note: step.isAbove ? "at \(tree.key(of: node))" : nil,
                date: layer.date.map { Date(timeIntervalSinceReferenceDate: $0) })
        }

        /// Whether a string contains the default of a secret, as `${db.password:-hunter2}` does.
        private func hasSecretDefault(_ node: Int, _ tree: ConfigTree) -> Bool {
            guard let references, tree.isTemplate(node, references), case .string(let text)? = tree.scalar(of: node)
            else { return false }
            // The default may be the malformed part.
            guard let template = try? ConfigTemplate(text, references) else { return true }
            return template.parts.contains { $0.hasDefault(secretBy: secrets) }
        }
    }

    /// Returns the layers, with the section of a root key on top if a value at or below the path was written at run
    /// time.
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

extension ConfigTemplate.Reference {
    /// Whether the reference names a secret.
    func isSecret(by secrets: ConfigSecrets) -> Bool {
        isVariable ? secrets.isSecretKey(name) : secrets.isSecret(ConfigPath(name))
    }
}

extension ConfigTemplate.Part {
    /// Whether the part contains the default of a secret.
    fileprivate func hasDefault(secretBy secrets: ConfigSecrets) -> Bool {
        guard case .reference(let reference) = self, let fallback = reference.fallback else { return false }
        return reference.isSecret(by: secrets) || fallback.contains { $0.hasDefault(secretBy: secrets) }
    }
}
