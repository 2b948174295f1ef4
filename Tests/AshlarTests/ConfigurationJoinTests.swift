import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConfigurationJoinTests {
    static let files = [
        "ApplicationConfig.json": #"{"app": {"language": "fr", "brand": "acme"}, "network": {"idleTimeout": 5}}"#,
        "en.lproj/Localizable.strings": #""cancel" = "Cancel"; "name" = "App";"#,
        "fr.lproj/Localizable.strings": #""cancel" = "Annuler";"#,
        "acme.lproj/Localizable.strings": #""name" = "Acme";"#,
        "HostMap.json": TemporaryFolder.hostMap,
    ]

    @Test("A return to the first customization is an event")
    func returns() async throws {
        let folder = try TemporaryFolder(Self.files)
        let app = AshlarApp(.inMemory(resources: folder.path, environments: [], log: nil))
        let (first, seen) = (app.customization.current, Recorder<String>())
        let watch = app.bus.watch(CustomizationCenter.changed) { seen.note($0.payload.string("name")) }
        app.customization.update { $0.switching(brand: nil) }
        try await until { seen.items == ["App"] }
        app.customization.update { _ in first }
        try await until { seen.items == ["App", "Acme"] }
        watch.cancel()
    }

    #if os(Linux) || os(macOS)
        @Test("Language, brand, timeouts and default hosts follow the configuration; the app's own selections remain")
        func following() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder(Self.files)
                let app = AshlarApp(
                    AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil))
                let text = { (key: String) in app.customization.current.string(key) }
                #expect(text("cancel") == "Annuler" && text("name") == "Acme")
                // The joins apply each change, even if it comes before their tasks have started.
                app.config.update { $0["app.language"] = "en" }
                try await until("language") { text("cancel") == "Cancel" }
                app.config.update { $0["app.host"] = "QA" }
                try await until("default host") { app.hosts.resolve("api.example")?.host == "qa.example" }
                app.config.update { $0["app.host"] = nil }
                try await until("default host") { app.hosts.resolve("api.example")?.host == "www.example" }
                // A selection of the user remains while other keys change.
                app.customization.update { $0.switching(brand: nil) }
                app.config.update { $0["app.language"] = "fr" }
                try await until("language") { text("cancel") == "Annuler" }
                #expect(text("name") == "App")
                app.config.update { $0["app.language"] = nil }
                try await until("language removed") { app.customization.current.overrideLanguage == nil }
                withExtendedLifetime(app) {}
            }
        }

        @Test("The configuration selects neither a brand nor languages that the app sets")
        func ownSettings() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder(Self.files)
                var configuration = AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil)
                configuration.languages = ["en"]
                configuration.brand = CustomizationBrand.none
                let app = AshlarApp(configuration)
                #expect(app.customization.current.string("cancel") == "Cancel")
                #expect(app.customization.current.string("name") == "App")
                app.config.update {
                    $0["app.language"] = "de"
                    $0["app.host"] = "DEV"
                }
                try await until("default host") { app.hosts.resolve("api.example")?.host == "dev.example" }
                #expect(app.customization.current.overrideLanguage == nil)
            }
        }

        @Test("If a reload removes a threshold, the log's own applies")
        func thresholdReturns() async {
            await #expect(processExitsWith: .success) {
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: "/nonexistent", log: LogConfiguration(threshold: .warning, sinks: []))
                configuration.config = ConfigPlan(
                    files: .memory(["ApplicationConfig.json": #"{"log": {"threshold": "debug"}}"#]), environments: [])
                configuration.log?.readsEnvironment = false
                let app = AshlarApp(configuration)
                #expect(LogSystem.threshold == .debug)
                app.config.update { $0["log"] = nil }
                try await until("threshold") { LogSystem.threshold == .warning }
                withExtendedLifetime(app) {}
            }
        }
    #endif

    @Test("The timeouts of requests are those of the configuration at the time of the request")
    func timeouts() throws {
        var options = RequestOptions()
        options.apply(
            ApplicationConfig(["network": ["connectTimeout": 2, "idleTimeout": "500 ms", "totalTimeout": 0]]))
        #expect(options.connectTimeout == .seconds(2) && options.idleTimeout == .milliseconds(500))
        #expect(options.totalTimeout == nil)
        options.apply(ApplicationConfig())
        #expect(options.connectTimeout == .seconds(2))
    }

    @Test("The number of attempts follows the configuration, whether or not the app has a retry policy")
    func attempts() async throws {
        for own in [nil, 2] {
            let folder = try TemporaryFolder(Self.files)
            let transport = StubTransport { _ in .status(503, headers: ["Retry-After": "0"]) }
            var configuration = AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil)
            configuration.transport = transport
            configuration.client.retry = own.map { attempts in
                var policy = RetryPolicy.standard
                policy.attempts = attempts
                return policy
            }
            let app = AshlarApp(configuration)
            var sent = 0
            for (value, expected) in [(nil, own ?? 1), (3, 3), (1, 1), (nil, own ?? 1)] as [(Int?, Int)] {
                app.config.update { $0["network.attempts"] = value.map { .integer(Int64($0)) } }
                _ = try? await app.client.get("https://host\(expected).example/notes")
                #expect(transport.requests.count - sent == expected, "\(own ?? 0) \(value ?? 0)")
                sent = transport.requests.count
            }
        }
    }

    @Test("A malformed pin is an error, and its host can't be reached without a valid pin")
    func pins() {
        var transport = TransportConfiguration()
        let errors = transport.apply(
            ApplicationConfig([
                "network": ["connectionsPerHost": 3, "pinnedKeys": ["a.example": ["x"], "b.example": "sha256//eA=="]]
            ]))
        #expect(errors.count == 1 && transport.connectionsPerHost == 3)
        #expect(transport.pinnedKeys["b.example"] == "sha256//eA==")
        #expect(transport.pinnedKeys["a.example"] != nil)
    }

    @Test(
        "Without a readable dictionary of pins, no request is sent; without a readable pin, none to its host",
        arguments: [
            (#"{"network": {"pinnedKeys": "sha256//x"}}"#, true),
            (#"{"network": {"pinnedKeys": ["a.example"]}}"#, true),
            (#"{"network": {"pinnedKeys": "${nope}"}}"#, true), (#"{"network": "${nope}"}"#, true),
            (#"{"network": []}"#, true), (#"{"network.pinnedKeys": 5}"#, true),
            (#"{"network": {"pinnedKeys": {"a.example": "${nope}"}}}"#, false),
            (#"{"network": {"pinnedKeys": {"a.example": "${network.pinnedKeys.a\\.example}"}}}"#, false),
            (#"{"network": {"pinnedKeys": {"a.example": {"b": "${nope}"}}}}"#, false),
            (#"{"network": {"pinnedKeys": {"a.example": []}}}"#, false),
        ])
    func malformedPins(text: String, refusesAll: Bool) async throws {
        let store = ConfigStore(
            loadingBestEffort: ConfigPlan(files: .memory(["ApplicationConfig.json": text]), environments: []))
        var configuration = ClientConfiguration()
        let errors = configuration.transport.apply(store.current, loadErrors: store.errors)
        #expect(!(store.errors + errors).isEmpty)
        if !refusesAll { #expect(configuration.transport.pinnedKeys.keys.sorted() == ["a.example"]) }
        // Nothing listens on port 1, so that a request that isn't refused can't connect.
        let client = NetworkClient(configuration)
        let failure = await #expect(throws: NetworkError.self) { try await client.get("http://127.0.0.1:1/") }
        #expect(failure?.code == (refusesAll ? .invalidConfiguration : .cannotConnect), "\(failure as Any)")
    }

    @Test("Without many readable values, whose errors are summarized, no request is sent")
    func manyMalformedPins() {
        let values = (0..<150).map { "\"a\($0)\": \"${nope}\"" }.joined(separator: ", ")
        let text = #"{\#(values), "network": {"pinnedKeys": {"a.example": "${nope}"}}}"#
        let store = ConfigStore(
            loadingBestEffort: ConfigPlan(files: .memory(["ApplicationConfig.json": text]), environments: []))
        var transport = TransportConfiguration()
        _ = transport.apply(store.current, loadErrors: store.errors)
        #expect(!transport.pinnedKeys.isEmpty)
    }

    #if os(Linux) || os(macOS)
        @Test("Changes of configuration, customization and hosts, errors and the prior run are events on the bus")
        func events() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder(Self.files)
                var configuration = AshlarApp.Configuration.inMemory(
                    resources: folder.path, environments: [],
                    log: LogConfiguration(folder: folder.path + "/logs", sinks: []))
                configuration.log?.readsEnvironment = false
                let app = AshlarApp(configuration)
                let names = Recorder<String>()
                let watch = app.bus.watch("**") { names.note($0.name) }
                app.config.update { $0["network.idleTimeout"] = 7 }
                app.customization.update { $0.switching(brand: nil) }
                try app.hosts.select("DEV", for: "api.example")
                try await until("three events") {
                    ["config:changed", "customization:changed", "host:changed"].allSatisfy(names.items.contains)
                }
                withExtendedLifetime(app) {}
                Log("test").error("broken")
                #expect(names.items.contains("log:error"))
                watch.cancel()
            }
        }

        @Test("A prior run is an event that later watchers receive, with its verdict")
        func priorRun() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder(Self.files)
                var log = LogConfiguration(folder: folder.path + "/logs", sinks: [])
                log.readsEnvironment = false
                LogSystem.start(log)
                Log("test").info("first run")
                LogSystem.shutdown()
                let app = AshlarApp(
                    AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: log))
                let names = Recorder<String>()
                let watch = app.bus.watch(LogSystem.priorRunFound) { names.note($0.payload.log) }
                try await until("event") { !names.items.isEmpty }
                #expect(names.items.count == 1 && names.items[0].contains("first run"))
                watch.cancel()
            }
        }
    #endif
}
