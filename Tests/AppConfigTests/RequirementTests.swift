import AshlarAppConfig
import AshlarTestSupport
import Testing

@Suite struct RequirementTests {
    private struct Required: ConfigSettings {
        struct HTTP: Codable, Equatable {
            var timeout = 30
            var retries = 3
            var host = ""
        }
        struct API: Codable, Equatable { var token = "" }
        var http = HTTP()
        var mode = "safe"
        var api = API()

        static let fields = [
            ConfigField("http.timeout", in: 1...120),
            ConfigField("http.host", isRequired: true),
            ConfigField("mode", expected: "fast or safe", isRequired: true) { (mode: String) in
                ["fast", "safe"].contains(mode)
            },
            ConfigField("api.token", expected: "20 characters", isSecret: true) { (token: String) in
                token.count == 20
            },
        ]
    }

    @Test("Loading reports all problems of required settings, with locations and the most similar names")
    func allProblems() throws {
        var plan = plan([
            "ApplicationConfig.json": """
            {"http": {"timeout": 500,
              "retries": "x",
              "hots": "h"},
             "mode": "wild", "api": {"token": "hunter2"}, "com.acme.App": {"any": 1}}
            """
        ])
        plan.require(Required.self, unknownKeys: .refused)
        #expect(
            ApplicationConfig.loadReport(plan).errors.map(\.description) == [
                "http.timeout: expected 1 to 120, found integer 500 (ApplicationConfig.json:1:22)",
                "http.retries: expected Int, found string \"x\" (ApplicationConfig.json:2:14)",
                "http.host: expected String, found nothing; did you mean http.hots?",
                "mode: expected fast or safe, found string \"wild\" (ApplicationConfig.json:4:10)",
                "api.token: expected 20 characters, found string <redacted> (ApplicationConfig.json:4:35)",
                "http.hots: no such key is known (ApplicationConfig.json:3:11); did you mean http.host?",
            ])
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan) }
        #expect(error?.code == .several)
        #expect(error?.problems.count == 6)
        #expect(error?.description.hasPrefix("6 problems:\n  http.timeout: expected 1 to 120") == true)
    }

    @Test("Unknown keys are reported when loading, and unread values are listed")
    func unknownKeys() throws {
        struct Settings: ConfigSettings {
            struct HTTP: Codable, Equatable { var timeout = 1 }
            var http = HTTP()
        }
        var plan = plan(
            [
                "ApplicationConfig.json":
                    "{\"http\": {\"timeout\": 1,\n\"timeuot\": 2}, \"App\": {\"http\": {}}, \"com.acme.X\": {\"a\": 1}}"
            ], bundle: "App")
        plan.require(Settings.self, unknownKeys: .reported)
        let config = try ApplicationConfig.load(plan)
        #expect(
            config.diagnostics.map(\.description) == [
                "http.timeuot: no such key is known; did you mean http.timeout? (ApplicationConfig.json:2)"
            ])
    }

    @Test("The suggested name is correct for nearly all single typing errors")
    func hints() throws {
        let names = [
            "http.timeout", "http.retries", "http.userAgent", "cache.size", "cache.directory", "log.level", "log.file",
            "api.endpoint", "api.version", "ui.theme", "ui.language", "sync.interval", "sync.enabled",
        ]
        let config = ApplicationConfig(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        var random = SeededRandom(seed: 31)
        var right = 0
        for _ in 0..<500 {
            let name = random.pick(names)
            var typo = Array(name)
            switch random.below(3) {
            case 0: typo.remove(at: random.below(typo.count))
            case 1: typo.insert("q", at: random.below(typo.count))
            default: typo.swapAt(3, 4)
            }
            if String(typo) == name { typo[0] = "#" }
            let error = #expect(throws: ConfigError.self) { try config.get(ConfigPath(String(typo)), as: Int.self) }
            if error?.hint == "did you mean \(ConfigPath(components: [name]))?" { right += 1 }
        }
        #expect(right >= 475)
    }

    @Test("None of a thousand planted secrets is printed")
    func secrets() throws {
        var entries: [String: ConfigValue] = [:]
        for number in 0..<250 {
            entries["password\(number == 0 ? "" : " \(number)")"] = .string("hunter-\(number)-a")
            entries["plain\(number)"] = ["credentials": ["inner": ["x": .string("hunter-\(number)-b")]]]
            entries["built\(number)"] = .string("<${plain\(number).credentials.inner.x}>")
            entries["listed\(number)"] = [.string("hunter-\(number)-c")]
        }
        var plan = ConfigPlan(files: .memory([String: String]()), environments: [])
        plan.defaults = entries
        plan.secrets.paths = Set((0..<250).map { ConfigPath("listed\($0)") })
        let config = try ApplicationConfig.load(plan)
        #expect(config.string(forKey: "built7") == "<hunter-7-b>")
        var texts = [config.description, config.debugDescription, "\(config)"]
        var dumped = ""
        dump(config, to: &dumped)
        texts.append(dumped)
        texts += config.paths().map { config.explain($0) }.map { "\($0) \($0.winner as Any) \($0.shadowed)" }
        texts.append("\(ConfigDiff(from: ApplicationConfig(), to: config))")
        texts.append("\(ConfigDiff(from: config, to: ApplicationConfig()))")
        for path in config.paths() {
            texts.append("\(#expect(throws: ConfigError.self) { try config.get(path, as: Bool.self) } as Any)")
            _ = config.int(forKey: path.description)
        }
        texts += config.diagnostics.map(\.description)
        #expect(texts.allSatisfy { !$0.contains("hunter") })
        #expect(config.diagnostics.count >= 750)
    }
}
