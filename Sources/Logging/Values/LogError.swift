/// An error in a format or in a list of thresholds.
///
/// Logging itself never throws.
public struct LogError: Error, Hashable, Sendable {
    /// The kind of error.
    ///
    /// Codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        private enum Kind { case formatMalformed, thresholdsMalformed }
        private let kind: Kind
        /// A format has the wrong number of placeholders or an unknown one.
        public static var formatMalformed: Code { Code(kind: .formatMalformed) }
        /// A list of thresholds has an unknown part.
        public static var thresholdsMalformed: Code { Code(kind: .thresholdsMalformed) }
    }

    /// The kind of error.
    public let code: Code
    /// The text that contains the error.
    public let text: String
    /// The expected text.
    public let expected: String
    /// The actual text.
    public let found: String
}

extension LogError: CustomStringConvertible {
    /// The text, the expected form, and the found one.
    public var description: String { "\"\(text)\": expected \(expected), found \(found)" }
}
