import AshlarAppConfig
import Testing

@Suite struct LayerTests {
    static let files = [
        "ApplicationConfig.plist": plist(
            """
            <key>title</key><string>Base</string>
            <key>http</key><dict>
              <key>timeout</key><integer>30</integer>
              <key>retries</key><integer>3</integer>
            </dict>
            <key>com.acme.beta.*</key><dict><key>title</key><string>Any beta</string></dict>
            <key>com.acme.beta.App</key><dict>
              <key>http</key><dict><key>host</key><string>beta.acme.com</string></dict>
            </dict>
            """),
        "ApplicationConfig.debug.plist": plist(
            "<key>http</key><dict>\n<key>timeout</key>\n<integer>15</integer></dict>"),
        "ApplicationConfig.simulator.plist": plist("<key>title</key><string>Simulated</string>"),
    ]

    @Test(
        "Each environment's file merges over the base",
        arguments: [
            ([], "Base", 30), ([.debug], "Base", 15), ([.simulator], "Simulated", 30),
            ([.debug, .simulator], "Simulated", 15),
        ] as [([ConfigEnvironment], String, Int)])
    func environments(environments: [ConfigEnvironment], title: String, timeout: Int) throws {
        let config = try ApplicationConfig.load(plan(Self.files, environments: environments))
        #expect(config.string(forKey: "title") == title)
        #expect(config.int(forKey: "http.timeout") == timeout)
        #expect(config.int(forKey: "http.retries") == 3)
    }

    @Test(
        "Sections of a bundle identifier take precedence over environment files, and the exact one over patterns",
        arguments: [
            ("com.acme.beta.App", "Any beta", "beta.acme.com"), ("com.acme.beta.Other", "Any beta", nil),
            ("com.acme.beta", "Simulated", nil), ("com.acme.betaX.App", "Simulated", nil),
            ("com.acme.beta.App.widget", "Any beta", nil),
        ] as [(String, String, String?)])
    func bundles(identifier: String, title: String, host: String?) throws {
        let config = try ApplicationConfig.load(
            plan(Self.files, environments: [.debug, .simulator], bundle: identifier))
        #expect(config.string(forKey: "title") == title)
        #expect(config.string(forKey: "http.host") == host)
        #expect(config.int(forKey: "http.timeout") == 15)
        #expect(config["com.acme.beta.App"]?.dictionary?["http"] == ["host": "beta.acme.com"])
    }

    @Test("An explanation names file and line of a value and of all overridden values")
    func explains() throws {
        let config = try ApplicationConfig.load(plan(Self.files, environments: [.debug], bundle: "com.acme.beta.App"))
        let timeout = config.explain("http.timeout")
        #expect(
            timeout.description == """
                http.timeout = 15
                  from ApplicationConfig.debug.plist:6 (environment debug)
                  over 30 from ApplicationConfig.plist:6 (base)
                """)
        #expect(timeout.winner?.location.line == 6)
        let title = config.explain("title")
        #expect(
            title.description == """
                title = "Any beta"
                  from ApplicationConfig.plist:9 (bundle override com.acme.beta.*)
                  over "Base" from ApplicationConfig.plist:4 (base)
                """)
        let http = config.explain("http")
        #expect(http.merged.count == 2)
        #expect(config.explain("http.none").description == "http.none = nothing")
    }

    @Test("A value set at run time overrides the file's and exists only in its copy")
    func runtime() throws {
        let loaded = try ApplicationConfig.load(plan(Self.files))
        var config = loaded
        config["http.timeout"] = 5
        config["http.extra.deep"] = "x"
        config["title"] = nil
        #expect(config.int(forKey: "http.timeout") == 5)
        #expect(config.int(forKey: "http.retries") == 3)
        #expect(config.string(forKey: "http::extra::deep") == "x")
        #expect(config.string(forKey: "title") == nil)
        #expect(!config.allKeys.contains("title"))
        #expect(config.explain("http.timeout").winner?.location.name == "run time")
        #expect(config.explain("http.timeout").shadowed.map(\.location.description) == ["ApplicationConfig.plist:6"])
        #expect(loaded.int(forKey: "http.timeout") == 30)
        #expect(loaded.string(forKey: "title") == "Base")
    }

    @Test("A bad file never becomes an empty configuration")
    func badFile() throws {
        var files = Self.files
        files["ApplicationConfig.debug.plist"] = plist("<key>http</key>\n<integer>12x</integer>")
        let plan = plan(files, environments: [.debug, .simulator])
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan) }
        #expect(
            error?.description
                == "http: expected a 64-bit integer, found \"12x\" (ApplicationConfig.debug.plist:5:1)")
        let report = ApplicationConfig.loadReport(plan)
        #expect(report.errors.map(\.code) == [.malformedSource])
        #expect(report.config.string(forKey: "title") == "Simulated")
        #expect(report.config.int(forKey: "http.timeout") == 30)
    }

    @Test("Secret values are redacted in descriptions and explanations, not in reads")
    func secrets() throws {
        let config = try ApplicationConfig.load(
            plan(["ApplicationConfig.plist": plist("<key>apiToken</key><string>hunter2</string>")]))
        #expect(config.string(forKey: "apiToken") == "hunter2")
        #expect(config.description == "apiToken = <redacted>")
        #expect(!"\(config.explain("apiToken"))".contains("hunter2"))
        var text = ""
        dump(config, to: &text)
        #expect(!text.contains("hunter2"))
    }

    @Test("Literal layers have no directives and references; other layers do")
    func literalLayers() throws {
        let files = [
            "ApplicationConfig.json": """
            {"a": "${no}", "d": {"$x": 1, "k": "base"}, "com.acme.App": {"s": "${a}", "$y": 2}}
            """,
            "ApplicationConfig.debug.json": """
            {"b": "<${a}>", "a2": "${a}", "d": {"$secret": ["n"], "n": 1}}
            """,
        ]
        var plan = plan(files, environments: [.debug], bundle: "com.acme.App")
        plan.defaults = ["own": "${x}"]
        plan.literalLayers = [.base, .defaults]
        let config = try ApplicationConfig.load(plan)
        #expect(config["a"] == "${no}")
        #expect(config["b"] == "<${no}>")
        #expect(config["a2"] == "${no}")
        #expect(config["own"] == "${x}")
        #expect(config["d"] == ["$x": 1, "k": "base", "n": 1])
        #expect(config["s"] == "${a}")
        #expect(config["$y"] == 2)
        #expect(config.explain("s").winner?.layer == .bundle)
        plan.literalLayers = [.environment]
        let errors = ApplicationConfig.loadReport(plan).errors.map(\.key)
        #expect(errors.contains("d.$x") && errors.contains("com\\.acme\\.App.$y"), "\(errors)")
    }

    @Test("A diagnostic is one line")
    func oneLine() throws {
        let files = [
            "ApplicationConfig.json": #"{"a\nb": {}}"#, "ApplicationConfig.debug.json": #"{"a\nb": 5}"#,
        ]
        let config = try ApplicationConfig.load(plan(files, environments: [.debug]))
        #expect(config.diagnostics.map { $0.description.contains("\n") } == [false])
    }
}
