/// An issue that an ``AshlarApp`` found during start-up.
public struct StartupIssue: Error, Sendable, CustomStringConvertible {
    /// The part of the app that an issue concerns.
    public enum Part: String, Hashable, Sendable {
        /// A configuration file is missing or malformed.
        case configuration
        /// The log can't write where it should, or a threshold isn't a level.
        case log
        /// A file of strings, values or themes has errors.
        case customization
        /// The host map has errors.
        case hosts
    }

    /// The part that found the issue.
    public let part: Part
    /// The description of the issue, with file and line if it concerns a file.
    public let message: String
    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    init(_ part: Part, _ cause: some Sendable) {
        (self.part, message, underlying) = (part, "\(cause)", cause as? any Error)
    }

    /// The part and the message.
    public var description: String { "\(part.rawValue): \(message)" }
}
