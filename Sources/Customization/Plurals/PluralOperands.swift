/// What plural rules look at in a number as it is displayed: its size, and the digits of its fraction.
///
/// `1`, `1.0` and `1.00` are equal numbers of different form; English says "1 star" but "1.0 stars". The letters are
/// those of UTS #35, "Plural Operand Meanings".
public struct PluralOperands: Hashable, Sendable {
    /// The integer part, without sign (`i`); from 10¹⁸ on it keeps the low 17 digits, enough for every rule.
    public let integer: UInt64
    /// The number of visible digits in the fraction, with trailing zeros (`v`).
    public let visibleDigits: UInt64
    /// The visible fraction as a number, with trailing zeros (`f`).
    public let fraction: UInt64
    /// The number of visible digits in the fraction, without trailing zeros (`w`).
    public let significantDigits: UInt64
    /// The visible fraction as a number, without trailing zeros (`t`).
    public let significantFraction: UInt64
    /// The exponent of a compact number such as `1.2c6`, "1.2 million" (`e` and `c`).
    public let exponent: UInt64

    /// The operands of a whole number.
    public init(_ number: some BinaryInteger) {
        let magnitude = number.magnitude
        integer = Self.reduced(
            UInt64(exactly: magnitude) ?? UInt64(magnitude % 1_000_000_000_000_000_000) + Self.ceiling)
        (visibleDigits, fraction, significantDigits, significantFraction, exponent) = (0, 0, 0, 0, 0)
    }

    /// The operands of a number with the fewest digits that tell it apart, `1.5` and `1` for 1.0.
    ///
    /// `nil` for what is not finite; use ``PluralCategory/other`` there.
    public init?(_ number: Double) {
        guard number.isFinite else { return nil }
        self.init(DecimalDigits(shortest: number).plainText)
    }

    /// Reads a number as it is displayed: digits, an optional fraction after `.`, an optional compact exponent (`1.2c6`).
    ///
    /// A sign does not count. `nil` if the text is something else.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init?(_ text: String) {
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
            (whole + decimals).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
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

    /// Keeps the low digits of a large number below a leading 1: every modulus in the rules divides 10¹⁷, and no rule
    /// names a number as large.
    private static func reduced(_ number: UInt64) -> UInt64 {
        number < ceiling ? number : number % (ceiling / 10) + ceiling / 10
    }

    private static func number(_ digits: [UInt8]) -> UInt64 {
        digits.reduce(0) { reduced($0 * 10 + UInt64($1 - UInt8(ascii: "0"))) }
    }
}
