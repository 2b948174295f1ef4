import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct InterpolationTests {
    static func load(
        _ json: String, debug: String? = nil, variables: [String: String] = [:],
        adjust: (inout ConfigPlan) -> Void = { _ in }
    ) -> ConfigLoadReport {
        var files = ["ApplicationConfig.json": json]
        if let debug { files["ApplicationConfig.debug.json"] = debug }
        var plan = plan(files, environments: [.debug])
        plan.variables = variables
        adjust(&plan)
        return ApplicationConfig.loadReport(plan)
    }

    @Test(
        "References resolve to values, variables and defaults",
        arguments: [
            ("${host}", "example.org"), ("https://${host}:${port}/", "https://example.org:8080/"),
            ("${none:-fallback}", "fallback"), ("${none:-}", ""), ("${none:-${host}}", "example.org"),
            ("${none:-a${alsoNone:-b}c}", "abc"), ("${env:HOME_DIR}/x", "/home/me/x"), ("${env:NONE:-y}", "y"),
            ("$${host}", "${host}"), ("a$b $ $5 }", "a$b $ $5 }"), ("$$${host}", "$${host}"),
            ("${deep::inner}", "core"),
            ("${list[1]}", "two"), ("${on}-${pi}-${big}", "true-3.5-18446744073709551615"), ("${when}", "x"),
            ("${env:TRICK}", "${host}"), ("${lit.eral}", "dotted"),
        ])
    func resolves(template: String, expected: String) throws {
        let json = """
            {"value": \(String(decoding: try JSONEncoder().encode(template), as: UTF8.self)), "host": "example.org",
             "port": 8080, "deep": {"inner": "core"}, "list": ["one", "two"], "on": true, "pi": 3.5,
             "big": 18446744073709551615, "when": "x", "lit.eral": "dotted"}
            """
        let report = Self.load(json, variables: ["HOME_DIR": "/home/me", "TRICK": "${host}"])
        #expect(report.errors.isEmpty)
        #expect(report.config.string(forKey: "value") == expected)
    }

    @Test(
        "References in braces resolve as planned for NEIApplicationConfig",
        arguments: [
            ("{HOST}", "example.org"), ("https://{HOST}:{port}/", "https://example.org:8080/"),
            ("{none:-a{HOST}b}", "aexample.orgb"), ("{env:HOME_DIR}", "/home/me"), ("{{HOST}}", "{HOST}"),
            ("{ a }", "{ a }"), ("{}", "{}"), ("{", "{"), ("${HOST}", "$example.org"), ("{a b", "{a b"),
            ("{deep.inner}", "core"), ("{HOST:-x}}}", "example.org}"), ("{none:-}", ""), ("{x:y", "{x:y"),
        ])
    func braces(template: String, expected: String) throws {
        let json = """
            {"value": \(String(decoding: try JSONEncoder().encode(template), as: UTF8.self)), "HOST": "example.org",
             "port": 8080, "deep": {"inner": "{CORE}"}, "CORE": "core"}
            """
        let report = Self.load(json, variables: ["HOME_DIR": "/home/me"]) { $0.referenceSyntax = .braces }
        #expect(report.errors.isEmpty, "\(report.errors)")
        #expect(report.config.string(forKey: "value") == expected)
    }

    @Test("References in braces are checked like others")
    func bracesFail() throws {
        let report = Self.load(#"{"a": "{b}", "b": "{a}", "c": "{nope}"}"#) { $0.referenceSyntax = .braces }
        #expect(report.errors.map(\.code) == [.referenceCycle, .unresolvedReference, .unresolvedReference])
        #expect(report.errors.last?.description == "c: {nope} is not defined (ApplicationConfig.json:1:31)")
        #expect(Self.load(#"{"a": "{b:-c"}"#) { $0.referenceSyntax = .braces }.errors.first?.reason == "a { has no }")
    }

    @Test("An explanation shows the text of a built value, also of containers")
    func written() throws {
        let report = Self.load(#"{"url": "https://${host}/", "host": "h", "copy": "${list}", "list": [1]}"#)
        #expect(
            report.config.explain("url").description == """
                url = "https://h/"
                  from ApplicationConfig.json:1 (base), written "https://${host}/"
                    host = "h"
                      from ApplicationConfig.json:1 (base)
                """)
        #expect(report.config.explain("copy").description.contains("written \"${list}\""))
        #expect(!report.config.explain("host").description.contains("written"))
    }

    @Test("An explanation shows variables, defaults, and overridden values among the parts of a value")
    func explainsParts() throws {
        var plan = plan(
            [
                "ApplicationConfig.json": #"""
                {"path": "/bin:${env:HOME}", "dbPassword": "hunter2",
                 "dsn": "${db:-${none:-x}}/${dbPassword}"}
                """#,
                "ApplicationConfig.debug.json": #"{"path": "/opt:${path}:${env:NONE:-${name}}", "name": "n"}"#,
            ], environments: [.debug])
        plan.variables = ["HOME": "/root", "API_TOKEN": "hunter2"]
        let config = try ApplicationConfig.load(plan)
        #expect(
            config.explain("path").description == """
                path = "/opt:/bin:/root:n"
                  from ApplicationConfig.debug.json:1 (environment debug), written "/opt:${path}:${env:NONE:-${name}}"
                    path = "/bin:${env:HOME}"
                      from ApplicationConfig.json:1 (base)
                        env:HOME = "/root"
                          from HOME (environment variables)
                    name = "n"
                      from ApplicationConfig.debug.json:1 (environment debug)
                  over "/bin:${env:HOME}" from ApplicationConfig.json:1 (base)
                """)
        #expect(config.explain("dsn").text == "<redacted>")
        #expect(config.explain("dsn").parts.isEmpty)
    }

    @Test("Values that are used many times are explained once each")
    func explainsSharedParts() throws {
        var entries: [String: ConfigValue] = ["v0": "x"]
        for number in 1...16 { entries["v\(number)"] = .string("${v\(number - 1)}${v\(number - 1)}") }
        var plan = plan([:])
        plan.defaults = entries
        let lines = try ApplicationConfig.load(plan).explain("v16").description.split(separator: "\n")
        #expect(lines.count == 2 + 4 * 16, "\(lines.count) lines")
    }

    @Test("A reference that is the whole text keeps the type, also of containers")
    func keepsType() throws {
        let report = Self.load(
            """
            {"n": "${port}", "port": 8080, "copy": "${servers}", "servers": [{"name": "${name}"}], "name": "a"}
            """)
        #expect(report.errors.isEmpty)
        #expect(report.config["n"] == 8080)
        #expect(report.config["copy"] == [["name": "a"]])
    }

    @Test("A reference to its own key is replaced by the overridden value")
    func looksBack() throws {
        let report = Self.load(
            "{\"path\": \"/usr/${env:V}\"}", debug: "{\"path\": \"/opt:${path}\"}", variables: ["V": "bin"])
        #expect(report.errors.isEmpty)
        #expect(report.config.string(forKey: "path") == "/opt:/usr/bin")
        let alone = Self.load("{\"a\": \"x${a}\", \"b\": \"y${b:-z}\"}")
        #expect(
            alone.errors.map(\.description) == [
                "a: the value refers to itself but overrides nothing (ApplicationConfig.json:1:7)"
            ])
        #expect(alone.config.string(forKey: "b") == "yz")
    }

    @Test("Values of variables are literal")
    func variablesStay() throws {
        let report = Self.load("{\"a\": \"x\", \"host\": \"h\"}", variables: ["APP_A": "${host}"]) {
            $0.variablePrefix = "APP_"
        }
        #expect(report.config.string(forKey: "a") == "${host}")
    }

    @Test("References that copy a dictionary many times are an error, also with templates in the dictionary")
    func copies() {
        for value in ["1", "\"${x:-1}\""] {
            let members = (0..<1_000).map { "\"a\($0)\": \(value)" }.joined(separator: ",")
            let references = (0..<1_000).map { "\"k\($0)\": \"${d}\"" }.joined(separator: ",")
            let text = "{\"d\": {\(members)}, \(references)}"
            let report = ApplicationConfig.loadReport(ConfigPlan(files: .memory(["ApplicationConfig.json": text])))
            #expect(report.errors.contains { "\($0)".contains("references copy more than 42032 values") })
        }
    }

    @Test("Many unresolved references are described up to a limit, and the others are counted")
    func manyFailures() {
        let members = (0..<500).map { "\"k\($0)\": \"${none\($0)}\"" }.joined(separator: ",")
        let plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{\(members)}"]))
        let report = ApplicationConfig.loadReport(plan)
        let text = report.errors.map { "\($0)" }.joined(separator: "\n")
        #expect(text.contains("none0") && text.contains("400 further values have unresolved references"))
    }

    @Test("The error of circular references has every hop with its file and line")
    func cycle() throws {
        let report = Self.load("{\"a\": \"${b}\",\n\"b\": \"x${c}\",\n\"c\": \"${a}\", \"d\": \"${a}\", \"e\": 1}")
        #expect(
            report.errors.map(\.description).first
                == "a: circular references: a (ApplicationConfig.json:1) → b (ApplicationConfig.json:2) → "
                + "c (ApplicationConfig.json:3) → a (ApplicationConfig.json:1) (ApplicationConfig.json:1:7)")
        #expect(report.errors.first?.code == .referenceCycle)
        // Only values in the loop, or that depend on it, are omitted.
        #expect(report.config.allKeys == ["e"])
        let inside = Self.load("{\"a\": {\"b\": \"${a}\"}}")
        #expect(inside.errors.map(\.code) == [.referenceCycle])
    }

    @Test(
        "References to missing values and malformed references are errors",
        arguments: [
            ("${hots}", "v: ${hots} is not defined (ApplicationConfig.json:1:7); did you mean host?"),
            ("${env:NONE}", "v: the environment variable NONE is not set (ApplicationConfig.json:1:7)"),
            ("${host", "v: a ${ has no } (ApplicationConfig.json:1:7)"),
            ("x${}", "v: a ${ } is empty (ApplicationConfig.json:1:7)"),
            ("x${list}", "v: ${list} is not text: expected text, found array (ApplicationConfig.json:1:7)"),
        ])
    func malformed(template: String, message: String) throws {
        let report = Self.load("{\"v\": \"\(template)\", \"host\": \"h\", \"list\": []}")
        #expect(report.errors.map(\.description) == [message])
        #expect(report.config["v"] == nil)
    }

    @Test("References that grow without bound are rejected", .timeLimit(.minutes(5)))
    func bombs() throws {
        var json = "{\"x0\": \"0123456789\""
        for level in 1...30 { json += ", \"x\(level)\": \"${x\(level - 1)}${x\(level - 1)}\"" }
        let report = Self.load(json + "}")
        #expect(report.errors.first?.code == .limitExceeded)
        #expect(report.errors.first?.description.contains("the value grows beyond 1048576 bytes") == true)
        func nested(_ depth: Int) -> String {
            String(repeating: "${a:-", count: depth) + "x" + String(repeating: "}", count: depth)
        }
        #expect(Self.load("{\"v\": \"\(nested(64))\"}").config.string(forKey: "v") == "x")
        #expect(
            Self.load("{\"v\": \"\(nested(65))\"}").errors.first?.reason == "references are nested more than 64 deep")
        let wide = Self.load(#"{"a": "0123456789", "b": "${a}!", "c": "${a}!", "d": "${a}!"}"#) {
            $0.limits.expandedTotalBytes = 25
        }
        #expect(wide.errors.map(\.code) == [.limitExceeded])
        var lists = "{\"l0\": [1, 2]"
        for level in 1...30 { lists += ", \"l\(level)\": [\"${l\(level - 1)}\", \"${l\(level - 1)}\"]" }
        let grown = Self.load(lists + "}") { $0.limits.values = 10_000 }
        #expect(grown.errors.map(\.code) == [.limitExceeded])
    }

    @Test("A chain of ten thousand references resolves", .timeLimit(.minutes(5)))
    func longChain() throws {
        let links = (1...10_000).map { "\"k\($0)\": \"${k\($0 - 1)}\"" }.joined(separator: ",")
        let report = Self.load("{\"k0\": \"end\", \(links)}")
        #expect(report.errors.isEmpty)
        #expect(report.config.string(forKey: "k10000") == "end")
    }

    @Test("A value built from a secret is secret")
    func taint() throws {
        let report = Self.load(
            "{\"password\": \"hunter2\", \"url\": \"db://u:${password}@h\", \"again\": \"${url}\", \"v\": \"${env:API_TOKEN}\"}",
            variables: ["API_TOKEN": "hunter3"])
        let config = report.config
        #expect(config.string(forKey: "again") == "db://u:hunter2@h")
        let texts = [
            config.description, config.debugDescription, "\(config.explain("again"))", "\(config.explain("v"))",
            "\(#expect(throws: ConfigError.self) { try config.get("again", as: Int.self) } as Any)",
        ]
        for text in texts { #expect(!text.contains("hunter"), "\(text)") }
    }

    @Test("Circular references in random graphs are those found by an independent search", .timeLimit(.minutes(5)))
    func graphs() throws {
        var random = SeededRandom(seed: 21)
        for round in 0..<rounds(300, soak: 100_000) {
            let count = 2 + random.below(8)
            let edges = (0..<count).map { _ in (0..<random.below(3)).map { _ in random.below(count) } }
            let entries = edges.indices.map { node in
                "\"n\(node)\": \"\(node)\(edges[node].map { "${n\($0)}" }.joined())\""
            }
            let report = Self.load("{\(entries.joined(separator: ","))}")
            let bad = Set((0..<count).filter { reachesLoop($0, edges) }.map { "n\($0)" })
            guard Set(report.config.allKeys).isDisjoint(with: bad), report.config.allKeys.count + bad.count == count,
                report.errors.isEmpty == bad.isEmpty
            else {
                Issue.record("round \(round): \(entries): \(report.errors), \(report.config.allKeys)")
                return
            }
        }
    }

    /// Whether a walk with as many steps as nodes exists.
    private func reachesLoop(_ start: Int, _ edges: [[Int]]) -> Bool {
        var reached: Set<Int> = [start]
        for _ in edges { reached = Set(reached.flatMap { edges[$0] }) }
        return !reached.isEmpty
    }

    @Test("A default that is one reference keeps the type of its value")
    func typedDefaults() {
        let report = Self.load(
            "{\"list\": [1, {\"k\": \"${n}\"}], \"n\": 5, \"a\": \"${no:-${list}}\", \"b\": \"${no:-${nil:-${n}}}\", \"c\": \"${no:-${n}0}\"}"
        )
        #expect(report.errors.isEmpty)
        #expect(report.config["a"] == [1, ["k": 5]])
        #expect(report.config["b"] == 5)
        #expect(report.config["c"] == "50")
        let loop = Self.load("{\"a\": \"${no:-${b}}\", \"b\": [\"${a}\"]}")
        #expect(loop.errors.first?.code == .referenceCycle)
    }
}
