import AshlarAppConfig
import Foundation
import Testing

@Suite struct ReadingTests {
    @Test("A typed key reads several configurations in turn")
    func keyInTurn() {
        // The strings have other offsets, or the value has another kind or is missing.
        let configs: [ApplicationConfig] = [
            ["k": "one"], ["a": "x", "b": "y", "k": "two"], ["k": 3], ["a": "x"], ApplicationConfig(),
            ["a": ["k": "deep"], "k": "five"],
        ]
        let expected = ["one", "two", "3", "default", "default", "five"]
        let key = ConfigKey("k", default: "default")
        for _ in 0..<3 {
            for (config, text) in zip(configs, expected) {
                #expect(config[key] == text)
                #expect(config[key] == text)
            }
        }
    }

    @Test("Keys of every length and script are found, and similar keys are not")
    func lengths() {
        for letter in ["a", "é", "水", "🔥"] {
            for length in 1...40 {
                let name = String(repeating: letter, count: length)
                let nested = "s.\(name)"
                let config = ApplicationConfig([name: .integer(Int64(length)), "s": [name: .string(name)]])
                // Strings created in other ways, which may have other representations.
                var reserved = ""
                reserved.reserveCapacity(100)
                reserved += name
                let cut = String("<\(name)>".dropFirst().dropLast())
                for spelling in [name, reserved, cut, String(decoding: Array(name.utf8), as: UTF8.self)] {
                    #expect(config.int(forKey: spelling) == length)
                    #expect(config.string(forKey: "s." + spelling) == name)
                }
                #expect(config.string(forKey: nested) == name)
                #expect(config.value(forKey: name + "b", as: ConfigValue.self) == nil)
                #expect(config.value(forKey: "b" + name.dropFirst(), as: ConfigValue.self) == nil)
                #expect(config.value(forKey: name.dropLast() + "b", as: ConfigValue.self) == nil)
                #expect(config.value(forKey: nested + "b", as: ConfigValue.self) == nil)
            }
        }
    }

    @Test(
        "The string of a path is parsed as the same path", arguments: ["[", "[0]", "a[1]b", ".", "\\", ":", "::", "]"])
    func pathText(key: String) {
        for components in [[key], ["s", key], [key, "s"], ["s", key, "t"], [key, key]] {
            let path = ConfigPath(components: components)
            #expect(ConfigPath(path.description).components == components.map { .key($0) })
            var config = ApplicationConfig()
            config[path] = 1
            #expect(config.int(forKey: path.description) == 1)
            #expect(config.paths() == [path])
        }
    }

    @Test("A configuration equals itself, even with NaN, in any order of keys")
    func equality() throws {
        let xml = plist(
            "<key>n</key><real>nan</real><key>d</key><dict><key>a</key><true/><key>b</key><real>0</real></dict>")
        let other = plist(
            "<key>d</key><dict><key>b</key><real>-0.0</real><key>a</key><true/></dict><key>n</key><real>nan</real>")
        let (left, right) = (try read(Array(xml.utf8)).get(), try read(Array(other.utf8)).get())
        #expect(left == right)
        #expect(ConfigDiff(from: left, to: right).isEmpty)
        for different in [
            "<key>n</key><real>nan</real><key>d</key><dict><key>a</key><true/><key>c</key><real>0</real></dict>",
            "<key>n</key><real>nan</real><key>d</key><dict><key>a</key><true/></dict>",
            "<key>n</key><real>1</real><key>d</key><dict><key>a</key><true/><key>b</key><real>0</real></dict>",
            "<key>n</key><real>nan</real><key>d</key><dict><key>a</key><integer>1</integer><key>b</key><real>0</real></dict>",
        ] {
            #expect(try read(Array(plist(different).utf8)).get() != left)
        }
    }

