/// The cardinal plural rules of a language: which form of a noun goes with a number.
///
/// The rules are those of Unicode CLDR. They are looked up under the tag and its fallbacks, then under its bare language,
/// so `sr-Latn` counts as `sr` does; a language that CLDR does not know has `other` alone.
///
/// ```swift
/// let rules = PluralRules("ru")
/// print(rules.category(for: 21), rules.category(for: 3), rules.category(for: 11))  // one few many
/// ```
public struct PluralRules: Hashable, Sendable {
    private let ruleSet: Int

    /// The rules of a language.
    public init(_ language: LanguageTag) {
        let names = language.fallbacks.map(\.description) + [language.language, "root"]
        ruleSet = names.lazy.compactMap { Self.ruleSetsByLocale[$0] }.first ?? 0
    }

    /// The form that a number takes.
    ///
    /// - Complexity: O(1); at most about forty comparisons.
    public func category(for operands: PluralOperands) -> PluralCategory {
        var words = CLDRPluralData.ruleSets[ruleSet][...]
        while let code = words.popFirst(), let count = words.popFirst() {
            let condition = words.prefix(Int(count))
            words.removeFirst(Int(count))
            if condition.isEmpty || Self.holds(condition, operands) { return Self.categories[Int(code)] }
        }
        return .other
    }

    /// The form that a whole number takes.
    public func category(for number: some BinaryInteger) -> PluralCategory { category(for: PluralOperands(number)) }

    /// The form that a number takes when it is displayed with the fewest digits; `other` for what is not finite.
    public func category(for number: Double) -> PluralCategory {
        PluralOperands(number).map { category(for: $0) } ?? .other
    }

    /// The forms that the language has, in the order of ``PluralCategory``; the last is `other`.
    public var categories: [PluralCategory] {
        var found: [PluralCategory] = []
        var words = CLDRPluralData.ruleSets[ruleSet][...]
        while let code = words.popFirst(), let count = words.popFirst() {
            found.append(Self.categories[Int(code)])
            words.removeFirst(Int(count))
        }
        return found
    }

    /// The tags that have rules of their own in CLDR, in alphabetical order, deprecated ones included.
    public static var languages: [LanguageTag] {
        Array(Set(ruleSetsByLocale.keys.compactMap { LanguageTag($0) })).sorted { $0.description < $1.description }
    }

    /// The version of the Unicode Common Locale Data Repository that the rules come from.
    public static var dataVersion: String { CLDRPluralData.version }

    private static let categories = PluralCategory.allCases
    private static let ruleSetsByLocale = CLDRTable.read(CLDRPluralData.locales).compactMapValues { Int($0) }

    /// Evaluates a condition of ``CLDRPluralData/ruleSets``.
    private static func holds(_ condition: ArraySlice<UInt32>, _ operands: PluralOperands) -> Bool {
        var words = condition.dropFirst()
        for _ in 0..<(condition.first ?? 0) {
            var allHold = true
            for _ in 0..<(words.popFirst() ?? 0) {
                guard let operand = words.popFirst(), let modulus = words.popFirst(), let ranges = words.popFirst()
                else { return false }
                let value = operands.value(operand & 127, modulo: UInt64(modulus))
                var isInRanges = false
                for _ in 0..<ranges {
                    guard let low = words.popFirst(), let high = words.popFirst() else { return false }
                    if let value, value >= UInt64(low), value <= UInt64(high) { isInRanges = true }
                }
                if isInRanges != (operand & 128 == 0) { allHold = false }
            }
            if allHold { return true }
        }
        return false
    }
}

extension PluralOperands {
    /// An operand by its number in ``CLDRPluralData/ruleSets``; `nil` if it is no whole number, and so in no range.
    fileprivate func value(_ operand: UInt32, modulo modulus: UInt64) -> UInt64? {
        let value: UInt64
        switch operand {
        case 0:
            guard significantDigits == 0 else { return nil }
            value = integer
        case 1: value = integer
        case 2: value = visibleDigits
        case 3: value = significantDigits
        case 4: value = fraction
        case 5: value = significantFraction
        default: value = exponent
        }
        return modulus == 0 ? value : value % modulus
    }
}
