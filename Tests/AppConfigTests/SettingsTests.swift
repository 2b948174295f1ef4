import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

private struct Settings: ConfigSettings {
    enum Mode: String, Codable, CaseIterable { case fast, safe }

    struct HTTP: Codable, Equatable {
        var timeout = 30
        var host = "example.org"
        var proxy: URL?
        var wait: Duration = .seconds(5)
    }

    var http = HTTP()
    var mode = Mode.safe
    var token = ""
    var tags = ["a"]
    var limits: [String: Double] = [:]
    var ratio = 0.5
    var size: UInt8 = 7
    var since = Date(timeIntervalSinceReferenceDate: 0)

    static let fields = [
        ConfigField("http.timeout", in: 1...120),
        ConfigField("token", isRequired: true, isSecret: true),
        ConfigField("ratio", in: 0.0...1.0),
        ConfigField("tags", expected: "at most 3 tags") { (tags: [String]) in tags.count <= 3 },
    ]
}

@Suite struct SettingsTests {
    @Test("A bad element of an array does not hide the problems after it")
    func badElements() throws {
        struct Settings: ConfigSettings {
            var list = [1, 2]
            var names: [String]?
            var opt: Int?
            var timeout = 30
            var name = ""
            static let fields = [
                ConfigField("timeout", in: 1...60), ConfigField("name", isRequired: true),
            ]
        }
        let config: ApplicationConfig = ["list": [1, "a"], "names": ["x", [1]], "opt": "q", "timeout": 99]
        let error = #expect(throws: ConfigError.self) { try config.bind(Settings.self) }
        #expect(error?.problems.map(\.key) == ["list[1]", "names[1]", "opt", "timeout", "name"])
    }

    @Test("Every malformed element and entry of collections is reported at its place")
    func malformedElements() throws {
        struct Server: Codable, Equatable {
            var host: String
            var port: Int
        }
        struct Settings: ConfigSettings {
            var ports = [80]
            var matrix = [[0.5]]
            var servers: [Server] = []
            var byName: [String: Server] = [:]
            var optional: Server?
            var last = 1
        }
        let text = """
            {"ports": ["x", 1, "y",
               2, [3]],
             "matrix": [[1, "a"], [2], ["b"]],
             "servers": [{"host": "a", "port": "p"}, {"host": "b", "port": 1}, {"port": 2},
               {"host": "c", "port": []}],
             "byName": {"a": {"host": "a"}, "b": {"host": "b", "port": 1}, "c": {"host": "c", "port": 0.5}},
             "optional": {"host": "x"},
             "last": {}}
            """
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": text]))
        let error = #expect(throws: ConfigError.self) { try config.bind(Settings.self) }
        let found = (error?.problems ?? []).map { "\($0.key?.description ?? "") \($0.location?.description ?? "")" }
        let expected = [
            "ports[0] ApplicationConfig.json:1", "ports[2] ApplicationConfig.json:1",
            "ports[4] ApplicationConfig.json:2", "matrix[0][1] ApplicationConfig.json:3",
            "matrix[2][0] ApplicationConfig.json:3", "servers[0].port ApplicationConfig.json:4",
            "servers[2].host ApplicationConfig.json:4", "servers[3].port ApplicationConfig.json:5",
            "byName.a.port ApplicationConfig.json:6", "byName.c.port ApplicationConfig.json:6",
            "optional.port ApplicationConfig.json:7", "last ApplicationConfig.json:8",
        ]
        #expect(Set(found) == Set(expected) && found.count == expected.count, "\(found.joined(separator: "\n"))")
    }

