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
struct ConfigResolver {
    typealias Steps = [ConfigPath.Component]
    private typealias Place = (steps: Steps, node: ConfigNode)

    private enum Resolved {
        case value(ConfigValue, isSecret: Bool)
        case failed
    }

    /// A value that is being resolved.
    private struct Frame {
        let steps: Steps
        let node: ConfigNode
        let template: ConfigTemplate
        let needs: [(steps: Steps, node: ConfigNode)]
        var next = 0
    }

    private let root: ConfigNode
    private let limits: ConfigLimits
    private let variables: [String: ConfigVariable]
    private let keepsUnsetVariables: Bool
    private let secrets: ConfigSecrets
    private var secrecy: ConfigSecrecy
    private var resolved: [Steps: Resolved] = [:]
    /// The frames of the values that are being resolved.
    private var openFrames: [Steps: Int] = [:]
    private var frames: [Frame] = []
    private var expandedBytes = 0
    /// The values that each template uses.
    private var references: [Steps: [Steps]] = [:]
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

    /// Creates a resolver; see `ConfigPlan.keepsUnsetVariables`.
    init(
        _ root: ConfigNode, limits: ConfigLimits, variables: [String: ConfigVariable], keepsUnsetVariables: Bool,
        secrets: ConfigSecrets
    ) {
        self.root = root
        self.limits = limits
        self.variables = variables
        self.keepsUnsetVariables = keepsUnsetVariables
        self.secrets = secrets
        secrecy = ConfigSecrecy(secrets, loaded: root)
    }

    /// Returns the tree with all references resolved; unresolved values are omitted and reported in `errors`.
    mutating func resolve() -> ConfigNode {
        resolveTemplates(in: root, [])
        if omittedErrors > 0 {
            errors.append(
                ConfigError(.unresolvedReference, reason: "\(omittedErrors) further values have unresolved references"))
        }
        return resolved.isEmpty ? root : rebuilt(root, []) ?? root
    }

    private mutating func resolveTemplates(in node: ConfigNode, _ steps: Steps) {
        if let text = template(node) { return resolve(steps, node, text) }
        for (step, child) in node.children
        where child.elements != nil || child.members != nil || template(child) != nil {
            resolveTemplates(in: child, steps + [step])
        }
    }

    private func template(_ node: ConfigNode) -> String? {
        guard case .scalar(.string(let text), let origin) = node, !origin.entry.layer.source.isLiteral,
            ConfigTemplate.isTemplate(text)
        else { return nil }
        return text
    }

    /// Returns the value that a name means.
    private func find(_ name: String) -> (steps: Steps, node: ConfigNode)? {
        let steps = root.steps(of: ConfigPath(name))
        return root.descend(steps).map { (steps, $0) }
    }

    /// Returns the tree with resolved values instead of templates, and without those that failed.
    private func rebuilt(_ node: ConfigNode, _ steps: Steps) -> ConfigNode? {
        switch node {
        case .scalar(let old, var origin):
            guard case .string(let text) = old, let value = resolved[steps] else { return node }
            guard case .value(let value, let isTainted) = value else { return nil }
            origin.built = ConfigBuilt(template: text, uses: references[steps] ?? [])
            if isTainted { origin.isSecret = true }
            return .scalar(value, origin)
        case .array(let elements, let origin):
            return .array(elements.enumerated().compactMap { rebuilt($1, steps + [.index($0)]) }, origin)
        case .dictionary(let members, let origin):
            return .dictionary(
                members.mapNodes { key, child in
                    rebuilt(child, steps + [.key(key)]) ?? .removed(ConfigOrigin(child.origin.entry, over: child))
                }, origin)
        case .removed: return node
        }
    }

    // MARK: The search

    private mutating func resolve(_ steps: Steps, _ node: ConfigNode, _ text: String) {
        enter(steps, node, text)
        while let top = frames.last {
            if top.next < top.needs.count {
                frames[frames.count - 1].next += 1
                let need = top.needs[top.next]
                if let start = openFrames[need.steps] {
                    reportCycle(to: need.steps, need.node, from: start)
                } else if let text = template(need.node) {
                    enter(need.steps, need.node, text)
                }
                continue
            }
            // A value that closes a cycle has already failed.
            if resolved[top.steps] == nil { resolved[top.steps] = evaluate(top) }
            openFrames[top.steps] = nil
            frames.removeLast()
        }
    }

    private mutating func enter(_ steps: Steps, _ node: ConfigNode, _ text: String) {
        if resolved[steps] != nil { return }
        do throws(ConfigTemplate.SyntaxError) {
            let template = try ConfigTemplate(text)
            let needs = template.parts.compactMap { part -> (steps: Steps, node: ConfigNode)? in
                guard case .reference(let reference) = part, !reference.isVariable else { return nil }
                return find(reference.name).flatMap { self.template($0.node) == nil ? nil : $0 }
            }
            openFrames[steps] = frames.count
            frames.append(Frame(steps: steps, node: node, template: template, needs: needs))
        } catch {
            report((steps, node), reason: error.message)
            resolved[steps] = .failed
        }
    }

