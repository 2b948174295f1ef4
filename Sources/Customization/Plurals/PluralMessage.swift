/// A text that depends on numbers, such as an entry of a `.stringsdict` file.
///
/// The format names variables, `%#@files@`, and each variable has a text for every plural category that its language
/// needs. The texts can name further variables.
///
/// ```swift
/// let message = PluralMessage(
///     format: "%#@files@ in %@",
///     variables: ["files": .init(forms: [.one: "%d file", .other: "%d files"])])
/// print(message.formatted(1, "Trash", rules: PluralRules("en")).text)  // 1 file in Trash
/// print(message.formatted(2, "Trash", rules: PluralRules("en")).text)  // 2 files in Trash
/// ```
///
/// Arguments are numbered in the order of the format's placeholders. The first placeholder without position in a variable's
/// text takes the variable's own number. Further ones, and nested variables, take the arguments after it, which do not
/// depend on the chosen category.
///
/// The category `zero` also means exactly 0 in languages without it. A category without text falls back to `other`.
public struct PluralMessage: Hashable, Sendable {
    /// The texts of one variable.
    public struct Variable: Hashable, Sendable {
        /// The `printf` type of the number, such as `"d"`, `"lld"` or `".1f"`; a precision determines the displayed digits.
        public var valueType: String
        /// The text for each category.
        public var forms: [PluralCategory: String]

        /// Creates a variable from its texts.
        public init(valueType: String = "d", forms: [PluralCategory: String]) {
            self.valueType = valueType
            self.forms = forms
        }
    }

    /// The text with its variables.
    public var format: String
    /// The variables by name.
    public var variables: [String: Variable]

    /// Creates a message.
    public init(format: String, variables: [String: Variable]) {
        self.format = format
        self.variables = variables
    }

    /// Creates a message that consists of one variable.
    public init(forms: [PluralCategory: String], valueType: String = "lld") {
        self.init(format: "%#@value@", variables: ["value": Variable(valueType: valueType, forms: forms)])
    }

    /// The text for the values.
    ///
    /// Never fails, like `formatted(_:)`.
    public func formatted(_ arguments: any FormatArgument..., rules: PluralRules) -> CustomizationFormat.Output {
        formatted(arguments.map(\.formatValue), rules: rules)
    }

    /// The text for a list of values.
    public func formatted(_ values: [FormatValue], rules: PluralRules) -> CustomizationFormat.Output {
        var renderer = PluralRenderer(message: self, values: values, rules: rules)
        return renderer.render()
    }
}

extension PluralMessage.Variable {
    /// The category of a value in this variable; nil if it is not a number.
    func category(of value: FormatValue, rules: PluralRules) -> PluralCategory? {
        let operands: PluralOperands?
        switch value {
        case .string, .bool: return nil
        case .int(let number): operands = PluralOperands(number)
        case .unsigned(let number): operands = PluralOperands(number)
        case .double(let number):
            let shown = valueType.contains(".") ? CustomizationFormat("%" + valueType).formatted([value]).text : ""
            operands = PluralOperands(shown) ?? PluralOperands(number)
        }
        guard let operands else { return .other }
        let isZero = operands.integer == 0 && operands.significantDigits == 0
        return isZero && forms[.zero] != nil ? .zero : rules.category(for: operands)
    }
}
