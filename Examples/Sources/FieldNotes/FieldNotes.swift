import Ashlar
import Foundation

/// Field Notes, a white-label notes client on the command line.
@main
struct FieldNotes {
    let options: Options
    let app: AshlarApp
    let screen = Screen()
    let log = Log("FieldNotes")
    var resources: String { app.resources.path }

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
        let folder = options["--resources", default: "Resources"]
        var log = LogConfiguration(
            folder: options["--logs", default: ".build/field-notes-logs"], threshold: .debug, sinks: [])
        log.application = "field-notes"
        var configuration = AshlarApp.Configuration(resources: folder, log: log)
        configuration.bundleIdentifier = options["--bundle-id", default: "com.example.fieldnotes"]
        configuration.environments =
            ["release": [], "simulator": [.debug, .simulator]][options["--environment", default: ""]] ?? [.debug]
        configuration.languages = options["--language"].flatMap { LanguageTag($0) }.map { [$0] }
        configuration.brand = options["--brand"].map { .named($0) } ?? .fromInfoPlist
        configuration.themes = "Themes.json"
        configuration.hostMap = "HostMap.json"
        if options["--live"] == nil { configuration.transport = Self.recordings(in: folder) }
        app = AshlarApp(configuration)

        let strings = app.customization.current
        let languages = strings.availableLanguages.flatMap { ["\($0)", $0.language] }
        for (name, available) in [
            ("--language", languages), ("--brand", strings.availableBrands),
            ("--host", app.hosts.rows.flatMap { $0.rows.map(\.key) }),
        ] where !available.isEmpty {
            guard let value = options[name], !available.contains(value) else { continue }
            if name == "--language", available.contains(LanguageTag(value)?.language ?? "") { continue }
            let list = Set(available).sorted().joined(separator: ", ")
            throw UsageError("\(name): no '\(value)'; available: \(list)")
        }
    }

    /// Shows every part; returns the exit status, which is 1 only if no file of the product is usable.
    func run() async -> Int32 {
        screen.text("Field Notes: five libraries on the files in \(resources)", indent: "", style: "1")
        showPriorRun()
        if !app.issues.isEmpty { screen.heading("Issues in the files") }
        for issue in app.issues { report(issue) }
        log.info("started")
        var usable = [showConfiguration(), showStrings()]
        showHosts()
        usable.append(await showServices())
        log.info("ends")
        if options["--hold"] != nil {
            screen.quiet("holding; press Return to continue, or kill process \(getpid())")
            _ = readLine()
        }
        screen.heading("This run's log")
        screen.text(LogSystem.liveLog)
        if usable.contains(true) { return 0 }
        screen.problem("\(resources) contains nothing this app can show")
        return 1
    }

    func report(_ problem: some CustomStringConvertible) {
        screen.problem(problem.description)
        log.warning("\(problem.description)")
    }

    /// The recorded notes API, which answers for every host.
    private static func recordings(in folder: String) -> any NetworkTransport {
        do throws(NetworkError) {
            return try ReplayTransport(contentsOfFile: "\(folder)/notes.har", matching: .anyHost)
        } catch {
            return StubTransport { (_) throws(NetworkError) -> StubResponse in throw error }
        }
    }
}
