import AshlarAppConfig
import Testing

/// Every documented call of NEIApplicationConfig, with the files of its documentation.
@Suite struct SeedParityTests {
    static let files = [
        "ApplicationConfig.plist": plist(
            """
            <key>STRING_KEY</key><string>text</string>
            <key>VALUE_ENABLED</key><true/>
            <key>COUNT</key><integer>7</integer>
            <key>RATIO</key><real>2.5</real>
            <key>LOOSE</key><string>12abc</string>
            <key>font.title.name</key><string>Helvetica</string>
            <key>font.title.size</key><integer>18</integer>
            <key>CONTROLLER</key><string>AshlarAppConfigTests.Marker</string>
            <key>servers</key><dict><key>url</key><string>prod</string><key>port</key><integer>1</integer></dict>
            <key>com.myapp.beta.AppName</key><dict><key>STRING_KEY</key><string>beta</string></dict>
            """),
        "ApplicationConfig.debug.plist": plist(
            """
            <key>COUNT</key><integer>8</integer>
            <key>servers</key><dict><key>url</key><string>debug</string></dict>
            """),
        "ApplicationConfig.simulator.plist": plist("<key>COUNT</key><integer>9</integer>"),
    ]

    static func load(
        _ environments: [ConfigEnvironment] = [], bundle: String? = nil, _ policy: ConfigMergePolicy = .seed
    ) throws -> ApplicationConfig {
        var plan = plan(files, environments: environments, bundle: bundle)
        plan.merge = policy
        plan.coercion = .seed
        return try ApplicationConfig.load(plan)
    }

    @Test("Load order: a release reads the base alone, a debug build its file, the simulator its own last")
    func loadOrder() throws {
        #expect(try Self.load().int(forKey: "COUNT") == 7)
        #expect(try Self.load([.debug]).int(forKey: "COUNT") == 8)
        #expect(try Self.load([.debug, .simulator]).int(forKey: "COUNT") == 9)
    }

    private struct Narrow: Decodable { let wide: Int }

