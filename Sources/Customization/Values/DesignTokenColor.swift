extension ColorReading {
    /// Creates a color from the Design Tokens format: `{colorSpace, components, alpha?, hex?}`.
    ///
    /// For an unknown space, `hex` is used, which is the format's fallback.
    static func designToken(_ members: [String: CustomizationValue]) -> RGBAColor? {
        guard case .string(let space)? = members["colorSpace"] else { return nil }
        let alpha = members["alpha"].map(number) ?? 1
        guard let alpha, (0...1).contains(alpha) else { return nil }
        if case .list(let items)? = members["components"] {
            let numbers = items.compactMap(number)
            guard numbers.count == 3, items.count == 3 else { return nil }
            if let space = ColorSpace(rawValue: space) {
                return RGBAColor(sRGB: space.sRGB(SIMD3(numbers)), alpha: alpha)
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
}

extension RGBAColor {
    /// Creates a color from components in sRGB, which are clipped to 0…1.
    init(sRGB c: SIMD3<Double>, alpha: Double) {
        self.init(red: Float(c.x), green: Float(c.y), blue: Float(c.z), alpha: Float(alpha))
    }
}
