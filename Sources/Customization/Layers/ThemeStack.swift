extension Theme {
    /// The theme as a layer with only its own values.
    public var layer: CustomizationLayer {
        CustomizationLayer(
            id: table.file.isEmpty ? name : table.file + "#" + name, role: .theme(name),
            tables: [CustomizationLayer.defaultTable: table], colors: colors, resolvesAliases: true,
            diagnostics: diagnostics)
    }
}

/// Finds a theme and the themes that it extends.
enum ThemeStack {
    /// Returns the parent of all other themes in DB5: the theme named "default", ignoring case.
    private static func common(_ themes: [Theme]) -> Theme? { themes.last { $0.name.lowercased() == "default" } }

    /// Returns the name of the default theme: the theme named "default", or else the first theme.
    static func defaultName(among themes: [Theme]) -> String? { (common(themes) ?? themes.first)?.name }

    /// Returns the layers of a theme, its most distant parent first.
    static func layers(
        _ name: String, among themes: [Theme]
    ) -> (layers: [CustomizationLayer], diagnostics: [CustomizationDiagnostic]) {
        var diagnostics: [CustomizationDiagnostic] = []
        func report(_ code: CustomizationDiagnostic.Code, _ message: String, _ file: String) {
            diagnostics.add(.error, code, message, at: CustomizationLocation(file: file))
        }
        var next = themes.last { $0.name == name }
        if next == nil {
            next = defaultName(among: themes).flatMap { name in themes.last { $0.name == name } }
            let instead = next.map { "; \($0.name) is used" } ?? ""
            report(.unknownName, "unknown theme \(name)\(instead)", themes.first?.table.file ?? "")
        }
        var path: [Theme] = []
        while let theme = next {
            if path.contains(where: { $0.name == theme.name }) {
                report(.aliasCycle, "the theme \(theme.name) extends itself", theme.table.file)
                break
            }
            path.append(theme)
            if let parent = theme.parent {
                next = themes.last { $0.name == parent }
                if next == nil {
                    report(
                        .unknownName, "the theme \(theme.name) extends the unknown theme \(parent)",
                        theme.table.file)
                }
            } else {
                next = common(themes)
                if next?.name == theme.name { next = nil }
            }
        }
        return (path.reversed().map(\.layer), diagnostics)
    }
}
