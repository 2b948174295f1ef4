import Ashlar
import Foundation

/// The typed keys of the app; the plugin AshlarKeys can generate those of all files, as in `Examples/Weather`.
enum Keys {
    static let apiHost = ConfigKey("api.host", default: "api.fieldnotes.example")
    static let background = CustomizationKey<RGBAColor>("defaultBackgroundColor")
}

/// Field Notes, a white-label notes client on the command line.
@main
struct FieldNotes {
    let options = Options(CommandLine.arguments.dropFirst())
    let screen = Screen()
    let log = Log("FieldNotes")
    let app: AshlarApp

    static func main() async { await AshlarApp.run { exit(try await FieldNotes().run()) } }

    /// Starts the app with the product's files.
    init() {
        options.check("--environment", isOneOf: ["release", "debug", "simulator"])
        var configuration = AshlarApp.Configuration(
            resources: options["--resources"], bundleIdentifier: options["--bundle-id"],
            log: LogConfiguration(folder: options["--logs"], threshold: .debug, sinks: []))
        configuration.environments =
            ["release": [], "debug": [.debug], "simulator": [.debug, .simulator]][options["--environment"]]
        configuration.languages = LanguageTag(options["--language"]).map { [$0] }
        configuration.brand = options["--brand"].isEmpty ? .fromInfoPlist : .named(options["--brand"])
        configuration.hostDefault = options["--host"].isEmpty ? nil : .environment(options["--host"])
        configuration.client.retry = .standard
        configuration.client.cache = .memory()
        configuration.client.authentication = .bearer("public-demo-key")
        if options["--live"].isEmpty {
            configuration.transport = Recordings(folder: options["--resources"])
        } else {
            // The credentials are for this server, not for the hosts of the host map.
            configuration.client.base = .url(options["--live"])
        }
        app = AshlarApp(configuration)
        let strings = app.customization.current
        let languages = strings.availableLanguages
        if !languages.contains(where: { $0.language == LanguageTag(options["--language"])?.language }) {
            options.check("--language", isOneOf: languages.map { "\($0)" })
        }
        options.check("--brand", isOneOf: strings.availableBrands)
        options.check("--host", isOneOf: app.hosts.rows.flatMap { $0.rows.map(\.key) })
    }

    /// Shows every part; returns the exit status, which is 1 if neither the configuration nor the strings are usable.
    func run() async throws -> Int32 {
        let state = DebugReport(app, limit: 500)
        screen.text("Field Notes: five libraries on the files in \(app.resources.path)", indent: "", style: "1")
        showPriorRun()
        for issue in app.issues { report(issue) }
        log.info("started")
        showFiles()
        try await showServices()
        log.info("ends")
        for section in state.sections where section.title != "Issues" {
            screen.heading(section.title ?? "")
            for row in section.rows { screen.row((row.isTicked ? "* " : "") + row.title, row.subtitle ?? "") }
        }
        if !options["--hold"].isEmpty {
            screen.text("holding; press Return to continue, or kill process \(getpid())")
            _ = readLine()
        }
        if !app.config.current.paths().isEmpty || !app.customization.current.keys().isEmpty { return 0 }
        screen.problem("\(app.resources.path) contains nothing this app can show")
        return 1
    }

    func report(_ problem: some CustomStringConvertible) {
        screen.problem(problem.description)
        log.warning("\(problem.description)")
    }

    private func showPriorRun() {
        screen.heading("Previous run")
        guard let prior = app.logging?.priorRun else { return screen.text("None in \(options["--logs"]).") }
        screen.row("ended", prior.outcome == .clean ? "cleanly" : "not cleanly: killed or crashed; its log follows")
        screen.text(prior.log)
    }

    /// Shows where values come from, and what another language, brand or theme changes.
    private func showFiles() {
        let strings = app.customization.current
        let other = strings.switching(language: "de").switching(brand: "borealis")
        screen.heading("Strings for \(strings.deviceLanguage), brand \(strings.brand ?? "none")")
        for key in ["app.title", "CancelString", "note.share", "error.offline", "PINminimumLength"] {
            screen.row(key, strings.string(key), from: strings.explain(key).winner.map { "\($0.location)" } ?? "")
            screen.row("  de, borealis", other.string(key))
        }
        let colors = strings.themes.map { strings.switching(theme: $0.name)[Keys.background] ?? .black }
        screen.row("themes", zip(strings.themes, colors).map { "\($0.name) \($1)" }.joined(separator: ", "))
        screen.text("\n\(strings.explain("app.title"))\n\n\(app.explain("api.timeout"))")
    }
}
