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

    /// The languages and locales with cardinal rules of their own, in alphabetical order.
    package static var languages: [LanguageTag] {
        cardinals.keys.compactMap { LanguageTag($0) }.sorted { $0.description < $1.description }
    }

    /// The version of Unicode CLDR that the rules come from.
    package static var dataVersion: String { CLDRPluralData.version }
}
