import AshlarTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import Ashlar

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
        try await until("the strings change") { changes.withLock { $0 } == ["strings"] }
        app.config.update { $0["api.timeout"] = 7 }
        try await until("the configuration changes") { changes.withLock { $0 } == ["strings", "config"] }
        try app.hosts.select("DEV", for: "api.example")
        try await until("the hosts change") { changes.withLock { $0 } == ["strings", "config", "hosts"] }
        #expect(observed.strings.string("cancel") == "Annuler")
        #expect(observed.config.int(forKey: "api.timeout") == 7)
        #expect(observed.hosts.resolve("api.example")?.host == "dev.example")
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
        #expect(!DebugReport(app, limit: .max).sections.isEmpty)
    }

    @Test("Every language of the views has every text, and an app's language selects it")
    func texts() throws {
        for language in InterfaceText.languages {
            let (app, _) = try Self.app(["\(language).lproj/Localizable.strings": #""cancel" = "x";"#])
            let strings = app.customization.current.switching(language: LanguageTag(language))
            for text in InterfaceText.allCases {
                #expect(text.text(strings) != text.rawValue && !text.text(strings).isEmpty, "\(language) \(text)")
            }
        }
        let (app, _) = try Self.app(["sv.lproj/Localizable.strings": #""cancel" = "Avbryt";"#])
        let strings = app.customization.current
        #expect(InterfaceText.cancel.text(strings) == "Cancel" && InterfaceText.cancel.text() == "Cancel")
        #expect(InterfaceText.cancel.text(strings.switching(language: "fr-CA")) == "Annuler")
        #expect(InterfaceText.cancel.text(strings.switching(language: "sv")) == "Cancel", "the views have no Swedish")
        #expect(strings.switching(language: "sv").problems.isEmpty)
    }

    @Test("An app's string replaces a text of the views, also in a language that the views don't have")
    func ownTexts() throws {
        let (app, folder) = try Self.app([
            "sv.lproj/Localizable.strings": #""ashlar.cancel" = "Avbryt";"#,
            "fr.lproj/Localizable.strings": #""ashlar.hosts" = "Serveurs";"#,
        ])
        defer { withExtendedLifetime(folder) {} }
        let strings = app.customization.current
        #expect(InterfaceText.cancel.text(strings.switching(language: "sv")) == "Avbryt")
        #expect(InterfaceText.hosts.text(strings.switching(language: "fr")) == "Serveurs")
        #expect(InterfaceText.hosts.text(strings) == "Hosts")
        let report = DebugReport(app)
        app.customization.update { $0.switching(language: "fr") }
        let events = report.sections.first { $0.id == "Configuration" }
        #expect(
            events?.title == "Configuration"
                && report.sections.first { $0.id == "Customization" }?.title == "Personnalisation")
    }

    @Test(
        "A search of the log finds the lines with every word, regardless of case",
        arguments: [
            ("", [0, 1, 2, 3]), ("  ", [0, 1, 2, 3]), ("error", [1, 3]), ("NET error", [1]), ("straße", [3]),
            ("STRASSE", []), ("[INFO]", [0, 2]), ("nothing", []),
        ])
    func search(words: String, found: [Int]) {
        let lines = [
            "10:01 [INFO] App - starts", "10:02 [ERROR] Net - no connection", "10:03 [INFO] Net - again",
            "10:04 [ERROR] App - Straße",
        ]
        let log = LogExcerpt(lines.joined(separator: "\n") + "\n\n")
        let result = log.matching(words)
        #expect(
            result.rows.map(\.id) == found.map(String.init), "a row has the same identity with and without a search")
        #expect(result.text == found.map { lines[$0] }.joined(separator: "\n"))
    }

    @Test("A dark color is that of the key with ~dark, or the light one")
    func dark() throws {
        let (app, _) = try Self.app([
            "en.lproj/Localizable.strings":
                ##""paper" = "#FFFFFF"; "paper~dark" = "#101010"; "ink" = "#202020"; "bad" = "#010101"; "bad~dark" = "x";"##
        ])
        let strings = app.customization.current
        func text(_ key: String, _ isDark: Bool) -> RGBAColor { strings.color(key, isDark: isDark) }
        #expect(text("paper", false) == strings.color("paper") && text("paper", true) == strings.color("paper~dark"))
        #expect(text("paper", true) != text("paper", false))
        #expect(text("ink", true) == strings.color("ink") && strings.problems.isEmpty)
        #expect(text("bad", true) == strings.color("bad") && strings.problems.count == 1)
    }

    @Test("A row's spoken text has its subtitle")
    func spoken() {
        #expect(
            ListRow("QA", subtitle: "qa.example").spokenText == "QA, qa.example" && ListRow("QA").spokenText == "QA")
    }
}
