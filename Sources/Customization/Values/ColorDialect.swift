internal import AshlarCore

/// A color in the sRGB space with an alpha, as four numbers from 0 to 1.
public struct RGBAColor: Hashable, Sendable, CustomStringConvertible {
    /// The red component, 0 to 1.
    public var red: Float
    /// The green component, 0 to 1.
    public var green: Float
    /// The blue component, 0 to 1.
    public var blue: Float
    /// The opacity, from 0 for invisible to 1 for opaque.
    public var alpha: Float

    /// Creates a color; components are clamped to 0…1, and NaN is 0.
    public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
        func unit(_ value: Float) -> Float { value > 0 ? min(value, 1) : 0 }
        self.red = unit(red)
        self.green = unit(green)
        self.blue = unit(blue)
        self.alpha = unit(alpha)
    }

    /// Creates a color from bytes.
    package init(red8: UInt8, green8: UInt8, blue8: UInt8, alpha8: UInt8 = 255) {
        red = Float(red8) / 255
        green = Float(green8) / 255
        blue = Float(blue8) / 255
        alpha = Float(alpha8) / 255
    }

    /// Opaque black.
    public static let black: RGBAColor = RGBAColor(red: 0, green: 0, blue: 0)
    /// Transparent black.
    package static let clear: RGBAColor = RGBAColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// The components as bytes, rounded to the nearest value.
    package var bytes: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        func byte(_ value: Float) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
        return (byte(red), byte(green), byte(blue), byte(alpha))
    }

    /// Returns the color with another opacity.
    package func withAlpha(_ alpha: Float) -> RGBAColor {
        RGBAColor(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// The color as `#rrggbb`, or `#rrggbbaa` if it is not opaque, rounded to bytes.
    public var description: String {
        let b = bytes
        return "#" + ([b.red, b.green, b.blue] + (b.alpha == 255 ? [] : [b.alpha])).hexadecimal
    }
}

/// The notation of a layer's colors.
///
/// The notation is never guessed: each layer declares it.
public enum ColorDialect: Hashable, Sendable {
    /// FTCustomization's notation: `92,66,134` or `92,66,134,54` with components from 0 to 255.
    ///
    /// The fourth number is an alpha in the given scale; `54%` and `0.54` are valid in every scale. `#rrggbb` is also
    /// valid. A missing alpha is 1.
    case components(alpha: AlphaScale)
    /// SquidKit's notation: `[#|0x]NNNNNN[any text]`. Text after six digits is ignored.
    case squidKit
    /// SquidKit's exact behavior: `#` and `0x` are removed anywhere, and an invalid pair of digits is 0.
    case squidKitLenient
    /// DB5's notation: `NNNNNN` or `#NNNNNN` followed by any text, `NNNNNNNN` with alpha last, `clear`, or `rgba()`.
    case db5

    /// The scale of an integer alpha.
    public enum AlphaScale: Hashable, Sendable {
        /// 0 to 255; lint reports each alpha that could be a percentage.
        case undecided
        /// 0 to 255.
        case byte
        /// 0 to 100.
        case percent
        /// 0 to 1.
        case fraction
    }

    /// FTCustomization's `r,g,b[,a]`, with an alpha from 0 to 255.
    ///
    /// FTCustomization's documentation doesn't define the scale of the alpha.
    public static let ftCustomization: ColorDialect = .components(alpha: .undecided)

    /// Parses a color; returns nil if the text isn't a color in this dialect.
    ///
    /// - Parameter text: The text; whitespace around it is ignored.
    /// - Returns: The color.
    public func color(_ text: String) -> RGBAColor? {
        text.withKeyBytes { ColorReading(self).color(ColorReading.trimmed($0)) }
    }
}

/// Parses colors from bytes, without creating strings of their parts.
struct ColorReading {
    typealias Bytes = UnsafeBufferPointer<UInt8>.SubSequence

    private let dialect: ColorDialect

    init(_ dialect: ColorDialect) { self.dialect = dialect }

    static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bytes { trimmed(bytes[...]) }

    static func trimmed(_ bytes: Bytes) -> Bytes {
        var bytes = bytes
        while bytes.first?.isSpace == true { bytes.removeFirst() }
        while bytes.last?.isSpace == true { bytes.removeLast() }
        return bytes
    }

    func color(_ bytes: Bytes) -> RGBAColor? {
        switch dialect {
        case .components(let scale):
            bytes.first == UInt8(ascii: "#")
                ? Self.digits(bytes.dropFirst(), count: 6) : Self.components(bytes, scale)
        case .squidKit: Self.sixDigits(Self.withoutMark(bytes))
        case .squidKitLenient: Self.lenient(bytes)
        case .db5: Self.db5(bytes)
        }
    }

    // MARK: Numbers

    /// Parses an integer of at most three digits.
    private static func small(_ bytes: Bytes) -> Int? {
        guard (1...3).contains(bytes.count) else { return nil }
        var value = 0
        for c in bytes {
            guard c.isDigit else { return nil }
            value = value * 10 + Int(c - UInt8(ascii: "0"))
        }
        return value
    }

    private static func real(_ bytes: Bytes) -> Double? {
        bytes.contains(UInt8(ascii: "-")) ? nil : NumberReading.double(bytes)
    }

    private static func components(_ bytes: Bytes, _ scale: ColorDialect.AlphaScale) -> RGBAColor? {
        guard bytes.first?.isDigit == true else { return nil }
        // Each read of a color parses it, so that its parts aren't stored in arrays.
        var rest: Bytes? = bytes
        func next() -> Bytes? {
            guard let text = rest else { return nil }
            let comma = text.firstIndex(of: UInt8(ascii: ","))
            rest = comma.map { text[($0 + 1)...] }
            return trimmed(text[..<(comma ?? text.endIndex)])
        }
        func component() -> UInt8? { next().flatMap(small).flatMap { UInt8(exactly: $0) } }
        guard let red = component(), let green = component(), let blue = component() else { return nil }
        let color = RGBAColor(red8: red, green8: green, blue8: blue)
        guard let last = next() else { return color }
        guard rest == nil, let alpha = alpha(last, scale) else { return nil }
        return color.withAlpha(alpha)
    }

    private static func alpha(_ bytes: Bytes, _ scale: ColorDialect.AlphaScale) -> Float? {
        let value: Double
        if bytes.last == UInt8(ascii: "%") {
            guard let percent = real(bytes.dropLast()) else { return nil }
            value = percent / 100
        } else if let whole = small(bytes) {
            switch scale {
            case .byte, .undecided: value = Double(whole) / 255
            case .percent: value = Double(whole) / 100
            case .fraction: value = Double(whole)
            }
        } else {
            guard bytes.contains(UInt8(ascii: ".")), let fraction = real(bytes) else { return nil }
            value = fraction
        }
        return (0...1).contains(value) ? Float(value) : nil
    }

    // MARK: Digits

    private static func pair(_ bytes: Bytes, _ i: Int) -> UInt8? {
        guard let high = bytes[bytes.startIndex + i].hexValue,
            let low = bytes[bytes.startIndex + i + 1].hexValue
        else {
            return nil
        }
        return high << 4 | low
    }

    /// Parses exactly 6 or 8 digits.
    private static func digits(_ bytes: Bytes, count: Int) -> RGBAColor? {
        guard bytes.count == count, let color = sixDigits(bytes) else { return nil }
        if count == 6 { return color }
        guard let alpha = pair(bytes, 6) else { return nil }
        return color.withAlpha(Float(alpha) / 255)
    }

    private static func sixDigits(_ bytes: Bytes) -> RGBAColor? {
        guard bytes.count >= 6, let r = pair(bytes, 0), let g = pair(bytes, 2), let b = pair(bytes, 4) else {
            return nil
        }
        return RGBAColor(red8: r, green8: g, blue8: b)
    }

    private static func withoutMark(_ bytes: Bytes) -> Bytes {
        if bytes.first == UInt8(ascii: "#") { return bytes.dropFirst() }
        if bytes.count >= 2, bytes.first == UInt8(ascii: "0"), bytes[bytes.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
            return bytes.dropFirst(2)
        }
        return bytes
    }

    /// SquidKit's `UIColor+Hex`: removes prefixes anywhere, then reads the valid digits of each of three pairs.
    private static func lenient(_ bytes: Bytes) -> RGBAColor? {
        var kept: [UInt8] = []
        var rest = bytes
        while let c = rest.first {
            if c == UInt8(ascii: "#") {
                rest = rest.dropFirst()
            } else if c == UInt8(ascii: "0"), rest.count > 1, rest[rest.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
                rest = rest.dropFirst(2)
            } else {
                kept.append(c)
                rest = rest.dropFirst()
            }
        }
        return kept.withUnsafeBufferPointer { kept in
            let kept = trimmed(kept)
            guard kept.count >= 6 else { return nil }
            func value(_ i: Int) -> UInt8 {
                guard let high = kept[kept.startIndex + i].hexValue else { return 0 }
                return kept[kept.startIndex + i + 1].hexValue.map { high << 4 | $0 } ?? high
            }
            return RGBAColor(red8: value(0), green8: value(2), blue8: value(4))
        }
    }

    private static func db5(_ bytes: Bytes) -> RGBAColor? {
        if isWord(bytes, "clear") { return .clear }
        if bytes.last == UInt8(ascii: ")"), let color = function(bytes) { return color }
        let digits = withoutMark(bytes)
        if let color = Self.digits(digits, count: 8) { return color }
        return sixDigits(digits)
    }

    private static func isWord(_ bytes: Bytes, _ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        return zip(bytes, 0...).allSatisfy { $0 | 0x20 == word.utf8Start[$1] }
    }

    /// Parses `rgb(r,g,b)` or `rgba(r,g,b,a)` with an alpha from 0 to 1.
    private static func function(_ bytes: Bytes) -> RGBAColor? {
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
            isWord(bytes[..<open], "rgb") || isWord(bytes[..<open], "rgba")
        else { return nil }
        return components(trimmed(bytes[(open + 1)...].dropLast()), .fraction)
    }
}
