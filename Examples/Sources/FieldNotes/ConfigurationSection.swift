import Ashlar

extension FieldNotes {
    /// Shows every value of the configuration with its origin, and explains one value.
    func showConfiguration() -> Bool {
        let config = app.config.current
        screen.heading("Configuration for \(options.environment), \(options.bundleIdentifier)")
        // The root already contains the values of the bundle identifier's sections.
        let paths = config.paths().filter { path in
            if case .key(let key)? = path.components.first { !key.hasPrefix("com.example.") } else { true }
        }
        for path in paths {
            let story = config.explain(path)
            screen.row("\(path)", story.text ?? "", from: story.winner.map { "\($0.location)" } ?? "")
        }
        guard !paths.isEmpty else {
            screen.problem("no readable configuration; using the defaults")
            return false
        }
        screen.text("")
        screen.text("\(config.explain("api.timeout"))")
        let timeout = config.double(forKey: "api.timeout", default: 24)
        log.debug("configuration has \(paths.count) values", ["api.timeout": timeout])
        return true
    }
}
