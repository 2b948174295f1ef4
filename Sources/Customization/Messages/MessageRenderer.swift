/// Formats a compiled message with values.
struct MessageRenderer {
    typealias Piece = CompiledMessage.Piece

    /// The maximum number of expansions, which limits messages that refer to each other.
    private static let maximumExpansions = 1_000
    /// The maximum number of variables inside each other.
    static let maximumDepth = 16

    var text = ""
    private(set) var problems: [MessageProblem] = []
    private let message: CompiledMessage
    let values: MessageValues
    let language: LanguageConventions
    private var expansions = 0

    init(message: CompiledMessage, values: MessageValues, language: LanguageConventions) {
        self.message = message
        self.values = values
        self.language = language
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
                text += placeholder.replacement(values, position: position, problems: &problems)
            case .variable(let placeholder, let variable, let position):
                expand(placeholder, variable, position, path)
            case .argument(let argument): show(argument)
            case .number: if let number { append(plain: number, .number) } else { text += "#" }
            case .choice(let choice): choose(choice, number: number)
            }
        }
    }

    // MARK: Variables

    private mutating func expand(
        _ placeholder: PrintfFormat.Placeholder, _ number: Int, _ position: Int, _ path: [Int]
    ) {
        expansions += 1
        guard number >= 0 else { return fail(placeholder, .unknownVariable, "the variable is not defined") }
        let variable = message.variables[number]
        guard !path.contains(number), path.count < Self.maximumDepth, expansions <= Self.maximumExpansions else {
            let way = (path + [number]).map { message.variables[$0].name }.joined(separator: " → ")
            return fail(placeholder, .cyclicVariable, "the variable refers to itself: \(way)")
        }
        guard let value = values[position - 1] else {
            return fail(placeholder, .missingArgument, values.problem(ofMissing: position - 1))
        }
        let category = variable.category(of: value, rules: language.plurals)
        if category == nil {
            problems.append(
                .init(
                    .typeMismatch, placeholder, "expected a number, found \(value.typeName) \"\(value.text)\""
                ))
        }
        guard let form = variable.forms[category ?? .other] ?? variable.forms[.other] else {
            return fail(placeholder, .missingCategory, "there is no text for \(category ?? .other) and none for other")
        }
        render(form, own: position, path: path + [number])
    }

    /// Shows a placeholder as it is written, and reports why.
    private mutating func fail(
        _ placeholder: PrintfFormat.Placeholder, _ code: CustomizationDiagnostic.Code, _ problem: String
    ) {
        problems.append(.init(code, placeholder, problem))
        text += placeholder.text
    }

    // MARK: Choices

    private mutating func choose(_ choice: MessageChoice, number outer: FormatValue?) {
        guard let value = values[choice.place.index] else {
            return missing(choice.place)
        }
        guard choice.kind != .select else {
            return render(choice, choice.pieces(of: value.text), value.text, number: outer)
        }
        guard let exact = value.number else {
            mismatch(value, "a number", choice.place)
            return render(choice, choice.pieces(of: "other"), "other", number: value)
        }
        if let found = choice.exact.first(where: { $0.number == exact }) {
            return render(choice, found.pieces, "", number: value.subtracting(choice.numberOffset))
        }
        let number = value.subtracting(choice.numberOffset)
        var category = PluralCategory.other
        if let operands = PluralOperands(shown: number) {
            category =
                choice.kind == .ordinal
                ? language.data.ordinals.category(for: operands) : language.data.plurals.category(for: operands)
        }
        render(choice, choice.pieces(of: category.rawValue), category.rawValue, number: number)
    }

    private mutating func render(
        _ choice: MessageChoice, _ pieces: [Piece]?, _ name: String, number: FormatValue?
    ) {
        guard let pieces else {
            report(.missingCategory, choice.place, "there is no text for \(name) and none for other")
            text += choice.place.text
            return
        }
        render(pieces, own: 0, number: number, path: [])
    }

    mutating func missing(_ place: MessagePlace) {
        text += place.text
        report(.missingArgument, place, values.problem(ofMissing: place.index))
    }

    mutating func mismatch(_ value: FormatValue, _ expected: String, _ place: MessagePlace) {
        report(.typeMismatch, place, "expected \(expected), found \(value.typeName) \"\(value.text)\"")
    }

    mutating func report(_ code: CustomizationDiagnostic.Code, _ place: MessagePlace, _ message: String) {
        problems.append(.init(code, placeholder: place.text, offset: place.offset, message))
    }
}

