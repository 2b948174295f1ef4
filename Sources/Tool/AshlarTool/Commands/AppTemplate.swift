import AshlarCore
import AshlarKeyGenerator
import AshlarTooling

/// The files of the app that `ashlar init` creates.
enum AppTemplate {
    /// Returns a text with the name of the app and its dependency.
    static func filled(_ text: String, name: String, dependency: String) -> String {
        var parts = ""
        for part in text.split(separator: "__", omittingEmptySubsequences: false) {
            switch part {
            case "NAME": parts += name
            case "SCHEME": parts += name.lowercased()
            case "ASHLAR": parts += dependency
            default: parts += part
            }
        }
        return parts
    }

    /// Whether a name can't be that of a package, a module and the type of the program, each of which is its own name.
    static func isTaken(_ name: String) -> Bool {
        if KeyName.isReserved(name) || name.lowercased().hasPrefix("ashlar") || ["main", "Swift"].contains(name) {
            return true
        }
        // The names of types in the app's own source, such as those of Ashlar and of generated keys.
        let code = [app, service, test].joined(separator: "\n").split(separator: "\n").filter { !$0.contains("//") }
        let words = code.joined(separator: " ").split { !$0.isLetter && !$0.isNumber }
        return name.first?.isUppercase == true && words.contains { $0 == name }
    }

    /// The files by path; `__NAME__`, `__SCHEME__` and `__ASHLAR__` are replaced.
    static let files: [(path: String, text: String)] = [
        ("Package.swift", package), ("Sources/__NAME__/__NAME__.swift", app),
        ("Sources/__NAME__/History.swift", service), ("Tests/__NAME__Tests/__NAME__Tests.swift", test),
        (
            resources + "ApplicationConfig.json",
            #"{"app": {"links": {"schemes": ["__SCHEME__"]}}, "list": {"length": 20}}"# + "\n"
        ),
        (resources + "ApplicationConfig.debug.json", #"{"list": {"length": 3}}"# + "\n"),
        (resources + "HostMap.json", hosts), (resources + "Routes.txt", "note /note/:id(int)\n"),
        (resources + "Flavors.json", flavors),
        (
            resources + "en.lproj/Localizable.strings",
            "\"note.opened\" = \"{title}: {lines, plural, one {# line} other {# lines}}\";\n"
        ),
        (
            resources + "de.lproj/Localizable.strings",
            "\"note.opened\" = \"{title}: {lines, plural, one {# Zeile} other {# Zeilen}}\";\n"
        ),
        (resources + "plain.lproj/Localizable.strings", "\"note.opened\" = \"{title} ({lines})\";\n"),
        (resources + "loud.lproj/Localizable.strings", "\"note.opened\" = \"{title}! {lines}!\";\n"),
    ]

    private static let resources = "Sources/__NAME__/Resources/"

    private static let package = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "__NAME__",
            platforms: [.macOS(.v15)],
            dependencies: [.package(__ASHLAR__)],
            targets: [
                .executableTarget(
                    name: "__NAME__", dependencies: [.product(name: "Ashlar", package: "Ashlar")],
                    resources: [.copy("Resources")], plugins: [.plugin(name: "AshlarKeys", package: "Ashlar")]),
                .testTarget(name: "__NAME__Tests", dependencies: ["__NAME__"]),
            ])

        """

    private static let app = """
        import Ashlar

        /// Loads a note.
        struct GetNote: Endpoint {
            struct Output: Decodable, Sendable { let title: String, lines: Int }
            let id: Int
            var host: EndpointHost { Hosts.api }
            var path: EndpointPath { "notes/\\(id)" }
        }

        /// A note was opened.
        struct NoteOpened: Event {
            let id: Int
        }

        @main struct __NAME__ {
            /// Starts the app, with its service and its route.
            static func start(_ configuration: AshlarApp.Configuration) async throws -> AshlarApp {
                let app = try await AshlarApp.start(configuration, requires: [.configuration, .customization, .hosts])
                try await app.services.register(History.self)
                try await app.services.start(History.self)
                _ = try app.router.route(Routes.patterns.note) { navigation in
                    let note = try await app.client.send(GetNote(id: navigation.parameters.value("id")))
                    try app.bus.trigger(NoteOpened(id: navigation.parameters.value("id")))
                    let text = Strings.noteOpened(title: note.title, lines: note.lines)
                    print(app.customization.current[text])
                }
                return app
            }

