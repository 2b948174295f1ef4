/// The digits, symbols and patterns of a language's numbers.
///
/// A class, because each formatting of a number would copy the strings of a structure.
final class NumberConventions: Sendable {
    /// The text around a number, and the sizes of its groups.
    struct Pattern: Sendable {
        var (positivePrefix, negativePrefix, suffix) = ("", "-", "")
        /// The prefix of a number that has a plus sign.
        var plusPrefix: String { negativePrefix.reduce(into: "") { $0 += "-−".contains($1) ? "+" : String($1) } }
        /// The number of digits in the group before the decimal separator, and in the other groups.
        var (primary, secondary) = (3, 3)

        /// Reads a pattern such as `#,##,##0%` or `% #,#0;% -#,#0`, with the language's symbols.
        init(_ text: Substring, minus: String, percent: String) {
            let halves = text.split(separator: ";", maxSplits: 1)
            func parts(_ half: Substring) -> (prefix: String, digits: Substring, suffix: String) {
                let prefix = half.prefix { !"#0,.".contains($0) }
                let digits = half[prefix.endIndex...].prefix { "#0,.".contains($0) }
                func written(_ sign: Substring) -> String {
                    sign.reduce(into: "") { $0 += $1 == "%" ? percent : $1 == "-" ? minus : String($1) }
                }
                return (written(prefix), digits, written(half[digits.endIndex...]))
            }
            let positive = parts(halves[0])
            positivePrefix = positive.prefix
            suffix = positive.suffix
            negativePrefix = halves.count > 1 ? parts(halves[1]).prefix : minus + positive.prefix
            let groups = positive.digits.prefix { $0 != "." }.split(separator: ",").map(\.count)
            (primary, secondary) =
                groups.count < 2 ? (0, 0) : (groups[groups.count - 1], groups[groups.count - 1])
            if groups.count > 2 { secondary = groups[groups.count - 2] }
        }
    }

    /// The digits 0 to 9.
    let digits: [String]
    let (decimal, group): (String, String)
    /// The minimum number of digits before the first group separator; shorter numbers aren't grouped.
    let smallestGroup: Int
    let plain: Pattern
    let percentage: Pattern

    /// Reads a set such as `0|.|,|-|%|1|#,##0|#,##0%`.
    ///
    /// The fields are the digit zero, the decimal and group separators, the minus and percent signs, the smallest
    /// group, and the patterns.
    init(_ text: String) {
        // `~` is a no-break space, which isn't visible in a source file; `_` is a narrow no-break space.
        let fields = text.split(separator: "|", omittingEmptySubsequences: false).map {
            $0.reduce(into: "") { $0 += $1 == "~" ? "\u{A0}" : $1 == "_" ? "\u{202F}" : String($1) }
        }
        let zero = fields[0].unicodeScalars.first?.value ?? 0x30
        digits = (0..<10).map { Unicode.Scalar(zero + $0).map { String(Character($0)) } ?? "" }
        decimal = fields[1]
        group = fields[2]
        smallestGroup = Int(fields[5]) ?? 1
        plain = Pattern(fields[6][...], minus: fields[3], percent: fields[4])
        percentage = Pattern(fields[7][...], minus: fields[3], percent: fields[4])
    }

    /// The name of CLDR's numbering system.
    var system: String {
        let systems = [
            "٠": "arab", "۰": "arabext", "०": "deva", "০": "beng", "༠": "tibt", "၀": "mymr", "߀": "nkoo", "᱐": "olck",
            "꯰": "mtei", "𑄶": "cakm", "𞥐": "adlm",
        ]
        return systems[digits[0]] ?? "latn"
    }

    private static let sets = CLDRTable.words(CLDRFormatData.numberSets)
    private static let locales = CLDRTable.readGroups(CLDRFormatData.numbers).compactMapValues { Int($0) }

    static func of(_ language: LanguageTag) -> NumberConventions {
        NumberConventions(String(sets[CLDRTable.lookUp(language, in: locales) ?? 0]))
    }

    // MARK: Writing

    /// Returns the text of a number in a style that has neither a currency nor a notation with words.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - exact: Its digits without a sign if `number` is only near it; nil for those of `number`.
    ///   - style: The style.
    /// - Returns: The text.
    func text(_ number: Double, exact: DecimalDigits? = nil, _ style: MessageNumberStyle) -> String {
        let pattern = style.unit == .percent ? percentage : plain
        let prefix =
            switch style.sign {
            case .never: pattern.positivePrefix
            case .exceptZero where number.isNaN || number.isFinite && rounded(number, style).value.digits.isEmpty:
                pattern.positivePrefix
            case _ where number < 0: pattern.negativePrefix
            case .negative: pattern.positivePrefix
            case .always, .exceptZero: pattern.plusPrefix
            }
        guard number.isFinite else { return prefix + (number.isNaN ? "NaN" : "∞") + pattern.suffix }
        return prefix + digits(of: number, exact: exact, style) + pattern.suffix
    }

    /// Returns a finite number as the style displays it, without its sign, and the number of decimals.
    func rounded(
        _ number: Double, exact: DecimalDigits? = nil, _ style: MessageNumberStyle
    ) -> (value: DecimalDigits, decimals: Int) {
        let fractionDigits = style.fractionDigits ?? 0...3
        var value = exact ?? DecimalDigits(shortest: number.magnitude)
        value.shift(by: style.shift)
        value.round(toFractionDigits: min(max(fractionDigits.upperBound, 0), 100))
        return (value, min(max(fractionDigits.lowerBound, value.fractionDigitCount), 100))
    }

    /// Returns a finite number without its sign, in the digits and with the separators of the language.
    func digits(of number: Double, exact: DecimalDigits? = nil, _ style: MessageNumberStyle) -> String {
        let (value, decimals) = rounded(number, exact: exact, style)
        let parts = value.fixed(fractionDigits: decimals).utf8.split(separator: UInt8(ascii: "."))
        let zeros = repeatElement(UInt8(ascii: "0"), count: max(0, style.integerDigits - parts[0].count))
        var text = ""
        let pattern = style.unit == .percent ? percentage : plain
        append(grouping: Array(zeros) + Array(parts[0]), pattern, isGrouped: style.isGrouped, to: &text)
        if parts.count > 1 {
            text += decimal
            for digit in parts[1] { text += digits[Int(digit & 15)] }
        }
        return text
    }

    /// Appends an integer.
    func append(digits: some Collection<UInt8>, isNegative: Bool, to text: inout String) {
        text += isNegative ? plain.negativePrefix : plain.positivePrefix
        append(grouping: digits, plain, to: &text)
        text += plain.suffix
    }

    private func append(
        grouping whole: some Collection<UInt8>, _ pattern: Pattern, isGrouped: Bool = true, to text: inout String
    ) {
        let count = whole.count
        let isGrouped = isGrouped && pattern.primary > 0 && count >= pattern.primary + smallestGroup
        for (place, digit) in whole.enumerated() {
            let rest = count - place
            if isGrouped, place > 0, rest >= pattern.primary,
                (rest - pattern.primary) % pattern.secondary == 0
            {
                text += group
            }
            text += digits[Int(digit & 15)]
        }
    }
}
