internal import AshlarCore

/// A failure of the connection to NATS, or of something that it transports.
///
/// Texts never contain credentials.
public struct FleetError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name in lower camel case, such as `"libraryMissing"`.
        public let description: String
        private init(_ name: String) { description = name }

        /// The C client of NATS can't be opened.
        public static let libraryMissing = Code("libraryMissing")
        /// An option is malformed, or would send a secret without TLS.
        public static let invalidOptions = Code("invalidOptions")
        /// There is no connection to a server now.
        public static let disconnected = Code("disconnected")
        /// The connection was closed, by the program or because the server refuses it.
        public static let closed = Code("closed")
        /// The server or another process didn't respond in time.
        public static let timedOut = Code("timedOut")
        /// No process answers the request.
        public static let noResponder = Code("noResponder")
        /// The responder in another process threw an error.
        public static let responderFailed = Code("responderFailed")
        /// A payload can't be encoded or decoded, or is larger than the limit.
        public static let invalidPayload = Code("invalidPayload")
        /// The server rejected a request, such as one for a stream.
        public static let rejected = Code("rejected")
        /// A key has another revision than the expected one, or a value that excludes the new one.
        public static let conflict = Code("conflict")
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, in one line.
    public let reason: String
    /// The subject, stream, bucket or key in question.
    public var subject: String?
    /// The server's number of the failure.
    var number = 0

    init(_ code: Code, _ reason: String, subject: String? = nil) {
        self.code = code
        self.reason = SecretText.redacted(reason)
        self.subject = subject
    }

    /// The code, the subject and the problem.
    public var description: String { "\(code)\(subject.map { " '\($0)'" } ?? ""): \(reason)" }
}
