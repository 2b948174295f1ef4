/// A problem of a file, a value or a read: its kind, location and fix.
///
/// This module reports invalid input as diagnostics. An invalid file never makes loading fail and does not affect other
/// layers.
public struct CustomizationDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The severity, from a note to lost text.
    public enum Severity: Int, Hashable, Sendable, Comparable, CustomStringConvertible {
        /// Information; nothing is wrong.
        case note
        /// Probably a mistake; everything was read.
        case warning
        /// Text or values are lost or cannot be used.
        case error

        /// The printed word: `note`, `warning` or `error`.
        public var description: String {
            switch self {
            case .note: "note"
            case .warning: "warning"
            case .error: "error"
            }
        }

        /// Orders severities from note to error.
        public static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }
    }

    /// The kind of problem, a stable word such as `missing-semicolon`.
    ///
    /// Codes may be added, so a `switch` over them needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable word.
        public let rawValue: String

        /// Creates a code from its word.
        ///
        /// - Parameter rawValue: Lower-case words joined by `-`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Creates a code from its word.
        ///
        /// - Parameter word: Lower-case words joined by `-`.
        public init(_ word: String) { rawValue = word }

        /// The stable word.
        public var description: String { rawValue }
    }

    /// The severity.
    public var severity: Severity
    /// The kind of problem.
    public var code: Code
    /// The problem in one sentence, with the expected and the found text.
    public var message: String
    /// The location of the problem.
    public var location: CustomizationLocation
    /// The key concerned, if there is one.
    public var key: String?
    /// The fix, such as `insert ";"`, if known.
    public var fix: String?
    /// A second location, such as the first of two statements with the same key.
    public var related: CustomizationLocation?

    /// Creates a diagnostic.
    ///
    /// - Parameters:
    ///   - severity: The severity.
    ///   - code: The kind of problem.
    ///   - message: What was expected and what was found.
    ///   - location: The location of the problem.
    ///   - key: The key concerned, if there is one.
    ///   - fix: The fix, if known.
    ///   - related: A second location.
    public init(
        _ severity: Severity, _ code: Code, _ message: String, at location: CustomizationLocation,
        key: String? = nil, fix: String? = nil, related: CustomizationLocation? = nil
    ) {
        (self.severity, self.code, self.message) = (severity, code, message)
        (self.location, self.key, self.fix, self.related) = (location, key, fix, related)
    }

    /// The file's path.
    public var file: String { location.file }
    /// The line, counted from 1, or 0 if unknown.
    public var line: Int { location.line }
    /// The column in Unicode scalars, counted from 1, or 0 if unknown.
    public var column: Int { location.column }

    /// The diagnostic in the form of compilers: `file:line:column: severity: message [code]`.
    public var description: String {
        "\(location): \(severity): \(message)" + (fix.map { "; \($0)" } ?? "") + " [\(code)]"
    }
}
