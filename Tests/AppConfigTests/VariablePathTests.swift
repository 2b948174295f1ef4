import AshlarAppConfig
import AshlarTestSupport
import Testing

@Suite struct VariablePathTests {
    private func load(
        _ base: String, variables: [String: String] = [:], arguments: [String] = []
    ) -> ConfigLoadReport {
        var plan = plan(["ApplicationConfig.json": base])
        plan.variablePrefix = "APP_"
        plan.variables = variables
        plan.arguments = arguments
        return ApplicationConfig.loadReport(plan)
    }

    @Test("An unknown key is added to its section, in lowercase")
    func sections() {
        let report = load(
            #"{"web": {"timeout": 30}, "camel": {"maxSize": 1}}"#,
            variables: [
                "APP_WEB__RETRIES": "3", "APP_CAMEL__MAX_RETRIES": "4", "APP_NEW__MAX_RETRIES": "5",
                "APP_web__minSize": "6",
            ])
        #expect(report.errors.isEmpty)
        #expect(
            report.config.values == [
                "web": ["timeout": 30, "retries": "3", "minSize": "6"], "camel": ["maxSize": 1, "max_retries": "4"],
                "new": ["max_retries": "5"],
            ])
        #expect(report.config.diagnostics.filter { $0.code == .unknownKey }.count == 4)
    }

    @Test("Separators and case are ignored for known keys", arguments: ["maxRetries", "max-retries", "max_retries"])
    func separators(key: String) {
        let report = load("{\"http\": {\"\(key)\": 1}}", variables: ["APP_HTTP__MAX_RETRIES": "2"])
        #expect(report.config.values == ["http": [key: "2"]])
        #expect(report.config.diagnostics.allSatisfy { $0.code != .unknownKey })
    }

    @Test("Of keys that differ in separators only, the one with the variable's separators is set")
    func similarKeys() {
        let report = load(#"{"maxRetries": 1, "max_retries": 2}"#, variables: ["APP_MAX_RETRIES": "3"])
        #expect(report.config.values == ["maxRetries": 1, "max_retries": "3"])
    }

    @Test(
        "A single underscore between keys is a hint to the known path",
        arguments: [
            ("APP_FOO_BAR", "APP_FOO__BAR"), ("APP_FOO_MAX_SIZE", "APP_FOO__MAX_SIZE"),
            ("APP_DEEP_ER_X", "APP_DEEP__ER__X"),
            ("APP_FOO__BAR_X", nil), ("APP_NEW_KEY", nil),
        ] as [(String, String?)])
    func underscores(name: String, hint: String?) throws {
        let report = load(#"{"foo": {"bar": 1, "maxSize": 2}, "deep": {"er": {"x": 1}}}"#, variables: [name: "5"])
        let diagnostic = try #require(report.config.diagnostics.first { $0.code == .unknownKey })
        #expect(diagnostic.message == "the variable sets an unknown key" + (hint.map { "; did you mean \($0)?" } ?? ""))
    }

    @Test("A literal key with dots, which hides the path, is set")
    func literalKeys() {
        let base =
            #"{"font.title.size": 12, "com.acme.App": {"http": {"timeout": 1}}, "font": {"title": {"face": "A"}}}"#
        let report = load(
            base,
            variables: [
                "APP_FONT__TITLE__SIZE": "14", "APP_FONT__TITLE__FACE": "B", "APP_COM__ACME__APP__HTTP__TIMEOUT": "2",
            ])
        #expect(report.errors.isEmpty)
        #expect(
            report.config.values == [
                "font.title.size": "14", "com.acme.App": ["http": ["timeout": "2"]], "font": ["title": ["face": "B"]],
            ])
        #expect(report.config.int(forKey: "font.title.size") == 14)
    }

    @Test("A variable below a scalar replaces the scalar")
    func scalar() {
        let report = load(#"{"a": 1}"#, variables: ["APP_A__B": "2"])
        #expect(report.config.values == ["a": ["b": "2"]])
        #expect(report.config.diagnostics.contains { $0.code == .kindConflict && $0.key == "a" })
    }

    @Test("Typed keys are known paths")
    func typedKeys() {
        let key = ConfigKey("typedOnly.maxSize", default: 0)
        let report = load("{}", variables: ["APP_TYPEDONLY__MAX_SIZE": "2"], arguments: ["--TypedOnly.maxsize=3"])
        #expect(report.config[key] == 3)
        #expect(report.config.diagnostics.allSatisfy { $0.code != .unknownKey })
    }

    @Test("Single elements of arrays are set")
    func elements() throws {
        let base = #"{"servers": ["a", "b"], "hosts": [{"name": "x", "port": 1}], "n": 1}"#
        let report = load(
            base, variables: ["APP_SERVERS__0": "p", "APP_SERVERS__2": "r", "APP_HOSTS__0__PORT": "2"],
            arguments: ["--servers[1]=q", "--set", "hosts[1]={}"])
        #expect(report.errors.isEmpty)
        #expect(report.config["servers"] == ["p", "q", "r"])
        #expect(report.config["hosts"] == [["name": "x", "port": "2"], "{}"])
        let error = try #require(load(base, variables: ["APP_SERVERS__5": "p"]).errors.first)
        #expect(error.description == "servers[5]: expected an index up to 2, found 5 (APP_SERVERS__5)")
    }

    @Test("A string for an array is an error with the expected form")
    func form() throws {
        let error = try #require(load(#"{"servers": ["a"]}"#, variables: ["APP_SERVERS": "x,y"]).errors.first)
        #expect(error.description == #"expected a JSON array such as ["a", "b"], found other text (APP_SERVERS)"#)
    }

    @Test(
        "A thousand variables or arguments take little more time than one in a dictionary of 5,000 keys",
        arguments: [true, false])
    func manyValues(areVariables: Bool) {
        let base = "{\"s\": {\((0..<5000).map { "\"someKey\($0)\": \($0)" }.joined(separator: ","))}}"
        let ratio = growth(from: 1, to: 1000, limit: 8) { count -> ConfigPlan in
            var plan = plan(["ApplicationConfig.json": base])
            if areVariables {
                plan.variablePrefix = "APP_"
                plan.variables = Dictionary(
                    uniqueKeysWithValues: (0..<count).map { ("APP_S__SOME_KEY\($0)", "v") })
            } else {
                plan.arguments = (0..<count).map { "--s.SomeKey\($0)=v" }
            }
            return plan
        } _: { plan in
            let report = ApplicationConfig.loadReport(plan)
            #expect(report.config.string(forKey: "s.someKey0") == "v" && report.errors.isEmpty)
        }
        // If each value reads or copies its dictionary, a thousand take a hundred times as long as one.
        #expect(ratio < 8)
    }

    @Test("The longest literal key is set, and no scalar is a section")
    func literalPrefixes() {
        let report = load(
            #"{"font.title": "A", "font.title.size": 12, "a.b": "x", "a": {"b": {"c": 1}}}"#,
            variables: ["APP_FONT__TITLE__SIZE": "14", "APP_A__B__C": "2"])
        #expect(
            report.config.values == [
                "font.title": "A", "font.title.size": "14", "a.b": "x", "a": ["b": ["c": "2"]],
            ])
    }
}
