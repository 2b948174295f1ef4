import Ashlar
import AshlarTestSupport
import Foundation
import Testing

/// Each test runs in its own process, because a process has one log.
@Suite(.timeLimit(.minutes(5))) struct AshlarAppTests {
    static let resources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Resources").standardizedFileURL.path

    #if os(Linux) || os(macOS)
        @Test("Every part starts with the files of one folder")
        func startsEverything() async {
            await #expect(processExitsWith: .success) {
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: Self.resources, environments: [.debug],
                    bundleIdentifier: "com.example.fieldnotes.beta.acme",
                    log: LogConfiguration(sinks: []))
                configuration.languages = ["fr-CA"]
                configuration.brand = "borealis"
                configuration.themes = "Themes.json"
                configuration.hostMap = "HostMap.json"
                configuration.transport = StubTransport(["GET /notes": .text("two")])
                let app = AshlarApp(configuration)
                #expect(app.issues.map(\.description) == [])
                #expect(app.config.current.double(forKey: "api.timeout") == 5)
                #expect(app.config.current.string(forKey: "api.host") == "staging.fieldnotes.example")
                #expect(LogSystem.threshold == .debug)
                #expect(app.customization.current.string("app.title") == "Borealis Log")
                #expect(app.customization.current.string("note.share") == "Transmettre")
                #expect(app.customization.current.themes.map(\.name) == ["Daylight", "Night"])
                #expect(app.hosts.rows.map(\.title) == ["api.fieldnotes.example", "media.fieldnotes.example"])
            }
        }

        @Test("Requests go to the selected host and appear in the log and on the bus")
        func glue() async {
            await #expect(processExitsWith: .success) {
                struct Notes: Endpoint {
                    typealias Output = String
                    let host: EndpointHost = "api.fieldnotes.example"
                    let path: EndpointPath = "notes"
                }
                let stub = StubTransport(["GET /notes": .text("two")])
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: Self.resources, environments: [.debug], log: LogConfiguration(sinks: []))
                configuration.hostMap = "HostMap.json"
                configuration.transport = stub
                let app = AshlarApp(configuration)
                try app.hosts.select("DEV", for: "api.fieldnotes.example")
                let events = Recorder<String>()
                let watch = app.bus.watch("network:*") { events.note($0.name) }
                #expect(try await app.client.send(Notes()) == "two")
                watch.cancel()
                #expect(events.items == ["network:on", "network:off"])
                #expect(stub.requests.map(\.url.description) == ["http://dev.api.fieldnotes.example/notes"])
                #expect(
                    LogSystem.liveLog.contains("[DEBUG] network - GET http://dev.api.fieldnotes.example/notes: 200"))
            }
        }

        @Test("Malformed files are issues of their parts, with file and line, and the other parts work")
        func faultyFiles() async {
            await #expect(processExitsWith: .success) {
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: folder) }
                try FileManager.default.copyItem(atPath: Self.resources, toPath: folder.path)
                try "{".write(to: folder.appendingPathComponent("HostMap.json"), atomically: false, encoding: .utf8)
                try "<plist><dict>\n<key>a".write(
                    to: folder.appendingPathComponent("ApplicationConfig.debug.plist"), atomically: false,
                    encoding: .utf8)
                try "\"a\" = \"b\";\n\"c\" \"d\";\n".write(
                    to: folder.appendingPathComponent("en.lproj/Localizable.strings"), atomically: false,
                    encoding: .utf8)
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: folder.path, environments: [.debug], log: LogConfiguration(sinks: []))
                configuration.languages = ["en"]
                configuration.hostMap = "HostMap.json"
                configuration.themes = "absent.json"
                let app = AshlarApp(configuration)
                func hasIssue(_ part: StartupIssue.Part, _ place: String) -> Bool {
                    app.issues.contains { $0.part == part && $0.message.contains(place) }
                }
                #expect(hasIssue(.configuration, "ApplicationConfig.debug.plist:2"))
                #expect(hasIssue(.customization, "en.lproj/Localizable.strings:2"))
                #expect(hasIssue(.customization, "absent.json"))
                #expect(hasIssue(.hosts, "HostMap.json line 1"))
                #expect(app.config.current.double(forKey: "api.timeout") == 24)
                #expect(app.customization.current.string("a") == "b")
                #expect(app.hosts.rows.isEmpty)
            }
        }

        @Test("A folder that doesn't exist is an issue of the configuration, which names it")
        func missingFolder() async {
            await #expect(processExitsWith: .success) {
                let app = AshlarApp(
                    AshlarApp.Configuration.inMemory(resources: "/nonexistent", log: LogConfiguration(sinks: [])))
                let issues = app.issues.filter { $0.part == .configuration }
                #expect(issues.count == 1)
                #expect(issues.first?.message.contains("/nonexistent") == true)
                #expect(app.config.current.int(forKey: "retries") ?? 3 == 3)
            }
        }

        @Test("Changing the folder after creating the settings moves every part")
        func changedFolder() async {
            await #expect(processExitsWith: .success) {
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: "/nonexistent", environments: [.debug], log: LogConfiguration(sinks: []))
                configuration.resources = ResourceFolder(Self.resources)
                configuration.languages = ["en"]
                configuration.hostMap = "HostMap.json"
                let app = AshlarApp(configuration)
                #expect(app.issues.map(\.description) == [])
                #expect(app.config.current.string(forKey: "api.host") ?? "" != "")
                #expect(app.customization.current.string("app.title") != "app.title")
                #expect(!app.hosts.rows.isEmpty)
            }
        }
    #endif
}
