import AshlarAppConfig
import Foundation
import Testing

@Suite struct ReadingTests {
    static let words: [(ConfigValue, Bool?)] = [
        ("true", true), ("YES", true), ("On", true), ("y", true), ("T", true), ("1", true), (1, true), (true, true),
        ("false", false), ("no", false), ("OFF", false), ("n", false), ("f", false), ("0", false), (0, false),
        ("maybe", nil), ("", nil), ("2", nil), (2, nil), (1.0, nil), (" true", nil), ("truely", nil), ([], nil),
    ]

    @Test("A truth value is one of the known words and nothing else", arguments: words)
    func bools(value: ConfigValue, expected: Bool?) {
        #expect(ApplicationConfig(["k": value]).bool(forKey: "k") == expected)
    }

    @Test(
        "A whole number is read from what wholly is one",
        arguments: [
            ("12", 12), ("-7", -7), ("+7", 7), ("0x1F", 31), (12, 12), (3.0, 3), ("12abc", nil), ("", nil),
            (" 12", nil),
            (3.5, nil), (true, nil), ("1e3", nil), (.unsigned(.max), nil), (.real(.nan), nil), (.real(1e30), nil),
            ("9223372036854775807", Int.max), ("9223372036854775808", nil), (.data(Data()), nil),
        ] as [(ConfigValue, Int?)])
    func ints(value: ConfigValue, expected: Int?) {
        #expect(ApplicationConfig(["k": value]).int(forKey: "k") == expected)
    }

    @Test(
        "A number is finite and loses nothing",
        arguments: [
            ("1.5", 1.5), (2, 2), ("-.5", -0.5), ("1e3", 1000), (.real(.infinity), nil), ("nan", nil), ("inf", nil),
            ("0x10", nil), ("1.5x", nil), ("1e999", nil), (false, nil), (.integer(1 << 53), 9_007_199_254_740_992),
            (.integer(1 << 53 + 1), nil),
        ] as [(ConfigValue, Double?)])
    func doubles(value: ConfigValue, expected: Double?) {
        #expect(ApplicationConfig(["k": value]).double(forKey: "k") == expected)
    }

    @Test(
        "NaN and infinity are numbers only where that is asked for",
        arguments: [
            (.real(.infinity), .infinity), ("-inf", -.infinity), ("+Infinity", .infinity), ("infinite", nil),
            ("1.5", 1.5), ("--inf", nil),
        ] as [(ConfigValue, Double?)])
    func nonFinite(value: ConfigValue, expected: Double?) throws {
        var plan = plan([:])
        plan.defaults = ["k": value, "nan": "NaN"]
        #expect(try ApplicationConfig.load(plan).double(forKey: "k") == (expected?.isFinite == true ? expected : nil))
        plan.coercion = .standard.admittingNonFinite()
        let config = try ApplicationConfig.load(plan)
        #expect(config.double(forKey: "k") == expected)
        #expect(config.double(forKey: "nan")?.isNaN == true)
        #expect(config[ConfigKey("k", default: 0.0)] == expected ?? 0)
        #expect(config.int(forKey: "k") == nil)
        plan.coercion = .strict.admittingNonFinite()
        #expect(try ApplicationConfig.load(plan).double(forKey: "nan") == nil)
    }

    @Test("A typed key reads each configuration it is given, in turn")
    func keyInTurn() {
        // The texts lie at other places, the value is of another kind, or there is none.
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

    @Test("Keys of every length and script are found, and their neighbours are not")
    func lengths() {
        for letter in ["a", "é", "水", "🔥"] {
            for length in 1...40 {
                let name = String(repeating: letter, count: length)
                let nested = "s.\(name)"
                let config = ApplicationConfig([name: .integer(Int64(length)), "s": [name: .string(name)]])
                // Texts made in other ways, which may be held in other ways.
                var reserved = ""
                reserved.reserveCapacity(100)
                reserved += name
                let cut = String("<\(name)>".dropFirst().dropLast())
                for spelling in [name, reserved, cut, String(decoding: Array(name.utf8), as: UTF8.self)] {
                    #expect(config.int(forKey: spelling) == length)
                    #expect(config.string(forKey: "s." + spelling) == name)
                }
                #expect(config.string(forKey: nested) == name)
                #expect(config.object(forKey: name + "b") == nil)
                #expect(config.object(forKey: "b" + name.dropFirst()) == nil)
                #expect(config.object(forKey: name.dropLast() + "b") == nil)
                #expect(config.object(forKey: nested + "b") == nil)
            }
        }
    }

    @Test(
        "The text of a path is read back as the same path", arguments: ["[", "[0]", "a[1]b", ".", "\\", ":", "::", "]"])
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

    @Test("A configuration equals itself, NaN and all, in any order of keys")
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

    @Test("Values go through encoders and come back as they were")
    func codable() throws {
        let value: ConfigValue = [
            "b": true, "i": -7, "u": .unsigned(.max), "r": 1.5, "s": "x", "list": [1, "two", [false]], "empty": [:],
            "none": [], "date": .date(Date(timeIntervalSinceReferenceDate: 5)), "data": .data(Data([1, 2])),
        ]
        let plist = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(ConfigValue.self, from: plist) == value)
        var plain = value.dictionary ?? [:]
        (plain["date"], plain["data"], plain["null"]) = (nil, nil, .array([nil]))
        let json = try JSONEncoder().encode(ConfigValue.dictionary(plain))
        #expect(try JSONDecoder().decode(ConfigValue.self, from: json) == .dictionary(plain))
    }

