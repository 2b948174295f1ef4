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
                append(number, in: currency, style.fractionDigits, argument.place)
            case (.currency, _):
                report(.typeMismatch, argument.place, "the amount has no currency; use ::currency/EUR")
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
    mutating func append(plain value: FormatValue, _ place: MessagePlace) {
        switch value {
        case .string(let string): text += string
        case .bool(let flag): text += flag ? "true" : "false"
        case .int(let number): language.append(number, to: &text)
        case .unsigned(let number): text += language.number(number)
        case .double(let number): text += language.number(number)
        case .date(let seconds): append(seconds, .lengths(date: .short, time: .short), place)
        case .amount(let amount, let currency): append(amount, in: currency, nil, place)
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
        _ amount: Double, in currency: String, _ fractionDigits: ClosedRange<Int>?, _ place: MessagePlace
    ) {
        if let localized = language.text(amount: amount, currency: currency, fractionDigits: fractionDigits) {
            text += localized
        } else {
            text += language.plainText(amount: amount, currency: currency)
            reportUnsupported("amount in \(currency)", place)
        }
    }

    private mutating func reportUnsupported(_ value: String, _ place: MessagePlace) {
        report(
            .missingFormatter, place,
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
