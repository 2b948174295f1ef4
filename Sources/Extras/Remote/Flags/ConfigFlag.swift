public import AshlarAppConfig
internal import AshlarCore

/// A flag, whose value depends on the ID and the attributes of a user or device.
///
/// The rules of a flag are data at `flags.NAME`, in a file, a remote document, or code; see <doc:Flags>.
///
/// ```swift
/// let newSearch = ConfigFlag("newSearch", default: false)
/// let config = ApplicationConfig([
///     "flags": ["newSearch": ["rules": [["if": ["language": "fr"], "value": true], ["percent": 20, "value": true]]]]
/// ])
/// let subject = ConfigSubject(id: "user-42", ["language": "fr-CA"])
/// print(config.value(of: newSearch, for: subject))  // true
/// print(config.explain(newSearch, for: subject))
/// // newSearch = true for user-42
/// //   rule 1: language is fr (code)
/// ```
public struct ConfigFlag<Value: ConfigConvertible & Sendable>: Sendable {
    /// The name of the flag below `flags`.
    public let name: String
    /// The value if the flag doesn't exist or is malformed.
    public let defaultValue: Value

    /// Creates a flag.
    public init(_ name: String, default defaultValue: Value) {
        self.name = name
        self.defaultValue = defaultValue
    }

    var path: ConfigPath { ConfigPath(components: ["flags", name]) }
}

/// The user, installation, or device for which a flag is evaluated.
public struct ConfigSubject: Sendable, Hashable {
    /// A stable ID for percentages; only a rule with 100 percent applies to a subject without an ID.
    public var id: String?
    /// The attributes for conditions, such as `language`, `version`, `bundle`, and `brand`.
    public var attributes: [String: String]

    /// Creates a subject.
    public init(id: String?, _ attributes: [String: String] = [:]) {
        self.id = id
        self.attributes = attributes
    }
}

/// The value of a flag for a subject and the rule that decided it.
public struct ConfigFlagDecision<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the flag.
    let flag: String
    /// The ID of the subject.
    let id: String?
    /// The value.
    public let value: Value
    /// The kind of the reason.
    public let code: ConfigFlagReason
    /// The kind of the error, if the value is the default because of one.
    public internal(set) var errorCode: ConfigFlagErrorCode?
    /// The number of the rule that decided, from 1; `nil` if no rule applied.
    public internal(set) var rule: Int?
    /// The reason as text, such as `language is fr` or `the flag is switched off`.
    public let reason: String
    /// The location of the rule or default that decided; `nil` for the default in code.
    public internal(set) var location: ConfigLocation?
    /// The problems of the flag; entries that this version doesn't know are problems, but don't affect the value.
    public internal(set) var problems: [ConfigError] = []
    /// Whether the value is never printed.
    var isSecret = false

    /// The value as text; a secret value is `<redacted>`.
    var text: String { isSecret ? SecretNames.placeholder : SecretText.redacted("\(value)") }

    /// The value, the rule and its location, and a line for each problem; a secret value is `<redacted>`.
    public var description: String {
        let place = location.map { " (\($0))" } ?? ""
        let lines = [
            "\(flag) = \(text)\(id.map { " for \($0)" } ?? "")",
            "  \(rule.map { "rule \($0): " } ?? "")\(reason)\(place)",
        ]
        return (lines + problems.map { "  problem: \($0)" }).joined(separator: "\n")
    }

    /// The value as text, the rule, and the reason.
    public var customMirror: Mirror {
        Mirror(self, children: ["value": text, "rule": rule as Any, "reason": reason], displayStyle: .struct)
    }
}

extension ApplicationConfig {
    /// Returns the value of a flag for a subject.
    ///
    /// The evaluation is reported as `ConfigPlan.reportFlags(to:)` describes, and the problems of the flag are
    /// diagnostics.
    ///
    /// - Complexity: O(*r*) in the number of rules.
    public func value<Value>(of flag: ConfigFlag<Value>, for subject: ConfigSubject) -> Value {
        let decision = explain(flag, for: subject)
        for problem in decision.problems {
            let isUnknown = problem.code == .unknownKey
            record(
                ConfigDiagnostic(
                    isUnknown ? .unknownKey : .defaultUsed, key: problem.key, location: problem.location,
                    message: "\(isUnknown ? "ignored entry of a" : "malformed") flag: \(problem)"))
        }
        flagReport?(ConfigFlagEvaluation(decision, subject))
        return decision.value
    }

    /// Explains the value of a flag for a subject: the rule that decided.
    ///
    /// - Complexity: O(*r*) in the number of rules.
    public func explain<Value>(_ flag: ConfigFlag<Value>, for subject: ConfigSubject) -> ConfigFlagDecision<Value> {
        func decision(
            _ value: Value, _ code: ConfigFlagReason, _ reason: String, error: ConfigFlagErrorCode? = nil
        ) -> ConfigFlagDecision<Value> {
            ConfigFlagDecision(
                flag: flag.name, id: subject.id, value: value, code: code, errorCode: error, reason: reason)
        }
        guard let place = place(of: flag.path) else {
            return decision(flag.defaultValue, .error, "there is no such flag", error: .flagNotFound)
        }
        var reader = FlagReader(self)
        let definition = reader.definition(of: flag.name, at: place)
        // A flag that is switched off stays off, whatever else is wrong with it.
        let isUsable = !reader.isMalformed || !definition.isEnabled
        let outcome = isUsable ? definition.outcome(for: subject) : nil
        var result = decision(flag.defaultValue, .error, "the flag is malformed", error: .parseError)
        if let outcome {
            result = decision(flag.defaultValue, outcome.code, outcome.reason)
            if let found = outcome.value {
                if let value = found.read(as: Value.self) {
                    result = decision(value, outcome.code, outcome.reason)
                    result.rule = outcome.rule
                    result.location = found.location
                    result.isSecret = found.isSecret
                } else {
                    reader.problems.append(mismatch(found, found.path, Value.configTypeName))
                    result = decision(flag.defaultValue, .error, "the flag is malformed", error: .typeMismatch)
                }
            }
            // Without a readable value for this case, a switch is off.
            if outcome.code == .disabled, result.location == nil, let off = false as? Value {
                result = decision(off, .disabled, outcome.reason)
            }
        }
        result.problems = reader.problems
        return result
    }

    /// Returns the problems of all flags, such as unknown entries and malformed conditions.
    ///
    /// - Complexity: O(*n*) in the number of values below `flags`.
    public func flagProblems() -> [ConfigError] {
        guard let flags = locate("flags"), flags.kind == .dictionary else { return [] }
        return flags.children.flatMap { flag -> [ConfigError] in
            var reader = FlagReader(self)
            _ = reader.definition(of: flag.key, at: flag)
            return reader.problems
        }
    }
}