    // MARK: Values

    private mutating func evaluate(_ frame: Frame) -> Resolved {
        let node = (frame.steps, frame.node)
        if let lone = frame.template.lone { return value(of: lone, node) }
        var joined = ""
        var isSecret = false
        for part in frame.template.parts {
            switch part {
            case .text(let text): joined += text
            case .reference(let reference):
                guard case .value(let value, let isTainted) = value(of: reference, node),
                    let text = text(of: value, reference, node)
                else { return .failed }
                // Checked before the text is copied, so that a reference bomb uses no memory.
                if joined.utf8.count + text.utf8.count > limits.expandedValueBytes {
                    report(
                        node, code: .limitExceeded, reason: "the value grows beyond \(limits.expandedValueBytes) bytes")
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
        of value: ConfigValue, _ reference: ConfigTemplate.Reference, _ node: Place
    ) -> String? {
        if case .date(let date) = value {
            return ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate)
        }
        if let text = ConfigCoercion.standard.string(value) { return text }
        report(node, reason: "${\(reference.name)} is not text", expected: "text", found: value.kindName)
        return nil
    }

    private mutating func value(of reference: ConfigTemplate.Reference, _ node: Place) -> Resolved {
        if reference.isVariable {
            if let variable = variables[reference.name] {
                usedVariables[reference.name] = variable
                return .value(.string(variable.text), isSecret: secrets.isSecretKey(reference.name))
            }
            if keepsUnsetVariables, reference.fallback == nil {
                return .value(.string("${env:\(reference.name)}"), isSecret: secrets.isSecretKey(reference.name))
            }
            return fallback(
                reference, node, reason: "the environment variable \(reference.name) is not set",
                hint: defaultHint(for: reference))
        }
        guard let target = find(reference.name) else {
            // The search for a similar name costs time in proportion to the configuration, and a default needs none.
            let name =
                reference.fallback == nil && defaultHint(for: reference) == nil ? suggestion(for: reference.name) : nil
            return fallback(
                reference, node, reason: "${\(reference.name)} is not defined",
                hint: defaultHint(for: reference) ?? name.map { "did you mean \($0)?" })
        }
        references[node.steps, default: []].append(target.steps)
        switch resolved[target.steps] {
        case .value(let value, let isTainted)?:
            return .value(value, isSecret: isTainted || secrecy.isSecret(target.steps, in: root))
        case .failed?: report(node, reason: "${\(reference.name)} could not be resolved")
        case nil:
            // The target is part of a cycle that has been reported.
            if openFrames[target.steps] != nil { return .failed }
            if case .scalar(let value, _) = target.node {
                return .value(value, isSecret: secrecy.isSecret(target.steps, in: root))
            }
            report(node, reason: "${\(reference.name)} is not a single value", found: target.node.kind.name)
        }
        return .failed
    }

    private mutating func fallback(
        _ reference: ConfigTemplate.Reference, _ node: Place, reason: String, hint: String? = nil
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
        return "did you mean ${\(name):-\(parts[1])}?"
    }

    // MARK: Failures

    /// Returns the path with the fewest differences from a name, for the first failures.
    private mutating func suggestion(for name: String) -> String? {
        errors.count < Self.suggestions ? NearestName.find(name, among: candidates) : nil
    }

    /// The paths that suggestions are taken from.
    private lazy var candidates = root.names()

    private mutating func report(
        _ node: Place, code: ConfigError.Code = .unresolvedReference, reason: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil
    ) {
        guard errors.count < Self.describedErrors + (code == .limitExceeded ? 8 : 0) else {
            omittedErrors += 1
            return
        }
        // A secret can contain `${` by chance, and then the text after it is part of the secret.
        let isSecret = secrecy.isSecret(node.steps, in: root)
        errors.append(
            ConfigError(
                code, key: ConfigPath(node.steps), location: node.node.location,
                reason: isSecret ? "unresolved reference" : SecretText.redacted(reason),
                expected: expected, found: found, hint: isSecret ? nil : hint))
    }

    private mutating func reportCycle(to steps: Steps, _ node: ConfigNode, from start: Int) {
        resolved[steps] = .failed
        guard errors.count < Self.describedErrors else {
            omittedErrors += 1
            return
        }
        func name(_ hop: Frame) -> String { "\(ConfigPath(hop.steps)) (\(hop.node.location))" }
        let loop = frames[start...]
        var hops = loop.prefix(2 * Self.namedHops).map(name)
        if loop.count > 2 * Self.namedHops {
            hops = Array(hops.prefix(Self.namedHops)) + ["\(loop.count - 2 * Self.namedHops) more"]
            hops += loop.suffix(Self.namedHops).map(name)
        }
        hops.append("\(ConfigPath(steps)) (\(node.location))")
        errors.append(
            ConfigError(
                .referenceCycle, key: ConfigPath(steps), location: node.location,
                reason: "circular references: " + hops.joined(separator: " → ")))
    }
}
