import Ashlar

extension FieldNotes {
    /// Shows the same keys in three languages and two brands, typed values, an image, a theme, and an explanation.
    func showStrings() -> Bool {
        let center = app.customization
        let start = center.current
        screen.heading("Strings for \(start.deviceLanguage), brand \(start.brand ?? "none")")
        for key in ["app.title", "CancelString", "note.share", "error.offline"] {
            screen.row(key, start.string(key), from: start.explain(key).winner.map { "\($0.location)" } ?? "")
        }
        screen.text("")
        for language: LanguageTag in ["en", "fr-CA", "de"] {
            for brand in ["acme", "borealis"] {
                let strings = center.update { $0.switching(language: language).switching(brand: brand) }
                let texts = ["app.title", "CancelString", "note.share"].map { strings.string($0) }
                screen.row("\(language), \(brand)", texts.joined(separator: " | "))
            }
        }
        center.replace(with: start)

        screen.text("")
        screen.row("PINminimumLength", "\(start.int("PINminimumLength"))")
        screen.row("isPINrequired", "\(start.bool("isPINrequired"))")
        screen.row("TimeIntervalInSeconds", "\(start.double("TimeIntervalInSeconds"))")
        screen.row("TabBarColor", "\(start.color("TabBarColor"))")
        for theme in start.themes.map(\.name) {
            let themed = start.switching(theme: theme)
            screen.row("theme \(theme)", "\(themed.color("defaultBackgroundColor"))", from: themed.string("themeName"))
        }
        screen.text("")
        screen.text("\(start.explain("app.title"))")
        let count = start.keys().count
        log.debug("\(count) strings for \(start.deviceLanguage.description)")
        if count == 0 { screen.problem("no strings could be read; keys stand in their place") }
        return count > 0
    }
}
