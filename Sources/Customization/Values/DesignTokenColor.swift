#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// The Design Tokens format uses the color spaces of CSS Color 4; the conversions are those of its sample code.

extension ColorReading {
    /// Creates a color from the Design Tokens format: `{colorSpace, components, alpha?, hex?}`.
    ///
    /// Spaces that sRGB can represent at least approximately are converted. For other spaces, `hex` is used, which is
    /// the format's fallback.
    static func designToken(_ members: [String: CustomizationValue]) -> RGBAColor? {
        guard case .string(let space)? = members["colorSpace"] else { return nil }
        let alpha = members["alpha"].map(number) ?? 1
        guard let alpha, (0...1).contains(alpha) else { return nil }
        if case .list(let items)? = members["components"] {
            let numbers = items.compactMap(number)
            guard numbers.count == 3, items.count == 3 else { return nil }
            if let rgb = sRGB(numbers, space) {
                return RGBAColor(red: Float(rgb[0]), green: Float(rgb[1]), blue: Float(rgb[2]), alpha: Float(alpha))
            }
        }
        guard case .string(let hex)? = members["hex"] else { return nil }
        return ColorDialect.dtcg.color(hex)?.withAlpha(Float(alpha))
    }

    /// Returns a number, or 0 for a component that is `none`.
    private static func number(_ value: CustomizationValue) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        case .string("none"): 0
        default: nil
        }
    }

    /// Returns the components in sRGB; nil for a space that isn't converted.
    private static func sRGB(_ c: [Double], _ space: String) -> [Double]? {
        switch space {
        case "srgb": return c
        case "srgb-linear": return c.map(gammaEncoded)
        case "hsl": return hsl(c[0], c[1] / 100, c[2] / 100)
        case "hwb":
            let (white, black) = (c[1] / 100, c[2] / 100)
            if white + black >= 1 { return Array(repeating: white / (white + black), count: 3) }
            return hsl(c[0], 1, 0.5).map { $0 * (1 - white - black) + white }
        case "display-p3": return displayP3(c)
        case "oklab": return oklab(c[0], c[1], c[2])
        case "oklch": return oklab(c[0], c[1] * cos(c[2] * .pi / 180), c[1] * sin(c[2] * .pi / 180))
        default: return nil
        }
    }

    private static func hsl(_ hue: Double, _ saturation: Double, _ lightness: Double) -> [Double] {
        let turn = hue.truncatingRemainder(dividingBy: 360)
        return [0.0, 8, 4].map { n in
            let k = (n + (turn < 0 ? turn + 360 : turn) / 30).truncatingRemainder(dividingBy: 12)
            return lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(k - 3, 9 - k, 1))
        }
    }

    private static func gammaEncoded(_ c: Double) -> Double {
        c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055
    }

    private static func linear(_ c: Double) -> Double { c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4) }

    private static func displayP3(_ c: [Double]) -> [Double] {
        let (r, g, b) = (linear(c[0]), linear(c[1]), linear(c[2]))
        return [
            1.2249401762805598 * r - 0.2249401762805600 * g,
            -0.0420569547096881 * r + 1.0420569547096881 * g,
            -0.0196375545903344 * r - 0.0786360455506319 * g + 1.0982736001409663 * b,
        ].map(gammaEncoded)
    }

    private static func oklab(_ lightness: Double, _ a: Double, _ b: Double) -> [Double] {
        func cubed(_ x: Double) -> Double { x * x * x }
        let l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b)
        let m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b)
        let s = cubed(lightness - 0.0894841775 * a - 1.2914855480 * b)
        return [
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
        ].map(gammaEncoded)
    }
}
