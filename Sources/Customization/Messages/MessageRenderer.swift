/// Formats a compiled message with values.
struct MessageRenderer<Arguments: MessageArguments> {
    typealias Piece = CompiledMessage.Piece

    /// The maximum number of expansions, which limits variables that refer to each other.
    private static var maximumExpansions: Int { 1_000 }

    var text = ""
    private(set) var problems: [MessageProblem] = []
    private let message: CompiledMessage
    private let arguments: Arguments
    private let language: LanguageConventions
    private var expansions = 0

    init(message: CompiledMessage, arguments: Arguments, language: LanguageConventions) {
        (self.message, self.arguments, self.language) = (message, arguments, language)
    }

    mutating func render(_ pattern: CompiledMessage.Pattern) { render(pattern, own: 0, path: []) }

    /// Renders a form of a variable.
    ///
    /// `own` is the position of the variable's number, and `path` contains the enclosing variables.
    private mutating func render(_ pattern: CompiledMessage.Pattern, own: Int, path: [Int]) {
        if !pattern.problems.isEmpty { problems += pattern.problems }
        render(pattern.pieces, own: own, number: nil, path: path)
    }

    private mutating func render(_ pieces: [Piece], own: Int, number: FormatValue?, path: [Int]) {
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder, let position):
                let position = position == 0 ? own : position
                text += placeholder.replacement(arguments, position: position, problems: &problems)
            case .variable(let placeholder, let variable, let position):
                expand(placeholder, variable, position, path)
            case .argument(let argument): show(argument)
            case .number: if let number { append(number, .plain) } else { text += "#" }
            case .choice(let choice): choose(choice, number: number)
            }
        }
    }

    // MARK: Variables

    private mutating func expand(
        _ placeholder: PrintfFormat.Placeholder, _ number: Int, _ position: Int, _ path: [Int]
    ) {
        func fail(_ code: MessageProblem.Code, _ problem: String) {
            problems.append(.init(code, placeholder, problem))
            text += placeholder.text
        }
        expansions += 1
        guard number >= 0 else { return fail(.unknownVariable, "the variable is not defined") }
        let variable = message.variables[number]
        guard !path.contains(number), expansions <= Self.maximumExpansions else {
            let way = (path + [number]).map { message.variables[$0].name }.joined(separator: " → ")
            return fail(.cyclicVariable, "the variable refers to itself: \(way)")
        }
        guard let value = arguments.value(at: position - 1) else {
            return fail(.missingArgument, arguments.problem(ofMissing: position - 1))
        }
        let category = variable.category(of: value, rules: language.plurals)
        if category == nil {
            problems.append(
                .init(
                    .typeMismatch, placeholder, "expected a number, found \(value.typeName) \"\(value.text)\""
                ))
        }
        guard let form = variable.forms[category ?? .other] ?? variable.forms[.other] else {
            return fail(.missingCategory, "there is no text for \(category ?? .other) and none for other")
        }
        render(form, own: position, path: path + [number])
    }

    // MARK: Arguments in braces

    private mutating func show(_ argument: MessageArgument) {
        guard let value = arguments.value(at: argument.index) else {
            return missing(argument.text, argument.offset, argument.index)
        }
        if argument.isNumber, value.number == nil { mismatch(value, argument.text, argument.offset) }
        append(value, argument.style)
    }

    private mutating func append(_ value: FormatValue, _ style: MessageArgument.Style) {
        switch value {
        case .string(let string): text += string
        case .bool(let flag): text += flag ? "true" : "false"
        case .int(let number) where style != .percent: language.append(number, to: &text)
        case .int, .unsigned, .double:
            switch style {
            case .percent: text += language.percent(value.number ?? 0)
            case .integer: text += language.number(value.number ?? 0, fractionDigits: 0...0)
            case .plain:
                if case .unsigned(let number) = value {
                    text += language.number(number)
                } else {
                    text += language.number(value.number ?? 0)
                }
            }
        }
    }

    private mutating func choose(_ choice: MessageChoice, number outer: FormatValue?) {
        guard let value = arguments.value(at: choice.index) else {
            return missing(choice.text, choice.offset, choice.index)
        }
        guard choice.kind != .select else {
            return render(choice, choice.pieces(of: value.text), value.text, number: outer)
        }
        guard let exact = value.number else {
            mismatch(value, choice.text, choice.offset)
            return render(choice, choice.pieces(of: "other"), "other", number: value)
        }
        if let found = choice.exact.first(where: { $0.number == exact }) {
            return render(choice, found.pieces, "", number: value.subtracting(choice.numberOffset))
        }
        let number = value.subtracting(choice.numberOffset)
        let rules = choice.kind == .ordinal ? language.ordinals : language.plurals
        let category = PluralOperands(shown: number).map { rules.category(for: $0) } ?? .other
        render(choice, choice.pieces(of: category.rawValue), category.rawValue, number: number)
    }

    private mutating func render(
        _ choice: MessageChoice, _ pieces: [Piece]?, _ name: String, number: FormatValue?
    ) {
        guard let pieces else {
            problems.append(
                .init(
                    .missingCategory, placeholder: choice.text, offset: choice.offset,
                    "there is no text for \(name) and none for other"))
            text += choice.text
            return
        }
        render(pieces, own: 0, number: number, path: [])
    }

    private mutating func missing(_ argument: String, _ offset: Int, _ index: Int) {
        text += argument
        problems.append(
            .init(
                .missingArgument, placeholder: argument, offset: offset, arguments.problem(ofMissing: index)
            ))
    }

    private mutating func mismatch(_ value: FormatValue, _ argument: String, _ offset: Int) {
        problems.append(
            .init(
                .typeMismatch, placeholder: argument, offset: offset,
                "expected a number, found \(value.typeName) \"\(value.text)\""))
    }
}

extension CompiledMessage.Variable {
    /// Returns the category of a value in this variable; nil if it isn't a number.
    func category(of value: FormatValue, rules: PluralRules) -> PluralCategory? {
        let operands: PluralOperands?
        switch value {
        case .string, .bool: return nil
        case .int(let number): operands = PluralOperands(number)
        case .unsigned(let number): operands = PluralOperands(number)
        case .double(let number):
            var ignored: [MessageProblem] = []
            let shown = display?.replacement(
                PositionalArguments(values: [value], positions: nil), position: 1, problems: &ignored)
            operands = shown.flatMap { PluralOperands($0) } ?? PluralOperands(number)
        }
        guard let operands else { return .other }
        let isZero = operands.integer == 0 && operands.significantDigits == 0
        return isZero && forms[.zero] != nil ? .zero : rules.category(for: operands)
    }
}

extension PluralOperands {
    /// Creates the operands of a number as ``LanguageConventions`` displays it, with at most three decimals.
    fileprivate init?(shown value: FormatValue) {
        switch value {
        case .int(let number): self.init(number)
        case .unsigned(let number): self.init(number)
        case .double(let number):
            guard number.isFinite else { return nil }
            var digits = DecimalDigits(exact: number)
            digits.round(toFractionDigits: 3)
            self.init(digits.plainText)
        case .string, .bool: return nil
        }
    }
}

extension FormatValue {
    /// Returns the number that `#` displays in a plural with an offset.
    fileprivate func subtracting(_ offset: Int64) -> FormatValue {
        guard offset != 0, let number else { return self }
        if case .int(let integer) = self {
            let (difference, overflows) = integer.subtractingReportingOverflow(offset)
            if !overflows { return .int(difference) }
        }
        return .double(number - Double(offset))
    }
}
