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
            exit(try await FieldNotes(.parse(Array(CommandLine.arguments.dropFirst()))).run())
        } catch {
            let output = error.status == 0 ? FileHandle.standardOutput : .standardError
            output.write(Data("\(error)\n".utf8))
            exit(error.status)
        }
    }

    /// Starts the app with the product's files; throws if they lack what an option names.
    init(_ options: Options) throws(UsageError) {
        self.options = options
        var log = LogConfiguration(folder: options.logs, threshold: .debug, sinks: [])
        log.application = "field-notes"
        var configuration = AshlarApp.Configuration(
            resources: options.resources, bundleIdentifier: options.bundleIdentifier, log: log)
        configuration.environments = ["debug": [.debug], "simulator": [.debug, .simulator]][options.environment] ?? []
        configuration.languages = options.language.map { [$0] }
        configuration.brand = options.brand.map { .named($0) } ?? .fromInfoPlist
        configuration.themes = "Themes.json"
        configuration.hostMap = "HostMap.json"
        if options.liveURL == nil { configuration.transport = Self.recordings(in: options.resources) }
        app = AshlarApp(configuration)

        let strings = app.customization.current
        let hosts = Set(app.hosts.rows.flatMap { $0.rows.map(\.key) })
        let languages = strings.availableLanguages.map { "\($0)" }
        let bases = Set(strings.availableLanguages.map(\.language))
        let isLanguage = options.language.map { bases.contains($0.language) } ?? true
        for (option, value, available) in [
            ("--language", isLanguage ? nil : options.language.map { "\($0)" }, languages),
            ("--brand", options.brand, strings.availableBrands), ("--host", options.host, hosts.sorted()),
        ] {
            guard let value, !available.isEmpty, !available.contains(value) else { continue }
            throw UsageError("\(option): no '\(value)'; available: \(available.joined(separator: ", "))")
        }
    }

    /// Shows every part; returns the exit status, which is 1 only if no file of the product is usable.
    func run() async -> Int32 {
        screen.title("Field Notes: five libraries on the files in \(options.resources)")
        showPriorRun()
        if !app.issues.isEmpty { screen.heading("Issues in the files") }
        for issue in app.issues { report(issue) }
        log.info("started", ["environment": options.environment, "bundle": options.bundleIdentifier])
        var isUsable = showConfiguration()
        isUsable = showStrings() || isUsable
        showHosts()
        isUsable = await showNotesAndServices() || isUsable
        log.info("ends")
        if options.holds {
            screen.quiet("holding; press Return to continue, or kill process \(getpid())")
            _ = readLine()
        }
        screen.heading("This run's log")
        screen.text(LogSystem.liveLog)
        if !isUsable { screen.problem("\(options.resources) contains nothing this app can show") }
        return isUsable ? 0 : 1
    }

    func report(_ problem: any CustomStringConvertible) {
        screen.problem("\(problem)")
        log.warning("\("\(problem)")")
    }

    /// The recorded notes API, which answers for every host.
    private static func recordings(in resources: String) -> any NetworkTransport {
        do throws(NetworkError) {
            return try ReplayTransport(contentsOfFile: "\(resources)/notes.har", matching: .anyHost)
        } catch {
            return StubTransport { (_) throws(NetworkError) -> StubResponse in throw error }
        }
    }
}
