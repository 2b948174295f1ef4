#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ApplicationConfig {
    private static let deepestPart = 32

    /// Explains the origin of a value: its entry, the entries that it overrides, and the values that its references
    /// use, each with file and line.
    ///
    /// References that use other references are followed 32 deep.
    ///
    /// - Complexity: O(*l* · *d*) in the number of entries and the depth of the path, for each part.
    public func explain(_ path: ConfigPath) -> ConfigExplanation {
        var seen: Set<[ConfigPath.Component]> = []
        return explain(path, depth: 0, &seen)
    }

    private func explain(
        _ path: ConfigPath, depth: Int, _ seen: inout Set<[ConfigPath.Component]>
    ) -> ConfigExplanation {
        let steps = root.steps(of: path)
        let node = root.descend(steps)
        let history = ConfigHistory(of: steps[...], in: root)
        var secrecy = snapshot.secrecy()
        let isSecret = secrecy.isSecret(steps, in: root)
        func entry(_ step: ConfigHistory.Step) -> ConfigExplanation.Entry {
            self.entry(step, isSecret: isSecret)
        }
        // In a scope only values are marked as secret, not the paths at which others replace them.
        let hidesPast = isSecret || history.shadowed.contains { $0.node.origin.isSecret }
        let live = history.live.reversed().map(entry)
        let built = node?.origin.built
        var explanation = ConfigExplanation(
            path: path, text: node.map { isSecret ? ConfigDescription.redacted : ConfigDescription.text($0) },
            isSecret: isSecret, isBuilt: built != nil, winner: live.first, merged: Array(live.dropFirst()),
            shadowed: history.shadowed.reversed().map { self.entry($0, isSecret: hidesPast) },
            removed: history.removal.map(entry))
        if let built, !isSecret, depth < Self.deepestPart, let template = try? ConfigTemplate(built.template),
            seen.insert(steps).inserted
        {
            explanation.parts = parts(of: template, depth: depth + 1, &seen)
        }
        return explanation
    }

    private func entry(_ step: ConfigHistory.Step, isSecret: Bool) -> ConfigExplanation.Entry {
        let layer = step.entry.layer
        let text: String
        if step.isRemoved, layer.kind == .runtime {
            text = "nothing"
        } else if isSecret || step.entry.isSecret || hasSecretDefault(step) {
            text = ConfigDescription.redacted
        } else {
            text = step.text
        }
        return ConfigExplanation.Entry(
            location: step.entry.location, layer: layer.kind, label: layer.label, text: text,
            note: step.above.map { "at \($0)" }, date: layer.date?())
    }

    /// Whether a string contains the default of a secret, as `${db.password:-hunter2}` does.
    private func hasSecretDefault(_ step: ConfigHistory.Step) -> Bool {
        guard let text = step.template, ConfigTemplate.isTemplate(text), !step.entry.layer.source.isLiteral else {
            return false
        }
        // The default may be the malformed part.
        guard let template = try? ConfigTemplate(text) else { return true }
        return template.parts.contains { part in
            guard case .reference(let reference) = part, reference.fallback != nil else { return false }
            return reference.isSecret(by: snapshot.context.secrets)
        }
    }
}

/// The entries of the layers for the value at a path, read from the nodes on it and from the nodes that these replaced.
struct ConfigHistory {
    struct Step {
        let entry: ConfigEntry
        /// The node of the value, or of the one that removes it.
        var node: ConfigNode
        /// Whether the entry removes the value.
        var isRemoved = false
        /// The key of the entry, if it is at a path above the value.
        var above: String?

        /// The string with its references.
        var template: String? {
            if let built = node.origin.built { return built.template }
            if case .scalar(.string(let text), _) = node { return text }
            return nil
        }

        var text: String {
            if let built = node.origin.built { return ConfigDescription.printable(built.template) }
            if entry.size < 0 { return ConfigDescription.text(node) }
            return node.elements == nil ? "{\(entry.size) values}" : "[\(entry.size) values]"
        }
    }

    /// The entries of the value, from the weakest to the strongest; several for merged dictionaries and arrays.
    private(set) var live: [Step] = []
    /// The entries that were replaced or removed, from the weakest to the strongest.
    private(set) var shadowed: [Step] = []
    /// The last entry that removed the value.
    private(set) var removal: Step?

    private init() {}

    init(of steps: ArraySlice<ConfigPath.Component>, in node: ConfigNode, key: String = "") {
        let origin = node.origin
        var past = ConfigHistory()
        if let over = origin.over { past = ConfigHistory(of: steps, in: over, key: key) }
        shadowed = past.shadowed + past.live
        let hadValue = !past.live.isEmpty || past.removal != nil
        guard let step = steps.first else {
            if node.isRemoved {
                if hadValue { removal = Step(entry: origin.entry, node: node, isRemoved: true) }
            } else {
                live = (origin.merged + [origin.entry]).map { Step(entry: $0, node: node) }
            }
            return
        }
        if hadValue {
            removal = Step(entry: origin.first, node: node, isRemoved: true, above: key)
        }
        guard let child = node.anyChild(step) else { return }
        let inner = ConfigHistory(of: steps.dropFirst(), in: child, key: step.key ?? "")
        live = inner.live
        shadowed += inner.shadowed
        removal = inner.live.isEmpty ? inner.removal ?? removal : nil
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
    private func parts(
        of template: ConfigTemplate, depth: Int, _ seen: inout Set<[ConfigPath.Component]>
    ) -> [ConfigExplanation] {
        // Values written at run time don't affect references, which were resolved before.
        let loaded = ApplicationConfig(snapshot: snapshot)
        var found: [ConfigExplanation] = []
        for case .reference(let reference) in template.parts {
            if reference.isVariable, let variable = snapshot.context.variables[reference.name] {
                found.append(explanation(of: variable, reference.name))
            } else if !reference.isVariable, let target = loaded.locate(ConfigPath(reference.name)) {
                found.append(loaded.explain(target.path, depth: depth, &seen))
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
            winner: .init(location: variable.location, layer: layer, label: layer.description, text: text, note: nil),
            merged: [], shadowed: [], removed: nil)
    }
}
