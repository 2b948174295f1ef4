internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Resolves the references in a merged tree, once, after all layers are merged.
///
/// References are resolved depth first with an explicit stack, and each value is resolved once. Text that replaces a
/// reference isn't resolved again, so `${` in a variable remains text.
struct ConfigInterpolator {
    private enum Resolved {
        case value(ConfigValue, isSecret: Bool)
        case failed
    }

    private struct Frame {
        let node: Int
        let template: ConfigTemplate
        let needs: [Int]
        var next = 0
    }

    private let snapshot: ConfigSnapshot
    private let syntax: ConfigReferenceSyntax
    private let limits: ConfigLimits
    private let variables: [String: ConfigVariable]
    private let secrets: ConfigSecrets
    /// Whether each node is secret.
    private let isSecret: [Bool]
    private var resolved: [Int: Resolved] = [:]
    /// The frames of the values that are being resolved.
    private var openFrames: [Int: Int] = [:]
    private var frames: [Frame] = []
    private var expandedBytes = 0
    /// The nodes that each template uses.
    private var references: [Int: Set<Int>] = [:]
    /// The variables that references use.
    private(set) var usedVariables: [String: ConfigVariable] = [:]
    private(set) var errors: [ConfigError] = []
    /// The number of failures that aren't in `errors`, because each can cost a search of the whole configuration.
    private var omittedErrors = 0
    /// The number of failures that are described, and of those with suggestions.
    private static let describedErrors = 100
    private static let suggestions = 16
    /// The number of values of a cycle that are named at its start and at its end.
    private static let namedHops = 8

    private var tree: ConfigTree { snapshot.tree }

    init(
        _ draft: ConfigSnapshot, syntax: ConfigReferenceSyntax, limits: ConfigLimits,
        variables: [String: ConfigVariable], secrets: ConfigSecrets
    ) {
        snapshot = draft
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
        for node in templates { resolve(node) }
        if omittedErrors > 0 {
            errors.append(
                ConfigError(.unresolvedReference, reason: "\(omittedErrors) further values have unresolved references"))
        }
        return rebuilt()
    }

    private func isTemplate(_ node: Int) -> Bool { tree.isTemplate(node, syntax) }

    // MARK: The search

