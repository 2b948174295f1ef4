import AshlarAppConfig
import AshlarTestSupport
import Testing

@Suite struct WritingTests {
    static func load() throws -> ApplicationConfig {
        try ApplicationConfig.load(
            plan(
                [
                    "ApplicationConfig.json": """
                    {"http": {"timeout": 30,
                    "host": "h", "deep": {"a": 1, "b": 2}},
                    "list": [1,
                    2, 3], "title": "t"}
                    """,
                    "ApplicationConfig.debug.json": #"{"http": {"timeout": 15}}"#,
                ], environments: [.debug]))
    }

    @Test("Values next to a written value retain their location")
    func placesStay() throws {
        var config = try Self.load()
        config["http.timeout"] = 5
        config["http.deep.a"] = nil
        config["list[1]"] = "two"
        #expect(
            config.explain("http.timeout").description == """
                http.timeout = 5
                  from run time (run time)
                  over 15 from ApplicationConfig.debug.json:1 (environment debug)
                  over 30 from ApplicationConfig.json:1 (base)
                """)
        #expect(
            config.explain("http.host").description == """
                http.host = "h"
                  from ApplicationConfig.json:2 (base)
                """)
        #expect(
            config.explain("http.deep.a").description == """
                http.deep.a = nothing
                  removed by run time (run time)
                  over 1 from ApplicationConfig.json:2 (base)
                """)
        #expect(config.explain("http.deep.b").winner?.location.line == 2)
        #expect(config["list"] == [1, "two", 3])
        #expect(
            config.debugDescription == """
                http.deep.b = 2  // ApplicationConfig.json:2
                http.host = "h"  // ApplicationConfig.json:2
                http.timeout = 5  // run time
                list[0] = 1  // ApplicationConfig.json:3
                list[1] = "two"  // run time
                list[2] = 3  // ApplicationConfig.json:4
                title = "t"  // ApplicationConfig.json:4
                """)
        // A dictionary with a written member is merged with the layers; a written dictionary replaces them.
        #expect(config.explain("http").merged.count == 2)
        config["http"] = ["timeout": 1]
        #expect(config.explain("http").merged.isEmpty)
        #expect(config.explain("http").shadowed.count == 2)
        #expect(config.explain("http.host").removed?.layer == .runtime)
    }

    @Test("Writes of all kinds have the results of a model with dictionaries", .timeLimit(.minutes(5)))
    func model() throws {
        var random = SeededRandom(seed: 51)
        for round in 0..<rounds(300, soak: 20_000) {
            var maker = ValueMaker(random: random)
            maker.keys = ["a", "b", "c", "d.e"]
            var model = maker.entries(depth: 3)
            var config = ApplicationConfig(model)
            for _ in 0..<8 {
                let keys = (0...random.below(3)).map { _ in random.pick(maker.keys) }
                let value: ConfigValue? = random.chance(30) ? .none : maker.value(depth: 2)
                config[ConfigPath(components: keys)] = value
                model = Self.written(.dictionary(model), keys[...], value)?.dictionary ?? [:]
                guard config.values == model, config == ApplicationConfig(model) else {
                    Issue.record("round \(round): \(keys) = \(value as Any) made \(config), not \(model)")
                    return
                }
            }
            _ = random.next()
        }
    }

    /// Writes into plain values: missing dictionaries are created, and removing a missing value has no effect.
    private static func written(
        _ old: ConfigValue?, _ keys: ArraySlice<String>, _ value: ConfigValue?
    ) -> ConfigValue? {
        guard let key = keys.first else { return value }
        if value == nil, old?.dictionary?[key] == nil { return old }
        var entries = old?.dictionary ?? [:]
        entries[key] = written(entries[key], keys.dropFirst(), value)
        return .dictionary(entries)
    }

    @Test("A null in values from code removes its key")
    func nulls() {
        var config: ApplicationConfig = ["a": nil, "b": ["c": nil, "d": [nil]]]
        #expect(config.values == ["b": ["d": [nil]]])
        config["x"] = ["y": nil, "z": 1]
        #expect(config["x"] == ["z": 1])
        config["x"] = .null
        #expect(config["x"] == nil)
    }

    @Test("A reload applies run-time writes to the new values of the files")
    func reload() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write(#"{"http": {"timeout": 30, "host": "old"}, "list": [1, 2], "gone": 1, "n": 1}"#)
        let store = try ConfigStore(loading: scratch.plan())
        store.update {
            $0["http.timeout"] = 5
            $0["list[0]"] = 9
            $0["gone"] = nil
            $0["new.key"] = "x"
        }
        store.update { $0["n"] = 2 }
        store.update { $0["n"] = nil }
        try scratch.write(#"{"http": {"timeout": 31, "host": "new", "more": 1}, "list": [3], "gone": 2, "n": 3}"#)
        let diff = try store.reload()
        #expect(diff.description == "http.host: \"old\" → \"new\"\nhttp.more: nothing → 1")
        #expect(
            store.current.values == [
                "http": ["timeout": 5, "host": "new", "more": 1], "list": [9, 2], "new": ["key": "x"],
            ])
        #expect(store.current.explain("http.host").winner?.location.description == "ApplicationConfig.json:1")
        #expect(try store.reload().isEmpty)
    }

    @Test("Removing a write restores the value of the layers, and leaves the other writes")
    func removal() throws {
        var config = try Self.load()
        config["http.timeout"] = 5
        config["http.host"] = "x"
        config["title"] = nil
        config["list[1]"] = "two"
        config["new.key"] = 1
        config.removeWrite(at: "http.timeout")
        #expect(config["http.timeout"] == 15 && config["http.host"] == "x" && config["title"] == nil)
        #expect(config.explain("http.timeout").winner?.location.description == "ApplicationConfig.debug.json:1")
        for path in ["title", "list[1]", "new.key", "absent", "http"] { config.removeWrite(at: ConfigPath(path)) }
        #expect(config["title"] == "t" && config["list"] == [1, 2, 3] && config["new"] == nil)
        #expect(config["http.host"] == "x")
        config.removeWrite(at: "http.host")
        #expect(config == (try Self.load()) && config.explain("http.host").shadowed.isEmpty)
        var literal = ApplicationConfig(["a.b": 1])
        literal["a.b"] = 2
        literal.removeWrite(at: "a.b")
        #expect(literal["a.b"] == 1)
    }

    @Test("Many writes to one section store one section")
    func manyWrites() {
        var config = ApplicationConfig(["s": ["a": 1]])
        let count = rounds(500, soak: 70_000)
        for number in 0..<count { config["s.a"] = .integer(Int64(number)) }
        #expect(config.int(forKey: "s.a") == count - 1)
        #expect(config.explain("s.a").shadowed.count == 1)
    }
}
