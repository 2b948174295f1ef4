import AshlarAppConfig
import AshlarTestSupport
import Testing

@Suite struct SchemaTests {
    @Test("All problems are reported together, with locations and the most similar names")
    func allProblems() throws {
        let schema = ConfigSchema(
            [
                .optional(ConfigKey("http.timeout", default: 30), in: 1...120),
                .optional(ConfigKey("http.retries", default: 3)),
                .required(RequiredConfigKey("http.host", as: String.self)),
                .required(RequiredConfigKey("mode", as: String.self), expected: "fast or safe") {
                    ["fast", "safe"].contains($0)
                },
                .optional(ConfigKey("api.token", default: "", secret: true), expected: "20 characters") {
                    $0.count == 20
                },
            ], unknownKeys: .refused)
        var plan = plan([
            "ApplicationConfig.json": """
            {"http": {"timeout": 500,
              "retries": "x",
              "hots": "h"},
             "mode": "wild", "api": {"token": "hunter2"}, "com.acme.App": {"any": 1}}
            """
        ])
        plan.schema = schema
        let report = ApplicationConfig.loadReport(plan)
        #expect(
            report.errors.map(\.description) == [
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

    @Test("Unknown keys are listed, or reported when loading")
    func unknownKeys() throws {
        let schema = ConfigSchema([.optional(ConfigKey("http.timeout", default: 1))], unknownKeys: .reported)
        var plan = plan(
            [
                "ApplicationConfig.json":
                    "{\"http\": {\"timeout\": 1,\n\"timeuot\": 2}, \"App\": {\"http\": {}}, \"com.acme.X\": {\"a\": 1}}"
            ], bundle: "App")
        plan.schema = schema
        let config = try ApplicationConfig.load(plan)
        #expect(
            config.diagnostics.map(\.description) == [
                "http.timeuot: no such key is known; did you mean http.timeout? (ApplicationConfig.json:2)"
            ])
        #expect(config.unknownKeys(schema).map(\.key) == ["http.timeuot"])
        let tracked = config.trackingAccess()
        _ = tracked.int(forKey: "http.timeout")
        #expect(tracked.unusedKeys() == ["http.timeuot"])
        var changed = tracked
        changed["http.timeuot"] = nil
        #expect(changed.unusedKeys() == [])
    }

    @Test("Validation finds every planted problem", arguments: [1, 2, 50, 500])
    func planted(count: Int) throws {
        let keys = (0..<600).map { ConfigKey("section\($0 % 7).key\($0)", default: 0) }
        var config = ApplicationConfig()
        for (number, key) in keys.enumerated() { config[ConfigPath(key.name)] = number < count ? "bad" : 1 }
        let error = #expect(throws: ConfigError.self) { try config.validate(ConfigSchema(keys.map { .optional($0) })) }
        #expect((error?.problems.isEmpty == true ? 1 : error?.problems.count) == count)
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
        texts += config.explainAll().map { "\($0) \($0.winner as Any) \($0.shadowed)" }
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
