import Ashlar
import AshlarTestSupport
import Foundation
import Testing

/// Each test runs in its own process, because a process has one log.
@Suite(.timeLimit(.minutes(5))) struct LiveJoinTests {
    #if os(Linux) || os(macOS)
        @Test("Log thresholds follow the configuration and are restored when it removes them")
        func thresholdsFollow() async {
            await #expect(processExitsWith: .success) {
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: "/nonexistent", log: LogConfiguration(threshold: .warning, sinks: []))
                configuration.config = ConfigPlan(files: .memory([String: String]()), environments: [])
                let app = AshlarApp(configuration)
                #expect(LogSystem.threshold == .warning)
                app.config.update { $0["log.threshold"] = "debug" }
                try await until("the log follows") { LogSystem.threshold == .debug }
                app.config.update { $0["log.threshold"] = "loud" }
                try await until("the log follows") { LogSystem.liveLog.contains("[WARNING] config - ") }
                #expect(LogSystem.threshold == .warning)
                app.config.update { $0["log.enabled"] = false }
                try await until("the log follows") { !LogSystem.isEnabled }
                app.config.update { $0["log.enabled"] = nil }
                try await until("the switch returns") { LogSystem.isEnabled }
                withExtendedLifetime(app) {}
            }
        }

        @Test("Failures on the bus and changes of services appear in the log")
        func busAndServices() async {
            await #expect(processExitsWith: .success) {
                struct Broken: Error {}
                final class Cache: Service, Sendable {
                    static let name = "cache"
                    init(_ context: ServiceContext) async throws {}
                }
                final class Faulty: Service, Sendable {
                    static let name = "faulty"
                    init(_ context: ServiceContext) async throws { throw Broken() }
                }
                let app = AshlarApp(
                    AshlarApp.Configuration.inMemory(
                        resources: "/nonexistent", log: LogConfiguration(threshold: .debug, sinks: [])))
                let watch = app.bus.watch("note:saved") { _ in throw Broken() }
                app.bus.trigger("note:saved", 5)
                watch.cancel()
                try await app.services.register(Cache.self)
                try await app.services.register(Faulty.self)
                try await app.services.start("cache")
                _ = try? await app.services.start("faulty")
                let log = LogSystem.liveLog
                #expect(log.contains("[ERROR] bus - note:saved: "))
                #expect(log.contains("[INFO] services - cache: running"))
                #expect(log.contains("[ERROR] services - faulty: failed: "))
            }
        }

        @Test("Requests carry the current language, unless they set their own")
        func acceptLanguage() async {
            await #expect(processExitsWith: .success) {
                let stub = StubTransport(["GET /a": .text("x")])
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: AshlarAppTests.resources, environments: [], log: LogConfiguration(sinks: []))
                configuration.languages = ["fr-CA"]
                configuration.transport = stub
                let app = AshlarApp(configuration)
                let url = try HTTPURL("https://api.example.com/a")
                _ = try await app.client.send(NetworkRequest(.get, url))
                app.customization.update { $0.switching(language: "de") }
                _ = try await app.client.send(NetworkRequest(.get, url))
                _ = try await app.client.send(NetworkRequest(.get, url, headers: ["Accept-Language": "ja"]))
                #expect(
                    stub.requests.map { $0.headers["Accept-Language"] } == [
                        "fr-CA, fr;q=0.9, en;q=0.8", "de, en;q=0.9", "ja",
                    ])
            }
        }
    #endif
}