    @Test("Whole numbers go through 32 bits, as intValue did")
    func narrowNumbers() throws {
        var plan = plan(["ApplicationConfig.json": #"{"wide": 4294967303, "text": "99999999999"}"#])
        plan.coercion = .seed
        let config = try ApplicationConfig.load(plan)
        #expect(config.int(forKey: "wide") == 7)
        #expect(config[ConfigKey("wide", default: 0)] == 7)
        #expect(try config.decode([String: Int].self) == ["wide": 7, "text": Int(Int32.max)])
        #expect(try config.decode(Narrow.self).wide == 7)
        #expect(config.int(forKey: "text") == Int(Int32.max))
    }

    @Test(
        "A real is the number at the start of a text, as doubleValue gave it",
        arguments: [
            ("1.5e-3x", 0.0015), ("1e+2", 100), ("1E2", 100), ("2e", 2), ("2e-", 2), ("2ex", 2), (" -.5", -0.5),
            ("+7", 7), ("1e1.5", 10), ("x", 0), ("", 0), (".", 0), ("-", 0),
        ])
    func reals(text: String, number: Double) throws {
        var plan = plan(["ApplicationConfig.json": "{\"k\": \"\(text)\"}"])
        plan.coercion = .seed
        #expect(try ApplicationConfig.load(plan).double(forKey: "k") == number)
    }

    @Test("Files merge at the root only; the deep merge is an addition")
    func mergeDepth() throws {
        #expect(try Self.load([.debug])["servers"] == ["url": "debug"])
        #expect(try Self.load([.debug], .deep)["servers"] == ["url": "debug", "port": 1])
    }

    @Test("Bundle override: the identifier's dictionary merges over the root, and its key remains")
    func bundleOverride() throws {
        let config = try Self.load([.debug, .simulator], bundle: "com.myapp.beta.AppName")
        #expect(config.string(forKey: "STRING_KEY") == "beta")
        #expect(config.allKeys.contains("com.myapp.beta.AppName"))
    }

    @Test("defaults(): the shared store holds the main bundle's configuration")
    func defaults() {
        #expect(ConfigStore.shared === ConfigStore.shared)
        #expect(ConfigStore.shared.current.string(forKey: "no such key") == nil)
    }

    @Test("set(object:forKey:) overrides for the life of the copy, and nil removes")
    func set() throws {
        var config = try Self.load()
        config["IS_AWESOME_API"] = true
        #expect(config.bool(forKey: "IS_AWESOME_API") ?? false)
        config["IS_AWESOME_API"] = nil
        #expect(config["IS_AWESOME_API"] == nil)
    }

    @Test("get(objectForKey:) with and without default")
    func object() throws {
        let config = try Self.load()
        #expect(config["COUNT"] == 7)
        #expect(config["none"] == nil)
        #expect((config["none"] ?? "x") == "x")
    }

    @Test("keys()")
    func keys() throws {
        #expect(try Self.load().allKeys == Self.load().allKeys.sorted())
        #expect(try Self.load().allKeys.count == 10)
    }

    @Test("get(stringForKey:) returns the value, which NEIApplicationConfig used as another key")
    func string() throws {
        let config = try Self.load()
        #expect(config.string(forKey: "STRING_KEY") == "text")
        #expect(config.string(forKey: "none") == nil)
        #expect(config.string(forKey: "STRING_KEY") == "text")
        #expect(config.string(forKey: "none") ?? "DEFAULT_VALUE" == "DEFAULT_VALUE")
    }

    @Test("get(classForKey:) finds the class, unlike in NEIApplicationConfig")
    func classes() throws {
        let config = try Self.load()
        #expect(config.type(forKey: "CONTROLLER").map { ObjectIdentifier($0) } == ObjectIdentifier(Marker.self))
        #expect(config.type(forKey: "none") == nil)
        #expect(ObjectIdentifier(config.type(forKey: "none") ?? Marker.self) == ObjectIdentifier(Marker.self))
    }

    @Test("get(booleanForKey:), get(intForKey:), get(floatForKey:) with defaults")
    func numbers() throws {
        let config = try Self.load()
        #expect(config.bool(forKey: "VALUE_ENABLED") ?? false)
        #expect(config.bool(forKey: "none") ?? true)
        #expect(config.int(forKey: "COUNT") == 7)
        #expect(config.value(forKey: "RATIO", as: Float.self) == 2.5)
        #expect(config.value(forKey: "none", as: Float.self) ?? 1.5 == 1.5)
    }

    @Test(
        "Strings are read like by NSString",
        arguments: [
            ("12abc", 12, true), ("YES please", 0, true), ("no", 0, false), ("", 0, false), (" -5x", -5, true),
            ("99999999999", 2_147_483_647, true), ("0x10", 0, false), ("true", 0, true), ("007", 7, true),
        ])
    func looseTexts(text: String, int: Int, bool: Bool) throws {
        var config = try Self.load()
        config["k"] = .string(text)
        #expect(config.int(forKey: "k") == int)
        #expect(config.bool(forKey: "k") == bool)
        #expect(config.value(forKey: "LOOSE", as: Float.self) == 12)
    }

    @Test("A dictionary, an array or a date gives the default; NEIApplicationConfig crashes")
    func containers() throws {
        let config = try Self.load()
        #expect(config.int(forKey: "servers") ?? 3 == 3)
        #expect(config.diagnostics.contains { $0.code == .defaultUsed && $0.key == "servers" })
    }

    @Test("font(named:) reads literal keys and falls back to Arial at 12 points")
    func fonts() throws {
        let config = try Self.load()
        #expect(config.font(named: "title") == FontSpec(name: "Helvetica", size: 18))
        #expect(config.font(named: "none") == FontSpec(name: "Arial", size: 12))
    }

    @Test("with(scope:) merges over the whole root; a missing scope leaves the root")
    func scope() throws {
        let config = try Self.load()
        #expect(config.scoped(to: "servers").string(forKey: "url") == "prod")
        #expect(config.scoped(to: "servers").int(forKey: "COUNT") == 7)
        #expect(config.scoped(to: "none::deeper") == config)
    }

    @Test("with(dictionary:) replaces root keys completely")
    func dictionary() throws {
        let config = try Self.load().merging(["servers": ["x": 1], "COUNT": 5], policy: .seed)
        #expect(config["servers"] == ["x": 1])
        #expect(config.int(forKey: "COUNT") == 5)
        #expect(config.string(forKey: "STRING_KEY") == "text")
    }

    @Test("Subscripts read and write")
    func subscripts() throws {
        var config = try Self.load()
        #expect(config["COUNT"] == 7)
        config["COUNT"] = 70
        #expect(config["COUNT"] == 70)
        config["COUNT"] = nil
        #expect(config["COUNT"] == nil)
    }
}
