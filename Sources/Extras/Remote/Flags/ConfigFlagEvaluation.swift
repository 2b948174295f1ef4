public import AshlarAppConfig

/// The kind of the reason for the value of a flag, named as in OpenFeature.
///
/// OpenFeature's specification (openfeature.dev, "Types and Data Structures", resolution reason) defines the names.
public struct ConfigFlagReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, such as `TARGETING_MATCH`.
    public let rawValue: String

    /// Creates a reason from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `STATIC`: the flag has one value for all subjects.
    public static let staticValue: ConfigFlagReason = ConfigFlagReason(rawValue: "STATIC")
    /// `TARGETING_MATCH`: a rule with conditions applied.
    public static let targetingMatch: ConfigFlagReason = ConfigFlagReason(rawValue: "TARGETING_MATCH")
    /// `SPLIT`: a rule with a percentage applied.
    public static let split: ConfigFlagReason = ConfigFlagReason(rawValue: "SPLIT")
    /// `DEFAULT`: no rule applied.
    public static let defaultValue: ConfigFlagReason = ConfigFlagReason(rawValue: "DEFAULT")
    /// `DISABLED`: the flag is switched off.
    public static let disabled: ConfigFlagReason = ConfigFlagReason(rawValue: "DISABLED")
    /// `ERROR`: the default in code replaces a missing or malformed flag.
    public static let error: ConfigFlagReason = ConfigFlagReason(rawValue: "ERROR")

    /// The name.
    public var description: String { rawValue }
}

/// The kind of an error for which a flag has its default in code, named as in OpenFeature.
public struct ConfigFlagErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, such as `PARSE_ERROR`.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `FLAG_NOT_FOUND`: there is no such flag.
    public static let flagNotFound: ConfigFlagErrorCode = ConfigFlagErrorCode(rawValue: "FLAG_NOT_FOUND")
    /// `PARSE_ERROR`: the flag is malformed.
    public static let parseError: ConfigFlagErrorCode = ConfigFlagErrorCode(rawValue: "PARSE_ERROR")
    /// `TYPE_MISMATCH`: the value doesn't have the flag's type.
    public static let typeMismatch: ConfigFlagErrorCode = ConfigFlagErrorCode(rawValue: "TYPE_MISMATCH")

    /// The name.
    public var description: String { rawValue }
}

/// An evaluation of a flag, for measurements and logs.
public struct ConfigFlagEvaluation: Sendable {
    /// The name of the flag.
    public let flag: String
    /// The user, installation, or device.
    public let subject: ConfigSubject
    /// The value as text; a secret value is `<redacted>`.
    public let value: String
    /// The kind of the reason.
    public let code: ConfigFlagReason
    /// The kind of the error, if there is one.
    public let errorCode: ConfigFlagErrorCode?
    /// The reason as text.
    public let reason: String
    /// The number of the rule that decided, from 1; `nil` if no rule applied.
    public let rule: Int?

    init(_ decision: ConfigFlagDecision<some Sendable>, _ subject: ConfigSubject) {
        flag = decision.flag
        self.subject = subject
        value = decision.text
        code = decision.code
        errorCode = decision.errorCode
        reason = decision.reason
        rule = decision.rule
    }
}

extension ConfigPlan {
    /// Reports each evaluation of a flag by `ApplicationConfig.value(of:for:)` in the plan's
    /// configurations, including after reloads; replaces an earlier closure.
    ///
    /// The closure is called on the evaluating thread, without a lock. Explanations aren't reported.
    public mutating func reportFlags(to report: @escaping @Sendable (ConfigFlagEvaluation) -> Void) {
        flagReport = { if let evaluation = $0 as? ConfigFlagEvaluation { report(evaluation) } }
    }
}

extension ApplicationConfig {
    /// Returns a copy that reports each evaluation of a flag; see `ConfigPlan.reportFlags(to:)`.
    public func reportingFlags(
        to report: @escaping @Sendable (ConfigFlagEvaluation) -> Void
    ) -> ApplicationConfig {
        reportingFlags(to: { (evaluation: any Sendable) in
            if let evaluation = evaluation as? ConfigFlagEvaluation { report(evaluation) }
        })
    }
}
