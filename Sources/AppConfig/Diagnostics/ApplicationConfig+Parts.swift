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
        /// The entries that the string overrides, the strongest last, to which references to its own key refer.
        let overridden: [ConfigTrace.Step]
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
        let all = trail.trace.shadowed + trail.trace.live
        let own = all.lastIndex { $0.contributor.layer == step.contributor.layer && $0.contributor.node == node }
        return BuildingTemplate(
            parts: template.parts, components: components, rest: rest, overridden: Array(all[..<(own ?? 0)]),
            trail: trail)
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
        guard let step = template.overridden.last, let syntax = snapshot.context.references else { return [] }
        let entry = template.trail.entry(step)
        let inner = self.template(in: step, template.trail, template.components, rest: template.rest, syntax)
        var explanation = ConfigExplanation(
            path: ConfigPath(template.components), text: entry.text, isSecret: template.trail.isSecret, isBuilt: false,
            winner: entry, merged: [], shadowed: [], removed: nil)
        if let inner { explanation.parts = parts(of: inner, &seen) }
        return [explanation]
    }
}
