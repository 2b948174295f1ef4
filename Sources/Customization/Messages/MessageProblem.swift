extension MessageDateStyle {
    /// Reads the style of `{name, date, …}` or `{name, time, …}`; a text that is not a length is a pattern.
    init(_ text: String, isTime: Bool) {
        if text == "relative" {
            self = .relative
        } else if text.hasPrefix("::") {
            self = .skeleton(text.dropFirst(2).filter { $0 != " " })
        } else if let length = text.isEmpty ? .medium : Length(rawValue: text) {
            self = isTime ? .lengths(date: nil, time: length) : .lengths(date: length, time: nil)
        } else {
            self = .pattern(text)
        }
    }
}

/// A problem of a message or of its arguments.
public struct MessageProblem: Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem.
    public let code: CustomizationDiagnostic.Code
    /// The placeholder or argument.
    package let placeholder: String
    /// The offset of the placeholder, or of the error in it, in the text's UTF-8.
    public let offset: Int
    /// The message, with the expected and the found value or text.
    package let message: String

    init(_ code: CustomizationDiagnostic.Code, placeholder: String, offset: Int, _ message: String) {
        self.code = code
        self.placeholder = placeholder
        self.offset = offset
        self.message = message
    }

    /// The placeholder and the message.
    public var description: String { "\(placeholder): \(message)" }
}

// The codes of messages.
extension CustomizationDiagnostic.Code {
    /// A `%` without a known conversion, which is shown literally.
    package static let unknownConversion = Self("format-unknown-conversion")
    /// Some placeholders have positions and some have none.
    package static let mixedPositions = Self("format-mixed-positions")
    /// One argument is used as two types.
    package static let conflictingTypes = Self("format-conflicting-types")
    /// A width or precision above 4,096; the placeholder is shown literally.
    package static let tooWide = Self("format-too-wide")
    /// The argument is missing; the placeholder is shown literally.
    package static let missingArgument = Self("format-missing-argument")
    /// The argument has another type; its plain form is inserted.
    package static let typeMismatch = Self("format-type-mismatch")
    /// A variable without definition; the placeholder is shown literally.
    package static let unknownVariable = Self("format-unknown-variable")
    /// A variable that refers to itself; the placeholder is shown literally.
    package static let cyclicVariable = Self("format-cyclic-variable")
    /// A choice without text for the value, not even `other`; the placeholder is shown literally.
    package static let missingCategory = Self("format-missing-category")
    /// An argument in braces that is not well-formed and is shown literally.
    package static let messageSyntax = Self("message-syntax")
    /// A type or style of an argument in braces that is not supported; the value is shown in its plain form.
    package static let unknownType = Self("message-unknown-type")
    /// A date or an amount of money that no formatter supports; it is shown in its plain form.
    package static let missingFormatter = Self("message-missing-formatter")
    /// A choice with two messages for one case; the first one is used.
    package static let duplicateCase = Self("message-duplicate-case")
    /// A case of a plural that is neither a plural category nor a number.
    package static let unknownCase = Self("message-unknown-case")
    /// A choice without text for `other`.
    package static let missingOther = Self("message-missing-other")
}