    @Test("Settings take values of the configuration and defaults of the code")
    func binds() throws {
        let config = ApplicationConfig([
            "http": ["timeout": "15", "proxy": "https://p.example/"], "mode": "fast", "token": "t",
            "limits": ["cpu": 2], "since": "2001-01-02T00:00:00Z", "other": 1,
        ])
        var expected = Settings()
        (expected.http.timeout, expected.http.proxy) = (15, URL(string: "https://p.example/"))
        (expected.mode, expected.token, expected.limits) = (.fast, "t", ["cpu": 2])
        expected.since = Date(timeIntervalSinceReferenceDate: 86_400)
        #expect(try config.bind(Settings.self) == expected)
        #expect(
            try ApplicationConfig(["app": ["x": .dictionary(config.values)]]).bind(Settings.self, at: "app.x")
                == expected)
    }

    @Test("All problems are reported together, in the order of the properties, with their lines")
    func problems() throws {
        let text = """
            {"http": {"timeout": 500,
              "proxy": 7,
              "hots": "x"},
             "mode": "quick",
             "tags": [1, 2, 3, 4],
             "limits": {"cpu": "many"},
             "ratio": "half",
             "size": 256}
            """
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": text]))
        let error = #expect(throws: ConfigError.self) { try config.bind(Settings.self, unknownKeys: .refused) }
        let expected = [
            "http.timeout: expected 1 to 120, found integer 500 (ApplicationConfig.json:1:22)",
            "http.proxy: expected URL, found integer 7 (ApplicationConfig.json:2:12)",
            "mode: expected one of fast, safe, found string \"quick\" (ApplicationConfig.json:4:10)",
            "token: expected String, found nothing",
            "tags: expected at most 3 tags, found array of 4 (ApplicationConfig.json:5:10)",
            "limits.cpu: expected Double, found string \"many\" (ApplicationConfig.json:6:20)",
            "ratio: expected Double, found string \"half\" (ApplicationConfig.json:7:11)",
            "size: expected UInt8, found integer 256 (ApplicationConfig.json:8:10)",
            "http.hots: no such key is known (ApplicationConfig.json:3:11); did you mean http.host?",
        ]
        let found = error?.problems.map(\.description) ?? []
        #expect(Set(found) == Set(expected), "\(found.joined(separator: "\n"))")
        #expect(found.first == expected.first)
        #expect(found.firstIndex(of: expected[3]) == found.firstIndex(of: expected[2]).map { $0 + 1 })
    }

    @Test("Many defects are all found", arguments: [1, 7, 40])
    func countsProblems(count: Int) throws {
        struct Wide: ConfigSettings {
            var a: [String: Int] = [:]
            var b = 0
            var c = 0
            var d = 0
            var list = [0]
        }
        // Elements of a dictionary fail one after the other; each replaced element must not hide the next.
        var entries: [String: ConfigValue] = [:]
        for number in 0..<count { entries["k\(number)"] = "bad" }
        let config = ApplicationConfig(["a": .dictionary(entries), "b": "x", "d": [1]])
        let error = #expect(throws: ConfigError.self) { try config.bind(Wide.self) }
        #expect(error?.problems.count == count + 2)
    }

    @Test("A section that is not a dictionary is one problem")
    func wrongSection() throws {
        let config = ApplicationConfig(["http": 5, "token": "t"])
        let error = #expect(throws: ConfigError.self) { try config.bind(Settings.self) }
        #expect(error?.key == "http")
        #expect(error?.code == .typeMismatch)
        #expect(throws: ConfigError.self) { try ApplicationConfig(["app": 5]).bind(Settings.self, at: "app") }
    }

    @Test("Secret settings are hidden wherever values are printed")
    func secrets() throws {
        struct Hidden: ConfigSettings {
            var plainName = 0
            static let fields = [ConfigField("plainName", in: 0...9, isSecret: true)]
        }
        let config = ApplicationConfig(["plainName": 4711])
        let error = #expect(throws: ConfigError.self) { try config.bind(Hidden.self) }
        #expect(error?.description.contains("4711") == false)
        #expect(!config.description.contains("4711"))
    }

    @Test("An invalid choice lists the choices and the nearest one")
    func choices() throws {
        struct Chosen: ConfigSettings {
            enum Mode: String, Codable, CaseIterable { case fast, safe }
            enum Level: Int, Codable, CaseIterable {
                case low = 1
                case high = 2
            }
            var mode = Mode.fast
            var modes = [Mode.safe]
            var level = Level.low
            var color = "red"
            var colors = ["red"]
            var optional: Mode?
            static let fields = [
                ConfigField("color", oneOf: ["red", "green"]),
                ConfigField("colors", oneOf: ["red", "green"]),
            ]
        }
        let config: ApplicationConfig = [
            "mode": "fsat", "modes": ["safe", "saf"], "level": 3, "color": "gren", "colors": ["red", "rde", "x"],
            "optional": "slow",
        ]
        let error = #expect(throws: ConfigError.self) { try config.bind(Chosen.self) }
        #expect(
            error?.problems.map(\.description) == [
                "mode: expected one of fast, safe, found string \"fsat\" (code); did you mean fast?",
                "modes[1]: expected one of fast, safe, found string \"saf\" (code); did you mean safe?",
                "level: expected one of 1, 2, found integer 3 (code); did you mean 1?",
                "color: expected one of red, green, found string \"gren\" (code); did you mean green?",
                "colors[1]: expected one of red, green, found string \"rde\" (code); did you mean red?",
                "colors[2]: expected one of red, green, found string \"x\" (code)",
                "optional: expected one of fast, safe, found string \"slow\" (code)",
            ])
    }

    private struct Server: ConfigSettings {
        struct Limits: Codable, Equatable { var cpu = 1 }
        var host = "localhost"
        var port = 80
        var token = "none"
        var limits = Limits()
        var replicas: [Server] = []
        static let fields = [
            ConfigField("port", in: 1...65535), ConfigField("token", isSecret: true),
        ]
    }

    private struct Cluster: ConfigSettings {
        struct Section: ConfigSettings {
            var size = 1
            static let fields = [ConfigField("size", in: 1...9)]
        }
        struct Plain: Codable, Equatable { var name: String }
        var servers: [Server] = []
        var byName: [String: Server] = [:]
        var grid: [[Server]] = []
        var section = Section()
        var ports = [1]
        var plain: [Plain] = []
        static let fields = [ConfigField("ports", in: 1...9)]
    }

    @Test("Elements of collections have the defaults, the ranges, and the unknown keys of their type")
    func elements() throws {
        let text = """
            {"servers": [{"host": "a"}, {"port": 0, "hots": 1, "limits": {"cpu": "x", "ram": 1}},
               {"replicas": [{}, {"port": 70000, "token": "hunter2"}], "token": ["hunter3"]}],
             "byName": {"a": {"port": 81}, "b": {"port": "p", "host": []}},
             "grid": [[{"host": "g"}], [{"limits": 5}]],
             "section": {"size": 10}, "ports": [1, 10], "plain": [{"name": "n", "nmae": "m"}]}
            """
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": text]))
        let error = #expect(throws: ConfigError.self) { try config.bind(Cluster.self, unknownKeys: .refused) }
        let found = (error?.problems ?? []).map(\.description)
        let expected = [
            "servers[1].port: expected 1 to 65535, found integer 0 (ApplicationConfig.json:1:38)",
            "servers[1].hots: no such key is known (ApplicationConfig.json:1:49); did you mean servers[1].host?",
            "servers[1].limits.cpu: expected Int, found string \"x\" (ApplicationConfig.json:1:70)",
            "servers[1].limits.ram: no such key is known (ApplicationConfig.json:1:82)",
            "servers[2].replicas[1].port: expected 1 to 65535, found integer 70000 (ApplicationConfig.json:2:31)",
            "servers[2].token: expected String, found array <redacted> (ApplicationConfig.json:2:69)",
            "byName.b.host: expected String, found array of 0 (ApplicationConfig.json:3:59)",
            "byName.b.port: expected Int, found string \"p\" (ApplicationConfig.json:3:46)",
            "grid[1][0].limits: expected dictionary, found integer 5 (ApplicationConfig.json:4:40)",
            "section.size: expected 1 to 9, found integer 10 (ApplicationConfig.json:5:22)",
            "ports[1]: expected 1 to 9, found integer 10 (ApplicationConfig.json:5:40)",
            "plain[0].nmae: no such key is known (ApplicationConfig.json:5:77); did you mean plain[0].name?",
        ]
        #expect(Set(found) == Set(expected) && found.count == expected.count, "\(found.joined(separator: "\n"))")
        let valid: ApplicationConfig = [
            "servers": [["host": "a"], ["limits": ["cpu": 2], "replicas": [[:]]]], "byName": ["x": [:]],
            "grid": [[["port": 5]]],
        ]
        let cluster = try valid.bind(Cluster.self, unknownKeys: .refused)
        var second = Server()
        second.limits.cpu = 2
        second.replicas = [Server()]
        #expect(cluster.servers.map(\.host) == ["a", "localhost"] && cluster.servers[1] == second)
        #expect(cluster.byName == ["x": Server()] && cluster.grid[0][0].port == 5)
    }

    @Test("Secret settings in elements are hidden")
    func elementSecrets() throws {
        struct Account: ConfigSettings {
            var plainCode = ""
            static let fields = [ConfigField("plainCode", isSecret: true)]
        }
        struct Accounts: ConfigSettings {
            var list: [Account] = []
            var byName: [String: Account] = [:]
        }
        var plan = plan([
            "ApplicationConfig.json":
                #"{"list": [{"plainCode": "hunter1"}], "byName": {"a": {"plainCode": "hunter2"}}, "x": "${list[0].plainCode}"}"#
        ])
        plan.declare(Accounts.self)
        let config = try ApplicationConfig.load(plan)
        #expect(!config.description.contains("hunter"))
        #expect(config.explain("byName.a.plainCode").isSecret)
        #expect(config.explain("x").isSecret)
    }

    @Test("Variables find declared settings by their declared names")
    func variables() throws {
        struct Named: ConfigSettings {
            var maxRetries = 1
        }
        var plan = plan([:])
        (plan.variablePrefix, plan.variables) = ("APP_", ["APP_JOB__MAX_RETRIES": "5"])
        plan.declare(Named.self, at: "job")
        let config = try ApplicationConfig.load(plan)
        #expect(try config.bind(Named.self, at: "job").maxRetries == 5)
        #expect(config.diagnostics.allSatisfy { $0.code != .unknownKey })
    }

    @Test(
        "Complete values follow reloads; after a reload with invalid values, the last ones remain",
        .timeLimit(.minutes(5)))
    func follows() async throws {
        struct Pair: ConfigSettings {
            var a = 0
            var b = 0
        }
        let store = ConfigStore(["a": 1, "b": 1])
        var values = try store.changes(of: Pair.self).makeAsyncIterator()
        #expect(await values.next() == Pair(a: 1, b: 1))
        store.update { config in
            config["a"] = 2
            config["b"] = 2
        }
        #expect(await values.next() == Pair(a: 2, b: 2))
        let stream = try store.changes(of: Pair.self)
        let reader = Task {
            var seen: [Pair] = []
            for await pair in stream {
                seen.append(pair)
                if pair.a == 3 { break }
            }
            return seen
        }
        store.update { $0["a"] = "many" }
        try await until { store.current.diagnostics.contains { $0.code == .invalidSettings } }
        store.update { config in
            config["a"] = 3
            config["b"] = 3
        }
        #expect(await values.next() == Pair(a: 3, b: 3))
        #expect(await reader.value == [Pair(a: 2, b: 2), Pair(a: 3, b: 3)])
        store.update { $0["a"] = "many" }
        let config = store.current
        #expect(throws: ConfigError.self) { try store.changes(of: Pair.self) }
        #expect(config.int(forKey: "b") == 3)
    }

    @Test("Default durations stay as they are")
    func exactDurations() throws {
        struct Waits: ConfigSettings {
            var wait = Duration.milliseconds(1100)
        }
        #expect(try ApplicationConfig().bind(Waits.self) == Waits())
    }

    @Test("Settings are found under a literal key with dots")
    func literalSection() throws {
        struct Client: ConfigSettings { var timeout = 30 }
        let config = ApplicationConfig(["http.client": ["timeout": 5]])
        #expect(try config.bind(Client.self, at: "http.client").timeout == 5)
    }
}
