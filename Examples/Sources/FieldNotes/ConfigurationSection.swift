import Ashlar

extension FieldNotes {
    /// Every value of the merged configuration with the place it came from, and one value's whole story.
    func showConfiguration() -> Bool {
        let config = app.config.current
        screen.heading("Configuration for \(options.environment), \(options.bundleIdentifier)")
        // The sections of bundle identifiers have been laid on the root already.
        let paths = config.paths().filter { path in
            if case .key(let key)? = path.components.first { !key.hasPrefix("com.example.") } else { true }
        }
        for path in paths {
            let story = config.explain(path)
            screen.row("\(path)", story.text ?? "", from: story.winner.map { "\($0.origin)" } ?? "")
        }
        guard !paths.isEmpty else {
            screen.problem("no configuration could be read; the app goes on with its defaults")
            return false
        }
        screen.text("")
        screen.text("\(config.explain("api.timeout"))")
        let timeout = config.double(forKey: "api.timeout", default: 24)
        log.debug("configuration has \(paths.count) values", ["api.timeout": timeout])
        return true
    }
}
