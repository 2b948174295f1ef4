import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct TwoAppsTests {
    private static func app(
        _ folder: TemporaryFolder, _ store: HostChoiceStore = .memory, log: LogConfiguration? = nil
    ) -> AshlarApp {
        var configuration = AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: log)
        configuration.hostChoices = store
        configuration.transport = StubTransport(["GET /a": .text("x")])
        return AshlarApp(configuration)
    }

    private static func folder(_ title: String, threshold: String) throws -> TemporaryFolder {
        try TemporaryFolder([
            "ApplicationConfig.json": #"{"title": "\#(title)", "log": {"threshold": "\#(threshold)"}}"#,
            "HostMap.json": TemporaryFolder.hostMap.replacingOccurrences(of: "www.example", with: "\(title).example"),
            "en.lproj/Localizable.strings": #""title" = "\#(title)";"#,
        ])
    }

    #if os(Linux) || os(macOS)
        @Test("Two apps of one process have separate parts, and the second one's settings apply to the single log")
        func twoApps() async {
            await #expect(processExitsWith: .success) {
                let (one, two) = (
                    try Self.folder("one", threshold: "error"), try Self.folder("two", threshold: "debug")
                )
                let log = LogConfiguration(sinks: [])
                let first = Self.app(one, log: log)
                #expect(LogSystem.threshold == .error)
                let second = Self.app(two, log: log)
                #expect(LogSystem.threshold == .debug)
                for (app, title) in [(first, "one"), (second, "two")] {
                    #expect(app.config.current.string(forKey: "title") == title)
                    #expect(app.customization.current.string("title") == title)
                    #expect(app.hosts.resolve("api.example")?.host == "\(title).example")
                }
                let names = Recorder<String>()
                let watches = [
                    first.bus.watch(HostSwitch.changed) { _ in names.note("first") },
                    second.bus.watch(HostSwitch.changed) { _ in names.note("second") },
                ]
                try second.hosts.select("DEV", for: "api.example")
                try await until("the second app announces its change") { names.items == ["second"] }
                #expect(first.hosts.resolve("api.example")?.host == "one.example")
                for watch in watches { watch.cancel() }
            }
        }

        @Test("A hundred apps of one process leave no task, watch or descriptor behind")
        func manyApps() async {
            await #expect(processExitsWith: .success) {
                let folder = try Self.folder("one", threshold: "error")
                func descriptors() -> Int {
                    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
                }
                func startAndRelease() async throws {
                    weak var gone: AshlarApp?
                    do {
                        let app = Self.app(folder, log: LogConfiguration(folder: folder.path + "/logs", sinks: []))
                        gone = app
                        _ = try await app.client.send(NetworkRequest(.get, "https://api.example/a"))
                    }
                    try await until("the app is released") { gone == nil }
                }
                try await startAndRelease()
                let before = descriptors()
                for _ in 0..<100 { try await startAndRelease() }
                try await until("descriptors are closed") { descriptors() <= before }
            }
        }

        @Test("After an app is killed while it selects hosts, the next start can read the selection")
        func killed() async throws {
            let folder = try Self.folder("one", threshold: "error")
            let path = folder.path + "/choices.json"
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, files = folder.path as String] in
                var configuration = AshlarApp.Configuration.inMemory(resources: files, environments: [], log: nil)
                configuration.hostChoices = .file(path)
                let app = AshlarApp(configuration)
                try app.hosts.select("QA", for: "api.example")
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { kill(getpid(), SIGKILL) }
                while true { for key in ["DEV", "QA"] { try app.hosts.select(key, for: "api.example") } }
            }
            let next = Self.app(folder, .file(path))
            #expect(["dev.example", "qa.example"].contains(next.hosts.resolve("api.example")?.host))
            #expect(next.issues.filter { $0.part == .hosts }.isEmpty)
        }
    #endif
}
