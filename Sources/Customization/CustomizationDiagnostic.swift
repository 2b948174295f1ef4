/// Something that a person should know about a file, a value or a read: what, where, and how to mend it.
///
/// Diagnostics are how this module reports bad input. A bad file never makes loading fail and never stops the
/// layers around it.
public struct CustomizationDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// How bad it is, from a remark to lost text.
    public enum Severity: Int, Hashable, Sendable, Comparable, CustomStringConvertible {
        /// Worth knowing; nothing is wrong.
        case note
        /// Probably not what was meant; everything was read.
        case warning
        /// Text or values were lost, or cannot be used as asked.
        case error

        /// The word that is printed: `note`, `warning` or `error`.
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

    /// How bad it is.
    public var severity: Severity
    /// The kind of problem.
    public var code: Code
    /// What was expected and what was found, in one sentence.
    public var message: String
    /// Where the problem is.
    public var location: CustomizationLocation
    /// The key concerned, if there is one.
    public var key: String?
    /// What to write instead, if that is known.
    public var fix: String?
    /// The other place that the problem is about, such as that of the first of two statements with the same key.
    public var related: CustomizationLocation?

    /// Creates a diagnostic.
    ///
    /// - Parameters:
    ///   - severity: How bad it is.
    ///   - code: The kind of problem.
    ///   - message: What was expected and what was found.
    ///   - location: Where the problem is.
    ///   - key: The key concerned, if there is one.
    ///   - fix: What to write instead, if that is known.
    ///   - related: The other place that the problem is about.
    public init(
        _ severity: Severity, _ code: Code, _ message: String, at location: CustomizationLocation,
        key: String? = nil, fix: String? = nil, related: CustomizationLocation? = nil
    ) {
        (self.severity, self.code, self.message) = (severity, code, message)
        (self.location, self.key, self.fix, self.related) = (location, key, fix, related)
    }

    /// The file's path.
    public var file: String { location.file }
    /// The line, counted from 1, or 0 if it is not known.
    public var line: Int { location.line }
    /// The column in Unicode scalars, counted from 1, or 0 if it is not known.
    public var column: Int { location.column }

    /// The diagnostic as compilers print it: `file:line:column: severity: message [code]`.
    public var description: String {
        "\(location): \(severity): \(message)" + (fix.map { "; \($0)" } ?? "") + " [\(code)]"
    }
}
