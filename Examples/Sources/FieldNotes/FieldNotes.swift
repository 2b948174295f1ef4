import Ashlar
import Foundation

/// Field Notes, a white-label notes client on the command line.
@main
struct FieldNotes {
    let options: Options
    let screen: Screen
    let app: AshlarApp
    let log = Log("FieldNotes")

    static func main() async {
        let options: Options
        do {
            options = try Options.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            let stream = error == .helpWanted ? FileHandle.standardOutput : .standardError
            stream.write(Data("\(error)\n".utf8))
            exit(error == .helpWanted ? 0 : 2)
        }
        let program = FieldNotes(options)
        if let problem = program.unavailableOption {
            FileHandle.standardError.write(Data("\(problem)\n".utf8))
            exit(2)
        }
        exit(await program.run())
    }

    /// Starts the app with the product's files.
    init(_ options: Options) {
        self.options = options
        screen = Screen()
        var log = LogConfiguration(folder: options.logs, threshold: .debug, sinks: [])
        log.application = "field-notes"
        var configuration = AshlarApp.Configuration(
            resources: options.resources, environments: Self.environments(options.environment),
            bundleIdentifier: options.bundleIdentifier, log: log)
        configuration.languages = options.language.map { [$0] }
        configuration.brand = options.brand.map { .named($0) } ?? .fromInfoPlist
        configuration.themes = "Themes.json"
        configuration.hostMap = "HostMap.json"
        configuration.transport = options.liveURL == nil ? Self.recordings(in: options.resources) : nil
        app = AshlarApp(configuration)
    }

    /// Shows every part; returns the exit status, which is 1 only if no file of the product is usable.
    func run() async -> Int32 {
        screen.title("Field Notes: five libraries on the files in \(options.resources)")
        showPriorRun()
        showProblems()
        log.info("started", ["environment": options.environment, "bundle": options.bundleIdentifier])
        let hasConfiguration = showConfiguration()
        let hasStrings = showStrings()
        showHosts()
        await startServices()
        let hasNotes = await showNotes()
        showEvents()
        await navigate()
        await stopServices()
        log.info("ends")
        holdIfAsked()
        showLog()
        guard hasConfiguration || hasStrings || hasNotes else {
            screen.problem("\(options.resources) contains nothing this app can show")
            return 1
        }
        return 0
    }

    /// The first option whose value the product's files don't offer.
    ///
    /// Without files, every value is accepted.
    private var unavailableOption: Options.Problem? {
        let strings = app.customization.current
        func problem(_ option: String, _ value: String?, _ available: [String]) -> Options.Problem? {
            guard let value, !available.isEmpty, !available.contains(value) else { return nil }
            return .unavailable(option: option, value: value, available: available)
        }
        let languages = strings.availableLanguages
        let hasLanguage =
            options.language.map { wanted in languages.contains { $0.language == wanted.language } } ?? true
        return
            (hasLanguage
            ? nil : problem("--language", options.language?.description, languages.map(\.description)))
            ?? problem("--brand", options.brand, strings.availableBrands)
            ?? problem("--host", options.host, Set(app.hosts.rows.flatMap { $0.rows.map(\.key) }).sorted())
    }

    private static func environments(_ name: String) -> [ConfigEnvironment] {
        switch name {
        case "simulator": [.debug, .simulator]
        case "debug": [.debug]
        default: []
        }
    }

    /// The recorded notes API, which answers for every host.
    private static func recordings(in resources: String) -> any NetworkTransport {
        do throws(NetworkError) {
            return try ReplayTransport(contentsOfFile: "\(resources)/notes.har", matching: .anyHost)
        } catch {
            return StubTransport { (_) throws(NetworkError) -> StubResponse in throw error }
        }
    }

    private func showProblems() {
        guard !app.issues.isEmpty else { return }
        screen.heading("Issues in the files")
        for issue in app.issues {
            screen.problem("\(issue)")
            log.warning("\(issue)")
        }
    }

    private func holdIfAsked() {
        guard options.holds else { return }
        screen.quiet("holding; press Return to continue, or kill process \(ProcessInfo.processInfo.processIdentifier)")
        _ = readLine()
    }
}
