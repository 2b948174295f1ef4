import Ashlar
import AshlarTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct InterfaceTests {
    private static func app(_ files: [String: String] = [:]) throws -> (AshlarApp, TemporaryFolder) {
        let folder = try TemporaryFolder(
            [
                "ApplicationConfig.json": #"{"api": {"timeout": 5, "password": "hunter2"}}"#,
                "HostMap.json": TemporaryFolder.hostMap,
                "en.lproj/Localizable.strings": #""cancel" = "Cancel";"#,
                "fr.lproj/Localizable.strings": #""cancel" = "Annuler";"#,
            ].merging(files) { $1 })
        var configuration = AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil)
        configuration.languages = ["en"]
        configuration.transport = StubTransport(["GET /notes": .json("[]")])
        return (AshlarApp(configuration), folder)
    }

    @Test("The fonts of themes and of the configuration are values of one type")
    func fonts() throws {
        let (app, _) = try Self.app([
            "ApplicationConfig.json": #"{"font.title.name": "Georgia", "font.title.size": 20}"#,
            "en.lproj/Localizable.strings": #""heading" = "Georgia"; "headingSize" = "20";"#,
        ])
        let fonts: [FontSpec] = [app.config.current.font(named: "title"), app.customization.current.font("heading")]
        #expect(fonts == [FontSpec(name: "Georgia", size: 20), FontSpec(name: "Georgia", size: 20)])
        #expect(app.customization.current.font("missing") == FontSpec(size: 15), "a theme's default is the system font")
        #expect(app.config.current.font(named: "missing") == FontSpec(name: "Arial", size: 12))
    }

    @Test("An observed snapshot announces only its own changes")
    func observation() async throws {
        let (app, folder) = try Self.app()
        // The language's file is read when it is selected.
        defer { withExtendedLifetime(folder) {} }
        let observed = ObservableApp(app)
        let changes = Mutex<[String]>([])
        func track(_ name: String, _ read: () -> Void) {
            withObservationTracking(read) { changes.withLock { $0.append(name) } }
        }
        track("strings") { _ = observed.strings }
        track("config") { _ = observed.config }
        track("hosts") { _ = observed.hosts }
        app.customization.update { $0.switching(language: "fr") }
        try await until("the strings change") { observed.strings.string("cancel") == "Annuler" }
        #expect(changes.withLock { $0 } == ["strings"])
        app.config.update { $0["api.timeout"] = 7 }
        try await until("the configuration changes") { observed.config.int(forKey: "api.timeout") == 7 }
        try app.hosts.select("DEV", for: "api.example")
        try await until("the hosts change") { observed.hosts.resolve("api.example")?.host == "dev.example" }
        #expect(changes.withLock { $0 } == ["strings", "config", "hosts"])
    }

    @Test("A released observation of an app ends and releases the app")
    func release() async throws {
        weak var gone: AshlarApp?
        do {
            let (app, _) = try Self.app()
            gone = app
            let observed = ObservableApp(app)
            #expect(observed.app === app)
        }
        try await until("the app is released") { gone == nil }
    }

    @Test("A debug report shows requests, events, values and hosts, newest first and without secrets")
    func report() async throws {
        let (app, _) = try Self.app()
        let report = DebugReport(app, limit: 2)
        _ = try await app.client.send(NetworkRequest(.get, "https://api.example/notes?token=hunter2"))
        _ = try? await app.client.send(NetworkRequest(.get, "https://api.example/gone"))
        app.bus.trigger("note:1", "hunter2")
        app.bus.trigger("note:2", "hunter2")
        app.bus.trigger("note:3", "hunter2")
        let sections = report.sections
        func titles(_ name: String) -> [String] { sections.first { $0.title == name }?.rows.map(\.title) ?? [] }
        #expect(
            titles("Requests").map { $0.split(separator: "?")[0] } == [
                "GET https://api.example/gone", "GET https://api.example/notes",
            ])
        #expect(titles("Events") == ["note:3", "note:2"])
        #expect(titles("Configuration").contains("api.timeout: 5"))
        #expect(titles("api.example").count == 3)
        #expect(!"\(sections)".contains("hunter2"))
        #expect(Set(sections.map(\.id)).count == sections.count)
        for section in sections { #expect(Set(section.rows.map(\.id)).count == section.rows.count, "\(section.title)") }
    }
}
