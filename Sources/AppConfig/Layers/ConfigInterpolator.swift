internal import AshlarCore

/// Resolves the references in a merged tree, once, after all layers are merged.
///
/// References are resolved depth first with an explicit stack, and each value is resolved once. Text that replaces a
/// reference isn't resolved again, so `${` in a variable remains text. A reference to a value's own key refers to the
/// value that it overrides, as in HOCON: the value at the same path of the layers below its own.
struct ConfigInterpolator {
    /// A value of the merge of the weakest layers.
    struct Unit: Hashable {
        /// The number of merged layers.
        var level: Int
        var node: Int
    }

    enum Resolved {
        case scalar(ConfigValue, isSecret: Bool)
        case container(Unit, isSecret: Bool)
        case failed
    }

    /// The merge of the weakest layers.
    struct Level {
        let snapshot: ConfigSnapshot
        /// Whether each node is secret.
        let isSecret: [Bool]
        var tree: ConfigTree { snapshot.tree }
    }

    private struct Frame {
        let unit: Unit
        let template: ConfigTemplate
        let needs: [Unit]
        var next = 0
    }

    let syntax: ConfigReferenceSyntax
    let limits: ConfigLimits
    let variables: [String: ConfigVariable]
    private let fold: ConfigFold
    let secrets: ConfigSecrets
    /// The merge of all layers.
    let whole: Level
    /// The merges to which references to own keys refer, by the number of layers.
    private var levels: [Int: Level] = [:]
    var resolved: [Unit: Resolved] = [:]
    /// The frames of the values that are being resolved.
    private var openFrames: [Unit: Int] = [:]
    private var frames: [Frame] = []
    /// The maximum number of values that references copy, in proportion to the tree, so that a small file can't cost much.
    private let copyLimit: Int
    /// The number of values in containers that references copy.
    private var copiedValues = 0
    var expandedBytes = 0
    /// The nodes of the merged tree that each template uses.
    var references: [Unit: Set<Int>] = [:]
    /// The variables that references use.
    var usedVariables: [String: ConfigVariable] = [:]
    var errors: [ConfigError] = []
    /// The number of failures that aren't in `errors`, because each can cost a search of the whole configuration.
    private var omittedErrors = 0
    /// The number of failures that are described, and of those with suggestions.
    private static let describedErrors = 100
    private static let suggestions = 16
    /// The number of values of a cycle that are named at its start and at its end.
    private static let namedHops = 8

    init(
        _ draft: ConfigSnapshot, fold: ConfigFold, syntax: ConfigReferenceSyntax, limits: ConfigLimits,
        variables: [String: ConfigVariable], secrets: ConfigSecrets
    ) {
        self.fold = fold
        self.syntax = syntax
        self.limits = limits
        self.variables = variables
        self.secrets = secrets
        whole = Level(snapshot: draft, isSecret: draft.tree.secretNodes(by: secrets))
        copyLimit = min(limits.copiedValues, 10_000 + 16 * draft.tree.nodes.count)
    }

    /// Returns the tree with all references resolved; unresolved values are omitted and reported in `errors`.
    mutating func interpolate() -> ConfigTree {
        let templates = whole.tree.nodes.indices.filter { whole.tree.isTemplate($0, syntax) }
        if templates.isEmpty { return whole.tree }
        for node in templates { resolve(Unit(level: top, node: node)) }
        let tree = rebuilt()
        if omittedErrors > 0 {
            errors.append(
                ConfigError(.unresolvedReference, reason: "\(omittedErrors) further values have unresolved references"))
        }
        return tree
    }

    func isOpen(_ unit: Unit) -> Bool { openFrames[unit] != nil }

    /// Returns the path with the fewest differences from a name, for the first failures.
    mutating func suggestion(for name: String) -> String? {
        errors.count < Self.suggestions ? NearestName.find(name, among: candidates) : nil
    }

    /// The paths that suggestions are taken from; elements of arrays have no names.
    private lazy var candidates: [String] = {
        let tree = whole.tree
        var paths: [String] = []
        var node = 1
        while node < tree.nodes.count, paths.count < 20_000 {
            let path = tree.path(of: node)
            paths.append(path.description)
            // The paths of deep values are long, and there can be many.
            let isLeaf = tree.kind(of: node) != .dictionary || path.components.count == 16
            node = isLeaf ? Int(tree.nodes[node].end) : node + 1
        }
        return paths
    }()

    // MARK: Levels

    /// The level of the merge of all layers.
    var top: Int { fold.layers.count }

    func level(_ number: Int) -> Level { levels[number] ?? whole }

    func tree(of unit: Unit) -> ConfigTree { level(unit.level).tree }

