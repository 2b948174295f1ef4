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
        var isBuilt = place.map { $0.tree.nodes[$0.node].flags.contains(.interpolated) } ?? false
        var entries = live.reversed().map { trail.entry($0) }
        let template = place.flatMap { self.template(at: $0, components, live) }
        if let outer = template?.outer {
            entries = [outer]
            isBuilt = true
        }
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
                : isSecret || tree.nodes[node].flags.contains(.secret) || hasSecretDefault(node, tree)
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

// The values that the references in a value use.
extension ApplicationConfig {
    /// A string with references that produced a value, and the path from the string's value to the explained value.
    struct BuildingTemplate {
        let parts: [ConfigTemplate.Part]
        /// The path of the string's value.
        let components: [ConfigPath.Component]
        /// The steps below this path that lead to the explained value.
        let rest: [ConfigPath.Component]
        /// The entry of the string, if the explained value is inside the string's value.
        var outer: ConfigExplanation.Entry?
        /// The layers below the string's, to which references to its own key refer.
        let weaker: ConfigFold
        let trail: Trail
    }

    /// Returns the template that produced the value of a node or of a container around it.
    func template(
        at place: ConfigPlace, _ components: [ConfigPath.Component], _ live: [ConfigTrace.Step]
    ) -> BuildingTemplate? {
        guard let syntax = snapshot.context.references else { return nil }
        if place.tree.nodes[place.node].flags.contains(.interpolated), let last = live.last {
            return template(in: last, Trail(self, components, place), components, rest: [], syntax)
        }
        // No layer has a value at the path of a copied element, so a reference above produced it.
        guard live.isEmpty else { return nil }
        var node = place.node
        while node != 0 {
            defer { node = Int(place.tree.nodes[node].parent) }
            guard place.tree.nodes[node].flags.contains(.interpolated) else { continue }
            let above = place.tree.path(of: node).components
            let trail = Trail(self, above, ConfigPlace(snapshot: place.snapshot, node: node))
            guard var step = trail.trace.live.last else { continue }
            let rest = Array(components.dropFirst(above.count))
            var template = template(in: step, trail, above, rest: rest, syntax)
            step.isAbove = true
            template?.outer = trail.entry(step)
            return template
        }
        return nil
    }

    private func template(
        in step: ConfigTrace.Step, _ trail: Trail, _ components: [ConfigPath.Component],
        rest: [ConfigPath.Component], _ syntax: ConfigReferenceSyntax
    ) -> BuildingTemplate? {
        let (tree, node) = (trail.fold.layers[step.contributor.layer].tree, step.contributor.node)
        guard tree.isTemplate(node, syntax), case .string(let text)? = tree.scalar(of: node),
            let template = try? ConfigTemplate(text, syntax)
        else { return nil }
        return BuildingTemplate(
            parts: template.parts, components: components, rest: rest,
            weaker: trail.fold.prefix(step.contributor.layer), trail: trail)
    }

    /// Explains the values to which the references of a template refer.
    func parts(of template: BuildingTemplate, _ seen: inout Set<ConfigPath>) -> [ConfigExplanation] {
        parts(template.parts, of: template, &seen)
    }

    private func parts(
        _ parts: [ConfigTemplate.Part], of template: BuildingTemplate, _ seen: inout Set<ConfigPath>
    ) -> [ConfigExplanation] {
        // Values written at run time don't affect references, which were resolved before.
        let loaded = ApplicationConfig(snapshot: snapshot)
        var found: [ConfigExplanation] = []
        for case .reference(let reference) in parts {
            if reference.isVariable, let variable = snapshot.context.variables[reference.name] {
                found.append(explanation(of: variable, reference.name))
            } else if !reference.isVariable, let target = snapshot.find(reference.name) {
                let components = snapshot.tree.path(of: target).components
                if components == template.components {
                    found += overridden(template, &seen)
                } else {
                    found.append(loaded.explain(ConfigPath(components + template.rest), &seen))
                }
            } else {
                found += self.parts(reference.fallback ?? [], of: template, &seen)
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

    /// Explains the value of a reference to the own key: the value that the template overrides.
    private func overridden(_ template: BuildingTemplate, _ seen: inout Set<ConfigPath>) -> [ConfigExplanation] {
        guard let syntax = snapshot.context.references else { return [] }
        let components = template.components + template.rest
        // The value is inside a copied container if no layer has an entry at its own path.
        for length in stride(from: components.count, through: template.components.count, by: -1) {
            let (above, rest) = (Array(components[..<length]), Array(components[length...]))
            let live = ConfigTrace(template.weaker, above).live
            guard var step = live.last else { continue }
            step.isAbove = !rest.isEmpty
            let entry = template.trail.entry(step)
            var explanation = ConfigExplanation(
                path: ConfigPath(components), text: entry.text, isSecret: template.trail.isSecret, isBuilt: false,
                winner: entry, merged: live.dropLast().reversed().map { template.trail.entry($0) }, shadowed: [],
                removed: nil)
            if let inner = self.template(in: step, template.trail, above, rest: rest, syntax) {
                explanation.parts = parts(of: inner, &seen)
            }
            return [explanation]
        }
        return []
    }
}
