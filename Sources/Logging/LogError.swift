/// A mistake in what was given to the logger.
///
/// Logging itself never throws.
public struct LogError: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// Codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        private enum Kind { case formatMalformed, thresholdsMalformed }
        private let kind: Kind
        /// A format string has the wrong number of placeholders or an unknown one.
        public static var formatMalformed: Code { Code(kind: .formatMalformed) }
        /// A list of thresholds has a part that is not understood.
        public static var thresholdsMalformed: Code { Code(kind: .thresholdsMalformed) }
    }

    /// What went wrong, without the particulars.
    public let code: Code
    /// The text that was not understood.
    public let text: String
    /// What was expected instead.
    public let expected: String
    /// What was found.
    public let found: String
}

extension LogError: CustomStringConvertible {
    /// One sentence that names the text, what was expected and what was found.
    public var description: String { "\"\(text)\": expected \(expected), found \(found)" }
}
