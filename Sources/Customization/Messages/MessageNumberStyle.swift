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

    /// The numbers that have a sign.
    enum Sign: Equatable, Sendable {
        case negative
        case always
        case exceptZero
        case never
    }

    var unit = Unit.none
    /// A notation with words of the language; nil for digits.
    var notation: MessageNumberNotation?
    var sign = Sign.negative
    var isGrouped = true
    /// The smallest number of digits before the decimal separator.
    var integerDigits = 1
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
            if case .currency = unit {} else if notation == nil { fractionDigits = fractionDigits ?? 0...6 }
        }
    }

    /// Reads a word of a number skeleton; false if it is not supported.
    private mutating func read(_ word: Substring) -> Bool {
        switch word {
        case "percent", "%": unit = .percent
        case "%x100": (unit, shift) = (.percent, 2)
        case "precision-integer", ".": fractionDigits = 0...0
        case "precision-unlimited", ".+": fractionDigits = 0...100
        case "compact-short", "K": notation = .compact(isLong: false)
        case "compact-long", "KK": notation = .compact(isLong: true)
        case "sign-always", "+!": sign = .always
        case "sign-except-zero", "+?": sign = .exceptZero
        case "sign-never", "+_": sign = .never
        case "sign-auto", "group-auto", "notation-simple", "unit-width-short", "rounding-mode-half-even": break
        case "group-off", ",_": isGrouped = false
        case "unit-width-full-name": setUnit(isLong: true)
        case _ where word.hasPrefix("unit/"): setUnit(word.dropFirst(5))
        case _ where word.hasPrefix("measure-unit/"):
            guard let dash = word.dropFirst(13).firstIndex(of: "-") else { return false }
            setUnit(word[dash...].dropFirst())
        case _ where word.hasPrefix("scale/1"):
            let zeros = word.dropFirst(7)
            guard zeros.allSatisfy({ $0 == "0" }), zeros.utf8.count <= 20 else { return false }
            shift = zeros.utf8.count
        case _ where word.hasPrefix("integer-width/+") || word.allSatisfy { $0 == "0" }:
            let zeros = word.hasPrefix("0") ? word : word.dropFirst(15)
            guard zeros.allSatisfy({ $0 == "0" }), (1...20).contains(zeros.utf8.count) else { return false }
            integerDigits = zeros.utf8.count
        case _ where word.hasPrefix("currency/"):
            let code = word.dropFirst(9)
            guard code.utf8.count == 3, code.allSatisfy({ $0.isASCII && $0.isLetter }) else { return false }
            unit = .currency(code.uppercased())
        case _ where word.hasPrefix("."):
            // `.00##`: two to four decimals; `.00+` or `.00*`: two or more.
            let zeros = word.dropFirst().prefix { $0 == "0" }
            let signs = word.dropFirst(1 + zeros.count)
            let isOpen = ["+", "*"].contains(signs)
            guard isOpen || signs.allSatisfy({ $0 == "#" }), word.utf8.count <= 20 else { return false }
            fractionDigits = zeros.count...(isOpen ? 100 : zeros.count + signs.count)
        default: return false
        }
        return true
    }

    /// Sets the name or the width of the unit; the other one can precede or follow it.
    private mutating func setUnit(_ name: Substring? = nil, isLong: Bool = false) {
        var (known, long) = ("", isLong)
        if case .unit(let other, let wasLong)? = notation { (known, long) = (other, isLong || wasLong) }
        notation = .unit(name.map(String.init) ?? known, isLong: long)
    }
}

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
    /// The tags of a rich text in the order of their ends; empty otherwise.
    public var tags: [MessageTag] = []
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
