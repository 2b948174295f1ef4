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
        case .container(let target, _):
            let kind = tree(of: target).kind(of: target.node)
            report(unit, reason: "\(spelled(reference)) is not text", expected: "text", found: kind.name)
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
        guard var target = find(reference.name, from: unit) else {
            // The search for a similar name costs time in proportion to the configuration, and a default needs none.
            let hint = reference.fallback == nil ? suggestion(for: reference.name) : nil
            return fallback(
                reference, unit, reason: "\(spelled(reference)) is not defined",
                hint: hint.map { "did you mean \($0)?" })
        }
        let isSelf = isSelf(target, unit)
        if isSelf {
            guard let below = overridden(by: unit) else {
                return fallback(reference, unit, reason: "the value refers to itself but overrides nothing")
            }
            target = below
        } else if target.level == top {
            references[unit, default: []].insert(target.node)
        }
        let isSecret = level(target.level).isSecret[target.node]
        switch resolved[target] {
        case .scalar(let value, let isTainted)?: return .scalar(value, isSecret: isTainted || isSecret)
        case .container(let copied, let isTainted)?: return .container(copied, isSecret: isTainted || isSecret)
        case .failed?:
            // A template that its own value overrides has its own error.
            if !isSelf { report(unit, reason: "\(spelled(reference)) could not be resolved") }
            return .failed
        case nil:
            if isOpen(target) { return .failed }
            guard let scalar = tree(of: target).scalar(of: target.node) else {
                return .container(target, isSecret: isSecret)
            }
            return .scalar(scalar, isSecret: isSecret)
        }
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
            case .container(let target, let isSecret): return .container(target, isSecret: isSecret || isSecretName)
            case .failed: return .failed
            }
        }
        guard let (text, isSecret) = joined(fallback, unit) else { return .failed }
        return .scalar(.string(text), isSecret: isSecret || isSecretName)
    }
}
