/// An issue that an ``AshlarApp`` found during start-up.
public struct StartupIssue: Error, Sendable, CustomStringConvertible {
    /// The part of the app that an issue affects.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// A configuration or flavor file is missing or malformed.
        case configuration
        /// The log can't write to its folder, or a threshold isn't a level.
        case log
        /// A file of strings, values or themes is missing or has errors.
        case customization
        /// The host map is missing or has errors.
        case hosts
    }

    /// The part that found the issue.
    public let part: Part
    /// The description of the issue, with file and line if it concerns a file.
    public let message: String
    /// Whether the issue is an error: something is missing or can't be read; otherwise it is a warning.
    public let isError: Bool
    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    package init(_ part: Part, _ cause: some Sendable, isError: Bool = false) {
        self.part = part
        message = "\(cause)"
        self.isError = isError
        underlying = cause as? any Error
    }

    /// The part and the message.
    public var description: String { "\(part.rawValue): \(message)" }
}

/// The errors in required parts because of which ``AshlarApp/start(_:requires:)`` throws.
public struct StartupFailure: Error, Sendable, CustomStringConvertible {
    /// The errors of the required parts, in order.
    public let issues: [StartupIssue]

    /// The errors, one per line.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
