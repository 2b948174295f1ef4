internal import AshlarCore

/// Resolves the references in a merged tree, once, after all layers are merged.
///
/// References are resolved depth first with an explicit stack, and each value is resolved once. Text that replaces a
/// reference isn't resolved again, so `${` in a variable remains text. A reference to a value's own key refers to the
/// value that it overrides, as in HOCON.
struct ConfigInterpolator {
    /// A template to resolve: a node of the merged tree, or the value that the node overrides some layers below.
    struct Unit: Hashable {
        var node: Int
        var level = 0
    }

    enum Resolved {
        case scalar(ConfigValue, isSecret: Bool)
        /// A container of the merged tree.
        case container(Int)
        /// A container of a weaker layer, to which only a reference to the own key can refer.
        case value(ConfigValue, isSecret: Bool)
        case failed
    }

    private struct Frame {
        let unit: Unit
        let template: ConfigTemplate
        let needs: [Unit]
        var next = 0
    }

    let draft: ConfigSnapshot
    let plan: ConfigPlan
    let variables: [String: ConfigVariable]
    private let fold: ConfigFold
    let secrets: ConfigSecrets
    /// Whether each node of the merged tree is secret.
    let isSecret: [Bool]
    var resolved: [Unit: Resolved] = [:]
    var isOpen: Set<Unit> = []
    private var frames: [Frame] = []
    private var chains: [Int: [ConfigFold.Contributor]] = [:]
    var expandedBytes = 0
    /// The nodes of the merged tree that each template uses.
    var references: [Int: Set<Int>] = [:]
    /// The variables that references use.
    var usedVariables: [String: ConfigVariable] = [:]
    var errors: [ConfigError] = []

    var tree: ConfigTree { draft.tree }

    init(
        _ draft: ConfigSnapshot, plan: ConfigPlan, variables: [String: ConfigVariable], layers: [ConfigLayer],
        secrets: ConfigSecrets
    ) {
        self.draft = draft
        self.plan = plan
        self.variables = variables
        self.secrets = secrets
        fold = ConfigFold(layers, policy: plan.merge, readsDirectives: plan.readsDirectives)
        isSecret = draft.tree.secretNodes(by: secrets)
    }

    /// Returns the tree with all references resolved; unresolved values are omitted and reported in `errors`.
    mutating func interpolate() -> ConfigTree {
        let templates = tree.nodes.indices.filter { isTemplate($0) }
        if templates.isEmpty { return tree }
        for node in templates { resolve(Unit(node: node)) }
        return rebuilt()
    }

    private func isTemplate(_ node: Int) -> Bool { isTemplate(node, of: tree) }

    private func isTemplate(_ node: Int, of tree: ConfigTree) -> Bool { tree.isTemplate(node, plan.referenceSyntax) }

    // MARK: The search

    private mutating func resolve(_ start: Unit) {
        enter(start)
        while let top = frames.last {
            if top.next < top.needs.count {
                frames[frames.count - 1].next += 1
                let need = top.needs[top.next]
                if isOpen.contains(need) {
                    reportCycle(to: need)
                } else {
                    enter(need)
                }
                continue
            }
            // A value that closes a cycle has already failed.
            if resolved[top.unit] == nil { resolved[top.unit] = evaluate(top.unit, top.template) }
            isOpen.remove(top.unit)
            frames.removeLast()
        }
    }

    private mutating func enter(_ unit: Unit) {
        if resolved[unit] != nil { return }
        do throws(ConfigTemplate.SyntaxError) {
            let template = try ConfigTemplate(text(of: unit), plan.referenceSyntax)
            isOpen.insert(unit)
            frames.append(Frame(unit: unit, template: template, needs: needs(template.parts, unit)))
        } catch {
            report(unit, reason: error.message)
            resolved[unit] = .failed
        }
    }

    /// Returns the templates that must be resolved before these parts.
    private mutating func needs(_ parts: [ConfigTemplate.Part], _ unit: Unit) -> [Unit] {
        var needs: [Unit] = []
        for case .reference(let reference) in parts {
            if reference.isVariable {
                if variables[reference.name] == nil { needs += self.needs(reference.fallback ?? [], unit) }
                continue
            }
            guard let target = draft.find(reference.name) else {
                needs += self.needs(reference.fallback ?? [], unit)
                continue
            }
            if target == unit.node {
                if let below = below(unit) {
                    let (tree, node) = contribution(below)
                    if isTemplate(node, of: tree) { needs.append(below) }
                } else {
                    needs += self.needs(reference.fallback ?? [], unit)
                }
            } else if tree.nodes[target].kind.isContainer {
                for node in target..<Int(tree.nodes[target].end) where isTemplate(node) {
                    needs.append(Unit(node: node))
                }
            } else if isTemplate(target) {
                needs.append(Unit(node: target))
            }
        }
        return needs
    }

    // MARK: Overridden values

    private mutating func chain(_ node: Int) -> [ConfigFold.Contributor] {
        if let known = chains[node] { return known }
        let trace = ConfigTrace(fold, tree.path(of: node).components)
        let chain = (trace.shadowed + trace.live).map(\.contributor)
        chains[node] = chain
        return chain
    }

    mutating func below(_ unit: Unit) -> Unit? {
        unit.level + 1 < chain(unit.node).count ? Unit(node: unit.node, level: unit.level + 1) : nil
    }

    mutating func contribution(_ unit: Unit) -> (tree: ConfigTree, node: Int) {
        if unit.level == 0 { return (tree, unit.node) }
        let chain = chain(unit.node)
        let contribution = chain[chain.count - 1 - unit.level]
        return (fold.layers[contribution.layer].tree, contribution.node)
    }

    /// Returns the text of a template; empty for other kinds of values.
    private mutating func text(of unit: Unit) -> String {
        let (tree, node) = contribution(unit)
        return tree.nodes[node].kind == .string ? tree.strings[Int(tree.nodes[node].payload)] : ""
    }

    // MARK: Failures

    mutating func report(
        _ unit: Unit, code: ConfigError.Code = .unresolvedReference, reason: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil
    ) {
        let (tree, node) = contribution(unit)
        // A secret can contain `${` by chance, and then the text after it is part of the secret.
        let isSecret = isSecret[unit.node]
        errors.append(
            ConfigError(
                code, key: self.tree.path(of: unit.node), location: tree.location(of: node),
                reason: isSecret ? "unresolved reference" : SecretText.redactingCredentials(in: reason),
                expected: expected, found: found, hint: isSecret ? nil : hint))
    }

    private mutating func reportCycle(to unit: Unit) {
        guard let start = frames.firstIndex(where: { $0.unit == unit }) else { return }
        let loop = frames[start...].map(\.unit) + [unit]
        let hops = loop.map { hop -> String in
            let (tree, node) = contribution(hop)
            return "\(self.tree.path(of: hop.node)) (\(tree.location(of: node)))"
        }
        errors.append(
            ConfigError(
                .referenceCycle, key: tree.path(of: unit.node), location: tree.location(of: unit.node),
                reason: "circular references: " + hops.joined(separator: " → ")))
        resolved[unit] = .failed
    }
}