    private mutating func resolve(_ start: Int) {
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
            if resolved[top.node] == nil { resolved[top.node] = evaluate(top.node, top.template) }
            openFrames[top.node] = nil
            frames.removeLast()
        }
    }

    private mutating func enter(_ node: Int) {
        if resolved[node] != nil { return }
        do throws(ConfigTemplate.SyntaxError) {
            let template = try ConfigTemplate(tree.strings[Int(tree.nodes[node].payload)], syntax)
            let needs = template.parts.compactMap { part -> Int? in
                guard case .reference(let reference) = part, !reference.isVariable else { return nil }
                return snapshot.find(reference.name).flatMap { isTemplate($0) ? $0 : nil }
            }
            openFrames[node] = frames.count
            frames.append(Frame(node: node, template: template, needs: needs))
        } catch {
            report(node, reason: error.message)
            resolved[node] = .failed
        }
    }

    // MARK: Values

    private mutating func evaluate(_ node: Int, _ template: ConfigTemplate) -> Resolved {
        if let lone = template.lone { return value(of: lone, node) }
        var joined = ""
        var isSecret = false
        for part in template.parts {
            switch part {
            case .text(let text): joined += text
            case .reference(let reference):
                guard case .value(let value, let isTainted) = value(of: reference, node),
                    let text = text(of: value, reference, node)
                else { return .failed }
                // Checked before the text is copied, so that a reference bomb uses no memory.
                if joined.utf8.count + text.utf8.count > limits.expandedValueBytes {
                    report(
                        node, code: .limitExceeded,
                        reason: "the value grows beyond \(limits.expandedValueBytes) bytes")
                    return .failed
                }
                joined += text
                isSecret = isSecret || isTainted
            }
        }
        expandedBytes += joined.utf8.count
        if expandedBytes > limits.expandedTotalBytes {
            report(
                node, code: .limitExceeded,
                reason: "the references of all values grow beyond \(limits.expandedTotalBytes) bytes")
            return .failed
        }
        return .value(.string(joined), isSecret: isSecret)
    }

    /// Returns the text that replaces a reference inside other text.
    private mutating func text(
        of value: ConfigValue, _ reference: ConfigTemplate.Reference, _ node: Int
    ) -> String? {
        if case .date(let date) = value {
            return ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate)
        }
        if let text = ConfigCoercion.standard.string(value) { return text }
        report(node, reason: "\(spelled(reference)) is not text", expected: "text", found: value.kindName)
        return nil
    }

    private mutating func value(of reference: ConfigTemplate.Reference, _ node: Int) -> Resolved {
        if reference.isVariable {
            if let variable = variables[reference.name] {
                usedVariables[reference.name] = variable
                return .value(.string(variable.text), isSecret: secrets.isSecretKey(reference.name))
            }
            return fallback(
                reference, node, reason: "the environment variable \(reference.name) is not set",
                hint: defaultHint(for: reference))
        }
        guard let target = snapshot.find(reference.name) else {
            // The search for a similar name costs time in proportion to the configuration, and a default needs none.
            let name =
                reference.fallback == nil && defaultHint(for: reference) == nil ? suggestion(for: reference.name) : nil
            return fallback(
                reference, node, reason: "\(spelled(reference)) is not defined",
                hint: defaultHint(for: reference) ?? name.map { "did you mean \($0)?" })
        }
        references[node, default: []].insert(target)
        switch resolved[target] {
        case .value(let value, let isTainted)?: return .value(value, isSecret: isTainted || isSecret[target])
        case .failed?: report(node, reason: "\(spelled(reference)) could not be resolved")
        case nil:
            // The target is part of a cycle that has been reported.
            if openFrames[target] != nil { return .failed }
            if let value = tree.scalar(of: target) { return .value(value, isSecret: isSecret[target]) }
            report(
                node, reason: "\(spelled(reference)) is not a single value", found: tree.kind(of: target).name)
        }
        return .failed
    }

    private mutating func fallback(
        _ reference: ConfigTemplate.Reference, _ node: Int, reason: String, hint: String? = nil
    ) -> Resolved {
        if let fallback = reference.fallback {
            // The default of a secret is also secret.
            return .value(.string(fallback), isSecret: reference.isSecret(by: secrets))
        }
        report(node, reason: reason, hint: hint)
        return .failed
    }

    /// Suggests `${a:-b}` for `${a:b}`, which has a default in other libraries.
    private func defaultHint(for reference: ConfigTemplate.Reference) -> String? {
        let parts = reference.name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard reference.fallback == nil, parts.count == 2, !parts[0].isEmpty, !parts[1].hasPrefix(":") else {
            return nil
        }
        let name = (reference.isVariable ? "env:" : "") + parts[0]
        return "did you mean \(syntax.reference(to: "\(name):-\(parts[1])"))?"
    }

    private func spelled(_ reference: ConfigTemplate.Reference) -> String { syntax.reference(to: reference.name) }

    // MARK: Failures

    /// Returns the path with the fewest differences from a name, for the first failures.
    private mutating func suggestion(for name: String) -> String? {
        errors.count < Self.suggestions ? NearestName.find(name, among: candidates) : nil
    }

    /// The paths that suggestions are taken from; elements of arrays have no names.
    private lazy var candidates: [String] = {
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

    private mutating func report(
        _ node: Int, code: ConfigError.Code = .unresolvedReference, reason: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil
    ) {
        guard errors.count < Self.describedErrors + (code == .limitExceeded ? 8 : 0) else {
            omittedErrors += 1
            return
        }
        // A secret can contain `${` by chance, and then the text after it is part of the secret.
        errors.append(
            ConfigError(
                code, key: tree.path(of: node), location: tree.location(of: node),
                reason: isSecret[node] ? "unresolved reference" : SecretText.redacted(reason),
                expected: expected, found: found, hint: isSecret[node] ? nil : hint))
    }

    private mutating func reportCycle(to node: Int, from start: Int) {
        resolved[node] = .failed
        guard errors.count < Self.describedErrors else {
            omittedErrors += 1
            return
        }
        func name(_ hop: Int) -> String { "\(tree.path(of: hop)) (\(tree.location(of: hop)))" }
        let loop = frames[start...].map(\.node)
        var hops = loop.prefix(2 * Self.namedHops).map(name)
        if loop.count > 2 * Self.namedHops {
            hops = Array(hops.prefix(Self.namedHops)) + ["\(loop.count - 2 * Self.namedHops) more"]
            hops += loop.suffix(Self.namedHops).map(name)
        }
        hops.append(name(node))
        errors.append(
            ConfigError(
                .referenceCycle, key: tree.path(of: node), location: tree.location(of: node),
                reason: "circular references: " + hops.joined(separator: " → ")))
    }

    // MARK: The new tree

    /// Returns the tree with resolved values instead of templates, and without those that failed.
    private func rebuilt() -> ConfigTree {
        var builder = ConfigTreeBuilder()
        builder.reserve(nodes: tree.nodes.count, keyBytes: tree.keyBytes.count, strings: tree.strings.count)
        // The number of each node in the new tree; 0 for one that failed.
        var numbers = [Int](repeating: 0, count: tree.nodes.count)
        var ends: [Int] = []
        for (node, old) in tree.nodes.enumerated() {
            while let end = ends.last, end <= node {
                builder.close()
                ends.removeLast()
            }
            let value = resolved[node]
            if case .failed? = value { continue }
            if node > 0, tree.kind(of: Int(old.parent)) == .dictionary { builder.key(tree.keyBytes[old.keyRange]) }
            numbers[node] = builder.count
            if case .value(let value, let isTainted)? = value {
                builder.source = old.source
                builder.value(value, position: old.position)
                builder.mark(builder.count - 1, isTainted ? [.secret, .interpolated] : .interpolated)
            } else if old.kind.isContainer {
                builder.source = old.source
                builder.open(old.kind, position: old.position)
                builder.mark(builder.count - 1, old.flags.intersection(.secret))
                ends.append(Int(old.end))
            } else {
                builder.source = 0
                builder.copy(node, of: tree, sourceOffset: 0)
            }
        }
        while builder.depth > 0 { builder.close() }
        var sourceNodes: [Int: [Int]] = [:]
        for (node, used) in references where numbers[node] != 0 {
            sourceNodes[numbers[node]] = used.map { numbers[$0] }.filter { $0 != 0 }.sorted()
        }
        return builder.finish(sources: tree.sources, sourceNodes: sourceNodes)
    }
}
