import AshlarCore
import AshlarTestSupport
import Foundation
import Observation
import Testing

@testable import Ashlar

/// Each test that starts an app runs in its own process, because a process has one log.
@Suite(.timeLimit(.minutes(5))) struct StartTests {
    /// Finds the folder of an executable `App` in `bin`.
    private func find(_ places: TemporaryFolder) -> ResourceFolder {
        ResourceFolder.find(
            mainBundle: places.path + "/bundle", executable: places.path + "/bin", name: "App",
            working: places.path + "/work")
    }

    @Test(
        "The best folder is found: settings before languages, the own module before others, then in order",
        arguments: [
            (["work/HostMap.json"], "work", 0),
            (["work/HostMap.json", "work/Resources/Flavors.json"], "work/Resources", 1),
            (["work/Resources/Flavors.json", "bin/ApplicationConfig.plist"], "bin", 1),
            (["bin/Base.lproj/A.strings", "work/Resources/ApplicationConfig.json"], "work/Resources", 0),
            (["bin/Base.lproj/A.strings", "bin/Resources/ApplicationConfig.json"], "bin/Resources", 0),
            (["bundle/Base.lproj/A.strings", "bin/App_App.resources/HostMap.json"], "bin/App_App.resources", 0),
            (
                ["bin/Aaa_Library.resources/en.lproj/A.strings", "bin/App_App.resources/en.lproj/A.strings"],
                "bin/App_App.resources", 0
            ),
            (
                ["bin/Aaa_Library.resources/en.lproj/A.strings", "work/Resources/en.lproj/A.strings"], "work/Resources",
                0
            ),
            (["bin/Aaa_Library.resources/HostMap.json", "work/en.lproj/A.strings"], "bin/Aaa_Library.resources", 0),
            (["bin/A_Core.resources/HostMap.json", "bin/B_Other.resources/HostMap.json"], "bin/A_Core.resources", 1),
            (
                ["bin/Zoo_App.bundle/Resources/Flavors.plist", "bin/A_Core.bundle/HostMap.json"],
                "bin/Zoo_App.bundle/Resources", 0
            ),
            (["bundle/en.lproj/A.strings", "work/de.lproj/A.strings"], "bundle", 1),
        ] as [([String], String, Int)])
    func finding(files: [String], folder: String, equals: Int) throws {
        let places = TemporaryFolder()
        #expect(!find(places).isFound && find(places).path == places.path + "/work/Resources")
        for file in files { try places.write("{}", to: file) }
        let found = find(places)
        #expect(found.isFound && found.path == "\(places.path)/\(folder)" && found.equallyGood.count == equals)
        var configuration = AshlarApp.Configuration.inMemory(log: nil)
        configuration.resources = found
        var issues: [StartupIssue] = []
        let settings = AppSettings(configuration, arguments: [], variables: [:], issues: &issues)
        #expect(issues.count { $0.message.contains("equally good") } == min(1, equals))
        for file in files {
            let place = file.split(separator: "/").prefix {
                !$0.hasSuffix(".lproj") && !$0.contains(".json") && !$0.contains(".plist")
            }
            #expect(settings.resourcesExplanation.contains("\(places.path)/\(place.joined(separator: "/")) ("))
        }
    }

    @Test("A folder that several places lead to is examined once")
    func samePlace() throws {
        let places = try TemporaryFolder(["bin/HostMap.json": "{}"])
        try FileManager.default.createSymbolicLink(
            atPath: places.path + "/work", withDestinationPath: places.path + "/bin")
        #expect(find(places).equallyGood.isEmpty && find(places).origin == "next to the executable")
    }

    #if os(Linux) || os(macOS)
        @Test("An app without files starts, reports the examined folders, and throws if a part is required")
        func nothingFound() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder([:])
                #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
                var configuration = AshlarApp.Configuration.inMemory(log: LogConfiguration(sinks: []))
                configuration.environments = []
                let app = await AshlarApp.start(configuration)
                #expect(app.issues.contains { $0.isError && $0.message.contains("no folder with an app's files in ") })
                #expect(app.explain("resources").contains("not in "))
                #expect(AshlarApp.current === app)
                for part in [StartupIssue.Part.configuration, .customization, .hosts] {
                    let failure = await #expect(throws: StartupFailure.self) {
                        try await AshlarApp.start(configuration, requires: [part])
                    }
                    #expect(failure?.issues.isEmpty == false && failure?.issues.allSatisfy { $0.part == part } == true)
                }
                #expect(AshlarApp.current === app, "a failed start replaces nothing")
            }
        }

        @Test(
            "An app that requires hosts doesn't start with a host map without a usable host",
            arguments: [
                "{}", #"{"a": 1}"#, #"{"configurations": []}"#, #"{"configurations": {}}"#, #"{"configurations": [5]}"#,
                #"{"configurations": [{"canonical_host": ""}]}"#, #"{"configurations": [{"hosts": []}]}"#,
                #"{"configurations": [{"canonical_host": "a.example", "canonical_protocol": "https", "hosts": []}]}"#,
                """
                {"configurations": [
                  {"canonical_host": "a.example", "canonical_protocol": "https", "hosts": [{"host": "b.example"}, 5]}
                ]}
                """,
            ])
        func unusableHosts(map: String) async {
            await #expect(processExitsWith: .success) { [map = map as String] in
                let folder = try TemporaryFolder(["ApplicationConfig.json": "{}", "HostMap.json": map])
                let configuration = AshlarApp.Configuration.inMemory(resources: folder.path, log: nil)
                let failure = await #expect(throws: StartupFailure.self) {
                    try await AshlarApp.start(configuration, requires: [.hosts])
                }
                #expect(failure?.issues.isEmpty == false && failure?.issues.allSatisfy { $0.part == .hosts } == true)
                // Without the requirement, the app starts.
                _ = await AshlarApp.start(configuration)
            }
        }

        @Test("An app starts with the files of the working directory and without a log")
        func oneLine() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder([
                    "Resources/ApplicationConfig.json": #"{"title": "Notes"}"#,
                    "Resources/en.lproj/Localizable.strings": #""cancel" = "Cancel";"#,
                    "Resources/HostMap.json": TemporaryFolder.hostMap,
                ])
                #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
                let app = try await AshlarApp.start(
                    AshlarApp.Configuration.inMemory(log: nil), requires: [.configuration, .customization, .hosts])
                #expect(app.logging == nil)
                #expect(app.resources.path.hasSuffix("/Resources"))
                #expect(app.config.current.string(forKey: "title") == "Notes")
                #expect(app.customization.current.string("cancel") == "Cancel")
                #expect(app.hosts.current.map.configurations.count == 1)
                #expect(app.explain("title").contains("ApplicationConfig.json"))
            }
        }
    #endif

    @Test("Code that observes wrapped properties learns about the next change")
    func observing() async throws {
        struct Screen {
            @Setting("timeout") var timeout = 24.0
            @Localized("cancel") var cancel
        }
        let folder = try TemporaryFolder(["en.lproj/Localizable.strings": #""cancel" = "Cancel";"#])
        let app = AshlarApp(AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil))
        await app.asCurrent {
            let screen = Screen()
            let changes = AsyncStream<String>.makeStream()
            withObservationTracking {
                _ = screen.timeout
            } onChange: {
                changes.continuation.yield("timeout")
            }
            withObservationTracking {
                _ = screen.cancel
            } onChange: {
                changes.continuation.yield("cancel")
            }
            var iterator = changes.stream.makeAsyncIterator()
            app.config.update { $0["timeout"] = 7 }
            #expect(await iterator.next() == "timeout" && screen.timeout == 7)
            app.customization.update { $0.applying(CustomizationLayer(overrides: ["cancel": "Stop"])) }
            #expect(await iterator.next() == "cancel" && screen.cancel == "Stop")
        }
    }

    #if os(Linux) || os(macOS)
        @Test("Wrapped properties read the app of the task, or the one started last, or their initial value")
        func wrappers() async {
            struct Screen {
                @Setting("api.timeout") var timeout = 24.0
                @Setting("api.host") var host: String?
                @Setting("title") var retries = 3
                @Localized("cancel") var cancel
            }
            await #expect(processExitsWith: .success) {
                func app(_ timeout: Double, _ cancel: String) throws -> AshlarApp {
                    let folder = try TemporaryFolder([
                        "ApplicationConfig.json": #"{"api": {"timeout": \#(timeout)}, "title": "x"}"#,
                        "en.lproj/Localizable.strings": #""cancel" = "\#(cancel)";"#,
                    ])
                    return AshlarApp(
                        AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil))
                }
                let screen = Screen()
                #expect(screen.timeout == 24 && screen.host == nil && screen.cancel == "cancel")
                let first = try app(5, "Cancel")
                AshlarApp.setCurrent(first)
                #expect(screen.timeout == 5 && screen.host == nil && screen.cancel == "Cancel")
                let lines = Mutex<[String]>([])
                LogCapture(at: .warning) { record in lines.withLock { $0.append(record.message) } }.run {
                    #expect(screen.retries == 3 && screen.retries == 3, "a value of another type is not used")
                }
                #expect(
                    lines.withLock { $0.count { $0.contains("title") && $0.contains("ApplicationConfig.json:1") } } == 1
                )
                first.config.update { $0["api.timeout"] = 7 }
                #expect(screen.timeout == 7)
                let preview = try app(1, "Stop")
                let seen = preview.asCurrent { (screen.timeout, screen.cancel) }
                #expect(seen == (1, "Stop"))
                let child = await preview.asCurrent { () async in
                    async let value = screen.timeout
                    return await value
                }
                #expect(child == 1)
                #expect(screen.cancel == "Cancel")
            }
        }
    #endif
}
