internal import AshlarCore

/// The plural rules of a language, which choose the form of a noun for a number.
///
/// The rules are from Unicode CLDR. A tag without rules uses the rules of its parent in the same language, then of its
/// bare language: `sr-Latn` uses the rules of `sr`. A language that CLDR doesn't list has only `other`.
///
/// ```swift
/// let rules = PluralRules("ru")
/// print(rules.category(for: 21), rules.category(for: 3), rules.category(for: 11))  // one few many
/// let places = PluralRules("en", kind: .ordinal)
/// print(places.category(for: 1), places.category(for: 2), places.category(for: 11))  // one two other
/// ```
public struct PluralRules: Hashable, Sendable {
    /// The role of a number.
    public enum Kind: Hashable, Sendable {
        /// A quantity: "3 files".
        case cardinal
        /// A position: "the 3rd file".
        case ordinal
    }

    private let ruleSet: Int
    private let language: LanguageTag

    /// Finds the rules of a language.
    public init(_ language: LanguageTag, kind: Kind = .cardinal) {
        self.language = language
        ruleSet =
            CLDRTable.lookUp(language, in: kind == .cardinal ? Self.cardinals : Self.ordinals) ?? 0
    }

    private static let cardinals = CLDRTable.read(CLDRPluralData.cardinals).compactMapValues { Int($0) }
    private static let ordinals = CLDRTable.read(CLDRPluralData.ordinals).compactMapValues { Int($0) }
    private static let ranges = CLDRTable.read(CLDRPluralData.ranges)

    func category(for operands: PluralOperands) -> PluralCategory {
        PluralRuleSet.all[ruleSet].category(of: operands)
    }

    /// Returns the form for an integer.
    ///
    /// - Complexity: O(1), at most about forty comparisons.
    public func category(for number: some BinaryInteger) -> PluralCategory { category(for: PluralOperands(number)) }

    /// Returns the form for a number that is displayed with as few digits as possible; `other` if it isn't finite.
    public func category(for number: Double) -> PluralCategory {
        PluralOperands(number).map { category(for: $0) } ?? .other
    }

    /// Returns the form for a displayed number; `nil` if the text isn't a number.
    ///
    /// In English, the result differs for "1" and "1.0". The text consists of digits, an optional fraction after `.`
    /// and an optional compact exponent: `1.2c6` for "1.2 million". A sign is ignored.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func category(forDisplayed number: String) -> PluralCategory? {
        PluralOperands(number).map { category(for: $0) }
    }

    /// Returns the form for a range of numbers, such as "0–1 file" or "2–5 files".
    ///
    /// The method uses CLDR's plural ranges. For a language or a pair without data, the result is the form of the end.
    ///
    /// - Parameters:
    ///   - start: The form of the first number.
    ///   - end: The form of the last number.
    /// - Returns: The form of the range.
    public func category(from start: PluralCategory, to end: PluralCategory) -> PluralCategory {
        let exceptions = CLDRTable.lookUp(language, in: Self.ranges)?.split(separator: ",") ?? []
        let pair = "\(start)+\(end):"
        let exception = exceptions.first { $0.hasPrefix(pair) }
        return exception.flatMap { PluralCategory(rawValue: String($0.dropFirst(pair.utf8.count))) } ?? end
    }

    /// The forms of the language, in the order of ``PluralCategory``; the last is `other`.
    public var categories: [PluralCategory] { PluralRuleSet.all[ruleSet].categories }
}

/// The grammatical form of a noun with a number, with the names of Unicode CLDR.
///
/// The names don't denote numbers: in Russian 21 is `one`, in Arabic 11 is `many`. See ``PluralRules``.
public enum PluralCategory: String, Hashable, Sendable, CaseIterable {
    /// The form for 0, in a few languages such as Arabic, Latvian and Welsh.
    case zero
    /// The singular, in most languages.
    case one
    /// The dual.
    case two
    /// The paucal, such as for 2 to 4 in Slavic languages.
    case few
    /// The form for many, and for fractions in some languages.
    case many
    /// The general form, which every language has.
    case other
}

/// The properties of a displayed number on which plural rules depend: its size and the digits of its fraction.
///
/// `1`, `1.0` and `1.00` are equal numbers in different forms: in English, "1 star" but "1.0 stars". The letters are
/// those of UTS #35, "Plural Operand Meanings".
struct PluralOperands: Hashable, Sendable {
    /// The integer part without sign (`i`); from 10¹⁸, only its low 17 digits, which are sufficient for every rule.
    let integer: UInt64
    /// The number of visible digits in the fraction, with trailing zeros (`v`).
    let visibleDigits: UInt64
    /// The visible fraction as a number, with trailing zeros (`f`).
    let fraction: UInt64
    /// The number of visible digits in the fraction, without trailing zeros (`w`).
    let significantDigits: UInt64
    /// The visible fraction as a number, without trailing zeros (`t`).
    let significantFraction: UInt64
    /// The exponent of a compact number such as `1.2c6`, "1.2 million" (`e` and `c`).
    let exponent: UInt64

    /// Creates the operands of an integer.
    init(_ number: some BinaryInteger) {
        let magnitude = number.magnitude
        integer = Self.reduced(
            UInt64(exactly: magnitude) ?? UInt64(magnitude % 1_000_000_000_000_000_000) + Self.ceiling)
        visibleDigits = 0
        fraction = 0
        significantDigits = 0
        significantFraction = 0
        exponent = 0
    }

