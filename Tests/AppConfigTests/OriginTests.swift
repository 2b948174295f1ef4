import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// A source with a fixed content.
private struct FixedSource: ConfigSource {
    let name = "fixed"
    let fixed: ConfigSourceContent
    func content() -> ConfigSourceContent { fixed }
}

/// The places, sizes and ages that explanations name.
@Suite struct OriginTests {
    private func load(_ content: ConfigSourceContent) throws -> ApplicationConfig {
        var plan = plan([:])
        plan.add(FixedSource(fixed: content))
        return try ApplicationConfig.load(plan)
    }

    @Test("A value that is set in a document of values leaves the places of the others")
    func places() throws {
        var document = ConfigDocument(["a": 1, "b": 2])
        try document.set(3, at: "b", line: 7, isSecret: true)
        let config = try load(.document(document))
        let places = ["a", "b"].map { config.explain(ConfigPath($0)).winner?.location.description }
        #expect(places == ["fixed", "fixed:7"])
        #expect(["a", "b"].map { config.explain(ConfigPath($0)).isSecret } == [false, true])
    }

    @Test("A path without a key and an index beyond the end of an array are errors at their place")
    func malformedPaths() throws {
        var document = ConfigDocument()
        func message(_ path: ConfigPath) -> String? {
            do throws(ConfigError) {
                try document.set(1, at: path, line: 3)
                return nil
            } catch { return error.description }
        }
        #expect(message("[0]")?.contains("expected a path that begins with a key, found another path") == true)
        #expect(message(.root)?.contains("expected a path that begins with a key, found another path") == true)
        #expect(message("list[1]")?.contains("list[1]: expected an index up to 0, found 1") == true)
        #expect(message("list[0].a") == nil && message("list[1]") == nil)
        #expect(message("list[3]")?.contains("expected an index up to 2, found 3") == true)
    }

    @Test("An entry of a dictionary that is an element can be replaced, and the others stay")
    func elementEntry() throws {
        var document = ConfigDocument()
        try document.set([["a": 1, "b": 2]], at: "list", line: 1)
        try document.set(3, at: "list[0].b", line: 2)
        let config = try load(.document(document))
        #expect(config["list"] == [["a": 1, "b": 3]])
        #expect(config.explain("list[0].a").winner?.location.line == 1)
        #expect(config.explain("list[0].b").winner?.location.line == 2)
    }

    @Test("The entry of a section counts the values that variables or arguments set in it")
    func sizes() throws {
        var plan = plan(["ApplicationConfig.json": #"{"http": {"c": 0}, "list": [1, 2, 3]}"#])
        plan.variablePrefix = "APP_"
        plan.variables = ["APP_HTTP__A": "1", "APP_HTTP__B": "2", "APP_HTTP__C": "3"]
        plan.arguments = ["--http.b=4", "--set", "http.d=5", "--http.b=6", "--list[0]=7", "--list[2]=8"]
        let config = try ApplicationConfig.load(plan)
        #expect(config["http"] == ["a": "1", "b": "6", "c": "3", "d": "5"])
        let http = config.explain("http")
        #expect(http.winner?.text == "{2 values}" && http.merged.map(\.text) == ["{3 values}", "{1 values}"])
        let list = config.explain("list")
        #expect(list.winner?.text == "[2 values]" && list.merged.map(\.text) == ["[3 values]"])
    }

    @Test("The age of a source's values is in seconds; a date that no clock shows has none")
    func ages() throws {
        func explanation(_ date: @escaping @Sendable () -> Date) throws -> String {
            var content = ConfigSourceContent.document(ConfigDocument(["a": 1]))
            content.date = date
            return try load(content).explain("a").description
        }
        let ahead = try explanation { Date().addingTimeInterval(3600) }
        #expect(ahead == "a = 1\n  from fixed (source, 0 s old)", "a clock can go back")
        let past = try explanation { Date().addingTimeInterval(-3600) }
        let seconds = past.split(separator: " ").compactMap { Int($0) }.last
        #expect(past.hasSuffix(" s old)") && seconds.map { $0 >= 3600 } == true, "\(past)")
        for seconds in [-2e15, 2e15, .infinity] {
            let never = try explanation { Date(timeIntervalSince1970: seconds) }
            #expect(never == "a = 1\n  from fixed (source)")
        }
    }

    @Test("A reload repeats run-time writes in their order")
    func writeOrder() throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write(#"{"n": 1}"#)
        let store = try ConfigStore(loading: scratch.plan())
        let sections = (0..<20).map { "s\($0)" }
        // Each second write replaces a part of the first one's value, which it would lose before it.
        for section in sections {
            store.update { $0[ConfigPath(section)] = ["x": 1, "y": 1] }
            store.update { $0[ConfigPath(section + ".y")] = 2 }
        }
        try scratch.write(#"{"n": 2}"#)
        try store.reload()
        #expect(store.current.int(forKey: "n") == 2)
        for section in sections { #expect(store.current[ConfigPath(section)] == ["x": 1, "y": 2]) }
    }

    @Test("A write at a path without a key changes nothing and adds a diagnostic", arguments: ["", "[0]"])
    func writeWithoutKey(path: String) {
        var config: ApplicationConfig = ["a": 1]
        config[ConfigPath(path)] = 2
        #expect(config.values == ["a": 1])
        #expect(config.diagnostics.map(\.message) == ["can't write: the path has no key"])
    }
}
