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
        "A default without a minus sign is a hint to the right form",
        arguments: [
            ("${host:x}", "${host:-x}"), ("${none:a b}", "${none:-a b}"), ("${env:NONE:x}", "${env:NONE:-x}"),
            ("${host:}", "${host:-}"), ("${none::x}", nil), ("${env:NONE}", nil),
        ] as [(String, String?)])
    func defaultHint(template: String, hint: String?) throws {
        let report = Self.load(#"{"value": "\#(template)", "host": "h"}"#)
        let error = try #require(report.errors.first)
        #expect(error.hint == hint.map { "did you mean \($0)?" })
    }

    @Test(
        "References resolve to values, variables and defaults",
        arguments: [
            ("${host}", "example.org"), ("https://${host}:${port}/", "https://example.org:8080/"),
            ("${none:-fallback}", "fallback"), ("${none:-}", ""), ("${none:-a$b :-{c}", "a$b :-{c"),
            ("${env:HOME_DIR}/x", "/home/me/x"), ("${env:NONE:-y}", "y"),
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

    @Test("An explanation shows the text of a built value")
    func written() throws {
        let report = Self.load(#"{"url": "https://${host}/", "host": "h"}"#)
        #expect(
            report.config.explain("url").description == """
                url = "https://h/"
                  from ApplicationConfig.json:1 (base), written "https://${host}/"
                    host = "h"
                      from ApplicationConfig.json:1 (base)
                """)
        #expect(!report.config.explain("host").description.contains("written"))
    }

    @Test("An explanation shows variables and values among the parts of a value")
    func explainsParts() throws {
        var plan = plan(
            [
                "ApplicationConfig.json": #"""
                {"path": "/bin", "base": "/usr:${env:HOME}", "dbPassword": "hunter2", "dsn": "${db:-x}/${dbPassword}"}
                """#,
                "ApplicationConfig.debug.json": #"{"path": "/opt:${base}:${env:NONE:-none}:${name}", "name": "n"}"#,
            ], environments: [.debug])
        plan.variables = ["HOME": "/root", "API_TOKEN": "hunter2"]
        let config = try ApplicationConfig.load(plan)
        #expect(
            config.explain("path").description == """
                path = "/opt:/usr:/root:none:n"
                  from ApplicationConfig.debug.json:1 (environment debug), written "/opt:${base}:${env:NONE:-none}:${name}"
                    base = "/usr:/root"
                      from ApplicationConfig.json:1 (base), written "/usr:${env:HOME}"
                        env:HOME = "/root"
                          from HOME (environment variables)
                    name = "n"
                      from ApplicationConfig.debug.json:1 (environment debug)
                  over "/bin" from ApplicationConfig.json:1 (base)
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

    @Test("A reference that is the whole text keeps the type of a single value")
    func keepsType() throws {
        let report = Self.load(
            #"{"n": "${port}", "port": 8080, "on": "${list[1]}", "list": ["${n}", true], "d": "${no:-5}"}"#)
        #expect(report.errors.isEmpty)
        #expect(report.config["n"] == 8080 && report.config["list"] == [8080, true])
        #expect(report.config["on"] == true && report.config["d"] == "5")
    }

    @Test("References to the own key, to containers, and in defaults are errors")
    func leftOut() {
        let report = Self.load(
            """
            {"path": "/bin", "servers": [{"name": "a"}], "http": {"url": "${http}"},
             "all": "${servers}", "d": "${none:-${path}}"}
            """, debug: #"{"path": "/opt:${path}"}"#)
        #expect(
            report.errors.map(\.description).sorted() == [
                "all: ${servers} is not a single value: found array (ApplicationConfig.json:2:9)",
                "d: a default contains a reference (ApplicationConfig.json:2:28)",
                "http.url: ${http} is not a single value: found dictionary (ApplicationConfig.json:1:62)",
                "path: circular references: path (ApplicationConfig.debug.json:1) → path (ApplicationConfig.debug.json:1) "
                    + "(ApplicationConfig.debug.json:1:10)",
            ])
        #expect(report.config["http"] == [:])
        #expect(Set(report.config.allKeys) == ["http", "servers"])
    }

    @Test("Values of variables are literal")
    func variablesStay() throws {
        let report = Self.load("{\"a\": \"x\", \"host\": \"h\"}", variables: ["APP_A": "${host}"]) {
            $0.variablePrefix = "APP_"
        }
        #expect(report.config.string(forKey: "a") == "${host}")
    }

    @Test("Many unresolved references are described up to a limit, and the others are counted")
    func manyFailures() {
        let members = (0..<500).map { "\"k\($0)\": \"${none\($0)}\"" }.joined(separator: ",")
        let plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{\(members)}"]))
        let report = ApplicationConfig.loadReport(plan)
        let text = report.errors.map { "\($0)" }.joined(separator: "\n")
        #expect(text.contains("none0") && text.contains("400 further values have unresolved references"))
    }

    @Test("Many circular references are described up to a limit, and the others are counted")
    func manyCycles() {
        let members = (0..<150).map { "\"k\($0)\": \"${k\($0)}\"" }.joined(separator: ",")
        let errors = Self.load("{\(members)}").errors
        #expect(errors.count { $0.code == .referenceCycle } == 100)
        #expect(errors.last?.description == "50 further values have unresolved references")
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
    }

    @Test(
        "References to missing values and malformed references are errors",
        arguments: [
            ("${hots}", "v: ${hots} is not defined (ApplicationConfig.json:1:7); did you mean host?"),
            ("${env:NONE}", "v: the environment variable NONE is not set (ApplicationConfig.json:1:7)"),
            ("${host", "v: a ${ has no } (ApplicationConfig.json:1:7)"),
            ("x${}", "v: a ${ } is empty (ApplicationConfig.json:1:7)"),
            ("x${list}", "v: ${list} is not a single value: found array (ApplicationConfig.json:1:7)"),
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
        let wide = Self.load(#"{"a": "0123456789", "b": "${a}!", "c": "${a}!", "d": "${a}!"}"#) {
            $0.limits.expandedTotalBytes = 25
        }
        #expect(wide.errors.map(\.code) == [.limitExceeded])
    }

    @Test("A chain of ten thousand references resolves", .timeLimit(.minutes(5)))
    func longChain() throws {
        let links = (1...10_000).map { "\"k\($0)\": \"${k\($0 - 1)}\"" }.joined(separator: ",")
        let report = Self.load("{\"k0\": \"end\", \(links)}")
        #expect(report.errors.isEmpty)
        #expect(report.config.string(forKey: "k10000") == "end")
    }

    @Test("A long chain is explained to a depth", .timeLimit(.minutes(5)))
    func explainsLongChain() async {
        let depth = await onSmallStack { () -> Int in
            let links = (1...10_000).map { "\"k\($0)\": \"${k\($0 - 1)}\"" }.joined(separator: ",")
            let config = Self.load("{\"k0\": \"end\", \(links)}").config
            guard config.int(forKey: "k10000") == nil else { return 0 }
            var (depth, explanation) = (0, config.explain("k10000"))
            while let part = explanation.parts.first { (depth, explanation) = (depth + 1, part) }
            return depth
        }
        #expect(depth == 32)
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
}
