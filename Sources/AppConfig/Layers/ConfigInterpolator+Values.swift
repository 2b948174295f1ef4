internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Evaluates a template.
extension ConfigInterpolator {
    mutating func evaluate(_ unit: Unit, _ template: ConfigTemplate) -> Resolved {
        if let lone = template.lone { return value(of: lone, unit) }
        guard let (text, isSecret) = joined(template.parts, unit) else { return .failed }
        return account(.scalar(.string(text), isSecret: isSecret), text.utf8.count, unit)
    }

    private mutating func account(_ resolved: Resolved, _ bytes: Int, _ unit: Unit) -> Resolved {
        expandedBytes += bytes
        if expandedBytes > limits.expandedTotalBytes {
            report(
                unit, code: .limitExceeded,
                reason: "the references of all values grow beyond \(limits.expandedTotalBytes) bytes")
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
                // Checked before the text is copied, so that a reference bomb uses no memory.
                if joined.utf8.count + text.utf8.count > limits.expandedValueBytes {
                    report(
                        unit, code: .limitExceeded,
                        reason: "the value grows beyond \(limits.expandedValueBytes) bytes")
                    return nil
                }
                joined += text
                isSecret = isSecret || isTainted
            }
        }
        return (joined, isSecret)
    }

    /// Returns the text that replaces a reference inside other text.
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
            if let variable = variables[reference.name] {
                usedVariables[reference.name] = variable
                return .scalar(.string(variable.text), isSecret: secrets.isSecretKey(reference.name))
            }
            return fallback(reference, unit, reason: "the environment variable \(reference.name) is not set")
        }
        guard let target = draft.find(reference.name) else {
            let hint = NearestName.find(reference.name, among: allPaths())
            return fallback(
                reference, unit, reason: "\(spelled(reference)) is not defined",
                hint: hint.map { "did you mean \($0)?" })
        }
        if target == unit.node {
            guard let below = below(unit) else {
                return fallback(reference, unit, reason: "the value refers to itself but overrides nothing")
            }
            if let known = resolved[below] { return known }
            let (tree, node) = contribution(below)
            let isSecret = self.isSecret[target]
            return tree.scalar(of: node).map { .scalar($0, isSecret: isSecret) }
                ?? .value(tree.value(of: node), isSecret: isSecret)
        }
        references[unit.node, default: []].insert(target)
        if let known = resolved[Unit(node: target)] {
            switch known {
            case .scalar(let value, let isTainted):
                return .scalar(value, isSecret: isTainted || isSecret[target])
            case .failed:
                report(unit, reason: "\(spelled(reference)) could not be resolved")
                return .failed
            default: return known
            }
        }
        if isOpen.contains(Unit(node: target)) { return .failed }
        guard let scalar = tree.scalar(of: target) else { return .container(target) }
        return .scalar(scalar, isSecret: isSecret[target])
    }

    private func spelled(_ reference: ConfigTemplate.Reference) -> String {
        syntax.reference(to: reference.name)
    }

    private mutating func fallback(
        _ reference: ConfigTemplate.Reference, _ unit: Unit, reason: String, hint: String? = nil
    ) -> Resolved {
        guard let fallback = reference.fallback else {
            report(unit, reason: reason, hint: hint)
            return .failed
        }
        // The default of a secret is also secret.
        let isSecretName = reference.isSecret(by: secrets)
        // A default that consists of one reference retains the type of its value.
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
}
