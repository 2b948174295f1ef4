#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Resolves the references in a merged tree, once, after all layers are merged.
///
/// References are followed depth first with an explicit stack, and each value is resolved once. What a reference is
/// replaced by is never looked at again, so a variable that holds `${` stays text. A reference to a value's own key means
/// the value it overrides, as in HOCON.
struct ConfigInterpolator {
    /// A template to resolve: a node of the merged tree, or what the node overrides that many layers below.
    private struct Unit: Hashable {
        var node: Int
        var level = 0
    }

    private enum Resolved {
        case scalar(ConfigValue, isSecret: Bool)
        /// A container of the merged tree.
        case container(Int)
        /// A container of a weaker layer, which only a reference to the own key can mean.
        case value(ConfigValue, isSecret: Bool)
        case failed
    }

    private struct Frame {
        let unit: Unit
        let template: ConfigTemplate
        let needs: [Unit]
        var next = 0
    }

    private let draft: ConfigSnapshot
    private let plan: ConfigPlan
    private let variables: [String: String]
    private let layers: [ConfigLayer]
    private let secrets: ConfigSecrets
    private var resolved: [Unit: Resolved] = [:]
    private var isOpen: Set<Unit> = []
    private var frames: [Frame] = []
    private var chains: [Int: [ConfigExplainer.Contribution]] = [:]
    private var expandedBytes = 0
    /// The nodes of the merged tree that each template was built from.
    private var references: [Int: Set<Int>] = [:]
    private(set) var errors: [ConfigError] = []

    private var tree: ConfigTree { draft.tree }

    init(
        _ draft: ConfigSnapshot, plan: ConfigPlan, variables: [String: String], layers: [ConfigLayer],
        secrets: ConfigSecrets
    ) {
        self.draft = draft
        self.plan = plan
        self.variables = variables
        self.layers = layers
        self.secrets = secrets
    }

    /// The tree with all references resolved; values that could not be are left out and are in `errors`.
    mutating func interpolate() -> ConfigTree {
        let templates = tree.nodes.indices.filter { isTemplate($0) }
        if templates.isEmpty { return tree }
        for node in templates { resolve(Unit(node: node)) }
        return rebuilt()
    }

    private func isTemplate(_ node: Int) -> Bool { isTemplate(node, of: tree) }

    private func isTemplate(_ node: Int, of tree: ConfigTree) -> Bool {
        guard tree.nodes[node].kind == .string else { return false }
        // Texts of variables and arguments are taken as they are.
        let source = tree.sources[Int(tree.nodes[node].source)]
        if case .names = source.positions { return false }
        if source.isLiteral { return false }
        return plan.referenceSyntax.isTemplate(tree.strings[Int(tree.nodes[node].payload)])
    }

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
            // A value that closes a loop has failed already.
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

    /// The templates that must be resolved before these parts can be.
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

    private mutating func chain(_ node: Int) -> [ConfigExplainer.Contribution] {
        if let known = chains[node] { return known }
        let explainer = ConfigExplainer(
            layers, tree.path(of: node).components, policy: plan.merge, readsDirectives: plan.readsDirectives)
        let chain = (explainer.shadowed + explainer.live).filter { !$0.removes }
        chains[node] = chain
        return chain
    }

    private mutating func below(_ unit: Unit) -> Unit? {
        unit.level + 1 < chain(unit.node).count ? Unit(node: unit.node, level: unit.level + 1) : nil
    }

    private mutating func contribution(_ unit: Unit) -> (tree: ConfigTree, node: Int) {
        if unit.level == 0 { return (tree, unit.node) }
        let chain = chain(unit.node)
        let contribution = chain[chain.count - 1 - unit.level]
        return (layers[contribution.layer].tree, contribution.node)
    }

    /// The text of a template, empty for other kinds of values.
    private mutating func text(of unit: Unit) -> String {
        let (tree, node) = contribution(unit)
        return tree.nodes[node].kind == .string ? tree.strings[Int(tree.nodes[node].payload)] : ""
    }

    // MARK: The value

    private mutating func evaluate(_ unit: Unit, _ template: ConfigTemplate) -> Resolved {
        if let lone = template.lone { return value(of: lone, unit) }
        guard let (text, isSecret) = joined(template.parts, unit) else { return .failed }
        return account(.scalar(.string(text), isSecret: isSecret), text.utf8.count, unit)
    }

    private mutating func account(_ resolved: Resolved, _ bytes: Int, _ unit: Unit) -> Resolved {
        expandedBytes += bytes
        if expandedBytes > plan.limits.expandedTotalBytes {
            report(
                unit, code: .limitExceeded,
                reason: "the references of all values grow beyond \(plan.limits.expandedTotalBytes) bytes")
            return .failed
        }
        return resolved
    }

    private mutating func joined(_ parts: [ConfigTemplate.Part], _ unit: Unit) -> (text: String, isSecret: Bool)? {
        var joined = ""
        var isSecret = false
        for part in parts {
            switch part {
            case .text(let text): joined += text
            case .reference(let reference):
                guard let (text, isTainted) = inserted(reference, unit) else { return nil }
                // Checked before the text is copied, so that a bomb costs no memory.
                if joined.utf8.count + text.utf8.count > plan.limits.expandedValueBytes {
                    report(
                        unit, code: .limitExceeded,
                        reason: "the value grows beyond \(plan.limits.expandedValueBytes) bytes")
                    return nil
                }
                joined += text
                isSecret = isSecret || isTainted
            }
        }
        return (joined, isSecret)
    }