    /// Creates the operands of a number in its shortest form: `1.5`, or `1` for 1.0.
    ///
    /// The result is `nil` if the number isn't finite; its category is ``PluralCategory/other``.
    init?(_ number: Double) {
        guard number.isFinite else { return nil }
        self.init(DecimalDigits(shortest: number).plainText)
    }

    /// Parses a displayed number: digits, an optional fraction after `.`, an optional compact exponent (`1.2c6`).
    ///
    /// A sign is ignored. The result is `nil` if the text isn't a number.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    init?(_ text: String) {
        let unsigned = text.utf8.first.map { "+-".utf8.contains($0) } == true ? text.dropFirst() : text[...]
        let mantissa = unsigned.prefix { $0 != "c" && $0 != "e" }
        var power = 0
        if mantissa.endIndex != unsigned.endIndex {
            guard let exponent = Int(unsigned[mantissa.endIndex...].dropFirst()), (0...30).contains(exponent)
            else { return nil }
            power = exponent
        }
        let parts = mantissa.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        var whole = Array(parts[0])
        var decimals = parts.count > 1 ? Array(parts[1]) : []
        guard !whole.isEmpty, parts.count == 1 || !decimals.isEmpty,
            (whole + decimals).allSatisfy({ $0.isDigit })
        else { return nil }
        for _ in 0..<power { whole.append(decimals.isEmpty ? UInt8(ascii: "0") : decimals.removeFirst()) }

        integer = Self.number(whole)
        visibleDigits = UInt64(decimals.count)
        fraction = Self.number(decimals)
        while decimals.last == UInt8(ascii: "0") { decimals.removeLast() }
        significantDigits = UInt64(decimals.count)
        significantFraction = Self.number(decimals)
        exponent = UInt64(power)
    }

    private static let ceiling: UInt64 = 1_000_000_000_000_000_000

    /// Replaces the high digits of a large number with a 1.
    ///
    /// Every modulus in the rules divides 10¹⁷, and no rule contains a number of this size.
    private static func reduced(_ number: UInt64) -> UInt64 {
        number < ceiling ? number : number % (ceiling / 10) + ceiling / 10
    }

    private static func number(_ digits: [UInt8]) -> UInt64 {
        digits.reduce(0) { reduced($0 * 10 + UInt64($1 - UInt8(ascii: "0"))) }
    }
}

/// The conditions for each plural category but `other`.
///
/// The notation is that of ``CLDRPluralData``, such as `one:v=0&i%10=1&i%100!=11|f=1;few:n=2..4`. The letters are the
/// operands of UTS #35, "Plural Operand Meanings".
struct PluralRuleSet: Sendable {
    /// A comparison such as `i%100!=11..14`.
    private struct Relation {
        var operand: UInt8
        var modulus: UInt64 = 0
        var isNegated = false
        var ranges: [ClosedRange<UInt64>]

        init?(_ text: Substring.UTF8View) {
            guard let operand = text.first, let sign = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            self.operand = operand
            var left = text[..<sign].dropFirst()
            if left.last == UInt8(ascii: "!") { (isNegated, left) = (true, left.dropLast()) }
            modulus = UInt64(Substring(left.dropFirst())) ?? 0
            ranges = text[sign...].dropFirst().split(separator: UInt8(ascii: ",")).compactMap { range in
                let bounds = range.split(separator: UInt8(ascii: ".")).compactMap { UInt64(Substring($0)) }
                return bounds.first.map { $0...(bounds.last ?? $0) }
            }
        }

        func holds(_ operands: PluralOperands) -> Bool {
            guard let value = operands.value(operand) else { return isNegated }
            let reduced = modulus == 0 ? value : value % modulus
            return ranges.contains { $0.contains(reduced) } != isNegated
        }
    }

    private let conditions: [(category: PluralCategory, alternatives: [[Relation]])]

    private init(_ text: Substring) {
        conditions = text.utf8.split(separator: UInt8(ascii: ";")).compactMap { condition in
            let parts = condition.split(separator: UInt8(ascii: ":"))
            guard parts.count == 2, let category = PluralCategory(rawValue: String(Substring(parts[0]))) else {
                return nil
            }
            let alternatives = parts[1].split(separator: UInt8(ascii: "|"))
            return (category, alternatives.map { $0.split(separator: UInt8(ascii: "&")).compactMap { Relation($0) } })
        }
    }

    /// The rule sets, in the order of their numbers in ``CLDRPluralData``.
    static let all = CLDRTable.words(CLDRPluralData.ruleSets).map { PluralRuleSet($0) }

    func category(of operands: PluralOperands) -> PluralCategory {
        for (category, alternatives) in conditions
        where alternatives.contains(where: { $0.allSatisfy { $0.holds(operands) } }) {
            return category
        }
        return .other
    }

    /// The categories in the order of ``PluralCategory``.
    var categories: [PluralCategory] { conditions.map(\.category) + [.other] }
}

extension PluralOperands {
    /// Returns an operand by its letter; `nil` if it isn't an integer, so that it is in no range.
    fileprivate func value(_ letter: UInt8) -> UInt64? {
        switch letter {
        case UInt8(ascii: "n"): significantDigits == 0 ? integer : nil
        case UInt8(ascii: "i"): integer
        case UInt8(ascii: "v"): visibleDigits
        case UInt8(ascii: "w"): significantDigits
        case UInt8(ascii: "f"): fraction
        case UInt8(ascii: "t"): significantFraction
        default: exponent
        }
    }
}
