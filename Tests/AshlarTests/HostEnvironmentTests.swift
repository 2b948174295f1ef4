import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostEnvironmentTests {
    private static func app(
        _ folder: TemporaryFolder, _ environments: [ConfigEnvironment], _ store: HostChoiceStore = .memory,
        hostDefault: HostDefault? = nil
    ) -> AshlarApp {
        var configuration = AshlarApp.Configuration.inMemory(
            resources: folder.path, environments: environments, log: nil)
        configuration.hostChoices = store
        configuration.hostDefault = hostDefault
        return AshlarApp(configuration)
    }

    #if os(Linux) || os(macOS)
        @Test("A debug environment uses the prerelease host, a release build the release host")
        func environments() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder([
                    "ApplicationConfig.json": "{}", "HostMap.json": TemporaryFolder.hostMap,
                ])
                let host = { (app: AshlarApp) in app.hosts.resolve("api.example")?.host }
                #expect(host(Self.app(folder, [.debug])) == "qa.example")
                #expect(host(Self.app(folder, [])) == "www.example")
                #expect(host(Self.app(folder, [.debug], hostDefault: .canonical)) == nil)
                try folder.write(#"{"app": {"host": "DEV"}}"#, to: "ApplicationConfig.debug.json")
                #expect(host(Self.app(folder, [.debug])) == "dev.example")
                #expect(host(Self.app(folder, [.debug], hostDefault: .release)) == "www.example")
                #expect(host(Self.app(folder, [])) == "www.example")
            }
        }

        @Test("A choice in a debug run is stored for debug runs only")
        func remembered() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder([
                    "ApplicationConfig.json": "{}", "HostMap.json": TemporaryFolder.hostMap,
                ])
                let store: HostChoiceStore = .file(folder.path + "/choices.json")
                try Self.app(folder, [.debug], store).hosts.select("DEV", for: "api.example")
                #expect(Self.app(folder, [], store).hosts.resolve("api.example")?.host == "www.example")
                #expect(Self.app(folder, [.debug], store).hosts.resolve("api.example")?.host == "dev.example")
                try Self.app(folder, [], store).hosts.select("QA", for: "api.example")
                #expect(Self.app(folder, [.debug], store).hosts.resolve("api.example")?.host == "dev.example")
                #expect(Self.app(folder, [], store).hosts.resolve("api.example")?.host == "qa.example")
            }
        }
    #endif
}
