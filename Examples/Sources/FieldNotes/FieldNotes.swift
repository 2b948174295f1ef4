import Ashlar
import Foundation

/// Field Notes, a white-label notes client on the command line.
@main
struct FieldNotes {
    let options: Options
    let app: AshlarApp
    let screen = Screen()
    let log = Log("FieldNotes")

    static func main() async {
        do throws(UsageError) {
            exit(try await FieldNotes(Options(Array(CommandLine.arguments.dropFirst()))).run())
        } catch {
            let output = error.status == 0 ? FileHandle.standardOutput : .standardError
            output.write(Data("\(error)\n".utf8))
            exit(error.status)
        }
    }

    /// Starts the app with the product's files; throws if they lack what an option names.
    init(_ options: Options) throws(UsageError) {
        self.options = options
        var log = LogConfiguration(folder: options["--logs"], threshold: .debug, sinks: [])
        log.application = "field-notes"
        let environments: [ConfigEnvironment] = [.debug, .simulator]
        var configuration = AshlarApp.Configuration(
            resources: options["--resources"], bundleIdentifier: options["--bundle-id"], log: log)
        configuration.environments = Array(
            environments.prefix(["release": 0, "debug": 1][options["--environment"]] ?? 2))
        configuration.languages = LanguageTag(options["--language"]).map { [$0] }
        configuration.brand = options["--brand"].isEmpty ? .fromInfoPlist : .named(options["--brand"])
        configuration.themes = "Themes.json"
        configuration.hostMap = "HostMap.json"
        if options["--live"].isEmpty { configuration.transport = Recordings(folder: options["--resources"]) }
        app = AshlarApp(configuration)

        let strings = app.customization.current
        let base = LanguageTag(options["--language"])?.language
        for (name, value, available) in [
            ("--language", base, Set(strings.availableLanguages.map(\.language))),
            ("--brand", options["--brand"], Set(strings.availableBrands)),
            ("--host", options["--host"], Set(app.hosts.rows.flatMap { $0.rows.map(\.key) })),
        ] {
            guard let value, !value.isEmpty, !available.isEmpty, !available.contains(value) else { continue }
            let list = available.sorted().joined(separator: ", ")
            throw UsageError(description: "\(name): no '\(value)'; available: \(list)")
        }
    }

    /// Shows every part; returns the exit status, which is 1 only if no file of the product is usable.
    func run() async -> Int32 {
        screen.text("Field Notes: five libraries on the files in \(app.resources.path)", indent: "", style: "1")
        showPriorRun()
        if !app.issues.isEmpty { screen.heading("Issues in the files") }
        for issue in app.issues { report(issue) }
        log.info("started")
        showFiles()
        let hasNotes = await showServices()
        log.info("ends")
        if !options["--hold"].isEmpty {
            screen.text("holding; press Return to continue, or kill process \(getpid())")
            _ = readLine()
        }
        screen.heading("This run's log")
        screen.text(LogSystem.liveLog)
        if hasNotes || !app.config.current.paths().isEmpty || !app.customization.current.keys().isEmpty { return 0 }
        screen.problem("\(app.resources.path) contains nothing this app can show")
        return 1
    }

    func report(_ problem: some CustomStringConvertible) {
        screen.problem(problem.description)
        log.warning("\(problem.description)")
    }
}

/// The recorded notes API, which answers for every host.
struct Recordings: NetworkTransport {
    let folder: String

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await ReplayTransport(contentsOfFile: "\(folder)/notes.har", matching: .anyHost).send(request)
    }
}
