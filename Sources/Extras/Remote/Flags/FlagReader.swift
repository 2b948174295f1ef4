import AshlarAppConfig
import AshlarCore

/// Reads a flag and records every problem with its location.
struct FlagReader {
    var problems: [ConfigError] = []
    private let config: ApplicationConfig

    init(_ config: ApplicationConfig) { self.config = config }

    /// Returns the rules of a flag.
    mutating func definition(of name: String, at flag: ConfigPlace) -> FlagDefinition {
        var definition = FlagDefinition(name: name, salt: name)
        guard flag.kind == .dictionary else {
            // A plain value is a flag without rules.
            if flag.kind == .array { expect("a dictionary or a value", flag) }
            definition.fallback = flag
            return definition
        }
        for entry in flag.children {
            switch entry.key {
            case "enabled": definition.isEnabled = read(entry, "a boolean") ?? true
            case "off": definition.off = entry
            case "default": definition.fallback = entry
            case "salt": definition.salt = read(entry, "text") ?? name
            case "description": _ = read(entry, "text", as: String.self)
            case "rules":
                guard entry.kind == .array else {
                    expect("an array of rules", entry)
                    continue
                }
                definition.rules = entry.children.compactMap { rule($0) }
            default: unknown(entry, ["enabled", "off", "default", "salt", "description", "rules"])
            }
        }
        return definition
    }

    private mutating func rule(_ place: ConfigPlace) -> FlagDefinition.Rule? {
        guard place.kind == .dictionary, let value = place.children.first(where: { $0.key == "value" }) else {
            expect("a dictionary with an entry value", place)
            return nil
        }
        var rule = FlagDefinition.Rule(value: value)
        for entry in place.children {
            switch entry.key {
            case "value": break
            case "description": _ = read(entry, "text", as: String.self)
            case "percent":
                rule.percent = read(entry, "a number from 0 to 100")
                if let percent = rule.percent, !(0...100).contains(percent) { expect("a number from 0 to 100", entry) }
            case "if":
                guard entry.kind == .dictionary else {
                    expect("a dictionary of conditions", entry)
                    continue
                }
                for attribute in entry.children {
                    if let condition = condition(attribute) { rule.conditions.append((attribute.key, condition)) }
                }
            default: unknown(entry, ["value", "percent", "if", "description"])
            }
        }
        return rule
    }

    private mutating func condition(_ place: ConfigPlace) -> FlagCondition? {
        switch place.kind {
        case .array:
            let elements = place.children
            let texts = elements.compactMap { String(configValue: $0.value, coercion: .standard) }
            if texts.isEmpty || texts.count < elements.count { expect("texts", place) }
            return .oneOf(texts)
        case .dictionary:
            var from: FlagVersion?
            var before: FlagVersion?
            for entry in place.children {
                guard ["from", "before"].contains(entry.key) else {
                    unknown(entry, ["from", "before"])
                    continue
                }
                let version = read(entry, "a version such as 2.1", as: String.self).flatMap { FlagVersion($0) }
                if version == nil { expect("a version such as 2.1", entry) }
                if entry.key == "from" { from = version } else { before = version }
            }
            return .versions(from: from, before: before)
        default: return read(place, "text, an array of texts, or a range of versions").map { .oneOf([$0]) }
        }
    }

    private mutating func read<Value: ConfigConvertible>(
        _ place: ConfigPlace, _ expected: String, as type: Value.Type = Value.self
    ) -> Value? {
        if !place.kind.isContainer, let value = Value(configValue: place.value, coercion: .standard) { return value }
        expect(expected, place)
        return nil
    }

    private mutating func expect(_ expected: String, _ place: ConfigPlace) {
        // A value can have two problems; only the first one is reported.
        guard !problems.contains(where: { $0.key == place.path }) else { return }
        problems.append(config.mismatch(place, place.path, expected))
    }

    private mutating func unknown(_ place: ConfigPlace, _ names: [String]) {
        problems.append(
            ConfigError(
                .unknownKey, key: place.path, location: place.location,
                expected: "one of \(names.joined(separator: ", "))", found: place.key,
                hint: NearestName.find(place.key, among: names).map { "did you mean \($0)?" }))
    }
}