    /// The text that a reference among other text becomes.
    private mutating func inserted(
        _ reference: ConfigTemplate.Reference, _ unit: Unit
    ) -> (text: String, isSecret: Bool)? {
        switch value(of: reference, unit) {
        case .scalar(.date(let date), let isSecret):
            return (ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate), isSecret)
        case .scalar(let value, let isSecret):
            if let text = ConfigCoercion.standard.string(value) { return (text, isSecret) }
            report(unit, reason: "\(spelled(reference)) is not text", expected: "text", found: value.kindName)
        case .container(let node):
            report(unit, reason: "\(spelled(reference)) is not text", expected: "text", found: tree.kind(of: node).name)
        case .value(let value, _):
            report(unit, reason: "\(spelled(reference)) is not text", expected: "text", found: value.kindName)
        case .failed: break
        }
        return nil
    }

    private mutating func value(of reference: ConfigTemplate.Reference, _ unit: Unit) -> Resolved {
        if reference.isVariable {
            if let text = variables[reference.name] {
                return .scalar(.string(text), isSecret: secrets.isSecretKey(reference.name))
            }
            return fallback(reference, unit, "the environment variable \(reference.name) is not set")
        }
        guard let target = draft.find(reference.name) else {
            let hint = ConfigHints.nearest(to: reference.name, among: allPaths())
            return fallback(reference, unit, "\(spelled(reference)) is not defined", hint.map { "did you mean \($0)?" })
        }
        if target == unit.node {
            guard let below = below(unit) else {
                return fallback(reference, unit, "the value refers to itself but overrides nothing")
            }
            if let known = resolved[below] { return known }
            let (tree, node) = contribution(below)
            let isSecret = self.tree.isSecret(target, by: secrets)
            return tree.scalar(of: node).map { .scalar($0, isSecret: isSecret) }
                ?? .value(tree.value(of: node), isSecret: isSecret)
        }
        references[unit.node, default: []].insert(target)
        if let known = resolved[Unit(node: target)] {
            switch known {
            case .scalar(let value, let isTainted):
                return .scalar(value, isSecret: isTainted || tree.isSecret(target, by: secrets))
            case .failed:
                report(unit, reason: "\(spelled(reference)) could not be resolved")
                return .failed
            default: return known
            }
        }
        if isOpen.contains(Unit(node: target)) { return .failed }
        guard let scalar = tree.scalar(of: target) else { return .container(target) }
        return .scalar(scalar, isSecret: tree.isSecret(target, by: secrets))
    }

    private func spelled(_ reference: ConfigTemplate.Reference) -> String {
        plan.referenceSyntax.reference(to: reference.name)
    }

    private mutating func fallback(
        _ reference: ConfigTemplate.Reference, _ unit: Unit, _ reason: String, _ hint: String? = nil
    ) -> Resolved {
        guard let fallback = reference.fallback else {
            report(unit, reason: reason, hint: hint)
            return .failed
        }
        // The default of a secret is a secret too.
        let isSecretName =
            reference.isVariable
            ? secrets.isSecretKey(reference.name) : secrets.isSecret(ConfigPath(reference.name))
        // A default that consists of one reference keeps the type of its value.
        if fallback.count == 1, case .reference(let reference) = fallback[0] {
            switch value(of: reference, unit) {
            case .scalar(let value, let isSecret): return .scalar(value, isSecret: isSecret || isSecretName)
            case .value(let value, let isSecret): return .value(value, isSecret: isSecret || isSecretName)
            case let resolved: return resolved
            }
        }
        guard let (text, isSecret) = joined(fallback, unit) else { return .failed }
        return .scalar(.string(text), isSecret: isSecret || isSecretName)
    }

    private func allPaths() -> [String] {
        tree.nodes.count > 20_000 ? [] : tree.nodes.indices.dropFirst().map { tree.path(of: $0).description }
    }

    // MARK: Failures

    private mutating func report(
        _ unit: Unit, code: ConfigError.Code = .unresolvedReference, reason: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil
    ) {
        let (tree, node) = contribution(unit)
        // A secret may hold `${` by chance, and then what follows is a part of it.
        let isSecret = self.tree.isSecret(unit.node, by: secrets)
        errors.append(
            ConfigError(
                code, key: self.tree.path(of: unit.node), origin: tree.origin(of: node),
                reason: isSecret ? "unresolved reference" : reason,
                expected: expected, found: found, hint: isSecret ? nil : hint))
    }

    private mutating func reportCycle(to unit: Unit) {
        guard let start = frames.firstIndex(where: { $0.unit == unit }) else { return }
        let loop = frames[start...].map(\.unit) + [unit]
        let hops = loop.map { hop -> String in
            let (tree, node) = contribution(hop)
            return "\(self.tree.path(of: hop.node)) (\(tree.origin(of: node)))"
        }
        errors.append(
            ConfigError(
                .referenceCycle, key: tree.path(of: unit.node), origin: tree.origin(of: unit.node),
                reason: "circular references: " + hops.joined(separator: " → ")))
        resolved[unit] = .failed
    }

    // MARK: The new tree

    private mutating func rebuilt() -> ConfigTree {
        struct Walk {
            var children: ConfigTree.Children
            var isSecret: Bool
            /// The values were copied here by a reference.
            var isCopy = false
        }
        // For each node of the merged tree its number in the new one, and the new nodes that are copies of it.
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
            if builder.count > plan.limits.values {
                errors.append(
                    ConfigError(
                        .limitExceeded, key: tree.path(of: node), origin: tree.origin(of: node),
                        reason: "references grow beyond \(plan.limits.values) values"))
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
                let isTainted = isSecret || tree.isSecret(target, by: secrets)
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
