internal import AshlarCore

/// Requirements on the values of a configuration, created from the typed keys that a program reads.
///
/// ```swift
/// let timeout = ConfigKey("http.timeout", default: 30)
/// let host = RequiredConfigKey("http.host", as: String.self)
/// let schema = ConfigSchema([.optional(timeout, in: 1...120), .required(host)], unknownKeys: .refused)
///
/// let config = ApplicationConfig(["http": ["timeout": 500, "hots": "example.org"]])
/// do {
///     try config.validate(schema)
/// } catch {
///     print(error)  // three problems, each with its place and the nearest known name
/// }
/// ```
public struct ConfigSchema: Sendable {
    /// The treatment of values without a rule.
    public enum UnknownKeys: Sendable {
        /// The value is permitted.
        case allowed
        /// The value is permitted, and loading records a diagnostic in `diagnostics`.
        case reported
        /// The value is a problem, unless it is a bundle identifier's section: a dictionary whose root key contains a
        /// dot.
        case refused
    }

    /// The rules, one for each key.
    let rules: [ConfigRule]
    /// The treatment of values without a rule.
    let unknownKeys: UnknownKeys

    /// Creates a schema.
    public init(_ rules: [ConfigRule], unknownKeys: UnknownKeys = .allowed) {
        self.rules = rules
        self.unknownKeys = unknownKeys
    }
}

/// The requirement on one value.
public struct ConfigRule: Sendable {
    let path: ConfigPath
    /// Whether the value must exist.
    let isRequired: Bool
    /// Whether the value is never printed.
    let isSecret: Bool
    /// The name of the type, for messages.
    let typeName: String
    /// Returns the expectation that a value doesn't satisfy, or nil.
    let check: @Sendable (ConfigValue, ConfigCoercion) -> Problem?

    enum Problem {
        case type
        case value(expected: String)
    }

    private init<Value: ConfigConvertible & Sendable>(
        _ path: ConfigPath, _ type: Value.Type, isRequired: Bool, isSecret: Bool, expected: String?,
        isRight: (@Sendable (Value) -> Bool)?
    ) {
        self.path = path
        self.isRequired = isRequired
        self.isSecret = isSecret
        typeName = Value.configTypeName
        check = { value, coercion in
            guard let value = Value(configValue: value, coercion: coercion) else { return .type }
            guard let isRight, !isRight(value) else { return nil }
            return .value(expected: expected ?? "another value")
        }
    }

    /// The value of a key is optional; if it exists, it must have the key's type.
    public static func optional<Value>(_ key: ConfigKey<Value>) -> ConfigRule {
        ConfigRule(key.path, Value.self, isRequired: false, isSecret: key.isSecret, expected: nil, isRight: nil)
    }

    /// The value of a key is optional; if it exists, it must be in a range.
    public static func optional<Value: Comparable>(_ key: ConfigKey<Value>, in range: ClosedRange<Value>) -> ConfigRule
    {
        ConfigRule(
            key.path, Value.self, isRequired: false, isSecret: key.isSecret,
            expected: "\(range.lowerBound) to \(range.upperBound)",
            isRight: { range.contains($0) })
    }

    /// The value of a key is optional; if it exists, it must pass a test, which `expected` describes.
    public static func optional<Value>(
        _ key: ConfigKey<Value>, expected: String, _ isRight: @escaping @Sendable (Value) -> Bool
    ) -> ConfigRule {
        ConfigRule(
            key.path, Value.self, isRequired: false, isSecret: key.isSecret, expected: expected, isRight: isRight)
    }

    /// The value of a key must exist.
    public static func required<Value>(_ key: RequiredConfigKey<Value>) -> ConfigRule {
        ConfigRule(key.path, Value.self, isRequired: true, isSecret: key.isSecret, expected: nil, isRight: nil)
    }

    /// The value of a key must exist and pass a test, which `expected` describes.
    public static func required<Value>(
        _ key: RequiredConfigKey<Value>, expected: String, _ isRight: @escaping @Sendable (Value) -> Bool
    ) -> ConfigRule {
        ConfigRule(
            key.path, Value.self, isRequired: true, isSecret: key.isSecret, expected: expected, isRight: isRight)
    }
}

extension ApplicationConfig {
    /// Checks the values against a schema.
    ///
    /// - Throws: ``ConfigError`` with all problems: missing keys, values of wrong types, forbidden values, and unknown
    ///   keys, each with its location and the most similar known name.
    public func validate(_ schema: ConfigSchema) throws(ConfigError) {
        let problems = problems(with: schema)
        if !problems.isEmpty { throw .joining(problems) }
    }

    /// The violations of a schema in the order of its rules, then the unknown keys in the order of their paths.
    func problems(with schema: ConfigSchema) -> [ConfigError] {
        var problems: [ConfigError] = []
        let coercion = snapshot.context.coercion
        for rule in schema.rules {
            guard let place = locate(rule.path) else {
                if rule.isRequired { problems.append(missing(rule.path, expected: rule.typeName)) }
                continue
            }
            let value = place.tree.value(of: place.node)
            switch rule.check(value, coercion) {
            case nil: break
            case .type?: problems.append(mismatch(place, rule.path, rule.typeName, isSecret: rule.isSecret))
            case .value(let expected)?:
                let error = mismatch(place, rule.path, expected, isSecret: rule.isSecret)
                problems.append(
                    ConfigError(
                        .invalidValue, key: error.key, location: error.location, expected: expected, found: error.found,
                        notes: error.notes))
            }
        }
        if schema.unknownKeys == .refused { problems += unknownKeys(schema) }
        return problems
    }

    /// Returns an error for each value without a rule, except those in sections of bundle identifiers.
    package func unknownKeys(_ schema: ConfigSchema) -> [ConfigError] {
        let whole = flattened()
        let tree = whole.tree
        // If a value has a rule, its descendants are known; the containers above it are searched.
        var known: Set<Int> = []
        for rule in schema.rules {
            if let node = whole.find(rule.path) { known.insert(node) }
        }
        let names = schema.rules.map(\.path.description)
        var unknown: [ConfigError] = []
        var node = 1
        while node < tree.nodes.count {
            let end = Int(tree.nodes[node].end)
            let isDictionary = tree.kind(of: node) == .dictionary
            let isSection = isDictionary && snapshot.context.isSection(node, of: tree)
            if known.contains(node) || isSection {
                node = end
            } else if isDictionary, tree.count(of: node) > 0 {
                node += 1
            } else {
                let path = tree.path(of: node)
                unknown.append(
                    ConfigError(
                        .unknownKey, key: path, location: tree.location(of: node), reason: "no such key is known",
                        hint: NearestName.find(path.description, among: names).map { "did you mean \($0)?" }))
                node = end
            }
        }
        return unknown
    }
}

extension ConfigPath {
    /// The keys of the path, up to the first index.
    var keys: [String] {
        var keys: [String] = []
        for case .key(let key) in components { keys.append(key) }
        return keys
    }
}
