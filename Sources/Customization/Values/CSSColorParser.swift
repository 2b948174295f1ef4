internal import AshlarCore

/// Parses a color by the grammar of CSS Color 4, including comments between tokens.
///
/// A color is a hexadecimal number, a name, `transparent`, or a function. Missing components (`none`) are 0, and a
/// color outside sRGB is clipped. `currentcolor`, the system colors and `calc()` depend on a document and are not
/// accepted; escapes in names aren't either.
struct CSSColorParser {
    private enum Token: Equatable {
        case number(Double)
        case percentage(Double)
        /// An angle in degrees.
        case angle(Double)
        /// A name in lower case.
        case word(String)
        case comma
        case slash

        /// Returns the component, where 100 % is `whole`, and `none` is 0.
        func component(_ whole: Double) -> Double? {
            switch self {
            case .number(let number): number
            case .percentage(let number): number / 100 * whole
            case .word("none"): 0
            default: nil
            }
        }

        var hue: Double? {
            switch self {
            case .number(let degrees), .angle(let degrees): degrees
            case .word("none"): 0
            default: nil
            }
        }

        var isNumber: Bool { if case .number = self { true } else { false } }
        var isPercentage: Bool { if case .percentage = self { true } else { false } }
        var isHue: Bool { if case .word = self { false } else { hue != nil } }
    }

    private let bytes: [UInt8]
    private var at = 0

