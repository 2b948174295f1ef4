import Ashlar

/// What the files and the previous run contain.
extension FieldNotes {
    func showPriorRun() {
        screen.heading("Previous run")
        guard let prior = app.logging?.priorRun else {
            return screen.quiet("None in the log folder. Start the sample again to see this one.")
        }
        screen.row("ended", prior.outcome == .clean ? "cleanly" : "not cleanly: killed or crashed; its log follows")
        screen.text(prior.log)
    }

    /// Shows every value of the configuration with its origin, and explains one.
    func showConfiguration() -> Bool {
        let config = app.config.current
        screen.heading("Configuration")
        // The root already contains the values of the bundle identifier's sections.
        for path in config.paths() where !"\(path)".hasPrefix(#"com\."#) {
            let value = config.explain(path)
            screen.row("\(path)", value.text ?? "", from: value.winner.map { "\($0.location)" } ?? "")
        }
        screen.text("\n\(config.explain("api.timeout"))")
        return !config.paths().isEmpty
    }

    /// Shows texts in two languages and brands, typed values, a theme, and the origin of one text.
    func showStrings() -> Bool {
        let strings = app.customization.current
        screen.heading("Strings for \(strings.deviceLanguage), brand \(strings.brand ?? "none")")
        let other = strings.switching(language: "de").switching(brand: "borealis")
        for key in ["app.title", "CancelString", "note.share", "error.offline"] {
            screen.row(key, strings.string(key), from: strings.explain(key).winner.map { "\($0.location)" } ?? "")
            screen.row("  de, borealis", other.string(key))
        }
        screen.row("PINminimumLength", "\(strings.int("PINminimumLength"))")
        screen.row("TabBarColor", "\(strings.color("TabBarColor"))")
        for theme in strings.themes.map(\.name) {
            screen.row("theme \(theme)", "\(strings.switching(theme: theme).color("defaultBackgroundColor"))")
        }
        screen.text("\n\(strings.explain("app.title"))")
        return !strings.keys().isEmpty
    }

    /// Lists the host environments as a settings screen does, and selects the one of the options.
    func showHosts() {
        screen.heading("Host environments")
        if let key = options["--host"] {
            for host in app.hosts.rows.map(\.title) {
                do throws(NetworkError) { try app.hosts.select(key, for: host) } catch { report(error) }
            }
        }
        for section in app.hosts.sections {
            screen.text(section.title)
            for item in section.items { screen.row((item.isSelected ? "* " : "  ") + item.id, item.title) }
        }
    }
}
