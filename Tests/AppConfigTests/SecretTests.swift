import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct SecretTests {
    /// All descriptions of a configuration, its values, and its changes.
    static func prints(_ config: ApplicationConfig) -> String {
        var texts = [config.description, config.debugDescription, "\(config)", String(reflecting: config)]
        var dumped = ""
        dump(config, to: &dumped)
        texts.append(dumped)
        texts += Mirror(reflecting: config).children.map { "\($0.label ?? "") \($0.value)" }
        for explanation in config.paths().map({ config.explain($0) }) {
            texts.append("\(explanation)")
            dumped = ""
            dump(explanation, to: &dumped)
            texts.append(dumped)
        }
        texts.append("\(ConfigDiff(from: ApplicationConfig(), to: config))")
        texts.append("\(ConfigDiff(from: config, to: ApplicationConfig()))")
        for path in config.paths() {
            do { _ = try config.get(path, as: [Bool].self) } catch { texts.append("\(error)") }
            do { _ = try config.decode([Bool].self, at: path) } catch { texts.append("\(error)") }
            _ = config.value(forKey: path.description, as: [ConfigValue].self)
        }
        texts += config.diagnostics.map(\.description)
        return texts.joined(separator: "\n")
    }

    @Test("A value declared secret, and every value built from it, is never printed")
    func declaredKey() throws {
        let key = ConfigKey("declared.pin", default: 0, secret: true)
        let code = ConfigKey("declared.code", default: "", secret: true)
        let literal = ConfigKey("declared.dotted.pin", default: "", secret: true)
        let config = try ApplicationConfig.load(
            plan(
                [
                    "ApplicationConfig.json": """
                    {"declared": {"pin": "hunter-1", "code": "hunter-2", "plain": "seen"}, "declared.dotted.pin": "hunter-3",
                     "url": "db://${declared.pin}@h", "again": "<${url}>", "deep": ["${again}"],
                     "com.acme.App": {"declared": {"pin": "hunter-4"}}}
                    """,
                    "ApplicationConfig.debug.json": #"{"declared": {"pin": "hunter-5${declared.code}"}}"#,
                ], environments: [.debug], bundle: "com.acme.App"))
        #expect(config.string(forKey: "again") == "<db://hunter-4@h>")
        #expect(config[literal] == "hunter-3")
        #expect(config[code] == "hunter-2")
        #expect(config[key] == 0)
        var changed = config
        changed["declared.pin"] = "hunter-6"
        changed["other"] = 1
        let all = [
            config, changed, config.scoped(to: "declared"), config.scoped(to: "declared", inheritsRoot: false),
            config.merging(["declared": ["pin": "hunter-7"]]), config.scoped(to: "com\\.acme\\.App::declared"),
        ]
        for config in all {
            let printed = Self.prints(config)
            #expect(!printed.contains("hunter"), "\(printed.split(separator: "\n").filter { $0.contains("hunter") })")
            #expect(printed.contains("<redacted>"))
        }
        #expect(config.description.contains("declared.plain = \"seen\""))
    }

    @Test("A key declared secret after loading is then hidden, also in built values")
    func declaredLate() throws {
        let config = try ApplicationConfig.load(
            plan([
                "ApplicationConfig.json": #"""
                {"late": {"digits": "hunter"}, "built": {"once": "x${late.digits}"}, "twice": "<${built.once}>",
                 "open": "seen"}
                """#
            ]))
        #expect(config.description.contains("hunter"))
        let key = ConfigKey("late.digits", default: "", secret: true)
        #expect(config[key] == "hunter")
        let lines = ["built.once = <redacted>", "late.digits = <redacted>", "open = \"seen\"", "twice = <redacted>"]
        #expect(config.description == lines.joined(separator: "\n"))
        #expect(!Self.prints(config).contains("hunter"))
    }

    @Test("Secrets are hidden in errors of readers and of required settings")
    func requiredSecrets() throws {
        struct Ledger: ConfigSettings { var number = 0 }
        var plan = plan([
            "ApplicationConfig.plist": plist(
                "<key>ledger</key><dict><key>number</key><integer>hunter</integer></dict>")
        ])
        plan.secrets = ConfigSecrets(paths: ["ledger.number"], includesStandardNames: false)
        let reader = try #require(ApplicationConfig.loadReport(plan).errors.first)
        #expect(reader.description.contains("found <redacted> (ApplicationConfig.plist:4"))
        plan = AshlarAppConfigTests.plan(["ApplicationConfig.json": #"{"ledger": {"number": "hunter"}}"#])
        plan.secrets = ConfigSecrets(paths: ["ledger"], includesStandardNames: false)
        plan.require(Ledger.self, at: "ledger")
        let problem = try #require(ApplicationConfig.loadReport(plan).errors.first)
        #expect(problem.description.contains("ledger.number: expected Int, found string <redacted>"))
    }

    @Test("Errors of readers hide secrets at any depth")
    func deepSecrets() throws {
        let (open, close) = (
            String(repeating: "<dict><key>a</key>", count: 90), String(repeating: "</dict>", count: 90)
        )
        let bad = "<dict><key>password</key><integer>hunter2</integer></dict>"
        let error = try #require(loadError("<plist>\(open)\(bad)\(close)</plist>"))
        #expect(error.code == .malformedSource)
        #expect(!error.description.contains("hunter2"), "\(error)")
    }

    @Test("A replacement value is hidden if it is secret itself")
    func replacing() throws {
        var plan = plan(
            ["ApplicationConfig.json": #"{"x": {"p": 1}}"#, "ApplicationConfig.debug.json": #"{"x": "hunter"}"#],
            environments: [.debug])
        plan.secrets = ConfigSecrets(paths: ["x"], includesStandardNames: false)
        let explanation = try ApplicationConfig.load(plan).explain("x.p")
        #expect(explanation.removed?.text == "<redacted>")
    }

    @Test("Differences and documents print no secrets, even dumped")
    func dumps() throws {
        let values: [String: ConfigValue] = [
            "apiToken": "hunter", "list": [["password": "hunter"]], "url": "db://user:hunter@host",
        ]
        let config = ApplicationConfig(values)
        let diff = ConfigDiff(from: [:], to: config)
        let subjects: [Any] = [
            diff, diff.changes[0], Result<ConfigDiff, ConfigError>.success(diff), ConfigDocument(values),
            ConfigSourceContent.document(ConfigDocument(values)),
            ConfigStore(config).changes(), config.explain("apiToken"),
        ]
        for subject in subjects {
            var dumped = ""
            dump(subject, to: &dumped)
            for text in [dumped, "\(subject)", String(reflecting: subject)] {
                #expect(!text.contains("hunter"), "\(text)")
            }
        }
    }

    @Test("The error of an unresolved reference doesn't quote credentials in URLs")
    func references() throws {
        let config = plan(["ApplicationConfig.json": #"{"a": "${db://user:hunter@host}"}"#])
        let error = try #require(ApplicationConfig.loadReport(config).errors.first)
        #expect(error.description.hasPrefix("a: ${db://<redacted>@host} is not defined"), "\(error)")
    }

    @Test("An error of a type's own decoding doesn't quote credentials in URLs")
    func decodingErrors() throws {
        enum Mode: String, Codable { case fast }
        let config = ApplicationConfig(["mode": "db://user:hunter@host", "modes": ["db://user:hunter@host"]])
        let error = #expect(throws: ConfigError.self) { try config.decode(Mode.self, at: "mode") }
        let inner = #expect(throws: ConfigError.self) { try config.decode([Mode].self, at: "modes") }
        for error in [error, inner] {
            #expect(error?.description.contains("from invalid String value db://<redacted>@host") == true)
            #expect(error?.description.contains("hunter") == false)
        }
    }

    @Test("Plans, stores and keys print no values")
    func plansAndStores() throws {
        var plan = plan(["ApplicationConfig.json": #"{"password": "hunter"}"#])
        plan.defaults = ["token": "hunter"]
        plan.variables = ["APP_PIN": "hunter"]
        plan.arguments = ["--pin=hunter"]
        let store = try ConfigStore(loading: plan)
        let key = ConfigKey("some.secret", default: "hunter", secret: true)
        for subject in [plan, plan.files, store, key] as [Any] {
            var dumped = ""
            dump(subject, to: &dumped)
            #expect(!dumped.contains("hunter"), "\(dumped)")
            #expect(!"\(subject)".contains("hunter"))
            #expect(!String(reflecting: subject).contains("hunter"))
        }
        #expect("\(plan)".contains("ApplicationConfig"))
    }

    @Test("A difference hides values that are secret on either side")
    func differences() throws {
        func load(_ text: String) throws -> ApplicationConfig {
            try ApplicationConfig.load(plan(["ApplicationConfig.json": text]))
        }
        let open = try load("{\"pin\": \"hunter-1\", \"gone\": \"hunter-2\", \"db\": {\"x\": \"hunter-3\"}, \"n\": 1}")
        let marked = try load(
            "{\"pin\": \"hunter-4\", \"new\": 2, \"db\": {\"x\": \"hunter-5\"}, \"$secret\": [\"pin\", \"gone\", \"db\"], \"n\": 2}"
        )
        let expected = ["db.x", "gone", "n", "new", "pin"]
        for diff in [ConfigDiff(from: open, to: marked), ConfigDiff(from: marked, to: open)] {
            #expect(diff.changes.map(\.path.description) == expected)
            #expect(!diff.description.contains("hunter"), "\(diff)")
        }
        #expect(ConfigDiff(from: open, to: marked).description.contains("n: 1 → 2"))
    }

    @Test("The default of a secret is hidden in an overridden reference, too")
    func overriddenDefaults() throws {
        let files = [
            "ApplicationConfig.json": """
            {"a": "${db.password:-hunter2}", "b": "x${none:-${env:API_TOKEN:-hunter2}}", "c": "${db.password:-hunter2",
             "d": {"e": "${db.password:-hunter2}"}}
            """,
            "ApplicationConfig.debug.json": #"{"a": 1, "b": 2, "c": 3, "d": 4}"#,
        ]
        let config = try ApplicationConfig.load(plan(files, environments: [.debug]))
        #expect(config.values == ["a": 1, "b": 2, "c": 3, "d": 4])
        #expect(!Self.prints(config).contains("hunter2"))
        #expect(config.explain("d.e").removed != nil && !"\(config.explain("d.e"))".contains("hunter2"))
        #expect("\(config.explain("a"))".contains("over <redacted> from ApplicationConfig.json:1"))
    }

    @Test("A secret that contains a malformed reference is not quoted")
    func lookalikes() {
        for text in ["pa${hunter}ss", "${hunter", "pa${env:hunter}", "${list}hunter"] {
            let report = ApplicationConfig.loadReport(
                plan(["ApplicationConfig.json": "{\"password\": \"\(text)\", \"hunters\": 1, \"list\": []}"]))
            #expect(report.errors.map(\.key) == ["password"])
            #expect(!report.errors.description.contains("hunter"), "\(report.errors)")
        }
    }

    private struct Marked: ConfigSource {
        let name = "marked"
        var isWhole = false

        func content() throws -> ConfigSourceContent {
            if isWhole {
                var content = ConfigSourceContent.bytes(
                    Array(#"{"plain": "hunter1", "list": ["hunter2", {"x": "hunter3"}], "map": {"a": "hunter4"}}"#.utf8)
                )
                content.isSecret = true
                return content
            }
            var document = ConfigDocument()
            try document.set("hunter1", at: "plain", isSecret: true)
            try document.set(["hunter2", ["x": "hunter3"]], at: "list", isSecret: true)
            try document.set(["a": "hunter4"], at: "map", isSecret: true)
            try document.set("visible", at: "other")
            return .document(document)
        }
    }

    @Test(
        "Values that a source marks as secret are never printed, nor values built from them", arguments: [false, true])
    func markedValues(isWhole: Bool) throws {
        var plan = plan([
            "ApplicationConfig.json":
                #"{"built": "<${plain}>", "copy": "${map.a}", "map": {"b": "shown"}, "number": 1}"#
        ])
        plan.add(Marked(isWhole: isWhole))
        let config = try ApplicationConfig.load(plan)
        #expect(config.string(forKey: "built") == "<hunter1>" && config["copy"] == "hunter4")
        let text = Self.prints(config)
        #expect(!text.contains("hunter"), "\(text)")
        #expect(text.contains("map.b = \"shown\"") && text.contains("number = 1"))
        #expect(text.contains("visible") == !isWhole)
        let error = #expect(throws: ConfigError.self) { try config.get("plain", as: Int.self) }
        #expect(error?.description.contains("hunter") == false)
        // A stronger value isn't the source's.
        plan.arguments = ["--plain=shown too"]
        let changed = try ApplicationConfig.load(plan)
        #expect("\(changed.explain("plain"))".contains("shown too"))
        #expect(!Self.prints(changed).contains("hunter"))
        var dumped = ""
        dump(try Marked(isWhole: isWhole).content(), to: &dumped)
        #expect(!dumped.contains("hunter"), "\(dumped)")
    }

    @Test(
        "A folder that is named for secrets marks its values",
        arguments: [
            ("run/secrets", nil, true), ("db-secret", nil, true), ("settings", nil, false),
            ("settings", true, true), ("secrets", false, false),
        ] as [(String, Bool?, Bool)])
    func folders(name: String, isSecret: Bool?, isHidden: Bool) throws {
        let scratch = try TemporaryFolder([:])
        try FileManager.default.createDirectory(atPath: scratch.file(name), withIntermediateDirectories: true)
        try scratch.write("hunter2", to: "\(name)/plain", atomically: false)
        var plan = plan([:])
        plan.add(FolderConfigSource(scratch.file(name), isSecret: isSecret))
        let config = try ApplicationConfig.load(plan)
        #expect(config.string(forKey: "plain") == "hunter2")
        #expect(Self.prints(config).contains("hunter2") == !isHidden)
    }

    @Test("An error is dumped without the text of the error beneath it")
    func underlyingErrors() {
        struct Failure: Error { let text = "hunter2" }
        struct Broken: ConfigSource {
            let name = "broken"
            func content() throws -> ConfigSourceContent { throw Failure() }
        }
        var plan = plan([:])
        plan.add(Broken())
        var dumped = ""
        dump(ApplicationConfig.loadReport(plan).errors, to: &dumped)
        #expect(!dumped.contains("hunter2") && dumped.contains("Failure"), "\(dumped)")
    }

    @Test("Listed secrets are secret in a section without a dot")
    func dotlessSection() throws {
        var plan = plan(["ApplicationConfig.json": #"{"App": {"ledger": {"number": "hunter"}}}"#], bundle: "App")
        plan.secrets.paths = ["ledger.number"]
        #expect(!Self.prints(try ApplicationConfig.load(plan)).contains("hunter"))
    }

    @Test("A secret of a scope stays hidden after it is replaced")
    func replacedInScope() throws {
        var plan = plan(["ApplicationConfig.json": #"{"safe": {"digits": "hunter"}}"#])
        plan.secrets = ConfigSecrets(paths: ["safe.digits"], includesStandardNames: false)
        let scope = try ApplicationConfig.load(plan).scoped(to: "safe")
        var written = scope
        written["digits"] = "open"
        for config in [written, scope.merging(["digits": "open"])] {
            #expect(!"\(config.explain("digits"))".contains("hunter"))
            let error = #expect(throws: ConfigError.self) { try config.get("digits", as: [Bool].self) }
            #expect(error?.description.contains("hunter") == false)
        }
    }
}
