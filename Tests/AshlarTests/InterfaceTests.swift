import Ashlar
import Foundation
import Observation
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct InterfaceTests {
    private static func app(_ files: [String: String] = [:]) throws -> (AshlarApp, AppFolder) {
        let folder = try AppFolder(
            [
                "ApplicationConfig.json": #"{"api": {"timeout": 5, "password": "hunter2"}}"#,
                "HostMap.json": AppFolder.hostMap,
                "en.lproj/Localizable.strings": #""cancel" = "Cancel";"#,
                "fr.lproj/Localizable.strings": #""cancel" = "Annuler";"#,
            ].merging(files) { $1 })
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.languages = ["en"]
        configuration.transport = StubTransport(["GET /notes": .json("[]")])
        return (AshlarApp(configuration), folder)
    }

    @Test("A section returns its rows by index, and nil outside its range")
    func section() {
        var section = DisplaySection("Fruit", items: [DisplayItem("Apple"), DisplayItem("Pear", subtitle: "ripe")])
        section.append(DisplayItem("Fig", isSelected: true, rowHeight: 44))
        #expect(section.count == 3)
        #expect([-1, 0, 2, 3, .max, .min].map { section[$0]?.title } == [nil, "Apple", "Fig", nil, nil, nil])
        #expect(section.items.map(\.id) == ["Apple", "Pear", "Fig"])
    }

    @Test("Selecting a row of the host picker selects its environment and moves the checkmark")
    func hostPicker() throws {
        let map = AppFolder.hostMap.replacingOccurrences(
            of: #"{"key": "DEV","#, with: #"{"key": "USER"}, {"key": "DEV","#)
        let (app, _) = try Self.app(["HostMap.json": map])
        func ticks() -> [String] { app.hosts.sections.flatMap { $0.items.filter(\.isSelected).map(\.id) } }
        let items = try #require(app.hosts.sections.first).items
        #expect(items.map(\.id) == ["PROD", "QA", "USER", "DEV"])
        try items[1].select?(nil)
        #expect(ticks() == ["QA"])
        #expect(app.hosts.resolve("api.example")?.host == "qa.example")

        let user = try #require(items.first { $0.input != nil })
        #expect(user.id == "USER")
        try user.select?("localhost:8080")
        #expect(ticks() == ["USER"])
        #expect(app.hosts.sections[0][2]?.input?.text == "localhost:8080")
        try items[3].select?("ignored")
        #expect(ticks() == ["DEV"])
        try user.select?("")
        #expect(app.hosts.resolve("api.example")?.host == "localhost:8080", "an empty text uses the last one")
        #expect(throws: NetworkError.self) { try user.select?("no host") }
        #expect(ticks() == ["USER"])
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
        func titles(_ name: String) -> [String] { sections.first { $0.title == name }?.items.map(\.title) ?? [] }
        #expect(
            titles("Requests").map { $0.split(separator: "?")[0] } == [
                "GET https://api.example/gone", "GET https://api.example/notes",
            ])
        #expect(titles("Events") == ["note:3", "note:2"])
        #expect(titles("Configuration").contains("api.timeout: 5"))
        #expect(titles("api.example").count == 3)
        #expect(!"\(sections)".contains("hunter2"))
        #expect(Set(sections.map(\.id)).count == sections.count)
        for section in sections { #expect(Set(section.items.map(\.id)).count == section.count, "\(section.title)") }
    }
}