    /// Returns the value that a template overrides, if there is one.
    mutating func overridden(by unit: Unit) -> Unit? {
        let path = tree(of: unit).path(of: unit.node).components
        let trace = ConfigTrace(fold.prefix(unit.level), path)
        guard let layer = trace.live.last?.contributor.layer, layer > 0 else { return nil }
        if levels[layer] == nil {
            let weaker = fold.prefix(layer)
            var merger = ConfigMerger(weaker.layers, policy: fold.policy)
            let tree = merger.merge()
            levels[layer] = Level(
                snapshot: ConfigSnapshot(tree: tree, context: ConfigContext()),
                isSecret: tree.secretNodes(by: secrets))
        }
        return level(layer).tree.descend(path).map { Unit(level: layer, node: $0) }
    }

    /// Returns the value that a reference in a template names: of all layers, or else of the template's own level.
    func find(_ name: String, from unit: Unit) -> Unit? {
        if let node = whole.snapshot.find(name) { return Unit(level: top, node: node) }
        return level(unit.level).snapshot.find(name).map { Unit(level: unit.level, node: $0) }
    }

    /// Whether a template refers to its own key.
    func isSelf(_ target: Unit, _ unit: Unit) -> Bool {
        if target.level == unit.level { return target.node == unit.node }
        return tree(of: target).path(of: target.node) == tree(of: unit).path(of: unit.node)
    }

    // MARK: The search

    private mutating func resolve(_ start: Unit) {
        enter(start)
        while let top = frames.last {
            if top.next < top.needs.count {
                frames[frames.count - 1].next += 1
                let need = top.needs[top.next]
                if let start = openFrames[need] {
                    reportCycle(to: need, from: start)
                } else {
                    enter(need)
                }
                continue
            }
            // A value that closes a cycle has already failed.
            if resolved[top.unit] == nil { resolved[top.unit] = evaluate(top.unit, top.template) }
            openFrames[top.unit] = nil
            frames.removeLast()
        }
    }

    private mutating func enter(_ unit: Unit) {
        if resolved[unit] != nil { return }
        do throws(ConfigTemplate.SyntaxError) {
            let template = try ConfigTemplate(text(of: unit), syntax)
            let needs = self.needs(template.parts, unit)
            openFrames[unit] = frames.count
            frames.append(Frame(unit: unit, template: template, needs: needs))
        } catch {
            report(unit, reason: error.message)
            resolved[unit] = .failed
        }
    }

    /// Returns the templates that must be resolved before these parts.
    private mutating func needs(_ parts: [ConfigTemplate.Part], _ unit: Unit) -> [Unit] {
        var needs: [Unit] = []
        for case .reference(let reference) in parts {
            var target = reference.isVariable ? nil : find(reference.name, from: unit)
            if let found = target, isSelf(found, unit) { target = overridden(by: unit) }
            guard let target else {
                if variables[reference.name] == nil || !reference.isVariable {
                    needs += self.needs(reference.fallback ?? [], unit)
                }
                continue
            }
            needs += templates(in: target, of: unit)
        }
        return needs
    }

    /// Returns the templates in a value, which can be a container.
    private mutating func templates(in target: Unit, of unit: Unit) -> [Unit] {
        let tree = self.tree(of: target)
        let nodes = target.node..<Int(tree.nodes[target.node].end)
        copiedValues += nodes.count - 1
        guard copiedValues <= copyLimit else {
            report(unit, code: .limitExceeded, reason: "references copy more than \(copyLimit) values")
            resolved[unit] = .failed
            return []
        }
        return nodes.filter { tree.isTemplate($0, syntax) }.map { Unit(level: target.level, node: $0) }
    }

    /// Returns the text of a template; empty for other kinds of values.
    private func text(of unit: Unit) -> String {
        let tree = self.tree(of: unit)
        return tree.nodes[unit.node].kind == .string ? tree.strings[Int(tree.nodes[unit.node].payload)] : ""
    }

    // MARK: Failures

    mutating func report(
        _ unit: Unit, code: ConfigError.Code = .unresolvedReference, reason: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil
    ) {
        guard errors.count < Self.describedErrors + (code == .limitExceeded ? 8 : 0) else {
            omittedErrors += 1
            return
        }
        let tree = self.tree(of: unit)
        // A secret can contain `${` by chance, and then the text after it is part of the secret.
        let isSecret = level(unit.level).isSecret[unit.node]
        errors.append(
            ConfigError(
                code, key: tree.path(of: unit.node), location: tree.location(of: unit.node),
                reason: isSecret ? "unresolved reference" : SecretText.redacted(reason),
                expected: expected, found: found, hint: isSecret ? nil : hint))
    }

