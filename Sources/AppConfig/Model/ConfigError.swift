/// A failure to load a configuration or to read a value from it.
///
/// The description is one line with all particulars, such as
/// `http.timeout: expected Int, found string "15x" (ApplicationConfig.debug.plist:12:5; overrides 30 from
/// ApplicationConfig.plist:9)`. Several failures at once are one error with `code` `several`; its description has a line
/// for each of `problems`. Values of secret keys never appear.
public struct ConfigError: Error, Sendable {
    /// The kind of failure; codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case missingSource, unreadableSource, malformedSource, duplicateKey, limitExceeded, unknownDirective
            case missingKey, typeMismatch, invalidValue, unknownKey, unresolvedReference, referenceCycle, several
        }

        private let kind: Kind

        /// A required file is not there.
        public static var missingSource: Code { Code(kind: .missingSource) }
        /// A source could not be opened or read.
        public static var unreadableSource: Code { Code(kind: .unreadableSource) }
        /// A source is not a well-formed property list or JSON text, or its root is not a dictionary.
        public static var malformedSource: Code { Code(kind: .malformedSource) }
        /// A dictionary repeats a key.
        public static var duplicateKey: Code { Code(kind: .duplicateKey) }
        /// A source or a value is bigger or deeper than ``ConfigLimits`` allow.
        public static var limitExceeded: Code { Code(kind: .limitExceeded) }
        /// A key begins with `$` but is not a directive, or a directive is malformed.
        public static var unknownDirective: Code { Code(kind: .unknownDirective) }
        /// A value that is required is not there.
        public static var missingKey: Code { Code(kind: .missingKey) }
        /// The value is there, but not of the type asked for.
        public static var typeMismatch: Code { Code(kind: .typeMismatch) }
        /// The value has the right type, but a schema forbids it.
        public static var invalidValue: Code { Code(kind: .invalidValue) }
        /// A key is there that no schema knows.
        public static var unknownKey: Code { Code(kind: .unknownKey) }
        /// A `${…}` names nothing and has no default, or is not well formed.
        public static var unresolvedReference: Code { Code(kind: .unresolvedReference) }
        /// References form a loop.
        public static var referenceCycle: Code { Code(kind: .referenceCycle) }
        /// Several failures; see `problems`.
        public static var several: Code { Code(kind: .several) }

        /// The code's name, such as `typeMismatch`.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure, without the details.
    public let code: Code
    /// The path of the value concerned, if one is.
    public var key: ConfigPath?
    /// The file and line, variable or argument concerned, if one is.
    public var location: ConfigLocation?
    /// The problem, unless `expected` and `found` state it.
    public var reason: String?
    /// The values or text that would be valid.
    public var expected: String?
    /// The value or text found instead; a secret value is `<redacted>`.
    public var found: String?
    /// More details, such as the overridden value or the first definition of a key.
    public var notes: [String] = []
    /// A suggestion, such as the nearest known key.
    public var hint: String?
    /// The failures in an error of code `several`, in the order in which they were found.
    public var problems: [ConfigError] = []
    /// The error underneath, if there is one.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, key: ConfigPath? = nil, location: ConfigLocation? = nil, reason: String? = nil,
        expected: String? = nil, found: String? = nil, notes: [String] = [], hint: String? = nil
    ) {
        self.code = code
        self.key = key
        self.location = location
        self.reason = reason
        self.expected = expected
        self.found = found
        self.notes = notes
        self.hint = hint
    }

    /// Joins failures: one stays itself, several become one error of code `several`.
    static func joining(_ problems: [ConfigError]) -> ConfigError {
        if problems.count == 1 { return problems[0] }
        var error = ConfigError(.several, reason: "\(problems.count) problems")
        error.problems = problems
        return error
    }
}

extension ConfigError: CustomStringConvertible {
    /// The whole message in one line; several failures have one line each.
    public var description: String {
        if code == .several {
            return "\(reason ?? "several problems"):\n" + problems.map { "  \($0)" }.joined(separator: "\n")
        }
        var text = ""
        if let key { text += "\(key): " }
        let comparison = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap { $0 }
        let parts = [reason, comparison.isEmpty ? nil : comparison.joined(separator: ", ")].compactMap { $0 }
        text += parts.isEmpty ? code.description : parts.joined(separator: ": ")
        let place = [location?.fullDescription].compactMap { $0 } + notes
        if !place.isEmpty { text += " (\(place.joined(separator: "; ")))" }
        if let hint { text += "; \(hint)" }
        return text
    }
}
