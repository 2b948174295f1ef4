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

    func explain(_ path: ConfigPath, _ seen: inout Set<ConfigPath>) -> ConfigExplanation {
        let place = locate(path)
        let components = place.map { $0.tree.path(of: $0.node).components } ?? path.components
        let trail = Trail(self, components, place)
        var (live, shadowed) = (trail.trace.live, trail.trace.shadowed)
        var removed = place == nil ? trail.trace.removal.map { trail.entry($0) } : nil
        if place == nil, !live.isEmpty {
            // The layers have a value at this path, so a write at run time removed it.
            shadowed += live
            live = []
            removed = ConfigExplanation.Entry(
                location: ConfigLocation(file: ConfigLayerKind.runtime.description), layer: .runtime,
                label: ConfigLayerKind.runtime.description, text: "nothing", note: nil)
        }
        if let place, let last = live.last, trail.fold.layers[last.contributor.layer].kind == .runtime,
            place.tree.nodes[place.node].source == ConfigSectionWriter.source
        {
            // A dictionary that was written as a whole replaces the weaker one; one with written entries is merged with
            // it.
            shadowed += live.dropLast()
            live = [last]
        }
        let isBuilt = place.map { $0.tree.nodes[$0.node].flags.contains(.interpolated) } ?? false
        let entries = live.reversed().map { trail.entry($0) }
        let text = place.map { place in
            trail.isSecret ? ConfigDescription.redacted : ConfigDescription.text(place.node, in: place.tree)
        }
        var explanation = ConfigExplanation(
            path: path, text: text, isSecret: trail.isSecret, isBuilt: isBuilt, winner: entries.first,
            merged: Array(entries.dropFirst()), shadowed: shadowed.reversed().map { trail.entry($0) }, removed: removed)
        if isBuilt, !trail.isSecret, let last = live.last, let template = trail.template(of: last),
            seen.insert(ConfigPath(components)).inserted
        {
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
            fold = ConfigFold(config.explainedLayers(components, place), policy: context.policy)
            trace = ConfigTrace(fold, components)
            secrets = context.secrets
            references = context.references
            isSecret = place.map { $0.snapshot.isSecret($0.node) } ?? secrets.isSecret(ConfigPath(components))
        }

        func entry(_ step: ConfigTrace.Step) -> ConfigExplanation.Entry {
            let layer = fold.layers[step.contributor.layer]
            let (tree, node) = (layer.tree, step.contributor.node)
            let isHidden =
                step.removes
                ? tree.secretNodes(by: secrets)[node]
                : isSecret || tree.nodes[node].flags.contains(.secret) || hasSecretDefault(step)
            return ConfigExplanation.Entry(
                location: tree.location(of: node), layer: layer.kind, label: layer.label,
                text: isHidden ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree),
                note: step.isAbove ? "at \(tree.key(of: node))" : nil,
                date: layer.date?())
        }

        /// Returns the string of an entry as a template; nil if it has no references or is malformed.
        func template(of step: ConfigTrace.Step) -> ConfigTemplate? {
            let tree = fold.layers[step.contributor.layer].tree
            guard let references, tree.isTemplate(step.contributor.node, references),
                case .string(let text)? = tree.scalar(of: step.contributor.node)
            else { return nil }
            return try? ConfigTemplate(text, references)
        }

        /// Whether a string contains the default of a secret, as `${db.password:-hunter2}` does.
        private func hasSecretDefault(_ step: ConfigTrace.Step) -> Bool {
            guard let references,
                fold.layers[step.contributor.layer].tree.isTemplate(step.contributor.node, references)
            else { return false }
            // The default may be the malformed part.
            guard let template = template(of: step) else { return true }
            return template.parts.contains { part in
                guard case .reference(let reference) = part, reference.fallback != nil else { return false }
                return reference.isSecret(by: secrets)
            }
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

// The values that the references in a value use.
extension ApplicationConfig {
    /// Explains the values to which the references of a template refer.
    private func parts(of template: ConfigTemplate, _ seen: inout Set<ConfigPath>) -> [ConfigExplanation] {
        // Values written at run time don't affect references, which were resolved before.
        let loaded = ApplicationConfig(snapshot: snapshot)
        var found: [ConfigExplanation] = []
        for case .reference(let reference) in template.parts {
            if reference.isVariable, let variable = snapshot.context.variables[reference.name] {
                found.append(explanation(of: variable, reference.name))
            } else if !reference.isVariable, let target = snapshot.find(reference.name) {
                found.append(loaded.explain(snapshot.tree.path(of: target), &seen))
            }
        }
        return found
    }

    private func explanation(of variable: ConfigVariable, _ name: String) -> ConfigExplanation {
        let isSecret = snapshot.context.secrets.isSecretKey(name)
        let text = isSecret ? ConfigDescription.redacted : ConfigDescription.printable(variable.text)
        let layer = ConfigLayerKind.variables
        return ConfigExplanation(
            path: ConfigPath(components: ["env:\(name)"]), title: "env:\(name)", text: text, isSecret: isSecret,
            isBuilt: false,
            winner: .init(
                location: variable.location, layer: layer, label: layer.description, text: text, note: nil),
            merged: [], shadowed: [], removed: nil)
    }
}
