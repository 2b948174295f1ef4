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

        init?(_ text: Substring) {
            guard let operand = text.utf8.first, let sign = text.firstIndex(of: "=") else { return nil }
            self.operand = operand
            var left = text[..<sign].dropFirst()
            if left.hasSuffix("!") { (isNegated, left) = (true, left.dropLast()) }
            modulus = UInt64(left.dropFirst()) ?? 0
            ranges = text[sign...].dropFirst().split(separator: ",").compactMap { range in
                let bounds = range.split(separator: ".").compactMap { UInt64($0) }
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
        conditions = text.split(separator: ";").compactMap { condition in
            let parts = condition.split(separator: ":")
            guard parts.count == 2, let category = PluralCategory(rawValue: String(parts[0])) else { return nil }
            let alternatives = parts[1].split(separator: "|")
            return (category, alternatives.map { $0.split(separator: "&").compactMap { Relation($0) } })
        }
    }

    /// The rule sets, in the order of their numbers in ``CLDRPluralData``.
    static let all = CLDRPluralData.ruleSets.split { $0 == " " || $0 == "\n" }.map { PluralRuleSet($0) }

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
