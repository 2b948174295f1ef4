import AshlarCustomization

/// SquidKit's `ThemeLoader`, which loads themes into `CustomizationCenter.shared`.
public enum ThemeLoader {
    /// Adds the themes of a resource, or of a file with an absolute path; a theme replaces one with the same name.
    ///
    /// Returns whether there is a theme in the file, whose problems are logged; see `Theme.load(_:colors:)`.
    @discardableResult
    public static func loadThemesFromResourceFile(_ fileName: String) -> Bool {
        let (themes, diagnostics) = Theme.load(ResourceFile.path(fileName))
        for problem in diagnostics { ResourceFile.report(problem, in: "ThemeLoader") }
        let names = Set(themes.map(\.name))
        CustomizationCenter.shared.update { old in
            old.with(themes: old.themes.filter { !names.contains($0.name) } + themes).switching(theme: old.theme)
        }
        return !themes.isEmpty
    }
}

/// SquidKit's `ThemeManager`, which selects the theme of `CustomizationCenter.shared`.
public struct ThemeManager: Sendable {
    /// The manager.
    public static let sharedInstance: ThemeManager = ThemeManager()

    /// Selects the default theme: the one named `default`, or else the first that was loaded.
    public func setDefaultTheme() { CustomizationCenter.shared.update { $0.with(themes: $0.themes) } }
}
