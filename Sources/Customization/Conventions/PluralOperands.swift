internal import AshlarCore

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
        (visibleDigits, fraction, significantDigits, significantFraction, exponent) = (0, 0, 0, 0, 0)
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
