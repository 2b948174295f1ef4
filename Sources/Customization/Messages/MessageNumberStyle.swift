internal import AshlarCore

/// The display of a number in an ICU message: `percent`, `::currency/EUR .00`.
struct MessageNumberStyle: Equatable, Sendable {
    /// What the number is displayed as.
    enum Unit: Equatable, Sendable {
        case none
        case percent
        /// An amount of money; the code is nil if the value has it.
        case currency(String?)
    }

    var unit = Unit.none
    /// The smallest and the largest number of decimals; nil for the usual ones.
    var fractionDigits: ClosedRange<Int>?
    /// The power of ten by which the number is multiplied.
    var shift = 0

    static let plain = MessageNumberStyle()
    static let percent = MessageNumberStyle(unit: .percent, fractionDigits: 0...0, shift: 2)
}

extension MessageNumberStyle {
    /// Reads a style; nil if it is not supported.
    init?(_ text: String) {
        self.init()
        switch text {
        case "": self = .plain
        case "integer": fractionDigits = 0...0
        case "percent": self = .percent
        case "currency": unit = .currency(nil)
        default:
            guard text.hasPrefix("::") else { return nil }
            for word in text.dropFirst(2).split(separator: " ") { guard read(word) else { return nil } }
            if case .currency = unit {} else { fractionDigits = fractionDigits ?? 0...6 }
        }
    }

    /// Reads a word of a number skeleton; false if it is not supported.
    private mutating func read(_ word: Substring) -> Bool {
        switch word {
        case "percent", "%": unit = .percent
        case "%x100": (unit, shift) = (.percent, 2)
        case "scale/100": shift = 2
        case "precision-integer", ".": fractionDigits = 0...0
        case _ where word.hasPrefix("currency/"):
            let code = word.dropFirst(9)
            guard code.utf8.count == 3, code.allSatisfy({ $0.isASCII && $0.isLetter }) else { return false }
            unit = .currency(code.uppercased())
        case _ where word.hasPrefix("."):
            // `.00##`: two to four decimals.
            let zeros = word.dropFirst().prefix { $0 == "0" }
            let signs = word.dropFirst(1 + zeros.count)
            guard signs.allSatisfy({ $0 == "#" }), word.utf8.count <= 20 else { return false }
            fractionDigits = zeros.count...(zeros.count + signs.count)
        default: return false
        }
        return true
    }
}

extension MessageDateStyle {
    /// Reads the style of `{name, date, …}` or `{name, time, …}`; a text that is not a length is a pattern.
    init(_ text: String, isTime: Bool) {
        if text.hasPrefix("::") {
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
    public let message: String

    init(_ code: CustomizationDiagnostic.Code, placeholder: String, offset: Int, _ message: String) {
        self.code = code
        self.placeholder = placeholder
        self.offset = offset
        self.message = message
    }

    /// The placeholder and the message.
    public var description: String { "\(placeholder): \(message)" }
}

/// A formatted text and its problems.
public struct FormattedMessage: Hashable, Sendable {
    /// The text; complete even if there are problems.
    public let text: String
    /// The problems of the message and of its arguments, in the order of the text.
    public let problems: [MessageProblem]
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
