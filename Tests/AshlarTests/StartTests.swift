import AshlarTestSupport
import Foundation
import Testing

@testable import Ashlar

/// Each test that starts an app runs in its own process, because a process has one log.
@Suite(.timeLimit(.minutes(5))) struct StartTests {
    @Test("The first folder with an app's files is found, and the others are named")
    func finding() throws {
        let places = try TemporaryFolder([:])
        let find = {
            ResourceFolder.find(
                mainBundle: places.path + "/bundle", executable: places.path + "/bin", working: places.path + "/work")
        }
        #expect(!find().isFound)
        #expect(find().path == places.path + "/work/Resources")
        // Each step adds a location with higher precedence.
        for (file, folder) in [
            ("work/HostMap.json", "work"), ("work/Resources/Flavors.json", "work/Resources"),
            ("bin/ApplicationConfig.plist", "bin"), ("bin/Resources/en.lproj/A.strings", "bin/Resources"),
            ("bin/App_App.resources/HostMap.json", "bin/App_App.resources"), ("bundle/HostMap.json", "bundle"),
        ] {
            try places.write("{}", to: file)
            #expect(find().isFound)
            #expect(find().path == "\(places.path)/\(folder)")
        }
        #expect(find().examined.isEmpty)
        try FileManager.default.removeItem(atPath: places.path + "/bundle/HostMap.json")
        #expect(find().examined == [places.path + "/bundle"])
        #expect(find().description == "\(places.path)/bin/App_App.resources (the module bundle App_App.resources)")
    }

    @Test("An app without files starts, reports the examined folders, and throws if a part is required")
    func nothingFound() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder([:])
            #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
            var configuration = AshlarApp.Configuration(log: LogConfiguration(sinks: []))
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
                AshlarApp.Configuration(log: nil), requires: [.configuration, .customization, .hosts])
            #expect(app.logging == nil)
            #expect(app.resources.path.hasSuffix("/Resources"))
            #expect(app.config.current.string(forKey: "title") == "Notes")
            #expect(app.customization.current.string("cancel") == "Cancel")
            #expect(app.hosts.current.map.configurations.count == 1)
            #expect(app.explain("title").contains("ApplicationConfig.json"))
        }
    }

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
                return AshlarApp(AshlarApp.Configuration(resources: folder.path, environments: [], log: nil))
            }
            let screen = Screen()
            #expect(screen.timeout == 24 && screen.host == nil && screen.cancel == "cancel")
            let first = try app(5, "Cancel")
            AshlarApp.setCurrent(first)
            #expect(screen.timeout == 5 && screen.host == nil && screen.cancel == "Cancel")
            #expect(screen.retries == 3, "a value of another type is not used")
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
}