    @Test("A default that replaces a malformed value adds a diagnostic once for each key and type")
    func remarks() {
        let config = ApplicationConfig(["n": "x", "secretToken": "hunter"])
        let key = ConfigKey("n", default: 7)
        for _ in 0..<3 {
            #expect(config.int(forKey: "n") ?? 1 == 1)
            #expect(config[key] == 7)
            #expect(config.bool(forKey: "n") == nil)
            #expect(config.int(forKey: "secretToken") == nil)
        }
        #expect(
            config.diagnostics.map(\.description) == [
                "n: expected Int, found string \"x\"; the default is used (code)",
                "n: expected Bool, found string \"x\"; the default is used (code)",
                "secretToken: expected Int, found string <redacted>; the default is used (code)",
            ])
    }

    @Test("A malformed value gives the default, and one diagnostic for its key")
    func defaultUsed() throws {
        let config = ApplicationConfig(["n": "12abc"])
        #expect(config.int(forKey: "n") ?? 5 == 5)
        #expect(config.int(forKey: "n") ?? 5 == 5)
        #expect(config.int(forKey: "none") ?? 6 == 6)
        #expect(
            config.diagnostics.map(\.description) == [
                "n: expected Int, found string \"12abc\"; the default is used (code)"
            ])
    }

    @Test("The error of a typed read names key, location, expected and found value, and the overridden value")
    func mismatch() throws {
        let config = try ApplicationConfig.load(
            plan(
                [
                    "ApplicationConfig.plist": plist(
                        "<key>http</key><dict><key>timeout</key>\n<integer>30</integer></dict>"),
                    "ApplicationConfig.debug.plist": plist(
                        "<key>http</key><dict><key>timeout</key>\n\n<string>15x</string></dict>"),
                ], environments: [.debug]))
        let error = #expect(throws: ConfigError.self) { try config.get("http.timeout", as: Int.self) }
        #expect(
            error?.description
                == "http.timeout: expected Int, found string \"15x\" (ApplicationConfig.debug.plist:6:1; "
                + "overrides 30 from ApplicationConfig.plist:5)")
        let missing = #expect(throws: ConfigError.self) { try config.get("http.timeuot", as: Int.self) }
        #expect(missing?.description == "http.timeuot: expected Int, found nothing; did you mean http.timeout?")
    }

    @Test("Typed keys read values and defaults of each snapshot")
    func typedKeys() throws {
        enum Stage: String, ConfigConvertible, CaseIterable { case production, staging }
        let timeout = ConfigKey("http.timeout", default: 30)
        let stage = ConfigKey("stage", default: Stage.production)
        let (name, ratio, isOn) = (
            ConfigKey("name", default: "?"), ConfigKey("ratio", default: 0.5), ConfigKey("on", default: false)
        )
        var config = ApplicationConfig([
            "http": ["timeout": 5, "host": "h"], "stage": "staging", "name": "n", "on": "yes",
        ])
        let other = ApplicationConfig(["http": ["timeout": "7"], "stage": "nowhere", "ratio": 2])
        for _ in 0..<3 {
            #expect(config[timeout] == 5)
            #expect(other[timeout] == 7)
            #expect(ApplicationConfig()[timeout] == 30)
        }
        #expect(config[stage] == .staging)
        #expect(other[stage] == .production)
        #expect(
            other.diagnostics.map(\.message) == [
                "expected Stage (production, staging), found string \"nowhere\"; the default is used"
            ])
        #expect(config[name] == "n")
        #expect(config[isOn])
        #expect(other[ratio] == 2)
        #expect(try config.get("http.host", as: String.self) == "h")
        #expect(throws: ConfigError.self) { try other.get("http.host", as: String.self) }
        config["http.timeout"] = 6
        #expect(config[timeout] == 6)
    }

    @Test("Values at the deepest indexed level and below it are found by their text", arguments: ["", "k", "水"])
    func deepest(key: String) {
        for depth in 31...34 {
            let path = ConfigPath(components: [String](repeating: key, count: depth))
            let value = (0..<depth).reduce(ConfigValue.integer(7)) { value, _ in .dictionary([key: value]) }
            let config = ApplicationConfig(value.dictionary ?? [:])
            #expect(config.int(forKey: path.description) == 7)
            #expect(config.value(forKey: path.description + "x", as: ConfigValue.self) == nil)
        }
    }

    @Test("Literal keys with dots take precedence over paths, and both can be read")
    func literalKeys() throws {
        let config = ApplicationConfig([
            "a.b": "literal", "a": ["b": "nested", "c.d": "inner", "": "empty"], "": "root empty", "x\\y": 1, "p::q": 2,
            "items": [["name": "first"], ["name": "second"]],
        ])
        #expect(config.string(forKey: "a.b") == "literal")
        #expect(config.string(forKey: "a::b") == "nested")
        #expect(try config.get(ConfigPath(components: ["a", "b"]), as: String.self) == "nested")
        #expect(try config.get(ConfigPath(components: ["a.b"]), as: String.self) == "literal")
        #expect(config.string(forKey: "a\\.b") == "literal")
        #expect(config.string(forKey: "a.c\\.d") == "inner")
        #expect(config.string(forKey: "a.c.d") == nil)
        #expect(config.string(forKey: "a.") == "empty")
        #expect(config.string(forKey: "items[1].name") == "second")
        #expect(config.string(forKey: "items[2].name") == nil)
        #expect(config.int(forKey: "p::q") == 2)
        #expect(config.int(forKey: "x\\y") == 1)
        #expect(
            config.paths().map(\.description) == [
                "", "a.", "a.b", "a.c\\.d", "a\\.b", "items", "p\\:\\:q", "x\\\\y",
            ])
        for path in config.paths() where path.components != [.key("")] {
            #expect(ConfigPath(path.description) == path)
        }
    }

    @Test("A path hidden by a literal key causes a diagnostic")
    func hidden() throws {
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": "{\"a\": {\"b\": 1},\n\"a.b\": 2}"]))
        #expect(config.int(forKey: "a.b") == 2)
        #expect(
            config.diagnostics.map(\.description) == [
                "a.b: hidden by the literal key \"a.b\" from ApplicationConfig.json:2 (ApplicationConfig.json:1)"
            ])
    }

    @Test("Paths are parsed and printed unchanged")
    func paths() {
        #expect(
            ConfigPath("a.b::c[2][0].d").components == [
                .key("a"), .key("b"), .key("c"), .index(2), .index(0), .key("d"),
            ])
        #expect(ConfigPath("a[x].b[").components == [.key("a[x]"), .key("b[")])
        #expect(ConfigPath("a\\[1]").components == [.key("a[1]")])
        #expect(ConfigPath("a[]").components == [.key("a[]")])
        #expect(ConfigPath("a[0]\\.").components == [.key("a"), .index(0), .key(".")])
        #expect(ConfigPath("a.[0]").components == [.key("a"), .key(""), .index(0)])
        #expect(ConfigPath("[1]").components == [.index(1)])
        #expect(ConfigPath("").components == [])
        #expect(ConfigPath("a.b") == "a::b")
        #expect(ConfigPath("a.b").hashValue == ConfigPath("a::b").hashValue)
        #expect(ConfigPath("a.b") != ConfigPath(components: ["a.b"]))
    }

    @Test("Scopes merge over the root or replace it")
    func scopes() {
        let config = ApplicationConfig(["a": 1, "b": 2, "s": ["a": 10, "t": ["a": 100]]])
        #expect(config.scoped(to: "s").int(forKey: "a") == 10)
        #expect(config.scoped(to: "s").int(forKey: "b") == 2)
        #expect(config.scoped(to: "s::t").int(forKey: "a") == 100)
        #expect(config.scoped(to: "s", inheritsRoot: false).values == ["a": 10, "t": ["a": 100]])
        #expect(config.scoped(to: "none") == config)
        #expect(config.scoped(to: "none", inheritsRoot: false).values == [:])
        #expect(config.merging(["s": ["x": 1]]).int(forKey: "s.a") == 10)
        #expect(config.merging(["s": ["x": 1]]).int(forKey: "s.x") == 1)
        #expect(config.merging(["s": ["x": 1]], policy: .seed).int(forKey: "s.a") == nil)
        let merged = config.merging(["s": ["a": 11]])
        #expect(merged.scoped(to: "s").explain("a").shadowed.map(\.text) == ["10"])
    }

    @Test("A configuration can be merged many times, and is freed on a small stack", .timeLimit(.minutes(5)))
    func manyMerges() async {
        let explanation = await onSmallStack { () -> ConfigExplanation in
            var config = ApplicationConfig(["s": ["a": 0, "token": "hunter-7"], "kept": 1])
            for number in 1...30_000 { config = config.merging(["s": ["a": .integer(Int64(number))], "kept": nil]) }
            return config.explain("s.a")
        }
        #expect(explanation.text == "30000")
        #expect((1...201).contains(explanation.shadowed.count))
    }

    @Test("A path with too many steps can't be written")
    func longPaths() throws {
        func path(_ steps: Int) -> ConfigPath { ConfigPath(components: Array(repeating: "a", count: steps)) }
        var config = ApplicationConfig()
        config[path(100)] = 1
        #expect(config[path(100)] == 1)
        config[path(100_000)] = 2
        #expect(config[path(100)] == 1)
        #expect(config.diagnostics.map(\.message) == ["can't write: the path has more than 100 steps"])
        var document = ConfigDocument()
        try document.set(1, at: path(100))
        let error = #expect(throws: ConfigError.self) { try document.set(1, at: path(100_000)) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("Writing into arrays replaces, appends and removes")
    func arrays() {
        var config = ApplicationConfig(["list": [1, 2, 3]])
        config["list[1]"] = 20
        config["list[3]"] = 4
        config["list[0]"] = nil
        #expect(config["list"] == [20, 3, 4])
        config["list[9]"] = 1
        #expect(config["list"] == [20, 3, 4])
        #expect(config.diagnostics.map(\.message) == ["can't write: no such element"])
    }

    @Test("A class is found by the name of its module and its own name")
    func types() {
        let config = ApplicationConfig([
            "class": "AshlarAppConfigTests.Marker", "inner": "AshlarAppConfigTests.Marker.Inner", "none": "No.Such",
            "odd": "..", "struct": "AshlarAppConfigTests.ReadingTests",
        ])
        #expect(config.type(forKey: "class").map { ObjectIdentifier($0) } == ObjectIdentifier(Marker.self))
        #expect(config.type(forKey: "inner").map { ObjectIdentifier($0) } == ObjectIdentifier(Marker.Inner.self))
        #expect(config.type(forKey: "none") == nil)
        #expect(config.type(forKey: "odd") == nil)
        #expect(config.type(forKey: "struct") == nil)
        #expect(ObjectIdentifier(config.type(forKey: "none") ?? Marker.self) == ObjectIdentifier(Marker.self))
    }

    @Test("A literal key is found in each Unicode form")
    func literalForms() {
        #expect(ApplicationConfig(["e\u{301}.b": 1]).int(forKey: "\u{E9}.b") == 1)
    }
}

class Marker {
    final class Inner {}
}
