internal import AshlarCore

/// The display of a number in an ICU message: `percent`, `::currency/EUR .00`.
struct MessageNumberStyle: Equatable, Sendable {
    /// What the number is displayed as.
    enum Unit: Equatable, Sendable {
        case none
        case percent
        /// An amount of money; the code is nil if the value has it.
        case currency(String?)
    }

    var unit = Unit.none
    /// The smallest and the largest number of decimals; nil for the usual ones.
    var fractionDigits: ClosedRange<Int>?
    /// The power of ten by which the number is multiplied.
    var shift = 0

    static let plain = MessageNumberStyle()
    static let percent = MessageNumberStyle(unit: .percent, fractionDigits: 0...0, shift: 2)
}

extension MessageNumberStyle {
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
            if case .currency = unit {} else { fractionDigits = fractionDigits ?? 0...6 }
        }
    }

    /// Reads a word of a number skeleton; false if it is not supported.
    private mutating func read(_ word: Substring) -> Bool {
        switch word {
        case "percent", "%": unit = .percent
        case "%x100": (unit, shift) = (.percent, 2)
        case "scale/100": shift = 2
        case "precision-integer", ".": fractionDigits = 0...0
        case _ where word.hasPrefix("currency/"):
            let code = word.dropFirst(9)
            guard code.utf8.count == 3, code.allSatisfy({ $0.isASCII && $0.isLetter }) else { return false }
            unit = .currency(code.uppercased())
        case _ where word.hasPrefix("."):
            // `.00##`: two to four decimals.
            let zeros = word.dropFirst().prefix { $0 == "0" }
            let signs = word.dropFirst(1 + zeros.count)
            guard signs.allSatisfy({ $0 == "#" }), word.utf8.count <= 20 else { return false }
            fractionDigits = zeros.count...(zeros.count + signs.count)
        default: return false
        }
        return true
    }
}

extension MessageDateStyle {
    /// Reads the style of `{name, date, …}` or `{name, time, …}`; a text that is not a length is a pattern.
    init(_ text: String, isTime: Bool) {
        if text.hasPrefix("::") {
            self = .skeleton(text.dropFirst(2).filter { $0 != " " })
        } else if let length = text.isEmpty ? .medium : Length(rawValue: text) {
            self = isTime ? .lengths(date: nil, time: length) : .lengths(date: length, time: nil)
        } else {
            self = .pattern(text)
        }
    }
}
