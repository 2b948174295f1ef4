import AshlarAppConfig
import Testing

@Suite struct GivenValueTests {
    static func load(
        variables: [String: String] = [:], arguments: [String] = [], adjust: (inout ConfigPlan) -> Void = { _ in }
    ) -> ConfigLoadReport {
        var plan = plan([
            "ApplicationConfig.json": """
            {"http": {"timeout": 30, "userAgent": "x", "max-retries": 3}, "hosts": ["a"], "com.acme.App": {"t": 1}, "n": {}}
            """
        ])
        plan.variablePrefix = "APP_"
        plan.variables = variables
        plan.arguments = arguments
        adjust(&plan)
        return ApplicationConfig.loadReport(plan)
    }

    @Test(
        "A variable sets the key it names",
        arguments: [
            ("APP_HTTP__TIMEOUT", "5", "http.timeout"), ("APP_http__timeout", "5", "http.timeout"),
            ("APP_HTTP__USERAGENT", "", "http.userAgent"), ("APP_HTTP__MAX_RETRIES", "9", "http.max-retries"),
            ("APP_COM_ACME_APP__T", "7", "com\\.acme\\.App.t"),
        ])
    func variables(name: String, text: String, key: String) throws {
        let report = Self.load(variables: [name: text, "OTHER": "x", "APPLE": "y", "APP_": "z"])
        #expect(report.errors.isEmpty)
        #expect(report.config[ConfigPath(key)] == .string(text))
        #expect(report.config.explain(ConfigPath(key)).winner?.location.description == name)
        #expect(report.config.explain(ConfigPath(key)).shadowed.count == 1)
        #expect(report.config.diagnostics.allSatisfy { $0.code != .unknownKey })
    }

