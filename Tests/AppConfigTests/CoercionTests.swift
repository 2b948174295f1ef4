import AshlarAppConfig
import Foundation
import Testing

@Suite struct CoercionTests {
    static let words: [(ConfigValue, Bool?)] = [
        ("true", true), ("YES", true), ("On", true), ("y", true), ("T", true), ("1", true), (1, true), (true, true),
        ("false", false), ("no", false), ("OFF", false), ("n", false), ("f", false), ("0", false), (0, false),
        ("maybe", nil), ("", nil), ("2", nil), (2, nil), (1.0, nil), (" true", nil), ("truely", nil), ([], nil),
    ]

    @Test("A Boolean is read only from the known words", arguments: words)
    func bools(value: ConfigValue, expected: Bool?) {
        #expect(ApplicationConfig(["k": value]).bool(forKey: "k") == expected)
    }

    @Test(
        "An integer is read only from text that is an integer throughout",
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
        "Numbers are read only if they are finite and lose no digit",
        arguments: [
            ("1.5", 1.5), (2, 2), ("-.5", -0.5), ("1e3", 1000), (.real(.infinity), nil), ("nan", nil), ("inf", nil),
            ("0x10", nil), ("1.5x", nil), ("1e999", nil), (false, nil), (.integer(1 << 53), 9_007_199_254_740_992),
            (.integer(1 << 53 + 1), nil),
        ] as [(ConfigValue, Double?)])
    func doubles(value: ConfigValue, expected: Double?) {
        #expect(ApplicationConfig(["k": value]).double(forKey: "k") == expected)
    }

    @Test(
        "Scalars are read as strings in canonical form",
        arguments: [
            ("x", "x"), (12, "12"), (1.5, "1.5"), (2.0, "2"), (-2.0, "-2"), (.real(-0.0), "-0.0"), (0.0, "0"),
            (true, "true"), (.unsigned(.max), "18446744073709551615"),
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
            config.value(forKey: "k", as: Duration.self)
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
        #expect(config.value(forKey: "k", as: Duration.self) == duration)
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
        let date = ApplicationConfig(["k": .string(text)]).value(forKey: "k", as: Date.self)
        #expect(date?.timeIntervalSinceReferenceDate == expected)
    }

    @Test("URLs, data, arrays and dictionaries are read")
    func others() throws {
        let config = ApplicationConfig([
            "url": "https://example.org/a?b=c", "bad": "not a url", "b64": "AAEC", "data": .data(Data([1, 2])),
            "list": ["1", 2], "map": ["a": 1],
        ])
        #expect(config.value(forKey: "url", as: URL.self)?.host() == "example.org")
        #expect(config.value(forKey: "bad", as: URL.self) == nil)
        #expect(config.value(forKey: "b64", as: Data.self) == Data([0, 1, 2]))
        #expect(config.value(forKey: "data", as: Data.self) == Data([1, 2]))
        #expect(try config.get("list", as: [Int].self) == [1, 2])
        #expect(try config.get("map", as: [String: Double].self) == ["a": 1])
        #expect(config.value(forKey: "list", as: [ConfigValue].self)?.count == 2)
        #expect(config.value(forKey: "map", as: [String: ConfigValue].self) == ["a": 1])
    }

    @Test("Strict rules also preserve all digits of an integer")
    func strictWhole() throws {
        var plan = plan([:])
        plan.defaults = ["exact": .integer(1 << 53), "odd": .integer(1 << 53 + 1), "big": .unsigned(.max)]
        for (rules, isLossy) in [(ConfigCoercion.standard, false), (.strict, false), (.seed, true)] {
            plan.coercion = rules
            let config = try ApplicationConfig.load(plan)
            #expect(config.double(forKey: "exact") == 9_007_199_254_740_992)
            #expect((config.double(forKey: "odd") != nil) == isLossy)
            #expect((config.double(forKey: "big") != nil) == isLossy)
        }
    }

    @Test(
        "Sizes and durations are exact to their decimal digits",
        arguments: [
            ("1.1kB", nil, 1100), ("4.35kB", nil, 4350), ("0.0009765625MiB", nil, 1024), ("1.5B", nil, nil),
            ("9223372036854775807", nil, .max), ("9223372036854775808", nil, nil),
            ("8191PiB", nil, 9_222_246_136_947_933_184),
            ("8192PiB", nil, nil), ("3PB", nil, 3_000_000_000_000_000), ("1.5.0kB", nil, nil), ("10 MiB ", nil, nil),
            ("0.1s", .milliseconds(100), nil), ("0.3ms", .microseconds(300), nil), ("2.2h", .seconds(7920), nil),
            ("1.1d", .seconds(95_040), nil), ("-0.5s", .milliseconds(-500), nil), ("1e3", .seconds(1000), nil),
            ("8999999999999999s", .seconds(8_999_999_999_999_999), nil), ("9000000000000000s", nil, nil),
            ("1m30s", nil, nil),
            ("0.0000000000000000019s", Duration(secondsComponent: 0, attosecondsComponent: 1), nil),
        ] as [(String, Duration?, Int?)])
    func exactUnits(text: String, duration: Duration?, bytes: Int?) {
        let config = ApplicationConfig(["k": .string(text)])
        if duration != nil || bytes == nil { #expect(config.value(forKey: "k", as: Duration.self) == duration) }
        if bytes != nil || duration == nil { #expect(config.bytes(forKey: "k") == bytes) }
    }

    @Test(
        "A fraction of a second is the number nearest to its digits", arguments: ["123", "1", "999999", "000001", "7"])
    func fractions(digits: String) {
        let config = ApplicationConfig(["k": .string("2001-01-01T00:00:00.\(digits)Z")])
        #expect(config.value(forKey: "k", as: Date.self)?.timeIntervalSinceReferenceDate == Double("0.\(digits)"))
    }
}
