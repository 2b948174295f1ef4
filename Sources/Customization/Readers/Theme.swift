/// A named set of values: colors, strings, numbers, booleans, lists or dictionaries.
public struct Theme: Sendable {
    /// The theme's name.
    public var name: String
    /// The name of the theme that this one extends, if any.
    public var parent: String?
    /// The theme's values.
    public var table: StringsTable
    /// The color dialect of the theme.
    public var colors: ColorDialect
    /// The problems found while reading the theme.
    public var diagnostics: [CustomizationDiagnostic] = []

    /// Creates a theme.
    public init(
        name: String, parent: String? = nil, table: StringsTable, colors: ColorDialect = .squidKit
    ) {
        (self.name, self.parent, self.table, self.colors) = (name, parent, table, colors)
    }
}
