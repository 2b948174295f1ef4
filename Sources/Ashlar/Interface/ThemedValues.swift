public import AshlarCustomization

extension Customization {
    /// Returns a color for a light or a dark appearance.
    ///
    /// The dark color is that of the key with `~dark` at its end, such as `defaultBackgroundColor~dark`. Without it, the color is
    /// the same in both.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isDark: Whether the appearance is dark.
    /// - Returns: The color; black if no layer defines the key or its value is malformed, which is reported in `problems`.
    public func color(_ key: String, isDark: Bool) -> RGBAColor {
        (isDark ? self[CustomizationKey<RGBAColor>(key + "~dark")] : nil) ?? color(key)
    }
}

extension ListRow {
    /// The text that a screen reader speaks: the title and the subtitle.
    var spokenText: String { [title, subtitle].compactMap(\.self).joined(separator: ", ") }
}
