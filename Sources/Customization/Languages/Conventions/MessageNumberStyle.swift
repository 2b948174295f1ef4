/// The display of a number in an ICU message: `percent`, `::currency/EUR .00`.
package struct MessageNumberStyle: Equatable, Sendable {
    /// What the number is displayed as.
    package enum Unit: Equatable, Sendable {
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

    package var unit = Unit.none
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

    /// The style for a number that has been multiplied.
    var withoutScale: MessageNumberStyle {
        var style = self
        style.shift = 0
        return style
    }
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
            var skeleton = NumberSkeleton()
            for word in text.dropFirst(2).split(separator: " ") { guard skeleton.read(word) else { return nil } }
            guard let style = skeleton.style else { return nil }
            self = style
        }
    }
}

/// Reads the words of a number skeleton, of which each property has at most one.
private struct NumberSkeleton {
    private enum Property { case unit, notation, sign, grouping, integerWidth, precision, scale, unitWidth, rounding }

    private var known: Set<Property> = []
    private var words = MessageNumberStyle()
    /// The unit of a quantity, such as `hour`.
    private var quantity: String?
    private var hasLongUnit = false

    /// The style; nil if its words contradict each other.
    var style: MessageNumberStyle? {
        var style = words
        if let quantity {
            guard style.notation == nil else { return nil }
            style.notation = .unit(quantity, isLong: hasLongUnit)
        } else if hasLongUnit {
            return nil
        }
        if case .compact = style.notation {
            // Compact numbers have the digits of the formatter.
            guard style.unit == .none, style.isGrouped, style.integerDigits == 1 else { return nil }
        } else if case .currency = style.unit {
        } else {
            style.fractionDigits = style.fractionDigits ?? 0...6
        }
        return style
    }

    /// Notes a property; returns false if another word has set it.
    private mutating func set(_ property: Property) -> Bool { known.insert(property).inserted }

    /// Reads a word; false if it is not supported, or if another word has set its property.
    mutating func read(_ word: Substring) -> Bool {
        switch word {
        case "percent", "%":
            words.unit = .percent
            return set(.unit)
        case "%x100":
            words.unit = .percent
            words.shift += 2
            return set(.unit)
        case "compact-short", "K", "compact-long", "KK":
            words.notation = .compact(isLong: word == "compact-long" || word == "KK")
            return set(.notation)
        case "sign-always", "+!": words.sign = .always
        case "sign-except-zero", "+?": words.sign = .exceptZero
        case "sign-never", "+_": words.sign = .never
        case "sign-auto": break
        case "group-off", ",_":
            words.isGrouped = false
            return set(.grouping)
        case "group-auto": return set(.grouping)
        case "notation-simple": return set(.notation)
        case "unit-width-short": return set(.unitWidth)
        case "unit-width-full-name":
            hasLongUnit = true
            return set(.unitWidth)
        case "rounding-mode-half-even": return set(.rounding)
        default: return readNamed(word) ?? readPrecision(word)
        }
        return set(.sign)
    }

    /// Reads a word with a name or a number after its prefix; nil for another word.
    private mutating func readNamed(_ word: Substring) -> Bool? {
        if word.hasPrefix("unit/") {
            quantity = String(word.dropFirst(5))
            return quantity != "" && set(.unit)
        } else if word.hasPrefix("measure-unit/") {
            guard let dash = word.dropFirst(13).firstIndex(of: "-") else { return false }
            quantity = String(word[dash...].dropFirst())
            return quantity != "" && set(.unit)
        } else if word.hasPrefix("currency/") {
            let code = word.dropFirst(9)
            words.unit = .currency(code.uppercased())
            return code.utf8.count == 3 && code.allSatisfy { $0.isASCII && $0.isLetter } && set(.unit)
        } else if word.hasPrefix("scale/1") {
            let zeros = word.dropFirst(7)
            words.shift += zeros.utf8.count
            return zeros.allSatisfy { $0 == "0" } && zeros.utf8.count <= 20 && set(.scale)
        } else if word.hasPrefix("integer-width/+") || word.allSatisfy({ $0 == "0" }) {
            let zeros = word.hasPrefix("0") ? word : word.dropFirst(15)
            words.integerDigits = zeros.utf8.count
            return zeros.allSatisfy { $0 == "0" } && (1...20).contains(zeros.utf8.count) && set(.integerWidth)
        }
        return nil
    }

    /// Reads the number of decimals: `.00##` is two to four, and `.00+` or `.00*` is two or more.
    private mutating func readPrecision(_ word: Substring) -> Bool {
        switch word {
        case "precision-integer", ".": words.fractionDigits = 0...0
        case "precision-unlimited", ".+": words.fractionDigits = 0...100
        default:
            let zeros = word.dropFirst().prefix { $0 == "0" }
            let signs = word.dropFirst(1 + zeros.count)
            let isOpen = ["+", "*"].contains(signs)
            guard word.hasPrefix("."), isOpen || signs.allSatisfy({ $0 == "#" }), word.utf8.count <= 20 else {
                return false
            }
            words.fractionDigits = zeros.count...(isOpen ? 100 : zeros.count + signs.count)
        }
        return set(.precision)
    }
}