    /// Parses a color; returns nil if the bytes aren't exactly one color.
    static func color(_ bytes: some Sequence<UInt8>) -> RGBAColor? {
        var parser = CSSColorParser(bytes: Array(bytes))
        guard parser.skipSpace() else { return nil }
        if parser.bytes[parser.at] == UInt8(ascii: "#") {
            let start = parser.at + 1
            parser.skipName(from: start)
            let end = parser.at
            guard !parser.skipSpace() else { return nil }
            return parser.bytes[start..<end].withUnsafeBufferPointer { digits in
                ColorReading.digits(digits[...], counts: [3, 4, 6, 8])
            }
        }
        let name = parser.name()
        guard parser.byte(parser.at) == UInt8(ascii: "(") else {
            return parser.skipSpace() ? nil : CSSColorNames.color(name)
        }
        parser.at += 1
        guard let arguments = parser.arguments(), !parser.skipSpace() else { return nil }
        return color(function: name, arguments)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Functions

    /// The form of a component.
    private enum Form {
        case hue
        /// A number, or a percentage of `whole`; a number outside the range is replaced by its closest bound.
        case number(whole: Double, ClosedRange<Double> = -.infinity ... .infinity)

        static let saturation = Form.number(whole: 100, 0 ... .infinity)
        static let lightness = Form.number(whole: 100, 0...100)
        static let unitLightness = Form.number(whole: 1, 0...1)
    }

    private static let functions: [String: (space: ColorSpace, forms: [Form])] = [
        "rgb": (.sRGB, [.number(whole: 255), .number(whole: 255), .number(whole: 255)]),
        "hsl": (.hsl, [.hue, .saturation, .number(whole: 100)]),
        "hwb": (.hwb, [.hue, .saturation, .saturation]),
        "lab": (.lab, [.lightness, .number(whole: 125), .number(whole: 125)]),
        "lch": (.lch, [.lightness, .number(whole: 150, 0 ... .infinity), .hue]),
        "oklab": (.oklab, [.unitLightness, .number(whole: 0.4), .number(whole: 0.4)]),
        "oklch": (.oklch, [.unitLightness, .number(whole: 0.4, 0 ... .infinity), .hue]),
    ]

    private static func color(function name: String, _ tokens: [Token]) -> RGBAColor? {
        if name == "color" {
            guard case .word(let word)? = tokens.first, let space = ColorSpace(rawValue: word), space.isPredefined
            else { return nil }
            return color(Array(tokens.dropFirst()), in: space, Array(repeating: .number(whole: 1), count: 3), scale: 1)
        }
        let name = ["rgba": "rgb", "hsla": "hsl"][name] ?? name
        guard let (space, forms) = functions[name],
            let tokens = tokens.contains(.comma) ? withoutCommas(tokens, name) : tokens
        else { return nil }
        return color(tokens, in: space, forms, scale: name == "rgb" ? 255 : 1)
    }

    /// Returns the tokens of the legacy form, which has commas, in the modern form; nil if they don't follow its grammar.
    private static func withoutCommas(_ tokens: [Token], _ name: String) -> [Token]? {
        guard tokens.count == 5 || tokens.count == 7, tokens.last != .word("none"),
            tokens.indices.allSatisfy({ (tokens[$0] == .comma) == ($0 % 2 == 1) })
        else { return nil }
        let parts = [tokens[0], tokens[2], tokens[4]]
        let isValid =
            switch name {
            case "rgb": parts.allSatisfy(\.isNumber) || parts.allSatisfy(\.isPercentage)
            case "hsl": parts[0].isHue && parts[1...].allSatisfy(\.isPercentage)
            default: false
            }
        return isValid ? parts + (tokens.count == 7 ? [.slash, tokens[6]] : []) : nil
    }

    /// Reads three components, and an alpha after a `/`.
    private static func color(_ tokens: [Token], in space: ColorSpace, _ forms: [Form], scale: Double) -> RGBAColor? {
        guard tokens.count == 3 || tokens.count == 5 && tokens[3] == .slash else { return nil }
        let values = zip(tokens, forms).compactMap { token, form -> Double? in
            switch form {
            case .hue: token.hue
            case .number(let whole, let range):
                token.component(whole).map { min(max($0, range.lowerBound), range.upperBound) }
            }
        }
        guard values.count == 3, let alpha = (tokens.count == 5 ? tokens[4] : .number(1)).component(1) else {
            return nil
        }
        return RGBAColor(sRGB: space.sRGB(SIMD3(values) / scale), alpha: alpha)
    }

    // MARK: Tokens

    /// Returns the tokens up to the closing parenthesis, and skips it; nil if a token isn't part of the grammar.
    private mutating func arguments() -> [Token]? {
        var tokens: [Token] = []
        while skipSpace() {
            switch bytes[at] {
            case UInt8(ascii: ")"):
                at += 1
                return tokens
            case UInt8(ascii: ","):
                at += 1
                tokens.append(.comma)
            case UInt8(ascii: "/"):
                at += 1
                tokens.append(.slash)
            case let byte where Self.isLetter(byte): tokens.append(.word(name()))
            default:
                guard let number = number() else { return nil }
                tokens.append(number)
            }
            if tokens.count > 7 { return nil }
        }
        return nil
    }

    /// Skips whitespace and comments; returns false at the end.
    private mutating func skipSpace() -> Bool {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: at += 1
            case UInt8(ascii: "/") where byte(at + 1) == UInt8(ascii: "*"):
                at += 2
                while at < bytes.count, bytes[at] != UInt8(ascii: "*") || byte(at + 1) != UInt8(ascii: "/") { at += 1 }
                at = min(at + 2, bytes.count)
            default: return true
            }
        }
        return false
    }

    /// Skips a name and returns it in lower case; empty if there is none.
    private mutating func name() -> String {
        let start = at
        skipName(from: start)
        // Names ignore the case of ASCII only; the Kelvin sign is no "k".
        return String(decoding: bytes[start..<at].map(\.asciiLowercased), as: UTF8.self)
    }

    private mutating func skipName(from start: Int) {
        at = start
        while at < bytes.count, Self.isName(bytes[at]) { at += 1 }
    }

    /// Parses a number, a percentage or an angle; returns nil if there is none, or if it has another unit.
    private mutating func number() -> Token? {
        let start = at
        if Self.isSign(byte(at)) { at += 1 }
        let whole = skipDigits()
        var fraction = 0
        if byte(at) == UInt8(ascii: "."), byte(at + 1).isDigit {
            at += 1
            fraction = skipDigits()
        }
        guard whole + fraction > 0 else { return nil }
        if byte(at) | 0x20 == UInt8(ascii: "e") {
            let exponent = at + (Self.isSign(byte(at + 1)) ? 2 : 1)
            if byte(exponent).isDigit {
                at = exponent
                _ = skipDigits()
            }
        }
        var text = String(decoding: bytes[start..<at], as: UTF8.self)
        if text.hasPrefix("+") { text.removeFirst() }
        guard let parsed = Double(text.hasPrefix(".") ? "0" + text : text) else { return nil }
        let value = min(max(parsed, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
        if byte(at) == UInt8(ascii: "%") {
            at += 1
            return .percentage(value)
        }
        // A letter starts a unit, and so does a hyphen before one.
        let afterHyphen = byte(at) == UInt8(ascii: "-") ? byte(at + 1) : byte(at)
        guard Self.isName(afterHyphen), !afterHyphen.isDigit else { return .number(value) }
        switch name() {
        case "deg": return .angle(value)
        case "grad": return .angle(value * 0.9)
        case "rad": return .angle(value * 180 / .pi)
        case "turn": return .angle(value * 360)
        default: return nil
        }
    }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func skipDigits() -> Int {
        let start = at
        while byte(at).isDigit { at += 1 }
        return at - start
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte.isLetter
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte.isDigit || isLetter(byte)
    }
}
