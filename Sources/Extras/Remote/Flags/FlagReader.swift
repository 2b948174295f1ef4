import AshlarAppConfig
import AshlarCore

/// Reads a flag and records every problem with its location.
struct FlagReader {
    var problems: [ConfigError] = []
    /// Whether a known entry is malformed; an unknown entry can be one of a later version.
    private(set) var isMalformed = false
    private let config: ApplicationConfig

    init(_ config: ApplicationConfig) { self.config = config }

    /// Returns the rules of a flag.
    mutating func definition(of name: String, at flag: ConfigPlace) -> FlagDefinition {
        var definition = FlagDefinition(name: name, salt: name)
        guard flag.kind == .dictionary else {
            // A plain value is a flag without rules.
            if flag.kind == .array { expect("a dictionary or a value", flag) }
            definition.fallback = flag
            definition.isPlain = true
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
                    if let condition = condition(attribute, attribute: attribute.key) {
                        rule.conditions.append((attribute.key, condition))
                    }
                }
            default: unknown(entry, ["value", "percent", "if", "description"])
            }
        }
        return rule
    }

    private mutating func condition(_ place: ConfigPlace, attribute: String) -> FlagCondition? {
        switch place.kind {
        case .array:
            let elements = place.children
            let texts = elements.compactMap { Self.text($0.value) }
            if texts.isEmpty || texts.count < elements.count { expect("texts", place) }
            return .oneOf(texts)
        case .dictionary:
            var conditions: [FlagCondition] = []
            var from: FlagBound?
            var before: FlagBound?
            for entry in place.children {
                switch entry.key {
                case "from": from = bound(entry, attribute)
                case "before": before = bound(entry, attribute)
                case "not": conditions += [condition(entry, attribute: attribute).map { .not($0) } ?? .unknown]
                default:
                    unknown(entry, ["from", "before", "not"])
                    conditions.append(.unknown)
                }
            }
            if from != nil || before != nil || conditions.isEmpty {
                conditions.insert(.range(from: from, before: before), at: 0)
            }
            return conditions.count == 1 ? conditions[0] : .all(conditions)
        default:
            if let text = Self.text(place.value) { return .oneOf([text]) }
            expect("text, an array of texts, or a range", place)
            return nil
        }
    }

    private mutating func bound(_ place: ConfigPlace, _ attribute: String) -> FlagBound? {
        let bound = FlagBound(place.value, attribute: attribute)
        if bound == nil {
            expect(
                attribute == "version" ? "a version such as 2.1" : "a version such as 2.1, a number, or a date", place)
        }
        return bound
    }

    private static func text(_ value: ConfigValue) -> FlagText? {
        guard let text = String(configValue: value, coercion: .standard) else { return nil }
        switch value {
        case .integer, .unsigned, .real: return FlagText(text: text, number: Double(text))
        default: return FlagText(text: text, number: nil)
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
        isMalformed = true
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
