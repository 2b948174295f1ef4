import Ashlar

/// What the files and the previous run contain.
extension FieldNotes {
    func showPriorRun() {
        screen.heading("Previous run")
        guard let prior = app.logging?.priorRun else {
            return screen.quiet("None in \(options.logs). Start the sample again to see this one.")
        }
        screen.row("ended", prior.outcome == .clean ? "cleanly" : "not cleanly: killed or crashed; its log follows")
        screen.row("started", "\(prior.startedAt)")
        screen.text(prior.log)
    }

    /// Shows every value of the configuration with its origin, and explains one.
    func showConfiguration() -> Bool {
        let config = app.config.current
        screen.heading("Configuration for \(options.environment), \(options.bundleIdentifier)")
        // The root already contains the values of the bundle identifier's sections.
        for path in config.paths() where !"\(path)".contains("com.example.") {
            let value = config.explain(path)
            screen.row("\(path)", value.text ?? "", from: value.winner.map { "\($0.location)" } ?? "")
        }
        screen.text("\n\(config.explain("api.timeout"))")
        if config.paths().isEmpty { screen.problem("no readable configuration; using the defaults") }
        return !config.paths().isEmpty
    }

    /// Shows texts in three languages and two brands, typed values, a theme, and the origin of one text.
    func showStrings() -> Bool {
        let strings = app.customization.current
        screen.heading("Strings for \(strings.deviceLanguage), brand \(strings.brand ?? "none")")
        let keys = ["app.title", "CancelString", "note.share"]
        for key in keys + ["error.offline"] {
            screen.row(key, strings.string(key), from: strings.explain(key).winner.map { "\($0.location)" } ?? "")
        }
        for (language, brand) in [("en", "acme"), ("fr-CA", "acme"), ("de", "borealis")] as [(LanguageTag, String)] {
            let other = strings.switching(language: language).switching(brand: brand)
            screen.row("\(language), \(brand)", keys.map { other.string($0) }.joined(separator: " | "))
        }
        screen.row("PINminimumLength", "\(strings.int("PINminimumLength"))")
        screen.row("isPINrequired", "\(strings.bool("isPINrequired"))")
        screen.row("TabBarColor", "\(strings.color("TabBarColor"))")
        for theme in strings.themes.map(\.name) {
            screen.row("theme \(theme)", "\(strings.switching(theme: theme).color("defaultBackgroundColor"))")
        }
        screen.text("\n\(strings.explain("app.title"))")
        if strings.keys().isEmpty { screen.problem("no strings could be read; each key is its text") }
        return !strings.keys().isEmpty
    }

    /// Lists the host environments as a settings screen does, and selects the one of the options.
    func showHosts() {
        screen.heading("Host environments")
        for section in app.hosts.rows {
            if let key = options.host {
                do throws(NetworkError) { try app.hosts.select(key, for: section.title) } catch { report(error) }
            }
            screen.text(section.title)
            for row in app.hosts.rows.first(where: { $0.title == section.title })?.rows ?? [] {
                screen.row((row.isSelected ? "* " : "  ") + row.key, row.title)
            }
        }
    }
}
