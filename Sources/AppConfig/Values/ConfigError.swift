internal import AshlarCore

/// A failure to load a configuration or to read a value from it.
///
/// The description is one line with all details, such as `http.timeout: expected Int, found string "15x"
/// (ApplicationConfig.debug.plist:12:5; overrides 30 from ApplicationConfig.plist:9)`. Several failures are combined
/// into one error, whose description has a line for each of its `problems`. Values of secret keys never appear.
public struct ConfigError: Error, Sendable {
    /// The kind of failure; codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case missingSource, unreadableSource, malformedSource, duplicateKey, limitExceeded, unknownDirective
            case missingKey, typeMismatch, invalidValue, unknownKey, unresolvedReference, referenceCycle, several
            case kindConflict, hiddenByLiteralKey, defaultUsed, invalidSettings
        }

        private let kind: Kind

        /// A file doesn't exist; a diagnostic unless the file is required.
        public static var missingSource: Code { Code(kind: .missingSource) }
        /// A source can't be opened or read.
        public static var unreadableSource: Code { Code(kind: .unreadableSource) }
        /// A source isn't a well-formed property list or JSON text, or its root isn't a dictionary.
        public static var malformedSource: Code { Code(kind: .malformedSource) }
        /// A dictionary has a duplicate key.
        public static var duplicateKey: Code { Code(kind: .duplicateKey) }
        /// A source or a value exceeds one of the ``ConfigLimits``.
        public static var limitExceeded: Code { Code(kind: .limitExceeded) }
        /// A key begins with `$` but isn't a directive, or a directive is malformed.
        public static var unknownDirective: Code { Code(kind: .unknownDirective) }
        /// A required value doesn't exist.
        public static var missingKey: Code { Code(kind: .missingKey) }
        /// The value exists, but doesn't have the requested type.
        public static var typeMismatch: Code { Code(kind: .typeMismatch) }
        /// The value has the right type, but the settings don't permit it.
        public static var invalidValue: Code { Code(kind: .invalidValue) }
        /// A key exists that no settings declare; in a diagnostic, a variable, an argument or a file sets it.
        public static var unknownKey: Code { Code(kind: .unknownKey) }
        /// A `${…}` refers to no value and has no default, or is malformed.
        public static var unresolvedReference: Code { Code(kind: .unresolvedReference) }
        /// References form a cycle.
        public static var referenceCycle: Code { Code(kind: .referenceCycle) }
        /// Several failures; see `problems`.
        public static var several: Code { Code(kind: .several) }

        // The codes of diagnostics only.

        /// A value had the wrong type, and a default replaces it.
        public static var defaultUsed: Code { Code(kind: .defaultUsed) }
        /// A dictionary and a value of another type have the same key; the stronger layer wins.
        package static var kindConflict: Code { Code(kind: .kindConflict) }
        /// A literal key such as `a.b` hides the nested value at the path `a.b`.
        package static var hiddenByLiteralKey: Code { Code(kind: .hiddenByLiteralKey) }
        /// After a reload, the values don't match a type of settings, whose last values stay current.
        package static var invalidSettings: Code { Code(kind: .invalidSettings) }

        /// The code's name, such as `typeMismatch`.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure, without the details.
    public let code: Code
    /// The path of the affected value, if there is one.
    public var key: ConfigPath?
    /// The file and line, variable or argument, if there is one.
    public var location: ConfigLocation?
    /// The problem, unless `expected` and `found` state it.
    package var reason: String?
    /// The values or text that would be valid.
    package var expected: String?
    /// The value or text that was found; a secret value is `<redacted>`.
    package var found: String?
    /// More details, such as the overridden value or the first definition of a duplicate key.
    package var notes: [String] = []
    /// A suggestion, such as the most similar known key.
    package var hint: String?
    /// The failures that this error combines, in order; empty for a single failure.
    public var problems: [ConfigError] = []
    /// The underlying error, if there is one.
    public var underlying: (any Error)?

    package init(
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

    /// Combines failures: a single failure is returned unchanged, several become one error with the code `several`.
    static func joining(_ problems: [ConfigError]) -> ConfigError {
        if problems.count == 1 { return problems[0] }
        var error = ConfigError(.several, reason: "\(problems.count) problems")
        error.problems = problems
        return error
    }
}

extension ConfigError: CustomStringConvertible {
    /// The message in one line; several failures have one line each.
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
        return text.onOneLine
    }
}

// The description of another type's error may quote a secret.
extension ConfigError: CustomReflectable {
    /// The code, the message, and the type of the underlying error.
    public var customMirror: Mirror {
        var children: KeyValuePairs<String, Any> = ["code": code, "description": description]
        if let underlying {
            children = [
                "code": code, "description": description, "underlying": "\(type(of: underlying))",
            ]
        }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// A problem that doesn't prevent loading or reading, such as a missing optional file or a malformed value.
public struct ConfigDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the diagnostic.
    public let code: ConfigError.Code
    /// The path of the affected value, if there is one.
    public let key: ConfigPath?
    /// The file and line, variable or argument, if there is one.
    public let location: ConfigLocation?
    /// The message, without the key and the location.
    package let message: String

    package init(_ code: ConfigError.Code, key: ConfigPath? = nil, location: ConfigLocation? = nil, message: String) {
        self.code = code
        self.key = key
        self.location = location
        self.message = message
    }

    /// The message with the key and the location, in one line.
    public var description: String {
        ((key.map { "\($0): " } ?? "") + message + (location.map { " (\($0))" } ?? "")).onOneLine
    }
}