    private mutating func reportCycle(to unit: Unit, from start: Int) {
        resolved[unit] = .failed
        guard errors.count < Self.describedErrors else {
            omittedErrors += 1
            return
        }
        func name(_ hop: Unit) -> String {
            let tree = self.tree(of: hop)
            return "\(tree.path(of: hop.node)) (\(tree.location(of: hop.node)))"
        }
        let loop = frames[start...]
        var hops = loop.prefix(2 * Self.namedHops).map { name($0.unit) }
        if loop.count > 2 * Self.namedHops {
            hops = Array(hops.prefix(Self.namedHops)) + ["\(loop.count - 2 * Self.namedHops) more"]
            hops += loop.suffix(Self.namedHops).map { name($0.unit) }
        }
        hops.append(name(unit))
        let tree = self.tree(of: unit)
        errors.append(
            ConfigError(
                .referenceCycle, key: tree.path(of: unit.node), location: tree.location(of: unit.node),
                reason: "circular references: " + hops.joined(separator: " → ")))
    }
}

// Builds the new tree after all templates have been resolved.
extension ConfigInterpolator {
    /// Returns the tree with resolved values instead of templates, and copies of containers instead of references.
    mutating func rebuilt() -> ConfigTree {
        struct Walk {
            var children: ConfigTree.Children
            let level: Int
            var isSecret: Bool
            /// Whether a reference copied the values to this position.
            var isCopy = false
        }
        // The number of each node in the new tree, and the nodes of the merged tree that a new node uses.
        var numbers = [Int](repeating: 0, count: whole.tree.nodes.count)
        var uses: [(new: Int, old: Int)] = []
        var copied = 0
        var builder = ConfigTreeBuilder()
        builder.reserve(
            nodes: whole.tree.nodes.count, keyBytes: whole.tree.keyBytes.count, strings: whole.tree.strings.count)
        builder.open(.dictionary, position: 0)
        var walks = [Walk(children: whole.tree.children(of: 0), level: top, isSecret: false)]
        while let last = walks.indices.last {
            guard let node = walks[last].children.next() else {
                builder.close()
                walks.removeLast()
                continue
            }
            let (isSecret, isCopy) = (walks[last].isSecret, walks[last].isCopy)
            let unit = Unit(level: walks[last].level, node: node)
            let tree = self.tree(of: unit)
            let known = resolved[unit]
            if case .failed? = known { continue }
            if isCopy { copied += 1 }
            if builder.count > limits.values || copied > copyLimit {
                let reason =
                    copied > copyLimit
                    ? "references copy more than \(copyLimit) values"
                    : "references grow beyond \(limits.values) values"
                errors.append(
                    ConfigError(
                        .limitExceeded, key: tree.path(of: node), location: tree.location(of: node), reason: reason))
                while builder.depth > 0 { builder.close() }
                break
            }
            if tree.kind(of: Int(tree.nodes[node].parent)) == .dictionary { builder.key(tree.key(of: node)) }
            // The sources of the weakest layers have the same numbers in every level.
            builder.source = tree.nodes[node].source
            let position = tree.nodes[node].position
            if let used = references[unit] { uses += used.map { (new: builder.count, old: $0) } }
            if unit.level == top {
                if isCopy { uses.append((new: builder.count, old: node)) } else { numbers[node] = builder.count }
            }
            switch known {
            case .scalar(let value, let isTainted)?:
                builder.value(value, position: position)
                builder.mark(builder.count - 1, isTainted || isSecret ? [.secret, .interpolated] : .interpolated)
            case .container(let target, let isTainted)?:
                let isTainted = isSecret || isTainted
                let tree = self.tree(of: target)
                builder.open(tree.kind(of: target.node), position: position)
                builder.mark(builder.count - 1, isTainted ? [.secret, .interpolated] : .interpolated)
                walks.append(
                    Walk(
                        children: tree.children(of: target.node), level: target.level, isSecret: isTainted,
                        isCopy: true))
            case .failed?: break
            case nil:
                if tree.kind(of: node).isContainer {
                    builder.open(tree.kind(of: node), position: position)
                    walks.append(
                        Walk(
                            children: tree.children(of: node), level: unit.level, isSecret: isSecret, isCopy: isCopy))
                } else {
                    builder.source = 0
                    builder.copy(node, of: tree, sourceOffset: 0)
                    if isSecret { builder.mark(builder.count - 1, .secret) }
                }
            }
        }
        var sourceNodes: [Int: [Int]] = [:]
        for (new, old) in uses where numbers[old] != 0 { sourceNodes[new, default: []].append(numbers[old]) }
        return builder.finish(sources: whole.tree.sources, sourceNodes: sourceNodes)
    }
}
