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
    public init(red8: UInt8, green8: UInt8, blue8: UInt8, alpha8: UInt8 = 255) {
        red = Float(red8) / 255
        green = Float(green8) / 255
        blue = Float(blue8) / 255
        alpha = Float(alpha8) / 255
    }

    /// Opaque black.
    public static let black: RGBAColor = RGBAColor(red: 0, green: 0, blue: 0)
    /// Transparent black.
    public static let clear: RGBAColor = RGBAColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// The components as bytes, rounded to the nearest value.
    public var bytes: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
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
