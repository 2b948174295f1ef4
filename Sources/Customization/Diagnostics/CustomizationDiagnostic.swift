/// A problem of a file, a value or a read: its code, location and fix.
///
/// Invalid input results in diagnostics. An invalid file never prevents loading and doesn't affect other layers.
public struct CustomizationDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: Hashable, Sendable, Comparable {
        /// Information without a problem.
        case note
        /// A probable mistake; nothing is lost.
        case warning
        /// Text or values are lost or can't be used.
        case error
    }

    /// The code of a problem, a stable identifier such as `missing-semicolon`.
    ///
    /// Codes may be added, so a `switch` over them needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The identifier.
        public let rawValue: String

        /// Creates a code from its identifier.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Creates a code from its identifier.
        public init(stringLiteral: String) { rawValue = stringLiteral }

        /// The identifier.
        public var description: String { rawValue }
    }

    /// The severity.
    public var severity: Severity
    /// The code of the problem.
    public var code: Code
    /// The problem in one sentence, with the expected and the found text.
    public var message: String
    /// The location of the problem.
    public var location: CustomizationLocation
    /// The affected key, if there is one.
    public var key: String?
    /// The fix, such as `insert ";"`, if known.
    public var fix: String?
    /// A second location, such as the first of two statements with the same key.
    public var related: CustomizationLocation?

    /// Creates a diagnostic.
    public init(
        _ severity: Severity, _ code: Code, _ message: String, at location: CustomizationLocation,
        key: String? = nil, fix: String? = nil, related: CustomizationLocation? = nil
    ) {
        (self.severity, self.code, self.message) = (severity, code, message)
        (self.location, self.key, self.fix, self.related) = (location, key, fix, related)
    }

    package var file: String { location.file }
    package var line: Int { location.line }
    package var column: Int { location.column }

    /// The diagnostic in the format of a compiler: `file:line:column: severity: message [code]`.
    public var description: String {
        "\(location): \(severity): \(message)" + (fix.map { "; \($0)" } ?? "") + " [\(code)]"
    }
}

extension [CustomizationDiagnostic] {
    /// Adds a problem.
    package mutating func add(
        _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code, _ message: String,
        at location: CustomizationLocation, key: String? = nil, fix: String? = nil,
        related: CustomizationLocation? = nil
    ) {
        append(CustomizationDiagnostic(severity, code, message, at: location, key: key, fix: fix, related: related))
    }
}
