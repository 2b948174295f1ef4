import AshlarAppConfig
import TOMLConfig
import Testing

@Suite struct TOMLFormatTests {
    private func plan(_ text: String, debug: String? = nil) -> ConfigPlan {
        var files = ["ApplicationConfig.toml": text]
        if let debug { files["ApplicationConfig.debug.toml"] = debug }
        var plan = ConfigPlan(files: .memory(files), environments: debug == nil ? [] : [.debug])
        plan.formats["toml"] = TOMLFormat()
        return plan
    }

    @Test("Values of all types are read, with tables, arrays of tables and references")
    func values() throws {
        let config = try ApplicationConfig.load(
            plan(
                """
                # a comment
                title = "on ${http.host}"
                since = 2026-11-23T18:00:00Z
                ratio = 0.5
                on = true
                ports = [1, 0x1F, 1_000]
                empty = []

                [http]
                host = 'example.org'
                retry.count = 3
                inline = { a = 1, "b.c" = 2 }

                [[servers]]
                name = "a"
                [[servers]]
                name = "b"
                [none]
                """))
        #expect(config.string(forKey: "title") == "on example.org")
        #expect(config.string(forKey: "since") == "2026-11-23T18:00:00Z")
        #expect(config.double(forKey: "ratio") == 0.5 && config.bool(forKey: "on") == true)
        #expect(config["ports"] == [1, 31, 1000] && config["empty"] == [] && config["none"] == [:])
        #expect(config["http"] == ["host": "example.org", "retry": ["count": 3], "inline": ["a": 1, "b.c": 2]])
        #expect(config["servers"] == [["name": "a"], ["name": "b"]])
    }

    @Test("Explanations have the line of each value, and layers merge as for other formats")
    func lines() throws {
        let config = try ApplicationConfig.load(
            plan("[http]\ntimeout = 30\nhosts = [\n  \"a\",\n  \"b\"]\n", debug: "http.timeout = 5\n"))
        #expect(
            config.explain("http.timeout").description == """
                http.timeout = 5
                  from ApplicationConfig.debug.toml:1 (environment debug)
                  over 30 from ApplicationConfig.toml:2 (base)
                """)
        #expect(config.explain("http.hosts[1]").winner?.location.description == "ApplicationConfig.toml:5")
    }

    @Test("Malformed files are errors with a line", arguments: [("a = 1\na = 2", 2), ("a", 1), ("a = \"x", 1)])
    func malformed(text: String, line: Int) {
        let error = #expect(throws: ConfigError.self) { try ApplicationConfig.load(plan(text)) }
        #expect(error?.location?.line == line && error?.location?.file == "ApplicationConfig.toml", "\(error as Any)")
    }
}