            static func main() async {
                await AshlarApp.run {
                    var configuration = AshlarApp.Configuration(log: LogConfiguration(sinks: []))
                    // Remove the stub when the server exists.
                    configuration.transport = StubTransport(["GET /notes/1": .json(#"{"title": "Buy milk", "lines": 2}"#)])
                    let app = try await start(configuration)
                    for url in CommandLine.arguments.dropFirst() where url.contains("://") { await app.open(url) }
                    print(app.hosts.resolve("api.__SCHEME__.example")?.description ?? "no host")
                    print("\\(app.config.current[Settings.listLength]) notes a page")
                }
            }
        }

        """

    private static let service = """
        import Ashlar

        /// Remembers the notes that were opened.
        actor History: Service {
            private(set) var ids: [Int] = []

            init(_ context: ServiceContext) async throws {
                _ = context.bus.watch(NoteOpened.topic, on: self) { $0.ids.append($1.payload.id) }
            }
        }

        """

    private static let test = """
        import Ashlar
        import Foundation
        import Testing

        @testable import __NAME__

        @Test func noteComesFromTheHostOfTheFlavor() async throws {
            let stub = StubTransport(["GET /notes/7": .json(#"{"title": "Buy milk", "lines": 2}"#)])
            var configuration = AshlarApp.Configuration(log: nil)
            configuration.storage = .memory
            configuration.resources = ResourceFolder(.module)
            configuration.flavor = "loud-debug"
            configuration.transport = stub
            let app = try await __NAME__.start(configuration)
            var opened = app.bus.events(NoteOpened.topic).makeAsyncIterator()
            await app.open("__SCHEME__://note/7")
            #expect(await opened.next()?.payload.id == 7)
            #expect(stub.requests.map(\\.url.description) == ["https://test.__SCHEME__.example/notes/7"])
            #expect(app.config.current[Settings.listLength] == 3)
        }

        """

    private static let hosts = """
        {"configurations": [{
          "canonical_host": "api.__SCHEME__.example", "canonical_protocol": "https", "release_key": "PROD", "prerelease_key": "TEST",
          "hosts": [{"key": "PROD", "host": "api.__SCHEME__.example"}, {"key": "TEST", "host": "test.__SCHEME__.example"}]
        }]}

        """

    private static let flavors = """
        {
          "plain": {"brand": "plain", "environments": []},
          "loud": {"brand": "loud", "environments": []},
          "loud-debug": {"brand": "loud", "environments": ["debug"]}
        }

        """
}

extension Command {
    /// The command `init`.
    static let initialize: Command = Command(
        "init", "Creates a package with a small app that uses every part of Ashlar.",
        discussion: """
            The app has two brands, two languages, two environments, a host map, a route, a service and a test. NAME is the
            name of the folder, the package and the program. The package depends on Ashlar in the folder of --path, or on
            a version in the repository of --url.
            """,
        operands: [Operand("NAME", .text)],
        options: [
            Option("--path", "p", value: "FOLDER", kind: .folder, help: "Depends on Ashlar in a folder."),
            Option("--url", value: "URL", help: "Depends on Ashlar in a repository."),
            Option(
                "--from", value: "VERSION", help: "The version in the repository; \(AshlarTool.version) if omitted."),
        ],
        examples: ["init Pages --path ../Ashlar", "init Pages --url https://example.com/Ashlar.git"]
    ) { invocation, output in
        let name = invocation.operands[0]
        guard name.first?.isLetter == true, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw ToolError.misuse("NAME needs letters and digits, and a letter at its start")
        }
        if AppTemplate.isTaken(name) {
            throw ToolError.misuse("'\(name)' is a name of Swift or Ashlar, or of the app's own source")
        }
        if FileStatus(name) != nil { throw ToolError.problem("\(name): the folder exists") }
        let dependency: String
        if let url = invocation.value(of: "--url") {
            let version = invocation.value(of: "--from") ?? AshlarTool.version
            dependency = "url: \(KeyName.literal(url)), .upToNextMinor(from: \(KeyName.literal(version)))"
        } else if let path = invocation.value(of: "--path") {
            guard FileStatus(path + "/Package.swift")?.kind == .regular else {
                throw ToolError.problem("\(path): not a folder of Ashlar; it has no Package.swift")
            }
            // The path is relative to the package's folder.
            dependency = "name: \"Ashlar\", path: \(KeyName.literal(path.hasPrefix("/") ? path : "../" + path))"
        } else {
            throw ToolError.misuse("missing option --path or --url")
        }
        do throws(FileFailure) {
            for (file, text) in AppTemplate.files {
                let path = name + "/" + AppTemplate.filled(file, name: name, dependency: dependency)
                try FolderListing.create(path.split(separator: "/").dropLast().joined(separator: "/"))
                let bytes = Array(AppTemplate.filled(text, name: name, dependency: dependency).utf8)
                try AtomicFile.replace(path, with: bytes, permissions: 0o644, isOwn: false)
                output.line(path)
            }
        } catch {
            throw ToolError.problem("\(error.path): \(error)")
        }
        output.line("Run 'swift run --package-path \(name) \(name) \(name.lowercased())://note/1'.")
        return .success
    }
}
