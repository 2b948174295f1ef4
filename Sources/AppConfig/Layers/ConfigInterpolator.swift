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
    let syntax: ConfigReferenceSyntax
    let limits: ConfigLimits
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
        _ draft: ConfigSnapshot, fold: ConfigFold, syntax: ConfigReferenceSyntax, limits: ConfigLimits,
        variables: [String: ConfigVariable], secrets: ConfigSecrets
    ) {
        self.draft = draft
        self.fold = fold
        self.syntax = syntax
        self.limits = limits
        self.variables = variables
        self.secrets = secrets
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

    private func isTemplate(_ node: Int, of tree: ConfigTree) -> Bool { tree.isTemplate(node, syntax) }

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
            let template = try ConfigTemplate(text(of: unit), syntax)
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
                reason: isSecret ? "unresolved reference" : SecretText.redacted(reason),
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

// Builds the new tree after all templates have been resolved.
extension ConfigInterpolator {
    /// Returns the tree with resolved values instead of templates, and copies of containers instead of references.
    mutating func rebuilt() -> ConfigTree {
        struct Walk {
            var children: ConfigTree.Children
            var isSecret: Bool
            /// Whether a reference copied the values to this position.
            var isCopy = false
        }
        // The number of each node in the new tree, and the new nodes that are copies of it.
        var numbers = [Int](repeating: 0, count: tree.nodes.count)
        var copies: [(new: Int, old: Int)] = []
        var builder = ConfigTreeBuilder()
        builder.reserve(
            nodes: tree.nodes.count, keyBytes: tree.keyBytes.count, strings: tree.strings.count)
        builder.open(.dictionary, position: 0)
        var walks = [Walk(children: tree.children(of: 0), isSecret: false)]
        while let last = walks.indices.last {
            guard let node = walks[last].children.next() else {
                builder.close()
                walks.removeLast()
                continue
            }
            let isSecret = walks[last].isSecret
            let isCopy = walks[last].isCopy
            let known = resolved[Unit(node: node)]
            if case .failed? = known { continue }
            if builder.count > limits.values {
                errors.append(
                    ConfigError(
                        .limitExceeded, key: tree.path(of: node), location: tree.location(of: node),
                        reason: "references grow beyond \(limits.values) values"))
                while builder.depth > 0 { builder.close() }
                break
            }
            if tree.kind(of: Int(tree.nodes[node].parent)) == .dictionary { builder.key(tree.key(of: node)) }
            builder.source = tree.nodes[node].source
            let position = tree.nodes[node].position
            if isCopy { copies.append((builder.count, node)) } else { numbers[node] = builder.count }
            switch known {
            case .scalar(let value, let isTainted)?:
                builder.value(value, position: position)
                builder.mark(builder.count - 1, isTainted || isSecret ? [.secret, .interpolated] : .interpolated)
            case .value(let value, let isTainted)?:
                let first = builder.count
                builder.value(value, position: position)
                builder.mark(first, isTainted || isSecret ? [.secret, .interpolated] : .interpolated)
            case .container(let target)?:
                builder.open(tree.kind(of: target), position: position)
                builder.mark(builder.count - 1, .interpolated)
                let isTainted = isSecret || self.isSecret[target]
                if isTainted { builder.mark(builder.count - 1, .secret) }
                walks.append(Walk(children: tree.children(of: target), isSecret: isTainted, isCopy: true))
            case .failed?: break
            case nil:
                if tree.kind(of: node).isContainer {
                    builder.open(tree.kind(of: node), position: position)
                    walks.append(Walk(children: tree.children(of: node), isSecret: isSecret, isCopy: isCopy))
                } else {
                    builder.source = 0
                    builder.copy(node, of: tree, sourceOffset: 0)
                    if isSecret { builder.mark(builder.count - 1, .secret) }
                }
            }
        }
        var sourceNodes: [Int: [Int]] = [:]
        for (new, old) in copies where numbers[old] != 0 { sourceNodes[new] = [numbers[old]] }
        for (node, targets) in references where numbers[node] != 0 {
            sourceNodes[numbers[node]] = targets.map { numbers[$0] }.filter { $0 != 0 }
        }
        return builder.finish(sources: tree.sources, sourceNodes: sourceNodes)
    }
}
