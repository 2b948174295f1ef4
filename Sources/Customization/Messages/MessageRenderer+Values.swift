/// Displays the arguments in braces.
extension MessageRenderer {
    mutating func show(_ argument: MessageArgument) {
        guard let value = values[argument.index] else {
            return missing(argument.text, argument.offset, argument.index)
        }
        if case .plain = argument.style {
            append(plain: value, argument.text, argument.offset)
        } else if !append(value, argument) {
            append(plain: value, argument.text, argument.offset)
        }
    }

    /// Appends a value in the style of its argument; false if the value has another type, which is reported.
    private mutating func append(_ value: FormatValue, _ argument: MessageArgument) -> Bool {
        switch (argument.style, value) {
        case (.plain, _): return false
        case (.date(let style), .date(let seconds)): append(seconds, style, argument.text, argument.offset)
        case (.date, _):
            mismatch(value, "a date", argument.text, argument.offset)
            return false
        case (.number(let style), _):
            guard let number = value.number else {
                mismatch(value, "a number", argument.text, argument.offset)
                return false
            }
            switch (style.unit, value) {
            case (.currency, .amount(_, let currency)), (.currency(let currency?), _):
                append(number, in: currency, style.fractionDigits, argument.text, argument.offset)
            case (.currency, _):
                report(.typeMismatch, argument.text, argument.offset, "the amount has no currency; use ::currency/EUR")
                return false
            case (_, .amount): text += language.number(number, style)
            default:
                if style == .plain { return false }
                text += language.number(number, style)
            }
        }
        return true
    }

    /// Appends a value in the usual form of its type.
    mutating func append(plain value: FormatValue, _ argument: String, _ offset: Int) {
        switch value {
        case .string(let string): text += string
        case .bool(let flag): text += flag ? "true" : "false"
        case .int(let number): language.append(number, to: &text)
        case .unsigned(let number): text += language.number(number)
        case .double(let number): text += language.number(number)
        case .date(let seconds): append(seconds, .lengths(date: .short, time: .short), argument, offset)
        case .amount(let amount, let currency): append(amount, in: currency, nil, argument, offset)
        }
    }

    private mutating func append(_ seconds: Double, _ style: MessageDateStyle, _ argument: String, _ offset: Int) {
        if let localized = language.text(secondsSince1970: seconds, style: style) {
            text += localized
        } else {
            text += style.plainText(secondsSince1970: seconds)
            reportUnsupported("date", argument, offset)
        }
    }

    private mutating func append(
        _ amount: Double, in currency: String, _ fractionDigits: ClosedRange<Int>?, _ argument: String, _ offset: Int
    ) {
        if let localized = language.text(amount: amount, currency: currency, fractionDigits: fractionDigits) {
            text += localized
        } else {
            text += language.plainText(amount: amount, currency: currency)
            reportUnsupported("amount in \(currency)", argument, offset)
        }
    }

    private mutating func reportUnsupported(_ value: String, _ argument: String, _ offset: Int) {
        report(
            .missingFormatter, argument, offset,
            language.formatter == nil
                ? "there is no formatter for the \(value); set CustomizationPolicy.formatter"
                : "the formatter does not support the \(value)")
    }
}

extension LanguageConventions {
    /// A number in a style that is not a currency.
    fileprivate func number(_ number: Double, _ style: MessageNumberStyle) -> String {
        let pattern = style.unit == .percent ? data.numbers.percentage : data.numbers.plain
        return data.numbers.text(number, style.fractionDigits ?? 0...3, shift: style.shift, pattern)
    }
}
