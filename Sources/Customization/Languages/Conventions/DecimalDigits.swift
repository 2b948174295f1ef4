/// A number as decimal digits after a decimal point, times a power of ten.
///
/// The value is "0." followed by the `digits`, times 10 to the power `point`. The digits are the shortest ones that parse
/// as the number, so that 2.675 rounds to 2.68 although the nearest `Double` is less than it.
struct DecimalDigits {
    let isNegative: Bool
    /// The digits as values 0 to 9, without leading or trailing zeros; empty for zero.
    private(set) var digits: [UInt8]
    /// The number of digits before the decimal point; if negative, the number of zeros after it.
    private(set) var point: Int

    /// Creates the shortest digits that parse as the same finite number, as Swift prints them.
    init(shortest number: Double) {
        isNegative = number.sign == .minus
        let text = number.magnitude.description
        let mantissa = text.prefix { $0 != "e" }
        let exponent = Int(text.dropFirst(mantissa.count + 1)) ?? 0
        let whole = mantissa.prefix { $0 != "." }
        digits = mantissa.utf8.filter { $0 != UInt8(ascii: ".") }.map { $0 - UInt8(ascii: "0") }
        point = whole.count + exponent
        trim()
    }

    /// Creates the digits of an integer.
    init(magnitude: UInt64) {
        isNegative = false
        digits = String(magnitude).utf8.map { $0 - UInt8(ascii: "0") }
        point = digits.count
        trim()
    }

    private mutating func trim() {
        let zeros = digits.prefix { $0 == 0 }.count
        digits.removeFirst(zeros)
        point -= zeros
        while digits.last == 0 { digits.removeLast() }
        if digits.isEmpty { point = 0 }
    }

    /// Multiplies by a power of ten.
    mutating func shift(by power: Int) { if !digits.isEmpty { point += power } }

    /// The number of digits after the decimal point.
    var fractionDigitCount: Int { max(0, digits.count - point) }

    /// Rounds to a number of digits after the decimal point; halves round to even.
    mutating func round(toFractionDigits count: Int) { round(toDigits: point + count) }

    /// Rounds to a number of digits; zero or less leaves one digit or none.
    private mutating func round(toDigits count: Int) {
        guard count < digits.count else { return }
        guard count >= 0 else {
            digits = []
            point = 0
            return
        }
        let isOdd = count > 0 && digits[count - 1] % 2 == 1
        let roundsUp = digits[count] > 5 || (digits[count] == 5 && (digits.count > count + 1 || isOdd))
        digits.removeLast(digits.count - count)
        if roundsUp {
            while digits.last == 9 { digits.removeLast() }
            if let last = digits.popLast() {
                digits.append(last + 1)
            } else {
                digits = [1]
                point += 1
            }
        }
        trim()
    }

    /// Returns the digit at a decimal place: 0 is the last one before the point, -1 the first one after it.
    private func digit(at place: Int) -> Character {
        let index = point - 1 - place
        return Character(Unicode.Scalar(UInt8(ascii: "0") + (digits.indices.contains(index) ? digits[index] : 0)))
    }

    /// The digits without sign and exponent, such as `0.05`, with all digits after the point.
    var plainText: String { fixed(fractionDigits: fractionDigitCount) }

    /// Returns the digits without sign and exponent, with a number of digits after the point; round first.
    func fixed(fractionDigits: Int) -> String {
        var text = ""
        for place in (0..<max(point, 1)).reversed() { text.append(digit(at: place)) }
        if fractionDigits > 0 {
            text.append(".")
            for place in 1...fractionDigits { text.append(digit(at: -place)) }
        }
        return text
    }

    /// The decimal exponent of the first digit; 0 for zero.
    var exponent: Int { digits.isEmpty ? 0 : point - 1 }
}
