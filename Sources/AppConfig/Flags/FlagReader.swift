internal import AshlarCore

/// Reads a flag and records every problem with its location.
struct FlagReader {
    var problems: [ConfigError] = []
    private let config: ApplicationConfig
    private let place: ConfigPlace
    private let flag: ConfigPath

    private var tree: ConfigTree { place.tree }

    init(_ config: ApplicationConfig, _ place: ConfigPlace, _ flag: ConfigPath) {
        (self.config, self.place, self.flag) = (config, place, flag)
    }

    /// Returns the flag's rules; nil if the flag isn't a dictionary.
    mutating func definition() -> FlagDefinition? {
        guard case .key(let name)? = flag.components.last else { return nil }
        var definition = FlagDefinition(name: name, salt: name)
        guard tree.kind(of: place.node) == .dictionary else {
            // A plain value is a flag without rules.
            if tree.kind(of: place.node) == .array { expect("a dictionary or a value", place.node) }
            definition.fallback = place.node
            return definition
        }
        for node in tree.children(of: place.node) {
            switch tree.key(of: node) {
            case "enabled": definition.isEnabled = read(node, "a boolean") ?? true
            case "off": definition.off = node
            case "default": definition.fallback = node
            case "salt": definition.salt = read(node, "text") ?? name
            case "description": _ = read(node, "text", as: String.self)
            case "rules":
                guard tree.kind(of: node) == .array else {
                    expect("an array of rules", node)
                    continue
                }
                definition.rules = tree.children(of: node).compactMap { rule(at: $0) }
            default: unknown(node, ["enabled", "off", "default", "salt", "description", "rules"])
            }
        }
        return definition
    }

    private mutating func rule(at node: Int) -> FlagDefinition.Rule? {
        guard tree.kind(of: node) == .dictionary, let value = tree.child(of: node, key: "value") else {
            expect("a dictionary with an entry value", node)
            return nil
        }
        var rule = FlagDefinition.Rule(value: value)
        for child in tree.children(of: node) {
            switch tree.key(of: child) {
            case "value": break
            case "description": _ = read(child, "text", as: String.self)
            case "percent":
                rule.percent = read(child, "a number from 0 to 100")
                if let percent = rule.percent, !(0...100).contains(percent) { expect("a number from 0 to 100", child) }
            case "if":
                guard tree.kind(of: child) == .dictionary else {
                    expect("a dictionary of conditions", child)
                    continue
                }
                for attribute in tree.children(of: child) {
                    if let condition = condition(at: attribute) {
                        rule.conditions.append((tree.key(of: attribute), condition))
                    }
                }
            default: unknown(child, ["value", "percent", "if", "description"])
            }
        }
        return rule
    }

    private mutating func condition(at node: Int) -> FlagCondition? {
        switch tree.kind(of: node) {
        case .array:
            let texts = tree.children(of: node).compactMap { tree.scalar(of: $0) }
                .compactMap { ConfigCoercion.standard.string($0) }
            if texts.isEmpty || texts.count < tree.count(of: node) { expect("texts", node) }
            return .oneOf(texts)
        case .dictionary:
            var (from, before): (FlagVersion?, FlagVersion?)
            for child in tree.children(of: node) {
                guard ["from", "before"].contains(tree.key(of: child)) else {
                    unknown(child, ["from", "before"])
                    continue
                }
                let version = read(child, "a version such as 2.1", as: String.self).flatMap { FlagVersion($0) }
                if version == nil { expect("a version such as 2.1", child) }
                if tree.key(of: child) == "from" { from = version } else { before = version }
            }
            return .versions(from: from, before: before)
        default: return read(node, "text, an array of texts, or a range of versions").map { .oneOf([$0]) }
        }
    }

    private mutating func read<Value: ConfigConvertible>(
        _ node: Int, _ expected: String, as type: Value.Type = Value.self
    ) -> Value? {
        if let scalar = tree.scalar(of: node), let value = Value(configValue: scalar, coercion: .standard) {
            return value
        }
        expect(expected, node)
        return nil
    }

    private mutating func expect(_ expected: String, _ node: Int) {
        // A value can have two problems; only the first one is reported.
        guard !problems.contains(where: { $0.key == path(of: node) }) else { return }
        problems.append(config.mismatch(ConfigPlace(snapshot: place.snapshot, node: node), path(of: node), expected))
    }

    private mutating func unknown(_ node: Int, _ names: [String]) {
        let key = tree.key(of: node)
        problems.append(
            ConfigError(
                .unknownKey, key: path(of: node), location: tree.location(of: node),
                expected: "one of \(names.joined(separator: ", "))", found: key,
                hint: NearestName.find(key, among: names).map { "did you mean \($0)?" }))
    }

    func path(of node: Int) -> ConfigPath { tree.path(of: node) }
}
