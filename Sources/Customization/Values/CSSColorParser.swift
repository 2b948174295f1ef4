/// Parses `rgb()` and `rgba()` by the grammar of CSS Color 4, including comments between tokens.
///
/// The legacy form has commas, and three numbers or three percentages. The modern form has whitespace, any mix of
/// numbers, percentages and `none`, and a `/` before the alpha. Values outside their range are clamped.
struct CSSColorParser {
    private enum Token: Equatable {
        case number(Double)
        case percentage(Double)
        case none
        case comma
        case slash

        /// Returns the value in the range of a component, or of an alpha with a `whole` of 1.
        func value(of whole: Double) -> Float? {
            switch self {
            case .number(let number): Float(number / whole)
            case .percentage(let number): Float(number / 100)
            case .none: 0
            case .comma, .slash: nil
            }
        }

        var isNumber: Bool { if case .number = self { true } else { false } }
        var isPercentage: Bool { if case .percentage = self { true } else { false } }
    }

    private let bytes: [UInt8]
    private var at = 0

    /// Parses the arguments of the function, without its parentheses.
    static func color(arguments: some Sequence<UInt8>) -> RGBAColor? {
        var parser = CSSColorParser(bytes: Array(arguments))
        guard let tokens = parser.tokens() else { return nil }
        return tokens.contains(.comma) ? legacy(tokens) : modern(tokens)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static func legacy(_ tokens: [Token]) -> RGBAColor? {
        guard tokens.count == 5 || tokens.count == 7, !tokens.contains(.none) else { return nil }
        guard (0..<tokens.count).allSatisfy({ (tokens[$0] == .comma) == ($0 % 2 == 1) }) else { return nil }
        let components = [tokens[0], tokens[2], tokens[4]]
        guard components.allSatisfy(\.isNumber) || components.allSatisfy(\.isPercentage) else { return nil }
        return color(components, alpha: tokens.count == 7 ? tokens[6] : .number(1))
    }

    private static func modern(_ tokens: [Token]) -> RGBAColor? {
        guard tokens.count == 3 || tokens.count == 5 && tokens[3] == .slash else { return nil }
        return color(Array(tokens.prefix(3)), alpha: tokens.count == 5 ? tokens[4] : .number(1))
    }

    private static func color(_ components: [Token], alpha: Token) -> RGBAColor? {
        let values = components.compactMap { $0.value(of: 255) }
        guard values.count == 3, let alpha = alpha.value(of: 1) else { return nil }
        return RGBAColor(red: values[0], green: values[1], blue: values[2], alpha: alpha)
    }

    // MARK: Tokens

    /// Returns the tokens of the arguments; nil if a token isn't part of the grammar.
    private mutating func tokens() -> [Token]? {
        var tokens: [Token] = []
        while skipSpace() {
            switch bytes[at] {
            case UInt8(ascii: ","):
                at += 1
                tokens.append(.comma)
            case UInt8(ascii: "/"):
                at += 1
                tokens.append(.slash)
            case UInt8(ascii: "n"), UInt8(ascii: "N"):
                let start = at
                while at < bytes.count, Self.isName(bytes[at]) { at += 1 }
                guard bytes[start..<at].map({ $0 | 0x20 }) == Array("none".utf8) else { return nil }
                tokens.append(.none)
            default:
                guard let number = number() else { return nil }
                tokens.append(number)
            }
            if tokens.count > 7 { return nil }
        }
        return tokens
    }

    /// Skips whitespace and comments; returns false at the end.
    private mutating func skipSpace() -> Bool {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: at += 1
            case UInt8(ascii: "/") where at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "*"):
                at += 2
                while at + 1 < bytes.count, bytes[at] != UInt8(ascii: "*") || bytes[at + 1] != UInt8(ascii: "/") {
                    at += 1
                }
                at = min(at + 2, bytes.count)
            default: return true
            }
        }
        return false
    }

    /// Parses a number or percentage; returns nil if there is none, or if it has a unit.
    private mutating func number() -> Token? {
        let start = at
        if Self.isSign(byte(at)) { at += 1 }
        let whole = skipDigits()
        var fraction = 0
        if byte(at) == UInt8(ascii: "."), Self.isDigit(byte(at + 1)) {
            at += 1
            fraction = skipDigits()
        }
        guard whole + fraction > 0 else { return nil }
        if byte(at) | 0x20 == UInt8(ascii: "e") {
            let exponent = at + (Self.isSign(byte(at + 1)) ? 2 : 1)
            if Self.isDigit(byte(exponent)) {
                at = exponent
                _ = skipDigits()
            }
        }
        var text = String(decoding: bytes[start..<at], as: UTF8.self)
        if text.hasPrefix("+") { text.removeFirst() }
        guard let value = Double(text.hasPrefix(".") ? "0" + text : text) else { return nil }
        if byte(at) == UInt8(ascii: "%") {
            at += 1
            return .percentage(value)
        }
        // A letter, or a hyphen before one, would start a unit.
        let startsUnit = Self.isName(byte(at)) && !Self.isDigit(byte(at)) && byte(at) != UInt8(ascii: "-")
        let startsHyphenUnit = byte(at) == UInt8(ascii: "-") && Self.isName(byte(at + 1)) && !Self.isDigit(byte(at + 1))
        return startsUnit || startsHyphenUnit ? nil : .number(value)
    }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func skipDigits() -> Int {
        let start = at
        while Self.isDigit(byte(at)) { at += 1 }
        return at - start
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || isDigit(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