    @Test("A variable of an unknown key sets it in lowercase, with a diagnostic")
    func unknownVariable() throws {
        let report = Self.load(variables: ["APP_HTTP__TIMEOOT": "5"])
        #expect(report.config.string(forKey: "http.timeoot") == "5")
        #expect(
            report.config.diagnostics.filter { $0.code == .unknownKey }.map(\.description) == [
                "http.timeoot: the variable sets an unknown key (APP_HTTP__TIMEOOT)"
            ])
    }

    @Test("Required settings make keys known that only variables set, so that a decoded struct has them")
    func declaredKeys() throws {
        struct Settings: ConfigSettings {
            var dbURL = ""
            static let fields = [ConfigField("dbURL", isRequired: true)]
        }
        let report = Self.load(variables: ["APP_STORAGE__DBURL": "db://x"]) { $0.require(Settings.self, at: "storage") }
        #expect(report.errors.isEmpty)
        #expect(try report.config.decode(Settings.self, at: "storage").dbURL == "db://x")
        #expect(Self.load(adjust: { $0.require(Settings.self, at: "storage") }).errors.map(\.code) == [.missingKey])
    }

    @Test("Arrays and dictionaries are given as JSON")
    func json() throws {
        let report = Self.load(variables: ["APP_HOSTS": "[\"b\", \"c\"]", "APP_N": "{\"x\": 1}"])
        #expect(report.config["hosts"] == ["b", "c"])
        #expect(report.config["n"] == ["x": 1])
        for text in ["b,c", "1],\"x\":[2", "", "{}"] {
            let error = try #require(Self.load(variables: ["APP_HOSTS": text]).errors.first)
            #expect(
                error.description
                    == #"expected a JSON array such as ["a", "b"], found other text (APP_HOSTS)"#)
        }
    }

    @Test("Arguments set values, take precedence over variables, and end at --")
    func arguments() throws {
        let report = Self.load(
            variables: ["APP_HTTP__TIMEOUT": "5"],
            arguments: [
                "run", "--http.timeout=6", "--set", "new.key=a,b=c", "--verbose", "--other=1",
                "--http.userAgent=Doe, Jane",
                "--", "--http.timeout=7",
            ])
        let config = report.config
        #expect(report.errors.isEmpty)
        #expect(config.int(forKey: "http.timeout") == 6)
        #expect(config.string(forKey: "new.key") == "a,b=c")
        #expect(config.string(forKey: "http.userAgent") == "Doe, Jane")
        #expect(config["other"] == nil)
        #expect(
            config.explain("http.timeout").description == """
                http.timeout = "6"
                  from --http.timeout (command line)
                  over "5" from APP_HTTP__TIMEOUT (environment variables)
                  over 30 from ApplicationConfig.json:1 (base)
                """)
        #expect(config.diagnostics.contains { $0.code == .unknownKey && $0.key == "other" })
        #expect(
            Self.load(arguments: ["--set"]).errors.map(\.description) == ["expected path=value, found nothing (--set)"])
        #expect(Self.load(arguments: ["--set", "=x"]).errors.count == 1)
    }

    @Test("An explanation of a dictionary names the variable that sets an entry in it")
    func places() throws {
        var plan = plan(["ApplicationConfig.json": "{\"http\": {\"timeout\": 1, \"host\": \"h\"}, \"a\": 0}"])
        plan.variablePrefix = "APP_"
        plan.variables = ["APP_A": "1", "APP_HTTP__TIMEOUT": "5", "APP_NEW__B__C": "x", "APP_NEW__D": "y"]
        plan.arguments = ["--set", "zone=1", "--set", "deep.er.value=2"]
        let config = try ApplicationConfig.load(plan)
        #expect(
            config.explain("http").description == """
                http = {2 values}
                  from APP_HTTP__TIMEOUT (environment variables)
                  merged with ApplicationConfig.json:1 (base)
                """)
        #expect(config.explain("new").winner?.location.description == "APP_NEW__B__C")
        #expect(config.explain("new.b").winner?.location.description == "APP_NEW__B__C")
        #expect(config.explain("deep.er").winner?.location.description == "--set deep.er.value")
        let error = #expect(throws: ConfigError.self) { try config.get("new.b", as: Int.self) }
        #expect(error?.description == "new.b: expected Int, found dictionary of 1 (APP_NEW__B__C)")
    }

    @Test("Arguments find known keys regardless of case")
    func spellings() throws {
        func load(_ arguments: [String], _ text: String = "{\"http\": {\"maxSize\": 1}, \"list\": [1]}")
            -> ConfigLoadReport
        {
            var plan = plan(["ApplicationConfig.json": text])
            plan.arguments = arguments
            return ApplicationConfig.loadReport(plan)
        }
        let config = load(["--HTTP.maxsize=9", "--set=http.retries=6", "--set", "New.Key=1"]).config
        #expect(config.values == ["http": ["maxSize": "9", "retries": "6"], "list": [1], "New": ["Key": "1"]])
        #expect(config.diagnostics.filter { $0.code == .unknownKey }.isEmpty)
        // If there is a key with that name, the spelling means this key.
        #expect(load(["--set=a=b"], "{\"set\": 1}").config.values == ["set": "a=b"])
        let index = load(["--set", "[0]=5"])
        #expect(
            index.errors.map(\.description) == [
                "[0]: expected a path of 1 to 64 steps that begins with a key, found another path (--set [0])"
            ])
        #expect(load(["--list[0]=5"]).config["list"] == ["5"])
    }

    @Test("JSON can begin on another line")
    func jsonAfterLineBreak() {
        struct Lists: ConfigSettings { var hosts: [String] = [] }
        let report = Self.load(variables: ["APP_HOSTS": "\n[\"b\", \"c\"]\n"]) { $0.declare(Lists.self) }
        #expect(report.errors.isEmpty)
        #expect(report.config["hosts"] == ["b", "c"])
    }

    @Test("A value can begin with a combining mark")
    func combiningMark() {
        let report = Self.load(arguments: ["--set", "title=\u{301}x", "--http.userAgent=\u{301}y"])
        #expect(report.errors.isEmpty)
        #expect(report.config["title"] == "\u{301}x")
        #expect(report.config["http.userAgent"] == "\u{301}y")
    }
}
