import AshlarAppConfig
import Testing
import YAMLConfig

@Suite struct YAMLFormatTests {
    private func plan(_ text: String, debug: String? = nil) -> ConfigPlan {
        var files = ["ApplicationConfig.yaml": text]
        if let debug { files["ApplicationConfig.debug.yaml"] = debug }
        var plan = ConfigPlan(files: .memory(files), environments: debug == nil ? [] : [.debug])
        plan.formats["yaml"] = YAMLFormat()
        return plan
    }

    @Test("Values of all types are read, with anchors, merge keys and references")
    func values() throws {
        let config = try ApplicationConfig.load(
            plan(
                """
                # a comment
                http: &http
                  timeout: 30
                  host: example.org
                staging:
                  <<: *http
                  host: staging.example.org
                servers: [a, "1", 0x1F, 2.5e3, true, ~, .inf]
                text: |
                  two
                  lines
                empty: {}
                url: https://${http.host}/
                "quoted key": '007'
                big: 18446744073709551615
                date: 2026-11-23
                """))
        #expect(config["http"] == ["timeout": 30, "host": "example.org"])
        #expect(config["staging"] == ["timeout": 30, "host": "staging.example.org"])
        #expect(config["servers"] == ["a", "1", 31, 2500.0, true, .null, .real(.infinity)])
        #expect(config.string(forKey: "text") == "two\nlines\n")
        #expect(config["empty"] == [:] && config.string(forKey: "quoted key") == "007")
        #expect(config.string(forKey: "url") == "https://example.org/")
        #expect(config["big"] == .unsigned(.max) && config["date"] == "2026-11-23")
    }

    @Test("Explanations have the line of each value, and layers merge as for other formats")
    func lines() throws {
        let config = try ApplicationConfig.load(
            plan("http:\n  timeout: 30\n  hosts:\n    - a\n    - b\n", debug: "http:\n  timeout: 5\n  gone: null\n"))
        #expect(
            config.explain("http.timeout").description == """
                http.timeout = 5
                  from ApplicationConfig.debug.yaml:2 (environment debug)
                  over 30 from ApplicationConfig.yaml:2 (base)
                """)
        #expect(config.explain("http.hosts[1]").winner?.location.description == "ApplicationConfig.yaml:5")
    }

    @Test(
        "Malformed files are errors with a line",
        arguments: [
            ("a: [1\nb: 2", 2), ("- a", 1), ("a: 1\na: 2", 2), ("a: 1\n---\nb: 2", 2), ("a: *none", 1),
            ("? [a]\n: 1", 1), ("a: 99999999999999999999", 1), ("a: 1\n\tb: 2", 2),
        ])
    func malformed(text: String, line: Int) {
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan(text)) }
        #expect(error?.location?.line == line && error?.location?.file == "ApplicationConfig.yaml", "\(error as Any)")
    }

    @Test("Aliases that grow without bound, and deep files, are rejected")
    func limits() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan(text)) }
        let deep = "a: " + String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan(deep)) }
        #expect(throws: Never.self) { try ApplicationConfig.load(plan("")) }
    }
}