    @Test("An error that a type throws itself names the place of the value it is about")
    func decodeOwnErrors() throws {
        struct Odd: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                guard try container.decode(Int.self) % 2 == 1 else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is even")
                }
            }
        }
        struct Holder: Decodable {
            var kind: Server.Kind?
            var odds: [Odd]?
        }
        let config = try ApplicationConfig.load(
            plan(["ApplicationConfig.json": "{\"a\": {\"kind\": \"wab\"},\n\"b\": {\"odds\": [1,\n2]}}"]))
        let kind = #expect(throws: ConfigError.self) { try config.decode(Holder.self, at: "a") }
        #expect(
            kind?.description.hasPrefix(
                "a.kind: the value cannot be decoded: found string \"wab\" (ApplicationConfig.json:1:") == true)
        let odd = #expect(throws: ConfigError.self) { try config.decode(Holder.self, at: "b") }
        #expect(
            odd?.description
                == "b.odds[1]: the value cannot be decoded: found integer 2 (ApplicationConfig.json:3:1; it is even)")
    }

    @Test("Structures can hold values of any kind, which are taken as they are")
    func decodeValues() throws {
        struct Holder: Decodable, Equatable {
            var any: ConfigValue
            var list: [ConfigValue]
            var map: [String: ConfigValue]
            var none: ConfigValue?
        }
        let config: ApplicationConfig = ["any": "1", "list": [1, true, "yes", .real(2)], "map": ["a": ["b": "0"]]]
        #expect(
            try config.decode(Holder.self)
                == Holder(any: "1", list: [1, true, "yes", .real(2)], map: ["a": ["b": "0"]], none: nil))
    }

    @Test("Remarks on defaults reach the reporter once for each key and type")
    func remarks() {
        let log = AccessLog()
        let config = ApplicationConfig(["n": "x", "secretToken": "hunter"])
            .trackingAccess(remark: { log.add($0.description) })
        let key = ConfigKey("n", default: 7)
        for _ in 0..<3 {
            #expect(config.int(forKey: "n", default: 1) == 1)
            #expect(config[key] == 7)
            #expect(!config.bool(forKey: "n", default: false))
            #expect(config.int(forKey: "secretToken") == nil)
        }
        #expect(
            log.all == [
                "n: expected Int, found string \"x\"; the default is used (code)",
                "n: expected Bool, found string \"x\"; the default is used (code)",
                "secretToken: expected Int, found string <redacted>; the default is used (code)",
            ])
        #expect(config.diagnostics.count == 3)
    }

    @Test(
        "A text is read from scalars in canonical form",
        arguments: [
            ("x", "x"), (12, "12"), (1.5, "1.5"), (2.0, "2"), (true, "true"), (.unsigned(.max), "18446744073709551615"),
            ([], nil), ([:], nil), (.data(Data()), nil),
        ] as [(ConfigValue, String?)])
    func strings(value: ConfigValue, expected: String?) {
        #expect(ApplicationConfig(["k": value]).string(forKey: "k") == expected)
    }

    @Test("Integers of all widths are checked for their range")
    func widths() throws {
        let config = ApplicationConfig(["small": 200, "negative": -1, "big": .unsigned(.max)])
        #expect(try config.get("small", as: UInt8.self) == 200)
        #expect(throws: ConfigError.self) { try config.get("small", as: Int8.self) }
        #expect(throws: ConfigError.self) { try config.get("negative", as: UInt.self) }
        #expect(try config.get("big", as: UInt64.self) == .max)
    }

    @Test(
        "Strict rules read each kind only as itself",
        arguments: [("\"1\"", "s"), ("1", "i"), ("1.5", "d"), ("true", "b")])
    func strict(json: String, kind: String) throws {
        var plan = plan(["ApplicationConfig.json": "{\"k\": \(json)}"])
        plan.coercion = .strict
        let config = try ApplicationConfig.load(plan)
        #expect((config.string(forKey: "k") != nil) == (kind == "s"))
        #expect((config.int(forKey: "k") != nil) == (kind == "i"))
        #expect((config.double(forKey: "k") != nil) == (kind == "d" || kind == "i"))
        #expect((config.bool(forKey: "k") != nil) == (kind == "b"))
        #expect(
            config.duration(forKey: "k")
                == (kind == "s" || kind == "b" ? nil : kind == "i" ? .seconds(1) : .seconds(1.5)))
    }

    @Test(
        "Durations and sizes are read with their units",
        arguments: [
            ("250ms", .milliseconds(250), nil), ("30s", .seconds(30), nil), ("1.5m", .seconds(90), nil),
            ("2h", .seconds(7200), nil), ("7d", .seconds(604_800), nil), ("10us", .microseconds(10), nil),
            (15, .seconds(15), 15), ("512", .seconds(512), 512), ("10MiB", nil, 10_485_760), ("10 MB", nil, 10_000_000),
            ("1.5KiB", nil, 1536), ("-1", .seconds(-1), nil), ("1 parsec", nil, nil), ("ms", nil, nil),
            ("0.3B", nil, nil),
        ] as [(ConfigValue, Duration?, Int?)])
    func units(value: ConfigValue, duration: Duration?, bytes: Int?) {
        let config = ApplicationConfig(["k": value])
        #expect(config.duration(forKey: "k") == duration)
        #expect(config.bytes(forKey: "k") == bytes)
    }

    @Test(
        "Dates are read from ISO 8601 texts",
        arguments: [
            ("2001-01-01T00:00:00Z", 0), ("2001-01-01", 0), ("2001-01-01T01:00:00+01:00", 0),
            ("2001-01-01T00:00:00.25Z", 0.25), ("2000-02-29T00:00:00Z", -26_524_800), ("1970-01-01", -978_307_200),
            ("2001-02-29", nil), ("2001-13-01", nil), ("2001-01-01T24:00:00Z", nil), ("2001-01-01 00:00:00", nil),
            ("2001-01-01T00:00:00", nil), ("tomorrow", nil),
        ] as [(String, Double?)])
    func dates(text: String, expected: Double?) {
        let date = ApplicationConfig(["k": .string(text)]).date(forKey: "k")
        #expect(date?.timeIntervalSinceReferenceDate == expected)
    }

    @Test("URLs, data, arrays and dictionaries are read")
    func others() throws {
        let config = ApplicationConfig([
            "url": "https://example.org/a?b=c", "bad": "not a url", "b64": "AAEC", "data": .data(Data([1, 2])),
            "list": ["1", 2], "map": ["a": 1],
        ])
        #expect(config.url(forKey: "url")?.host() == "example.org")
        #expect(config.url(forKey: "bad") == nil)
        #expect(config.data(forKey: "b64") == Data([0, 1, 2]))
        #expect(config.data(forKey: "data") == Data([1, 2]))
        #expect(try config.get("list", as: [Int].self) == [1, 2])
        #expect(try config.get("map", as: [String: Double].self) == ["a": 1])
        #expect(config.array(forKey: "list")?.count == 2)
        #expect(config.dictionary(forKey: "map") == ["a": 1])
    }

    @Test("A malformed value gives the default, and one remark for its key")
    func defaultUsed() throws {
        let config = ApplicationConfig(["n": "12abc"])
        #expect(config.int(forKey: "n", default: 5) == 5)
        #expect(config.int(forKey: "n", default: 5) == 5)
        #expect(config.int(forKey: "none", default: 6) == 6)
        #expect(
            config.diagnostics.map(\.description) == [
                "n: expected Int, found string \"12abc\"; the default is used (code)"
            ])
    }

    @Test("The error of a typed read names key, place, expectation, finding and what it overrides")
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

    @Test("Typed keys read values, defaults and required values, of each snapshot its own")
    func typedKeys() throws {
        enum Stage: String, ConfigConvertible, CaseIterable { case production, staging }
        let timeout = ConfigKey("http.timeout", default: 30)
        let stage = ConfigKey("stage", default: Stage.production)
        let (name, ratio, isOn) = (
            ConfigKey("name", default: "?"), ConfigKey("ratio", default: 0.5), ConfigKey("on", default: false)
        )
        let host = RequiredConfigKey("http.host", as: String.self)
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
        #expect(try config[host] == "h")
        #expect(throws: ConfigError.self) { try other[host] }
        config["http.timeout"] = 6
        #expect(config[timeout] == 6)
    }

    @Test("Literal keys with dots win over paths, and both can be reached")
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

    @Test("A path that a literal key hides is remarked on when loading")
    func hidden() throws {
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": "{\"a\": {\"b\": 1},\n\"a.b\": 2}"]))
        #expect(config.int(forKey: "a.b") == 2)
        #expect(
            config.diagnostics.map(\.description) == [
                "a.b: hidden by the literal key \"a.b\" from ApplicationConfig.json:2 (ApplicationConfig.json:1)"
            ])
    }

    @Test("Paths parse and print as they are written")
    func paths() {
        #expect(
            ConfigPath("a.b::c[2][0].d").components == [
                .key("a"), .key("b"), .key("c"), .index(2), .index(0), .key("d"),
            ])
        #expect(ConfigPath("a[x].b[").components == [.key("a[x]"), .key("b[")])
        #expect(ConfigPath("a\\[1]").components == [.key("a[1]")])
        #expect(ConfigPath("[1]").components == [.index(1)])
        #expect(ConfigPath("").components == [])
        #expect(ConfigPath("a.b") == "a::b")
        #expect(ConfigPath("a.b").hashValue == ConfigPath("a::b").hashValue)
        #expect(ConfigPath("a.b") != ConfigPath(components: ["a.b"]))
    }

    struct Server: Decodable, Equatable {
        enum Kind: String, Decodable { case web, db }
        var name: String
        var kind: Kind
        var port: Int?
        var weight: Double
        var until: Date
        var address: URL
        var wait: Duration
        var tags: [String]
        var limits: [String: Int]
        var blob: Data
    }

    @Test("Structures decode at any path, arrays of them too")
    func decode() throws {
        let one: ConfigValue = [
            "name": "a", "kind": "db", "weight": 2, "until": "2001-01-01", "address": "https://a.b", "wait": "5s",
            "tags": ["x", "y"], "limits": ["m": "7"], "blob": .data(Data([9])),
        ]
        let config = ApplicationConfig(["servers": [one, one], "deep": ["er": one]])
        let expected = Server(
            name: "a", kind: .db, port: nil, weight: 2, until: Date(timeIntervalSinceReferenceDate: 0),
            address: try #require(URL(string: "https://a.b")), wait: .seconds(5), tags: ["x", "y"], limits: ["m": 7],
            blob: Data([9]))
        #expect(try config.decode(Server.self, at: "deep.er") == expected)
        #expect(try config.decode([Server].self, at: "servers") == [expected, expected])
        #expect(try config.decode(Int.self, at: "deep.er.weight") == 2)
    }

    @Test(
        "A decoding error names the path of what does not fit",
        arguments: [
            (
                "{\"s\": [{\"name\": \"a\"}, {\"nmae\": \"b\"}]}",
                "s[1].name: expected a value, found nothing (ApplicationConfig.json:1:23); did you mean nmae?"
            ),
            (
                "{\"s\": [{\"name\": [1]}]}",
                "s[0].name: expected String, found array of 1 (ApplicationConfig.json:1:17)"
            ),
            ("{\"s\": {}}", "s: expected array, found dictionary of 0 (ApplicationConfig.json:1:7)"),
            ("{}", "s: expected Array<Item>, found nothing"),
        ])
    func decodeErrors(json: String, message: String) throws {
        struct Item: Decodable { var name: String }
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": json]))
        let error = #expect(throws: ConfigError.self) { try config.decode([Item].self, at: "s") }
        #expect(error?.description == message)
    }

    @Test("Scopes lie on the root or stand alone")
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
        #expect(config.with(dictionary: ["s": ["x": 1]]).int(forKey: "s.a") == nil)
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
        #expect(config.diagnostics.map(\.message) == ["there is no such element to write"])
    }

    @Test("Reads are remembered, and what was never read is known")
    func access() throws {
        let log = AccessLog()
        let config = ApplicationConfig([
            "a": 1, "b": ["c": 2, "d": 3], "e": ["f": 4], "com.acme.App": ["x": 1], "list": [1, 2],
        ]).trackingAccess { log.add($0) }
        let key = ConfigKey("a", default: 0)
        #expect(config[key] == 1)
        #expect(config.int(forKey: "b.c") == 2)
        #expect(config.string(forKey: "none") == nil)
        _ = config.explain("b.d")
        #expect(config.unusedKeys() == ["b.d", "e.f", "list"])
        _ = config.dictionary(forKey: "e")
        _ = config.int(forKey: "list[0]")
        #expect(config.unusedKeys() == ["b.d"])
        #expect(
            log.all == [
                "a true", "b.c true", "none false", "e true", "list[0] true",
            ])
        #expect(ApplicationConfig().unusedKeys() == nil)
    }

    @Test("A class is found by the name of its module and its own")
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
        #expect(ObjectIdentifier(config.type(forKey: "none", default: Marker.self)) == ObjectIdentifier(Marker.self))
    }
}

class Marker {
    final class Inner {}
}

/// What a reporter was told.
final class AccessLog: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ access: ConfigAccess) { add("\(access.key) \(access.isFound)") }
    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}
