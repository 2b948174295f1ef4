/// A colour of the sRGB space with an alpha, as four numbers from 0 to 1.
public struct RGBAColor: Hashable, Sendable, CustomStringConvertible {
    /// The red component, 0 to 1.
    public var red: Float
    /// The green component, 0 to 1.
    public var green: Float
    /// The blue component, 0 to 1.
    public var blue: Float
    /// The opacity, from 0 for invisible to 1 for opaque.
    public var alpha: Float

    /// Creates a colour; components outside 0…1 are brought to the nearer end, NaN to 0.
    ///
    /// - Parameters:
    ///   - red: The red component, 0 to 1.
    ///   - green: The green component, 0 to 1.
    ///   - blue: The blue component, 0 to 1.
    ///   - alpha: The opacity, 0 to 1.
    public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
        func unit(_ value: Float) -> Float { value > 0 ? min(value, 1) : 0 }
        (self.red, self.green, self.blue, self.alpha) = (unit(red), unit(green), unit(blue), unit(alpha))
    }

    /// Creates a colour of bytes.
    ///
    /// - Parameters:
    ///   - red: The red component, 0 to 255.
    ///   - green: The green component, 0 to 255.
    ///   - blue: The blue component, 0 to 255.
    ///   - alpha: The opacity, 0 to 255.
    public init(bytes red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        (self.red, self.green) = (Float(red) / 255, Float(green) / 255)
        (self.blue, self.alpha) = (Float(blue) / 255, Float(alpha) / 255)
    }

    /// Opaque black.
    public static let black: RGBAColor = RGBAColor(red: 0, green: 0, blue: 0)
    /// Black with no opacity.
    public static let clear: RGBAColor = RGBAColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// The components as bytes, rounded to the nearest.
    public var bytes: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
        func byte(_ value: Float) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
        return (byte(red), byte(green), byte(blue), byte(alpha))
    }

    /// The same colour with another opacity.
    ///
    /// - Parameter alpha: The opacity, 0 to 1.
    /// - Returns: The new colour.
    public func withAlpha(_ alpha: Float) -> RGBAColor {
        RGBAColor(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// The colour as `#rrggbb`, or `#rrggbbaa` if it is not opaque, rounded to bytes.
    public var description: String {
        let b = bytes
        let rgb = "#" + hex(b.red) + hex(b.green) + hex(b.blue)
        return (b.alpha == 255 ? rgb : rgb + hex(b.alpha)).lowercased()
    }
}
