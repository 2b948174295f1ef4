/// The plural rules of a language: the form of a noun that goes with a number.
///
/// The rules are those of Unicode CLDR. A tag without rules of its own uses those of its parent in the same language, then
/// those of its bare language: `sr-Latn` uses the rules of `sr`. A language that CLDR does not list has only `other`.
///
/// ```swift
/// let rules = PluralRules("ru")
/// print(rules.category(for: 21), rules.category(for: 3), rules.category(for: 11))  // one few many
/// let places = PluralRules("en", kind: .ordinal)
/// print(places.category(for: 1), places.category(for: 2), places.category(for: 11))  // one two other
/// ```
public struct PluralRules: Hashable, Sendable {
    /// What a number says about its noun.
    public enum Kind: Hashable, Sendable {
        /// A quantity: "3 files".
        case cardinal
        /// A position: "the 3rd file".
        case ordinal
    }

    private let ruleSet: Int
    private let language: LanguageTag

    /// Finds the rules of a language.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - kind: Whether the rules are for quantities or for positions.
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

    /// The form that a whole number takes.
    ///
    /// - Complexity: O(1); at most about forty comparisons.
    public func category(for number: some BinaryInteger) -> PluralCategory { category(for: PluralOperands(number)) }

    /// The form that a number takes when it is displayed with the fewest digits; `other` if it is not finite.
    public func category(for number: Double) -> PluralCategory {
        PluralOperands(number).map { category(for: $0) } ?? .other
    }

    /// The form that a number takes as it is displayed; `nil` if the text is not a number.
    ///
    /// English says "1 star" but "1.0 stars". The text consists of digits, an optional fraction after `.` and an optional
    /// compact exponent: `1.2c6` for "1.2 million". A sign is ignored.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func category(forDisplayed number: String) -> PluralCategory? {
        PluralOperands(number).map { category(for: $0) }
    }

    /// The form that a range of numbers takes, such as "0–1 file" or "2–5 files".
    ///
    /// Uses CLDR's plural ranges. A language or a pair without data takes the form of the end.
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

    /// The forms that the language has, in the order of ``PluralCategory``; the last is `other`.
    public var categories: [PluralCategory] { PluralRuleSet.all[ruleSet].categories }

    /// The languages and locales with cardinal rules of their own, in alphabetical order.
    public static var languages: [LanguageTag] {
        cardinals.keys.compactMap { LanguageTag($0) }.sorted { $0.description < $1.description }
    }

    /// The version of Unicode CLDR that the rules come from.
    public static var dataVersion: String { CLDRPluralData.version }
}
