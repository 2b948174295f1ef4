import AshlarAppConfig
import AshlarTestSupport
import Testing

/// Variables and arguments that set single elements of arrays.
@Suite struct ElementTests {
    private func load(
        _ base: String, variables: [String: String] = [:], arguments: [String] = [],
        adjust: (inout ConfigPlan) -> Void = { _ in }
    ) -> ConfigLoadReport {
        var plan = plan(["ApplicationConfig.json": base])
        plan.variablePrefix = "APP_"
        plan.variables = variables
        plan.arguments = arguments
        adjust(&plan)
        return ApplicationConfig.loadReport(plan)
    }

    @Test("Setting one element keeps the references and the origins of the others")
    func siblings() {
        let base =
            "{\"host\": \"h\",\n\"servers\": [\"https://${host}/a\",\n\"b\",\n{\"name\": \"${host}\", \"port\": 1}]}"
        let report = load(
            base, variables: ["APP_SERVERS__1": "${x}"], arguments: ["--servers[2].port=2", "--servers[3]=${y}"])
        #expect(report.errors.isEmpty)
        #expect(report.config["servers"] == ["https://h/a", "${x}", ["name": "h", "port": "2"], "${y}"])
        let origins = ["servers[0]", "servers[1]", "servers[2].name", "servers[2].port", "servers[3]"].map {
            report.config.explain(ConfigPath($0)).winner?.location.description
        }
        #expect(
            origins == [
                "ApplicationConfig.json:2", "APP_SERVERS__1", "ApplicationConfig.json:4", "--servers[2].port",
                "--servers[3]",
            ])
        #expect(
            report.config.explain("servers[1]").description == """
                servers[1] = "${x}"
                  from APP_SERVERS__1 (environment variables)
                  over "b" from ApplicationConfig.json:3 (base)
                """)
        #expect(
            report.config.explain("servers[0]").parts.map(\.text) == ["\"h\""], "the reference is still explained")
    }

    @Test("An element of an array or a nested array is set", arguments: [false, true])
    func shapes(isArgument: Bool) {
        var plan = plan(
            [
                "ApplicationConfig.json": """
                {"list": ["a", "b"], "grid": [[1, 2], ["${n}"]], "n": 3}
                """,
                "ApplicationConfig.debug.json": #"{"list": ["a", "b", "c"]}"#,
            ], environments: [.debug])
        if isArgument {
            plan.arguments = ["--list[2]=x", "--grid[0][1]=y", "--set", "grid[1][1]=z"]
        } else {
            plan.variablePrefix = "APP_"
            plan.variables = ["APP_LIST__2": "x", "APP_GRID__0__1": "y", "APP_GRID__1__1": "z"]
        }
        let report = ApplicationConfig.loadReport(plan)
        #expect(report.errors.isEmpty)
        #expect(report.config["list"] == ["a", "b", "x"])
        #expect(report.config["grid"] == [[1, "y"], [3, "z"]])
    }

    @Test("Elements are added in any order, and a gap is an error at its variable")
    func order() throws {
        let variables = Dictionary(uniqueKeysWithValues: (0..<12).map { ("APP_LIST__\($0)", "\($0)") })
        let many = load(#"{"list": ["a"]}"#, variables: variables)
        #expect(many.errors.isEmpty)
        #expect(many.config["list"] == .array((0..<12).map { .string("\($0)") }))
        let gap = load(#"{"list": ["a"]}"#, variables: ["APP_LIST__1": "b", "APP_LIST__3": "d", "APP_LIST__4": "e"])
        #expect(
            gap.errors.map(\.description) == [
                "list[3]: expected an index up to 2, found 3 (APP_LIST__3)",
                "list[4]: expected an index up to 2, found 4 (APP_LIST__4)",
            ])
        #expect(gap.config["list"] == ["a", "b"])
    }

    @Test("A whole array and one of its elements can be given together")
    func wholeAndElement() {
        let report = load(
            #"{"list": ["a"], "map": {"old": 1}, "items": [{"old": 1}]}"#,
            variables: [
                "APP_LIST": #"["x", "y"]"#, "APP_LIST__1": "z", "APP_MAP": #"{"m": 1}"#, "APP_MAP__N": "2",
                "APP_ITEMS__0": #"{"whole": 1}"#, "APP_ITEMS__0__PART": "2",
            ])
        #expect(report.errors.isEmpty)
        #expect(report.config["list"] == ["x", "z"])
        #expect(report.config["map"] == ["old": 1, "m": 1, "n": "2"])
        #expect(report.config["items"] == [["whole": 1, "part": "2"]], "a given element replaces the whole element")
    }

    @Test("Variables set single values with every policy")
    func seedPolicy() {
        let report = load(
            #"{"http": {"timeout": 1, "hosts": ["a", "b"]}}"#,
            variables: ["APP_HTTP__TIMEOUT": "2", "APP_HTTP__HOSTS__1": "x"]
        ) { $0.merge = .seed }
        #expect(report.config.values == ["http": ["timeout": "2", "hosts": ["a", "x"]]])
    }

    @Test("Random assignments to elements change these elements only", .timeLimit(.minutes(5)))
    func random() throws {
        var random = SeededRandom(seed: 77)
        for round in 0..<rounds(60, soak: 5_000) {
            var model = (0..<random.below(6)).map { ConfigValue.string("e\($0)") }
            let texts = model.indices.map { random.chance(50) ? "\"e\($0)\"" : "\"${v\($0)}\"" }
            let values = model.indices.map { "\"v\($0)\": \"e\($0)\"" }
            let base = "{\((values + ["\"list\": [\(texts.joined(separator: ", "))]"]).joined(separator: ", "))}"
            var variables: [String: String] = [:]
            var arguments: [String] = []
            var origins = [String](repeating: "ApplicationConfig.json:1", count: model.count)
            func set(_ index: Int, _ text: String, _ origin: String) {
                if index == model.count {
                    model.append(.string(text))
                    origins.append(origin)
                } else {
                    model[index] = .string(text)
                    origins[index] = origin
                }
            }
            for index in Array(0...model.count) where random.chance(40) {
                variables["APP_LIST__\(index)"] = "v\(index)"
                set(index, "v\(index)", "APP_LIST__\(index)")
            }
            for _ in 0..<random.below(4) {
                let index = random.below(model.count + 1)
                arguments.append("--list[\(index)]=a\(index)")
                set(index, "a\(index)", "--list[\(index)]")
            }
            let report = load(base, variables: variables, arguments: arguments)
            let found = model.indices.map {
                report.config.explain(ConfigPath("list[\($0)]")).winner?.location.description ?? ""
            }
            guard report.errors.isEmpty, report.config["list"]?.array == model, found == origins else {
                Issue.record("seed 77, round \(round): \(base) \(variables) \(arguments): \(report.config) \(found)")
                return
            }
        }
    }
}
