import Ashlar

/// What the files and the previous run contain.
extension FieldNotes {
    func showPriorRun() {
        screen.heading("Previous run")
        guard let prior = app.logging?.priorRun else { return screen.text("None in \(options["--logs"]).") }
        screen.row("ended", prior.outcome == .clean ? "cleanly" : "not cleanly: killed or crashed; its log follows")
        screen.text(prior.log)
    }

    /// Shows values of the configuration, strings and hosts with their origins.
    func showFiles() {
        let (config, strings) = (app.config.current, app.customization.current)
        screen.heading("Configuration for \(options["--environment"]), \(options["--bundle-id"])")
        // The root already contains the values of the bundle identifier's sections.
        for path in config.paths() where !"\(path)".hasPrefix(#"com\."#) {
            let value = config.explain(path)
            screen.row("\(path)", value.text ?? "", from: value.winner.map { "\($0.location)" } ?? "")
        }
        screen.text("\n\(config.explain("api.timeout"))")

        screen.heading("Strings for \(strings.deviceLanguage), brand \(strings.brand ?? "none")")
        let other = strings.switching(language: "de").switching(brand: "borealis")
        for key in ["app.title", "CancelString", "note.share", "error.offline"] {
            screen.row(key, strings.string(key), from: strings.explain(key).winner.map { "\($0.location)" } ?? "")
            screen.row("  de, borealis", other.string(key))
        }
        screen.row("PINminimumLength", "\(strings.int("PINminimumLength"))")
        for theme in strings.themes.map(\.name) {
            screen.row("theme \(theme)", "\(strings.switching(theme: theme).color("defaultBackgroundColor"))")
        }
        screen.text("\n\(strings.explain("app.title"))")

        screen.heading("Host environments")
        for host in app.hosts.rows.map(\.title) where !options["--host"].isEmpty {
            do throws(NetworkError) { try app.hosts.select(options["--host"], for: host) } catch { report(error) }
        }
        for section in app.hosts.sections {
            screen.text(section.title)
            for item in section.items { screen.row((item.isSelected ? "* " : "  ") + item.id, item.title) }
        }
    }
}