extension CompiledMessage.Variable {
    /// Returns the category of a value in this variable; nil if it isn't a number.
    func category(of value: FormatValue, rules: PluralRules) -> PluralCategory? {
        let operands: PluralOperands?
        switch value {
        case .string, .bool, .date: return nil
        case .int(let number) where display == nil || !isDecimal: operands = PluralOperands(number)
        case .unsigned(let number) where display == nil || !isDecimal: operands = PluralOperands(number)
        case .int, .unsigned, .double, .amount:
            guard let number = value.number else { return nil }
            var ignored: [MessageProblem] = []
            let shown = display?.replacement(.list([value], positions: nil), position: 1, problems: &ignored)
            operands = shown.flatMap { PluralOperands($0.trimmingSpace()) } ?? PluralOperands(number)
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
        case .double(let number), .amount(let number, _):
            guard number.isFinite else { return nil }
            var digits = DecimalDigits(shortest: number)
            digits.round(toFractionDigits: 3)
            self.init(digits.plainText)
        case .string, .bool, .date: return nil
        }
    }
}

extension FormatValue {
    /// Returns the number that `#` displays in a plural with an offset.
    fileprivate func subtracting(_ offset: Int64) -> FormatValue {
        guard offset != 0, let number else { return self }
        if case .amount(let amount, let currency) = self { return .amount(amount - Double(offset), currency: currency) }
        if case .int(let integer) = self {
            let (difference, overflows) = integer.subtractingReportingOverflow(offset)
            if !overflows { return .int(difference) }
        }
        if case .unsigned(let integer) = self, offset > 0, integer >= offset.magnitude {
            return .unsigned(integer - offset.magnitude)
        }
        return .double(number - Double(offset))
    }

    /// The digits of an integer that a `Double` may not represent; nil for other values.
    fileprivate var exactDigits: DecimalDigits? {
        switch self {
        case .int(let number): DecimalDigits(magnitude: number.magnitude)
        case .unsigned(let number): DecimalDigits(magnitude: number)
        case .double, .string, .bool, .date, .amount: nil
        }
    }
}

/// Displays the arguments in braces.
extension MessageRenderer {
    mutating func show(_ argument: MessageArgument) {
        guard let value = values[argument.place.index] else { return missing(argument.place) }
        if !append(value, argument) { append(plain: value, argument.place) }
    }

    /// Appends a value in the style of its argument; false if the value has another type, which is reported.
    private mutating func append(_ value: FormatValue, _ argument: MessageArgument) -> Bool {
        switch (argument.style, value) {
        case (.plain, _): return false
        case (.date(let style), .date(let seconds)): append(seconds, style, argument.place)
        case (.date, _):
            mismatch(value, "a date", argument.place)
            return false
        case (.number(let style), _):
            guard let number = value.number else {
                mismatch(value, "a number", argument.place)
                return false
            }
            switch (style.unit, value) {
            case (.currency, .amount(_, let currency)), (.currency(let currency?), _):
                append(number, in: currency, style, argument.place)
            case (.currency, _):
                report(.typeMismatch, argument.place, "the amount has no currency; use ::currency/EUR")
                return false
            case (_, .amount): append(number, style, argument.place)
            default:
                if style == .plain { return false }
                append(number, exact: value.exactDigits, style, argument.place)
            }
        }
        return true
    }

    /// Appends a value in the usual form of its type.
    mutating func append(plain value: FormatValue, _ place: MessagePlace) {
        switch value {
        case .string(let string): text += string
        case .bool(let flag): text += flag ? "true" : "false"
        case .int(let number): language.append(number, to: &text)
        case .unsigned(let number): text += language.number(number)
        case .double(let number): text += language.number(number)
        case .date(let seconds): append(seconds, .lengths(date: .short, time: .short), place)
        case .amount(let amount, let currency): append(amount, in: currency, .plain, place)
        }
    }

    private mutating func append(_ seconds: Double, _ style: MessageDateStyle, _ place: MessagePlace) {
        if let localized = language.text(secondsSince1970: seconds, style: style) {
            text += localized
        } else {
            text += style.plainText(secondsSince1970: seconds)
            reportUnsupported("date", place)
        }
    }

    private mutating func append(
        _ amount: Double, in currency: String, _ style: MessageNumberStyle, _ place: MessagePlace
    ) {
        let language = language
        if let localized = style.signed(
            amount, { language.text(amount: $0, currency: currency, style.withoutScale) })
        {
            text += localized
        } else {
            text += style.signed(amount) { language.plainText(amount: $0, currency: currency) } ?? ""
            reportUnsupported("amount in \(currency)", place)
        }
    }

    private mutating func append(
        _ number: Double, exact: DecimalDigits? = nil, _ style: MessageNumberStyle, _ place: MessagePlace
    ) {
        if let notation = style.notation {
            let language = language
            if let localized = style.signed(
                number, { language.text(number: $0, notation: notation, style.withoutScale) })
            {
                text += localized
                return
            }
            reportUnsupported("notation", place)
        }
        text += language.data.numbers.text(number, exact: exact, style)
    }

    private mutating func reportUnsupported(_ value: String, _ place: MessagePlace) {
        report(
            .missingFormatter, place,
            language.formatter == nil
                ? "there is no formatter for the \(value); set CustomizationPolicy.formatter"
                : "the formatter does not support the \(value)")
    }
}
