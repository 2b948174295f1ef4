/// The display of a number in an ICU message: `percent`, `::currency/EUR .00`.
struct MessageNumberStyle: Equatable, Sendable {
    /// What the number is displayed as.
    enum Unit: Equatable, Sendable {
        case none
        case percent
        /// An amount of money; the code is nil if the value has it.
        case currency(String?)
    }

    /// The numbers that have a sign.
    enum Sign: Equatable, Sendable {
        case negative
        case always
        case exceptZero
        case never
    }

    var unit = Unit.none
    /// A notation with words of the language; nil for digits.
    var notation: MessageNumberNotation?
    var sign = Sign.negative
    var isGrouped = true
    /// The smallest number of digits before the decimal separator.
    var integerDigits = 1
    /// The smallest and the largest number of decimals; nil for the usual ones.
    var fractionDigits: ClosedRange<Int>?
    /// The power of ten by which the number is multiplied.
    var shift = 0

    static let plain = MessageNumberStyle()
    static let percent = MessageNumberStyle(unit: .percent, fractionDigits: 0...0, shift: 2)
}

extension MessageNumberStyle {
    /// Returns the text of a formatter for a number, with the sign and the factor of the style.
    ///
    /// A plus sign has the place of the minus sign, which differs between languages and units.
    func signed(_ number: Double, _ text: (Double) -> String?) -> String? {
        let number = (0..<shift).reduce(number) { scaled, _ in scaled * 10 }
        if sign == .exceptZero, let zero = text(0), text(number.magnitude) == zero { return zero }
        let hasPlus = sign == .always ? number.sign == .plus : sign == .exceptZero && number > 0
        guard hasPlus else { return text(sign == .never ? number.magnitude : number) }
        guard var text = text(-number) else { return nil }
        if let minus = text.firstIndex(where: { "-−".contains($0) }) {
            text.replaceSubrange(minus...minus, with: "+")
            return text
        }
        return "+" + text
    }

    /// Reads a style; nil if it is not supported.
    init?(_ text: String) {
        self.init()
        switch text {
        case "": self = .plain
        case "integer": fractionDigits = 0...0
        case "percent": self = .percent
        case "currency": unit = .currency(nil)
        default:
            guard text.hasPrefix("::") else { return nil }
            for word in text.dropFirst(2).split(separator: " ") { guard read(word) else { return nil } }
            if case .currency = unit {} else if notation == nil { fractionDigits = fractionDigits ?? 0...6 }
        }
    }

    /// Reads a word of a number skeleton; false if it is not supported.
    private mutating func read(_ word: Substring) -> Bool {
        switch word {
        case "percent", "%": unit = .percent
        case "%x100": (unit, shift) = (.percent, 2)
        case "precision-integer", ".": fractionDigits = 0...0
        case "precision-unlimited", ".+": fractionDigits = 0...100
        case "compact-short", "K": notation = .compact(isLong: false)
        case "compact-long", "KK": notation = .compact(isLong: true)
        case "sign-always", "+!": sign = .always
        case "sign-except-zero", "+?": sign = .exceptZero
        case "sign-never", "+_": sign = .never
        case "sign-auto", "group-auto", "notation-simple", "unit-width-short", "rounding-mode-half-even": break
        case "group-off", ",_": isGrouped = false
        case "unit-width-full-name": setUnit(isLong: true)
        case _ where word.hasPrefix("unit/"): setUnit(word.dropFirst(5))
        case _ where word.hasPrefix("measure-unit/"):
            guard let dash = word.dropFirst(13).firstIndex(of: "-") else { return false }
            setUnit(word[dash...].dropFirst())
        case _ where word.hasPrefix("scale/1"):
            let zeros = word.dropFirst(7)
            guard zeros.allSatisfy({ $0 == "0" }), zeros.utf8.count <= 20 else { return false }
            shift = zeros.utf8.count
        case _ where word.hasPrefix("integer-width/+") || word.allSatisfy { $0 == "0" }:
            let zeros = word.hasPrefix("0") ? word : word.dropFirst(15)
            guard zeros.allSatisfy({ $0 == "0" }), (1...20).contains(zeros.utf8.count) else { return false }
            integerDigits = zeros.utf8.count
        case _ where word.hasPrefix("currency/"):
            let code = word.dropFirst(9)
            guard code.utf8.count == 3, code.allSatisfy({ $0.isASCII && $0.isLetter }) else { return false }
            unit = .currency(code.uppercased())
        case _ where word.hasPrefix("."):
            // `.00##`: two to four decimals; `.00+` or `.00*`: two or more.
            let zeros = word.dropFirst().prefix { $0 == "0" }
            let signs = word.dropFirst(1 + zeros.count)
            let isOpen = ["+", "*"].contains(signs)
            guard isOpen || signs.allSatisfy({ $0 == "#" }), word.utf8.count <= 20 else { return false }
            fractionDigits = zeros.count...(isOpen ? 100 : zeros.count + signs.count)
        default: return false
        }
        return true
    }

    /// Sets the name or the width of the unit; the other one can precede or follow it.
    private mutating func setUnit(_ name: Substring? = nil, isLong: Bool = false) {
        var (known, long) = ("", isLong)
        if case .unit(let other, let wasLong)? = notation { (known, long) = (other, isLong || wasLong) }
        notation = .unit(name.map(String.init) ?? known, isLong: long)
    }
}
