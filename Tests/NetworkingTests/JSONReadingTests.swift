import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

@Suite struct JSONReadingTests {
    private func json(_ text: String) throws -> JSONEntity { try JSONEntity(parsing: text) }

    @Test(
        "Integers are returned exactly or not at all",
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-7", -7), ("1.0", 1), ("-2.000", -2), ("1e2", 100), ("1.5e1", 15),
            ("100e-2", 1),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil),
            ("1.5", nil), ("1e19", nil), ("1e18", 1_000_000_000_000_000_000), ("0.1e1", 1), ("1e-1", nil),
            ("0e99999999999999999999", 0),
            ("92233720368547758.07e2", .max), ("true", 1), ("false", 0), ("null", nil), ("[]", nil), ("{}", nil),
            ("\"12\"", 12),
            ("\"-12\"", -12), ("\"+12\"", 12), ("\"012\"", 12), ("\"12.0\"", 12), ("\"1e3\"", 1000), ("\"12abc\"", nil),
            ("\"abc\"", nil),
            ("\"\"", nil), ("\" 12\"", nil), ("\"12 \"", nil), ("\"1.5\"", nil), ("\"0x10\"", nil), ("\"1.\"", nil),
            ("\".5\"", nil),
            ("\"-\"", nil), ("\"--1\"", nil), ("\"inf\"", nil), ("\"nan\"", nil), ("\"9223372036854775808\"", nil),
            ("\"1\\u0032\"", 12),
            ("999999999999999999", 999_999_999_999_999_999), ("1000000000000000000", 1_000_000_000_000_000_000),
        ] as [(String, Int?)])
    func ints(text: String, expected: Int?) throws {
        #expect(try json(text).int() == expected)
        #expect(try json(text).int(-99) == expected ?? -99)
        #expect(try json("{\"k\":\(text)}")["k"].int(-99) == expected ?? -99)
    }

    @Test(
        "Doubles are the nearest ones",
        arguments: [
            ("0", 0), ("1.5", 1.5), ("-1.5e3", -1500), ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23),
            ("123456789012345678", 123_456_789_012_345_680),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", Double.leastNonzeroMagnitude),
            ("1e-400", 0), ("1e400", nil),
            ("-1e309", nil),
            ("9007199254740993", 9_007_199_254_740_992), ("9007199254740992.5", 9_007_199_254_740_992),
            ("0.30000000000000004", 0.30000000000000004),
            ("true", 1), ("null", nil), ("\"1.5\"", 1.5), ("\"1.5x\"", nil), ("[1]", nil),
            ("2.2250738585072011e-308", Double(bitPattern: 0x000F_FFFF_FFFF_FFFF)),
            ("18446744073709551615", 0x1p64), ("0.000001", 0.000001),
            ("1480.1299999999999", 1480.1299999999999),
        ] as [(String, Double?)])
    func doubles(text: String, expected: Double?) throws {
        #expect(try json(text).double() == expected)
        let float = expected.map { Float($0) }
        #expect(try json(text).float() == float || float?.isInfinite == true)
    }

    @Test("Doubles of any spelling agree with the standard library", arguments: [UInt64(1), 2, 3])
    func randomDoubles(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let text: String
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let value = Double(bitPattern: random.next())
                guard value.isFinite else { continue }
                text = "\(value)"
            case 1: text = "\(Double.random(in: -1e6...1e6, using: &random))"
            case 2:
                let digits = Int.random(in: 1...21, using: &random)
                let number = (0..<digits).map { _ in String(Int.random(in: 1...9, using: &random)) }.joined()
                text = "\(number)e\(Int.random(in: -330...310, using: &random))"
            default:
                // Half-way cases between two doubles.
                let significand = UInt64.random(in: 1 << 52..<1 << 53, using: &random) * 2 + 1
                text = "\(significand)" + ["", ".0", "e0", ".5", ".000001", "e-5", "e3"].randomElement(using: &random)!
            }
            let expected = Double(text)
            #expect(try json(text).double() == (expected?.isFinite == true ? expected : nil), "\(text)")
        }
    }

    @Test(
        "Booleans are true, false, 1, 0 and the words for them",
        arguments: [
            ("true", true), ("false", false), ("1", true), ("0", false), ("1.0", true), ("2", nil), ("-1", nil),
            ("0.5", nil), ("null", nil),
            ("\"true\"", true), ("\"FALSE\"", false), ("\"Yes\"", true), ("\"no\"", false), ("\"1\"", true),
            ("\"0\"", false),
            ("\"y\"", nil), ("\"2\"", nil), ("\"\"", nil), ("\" true\"", nil), ("[]", nil),
        ] as [(String, Bool?)])
    func bools(text: String, expected: Bool?) throws {
        #expect(try json(text).bool() == expected)
        #expect(try json(text).bool(true) == expected ?? true)
        #expect(try json(text).bool(false) == expected ?? false)
    }

    @Test("Other values aren't converted to strings")
    func strings() throws {
        for text in ["1", "true", "null", "[]", "{}", "1.5"] { #expect(try json(text).string("d") == "d") }
        #expect(try json("\"\"").string("d") == "")
    }

    @Test("Arrays and objects are returned, or the default")
    func containers() throws {
        let value = try json(#"{"a": [1, 2], "o": {"x": 1, "y": {"z": 2}}, "s": 3}"#)
        #expect(value["a"].array()?.map { $0.int() } == [1, 2])
        #expect(value["o"].array() == nil && value["o"].array([1]) == [1])
        #expect(value["o"].dictionary()?.mapValues { $0.text() } == ["x": "1", "y": "{\"z\":2}"])
        #expect(
            value["a"].dictionary() == nil && value["a"].dictionary(["k": 1]) == ["k": 1]
                && value["s"].dictionary([:]) == [:])
        #expect(value["o"].map(\.key) == ["x", "y"])
    }

    @Test(
        "Large arrays and objects are searched, counted and iterated like small ones",
        arguments: [0, 1, 13, 14, 32, 33, 34, 1000])
    func sizes(count: Int) throws {
        let list = try json("[" + (0..<count).map { "[\($0)]" }.joined(separator: ",") + "]")
        #expect(list.count == count && list.isEmpty == (count == 0) && Array(list).count == count)
        for index in 0..<count { #expect(list[index][0].int() == index) }
        #expect(!list[count].isValid && !list[-1].isValid && list[count].path == "$[\(count)]")
        let object = try json(
            "{" + (0..<count).map { "\"k\\u0065y\($0)\": {\"v\": \($0)}, \"plain\($0)\": \($0)" }.joined(separator: ",")
                + "}")
        #expect(object.count == count * 2)
        for index in 0..<count {
            #expect(object["key\(index)"]["v"].int() == index && object["plain\(index)"].int() == index)
            #expect(object["key\(index)"].key == "key\(index)")
        }
        #expect(!object["key\(count)"].isValid && !object["k"].isValid && !object[""].isValid)
        #expect(Set(object.keys).count == count * 2)
    }

    @Test("Large objects can be searched from many threads concurrently", .timeLimit(.minutes(5)))
    func concurrentLookups() async throws {
        let object = try json("{" + (0..<200).map { "\"key\($0)\": \($0)" }.joined(separator: ",") + "}")
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { (0..<200).reduce(0) { $0 + object["key\($1)"].int(-1) } } }
            return await group.reduce(0, +)
        }
        #expect(total == 16 * 199 * 100)
    }

    @Test(
        "Dates are read in the requested format",
        arguments: [
            ("\"1970-01-01T00:00:00Z\"", 0), ("\"2026-11-20T13:19:38Z\"", 1_795_180_778),
            ("\"2026-11-20T14:19:38+01:00\"", 1_795_180_778),
            ("\"2026-11-20t13:19:38.250z\"", 1_795_180_778.25), ("\"2026-11-20 08:19:38-05:00\"", 1_795_180_778),
            ("\"1969-12-31T23:59:59Z\"", -1),
            ("\"2000-02-29T12:00:00Z\"", 951_825_600), ("\"2001-02-29T12:00:00Z\"", nil),
            ("\"1900-02-29T00:00:00Z\"", nil),
            ("\"2026-13-01T00:00:00Z\"", nil), ("\"2026-11-20T24:00:00Z\"", nil), ("\"2026-11-20T13:60:00Z\"", nil),
            ("\"2026-11-20\"", nil),
            ("\"2026-11-20T13:19:38\"", nil), ("\"2026-11-20T13:19:38.Z\"", nil), ("\"2026-11-20T13:19:38+1:00\"", nil),
            ("\"2026-11-20T13:19:38Z \"", nil), ("\"+026-11-20T13:19:38Z\"", nil),
            ("\"0001-01-01T00:00:00Z\"", -62_135_596_800),
            ("\"2016-12-31T23:59:60Z\"", 1_483_228_800), ("1795180778", nil), ("null", nil),
            ("\"9999-12-31T23:59:59Z\"", 253_402_300_799),
        ] as [(String, Double?)])
    func dates(text: String, seconds: Double?) throws {
        #expect(try json(text).date() == seconds.map(Date.init(timeIntervalSince1970:)))
    }

    @Test("Dates as numbers, URLs, and their defaults")
    func datesAndURLs() throws {
        #expect(try json("1.5").date(.secondsSince1970) == Date(timeIntervalSince1970: 1.5))
        #expect(try json("1500").date(.millisecondsSince1970) == Date(timeIntervalSince1970: 1.5))
        #expect(try json("1.5").date(.secondsSince2001) == Date(timeIntervalSinceReferenceDate: 1.5))
        #expect(try json("\"1.5\"").date(.secondsSince1970) == nil)
        #expect(try json("[]").date() == nil)
        #expect(try json("\"https://a.example/b?c\"").url()?.host() == "a.example")
        #expect(try json("\"\"").url() == nil && json("7").url() == nil)
    }

    @Test(
        "Values are equal regardless of notation",
        arguments: [
            ("1", "1.0", true), ("1", "10e-1", true), ("100", "1e2", true), ("-0", "0", true), ("1", "2", false),
            ("1", "true", false),
            ("0.1", "0.10", true), ("18446744073709551616", "18446744073709551616.0", true),
            ("18446744073709551616", "18446744073709551617", false),
            ("1e400", "1e401", false), ("\"\\u0041\"", "\"A\"", true), ("\"é\"", "\"e\u{301}\"", false),
            ("\"1\"", "1", false), ("null", "null", true),
            ("null", "false", false), ("[1,2]", "[1.0,2e0]", true), ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false),
            ("[]", "{}", false),
            ("{\"a\":1,\"b\":2}", "{\"b\":2,\"\\u0061\":1}", true), ("{\"a\":1}", "{\"a\":2}", false),
            ("{\"a\":1}", "{\"b\":1}", false),
            ("{\"a\":1}", "{\"a\":1,\"b\":1}", false), ("{\"a\":1,\"a\":2}", "{\"a\":2}", true),
            ("{\"a\":2,\"a\":1}", "{\"a\":2}", false),
            ("{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":1}", false), ("{\"a\":null}", "{}", false),
            ("[[[]]]", "[[[]]]", true),
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{E9}\":1}", true),
        ])
    func equality(a: String, b: String, areEqual: Bool) throws {
        let (left, right) = (try json(a), try json(b))
        #expect((left == right) == areEqual && (right == left) == areEqual)
        if areEqual { #expect(left.hashValue == right.hashValue) }
        #expect(left == left && left != .missing && JSONEntity.missing == left["x"]["y"])
    }

    @Test("Values are built from literals and parts, and written")
    func building() throws {
        let value: JSONEntity = [
            "s": "a\"\\\n\u{1}é", "i": -3, "d": 1.5, "t": true, "n": .null, "l": [1, "x", [.null]], "e": [:],
        ]
        #expect(value.text() == #"{"s":"a\"\\\n\u0001é","i":-3,"d":1.5,"t":true,"n":null,"l":[1,"x",[null]],"e":{}}"#)
        #expect(value["l"].text(indent: 2) == "[\n  1,\n  \"x\",\n  [\n    null\n  ]\n]")
        #expect(
            (try json(#"{"a":{},"b":[],"c":{"d":1}}"#)).text(indent: 2)
                == "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": {\n    \"d\": 1\n  }\n}")
        #expect(try json("[1]").text(indent: .max) == "[\n" + String(repeating: " ", count: 16) + "1\n]")
        #expect(try json("[1]").text(indent: -1) == "[\n1\n]")
        let named = JSONEntity("name", "x")
        #expect(named.key == "name" && named.string() == "x" && named.path == "$")
        #expect(JSONEntity(array: [1, .missing, "x"]).text() == "[1,null,\"x\"]")
        #expect(JSONEntity(object: ["b": 1, "a": .missing]).text() == "{\"b\":1}")
        #expect(JSONEntity(UInt64.max).text() == "18446744073709551615")
        let (tenth, large) = (0.1, 1e300)
        #expect(try JSONEntity(tenth).text() == "0.1" && JSONEntity(large).double() == large)
        for value in [Double.nan, .infinity, -.infinity] {
            let error = #expect(throws: NetworkError.self) { try JSONEntity(value) }
            #expect(error?.code == .encodingFailed)
        }
        #expect(
            try JSONEntity(jsonDictionary: ["a": [1, "x", NSNull(), true, 1.5] as [Any]]).text()
                == #"{"a":[1,"x",null,true,1.5]}"#)
        let error = #expect(throws: NetworkError.self) { try JSONEntity(jsonDictionary: ["a": Date()]) }
        #expect(error?.code == .encodingFailed)
        #expect(try JSONEntity(encoding: ["k": [1, 2]]).text() == #"{"k":[1,2]}"#)
    }

    @Test("Nulls are removed at any depth, and nothing else")
    func withoutNulls() throws {
        let value = try json(#"{"a":null,"b":[null,1,{"c":null,"d":""}],"e":{"f":null},"g":false}"#)
        #expect(value.withoutNulls().text() == #"{"b":[1,{"d":""}],"e":{},"g":false}"#)
        #expect(!value["a"].withoutNulls().isValid && value["g"].withoutNulls() == false)
    }

    @Test("A detached value is equal and has its own document")
    func detached() throws {
        let part = try json(#"{"big": [0], "part": {"x": [1, 2.50, "\u00e9"]}}"#)["part"]
        #expect(part.detached() == part && part.detached().key == "part" && part.detached().path == "$")
        #expect(part.detached().text() == #"{"x":[1,2.50,"\u00e9"]}"#)
        #expect(!part["no"].detached().isValid)
        #expect(part["x"][0].detached().int() == 1)
    }

    @Test("Files are parsed; errors name the file")
    func files() throws {
        let path = NSTemporaryDirectory() + "json-\(UUID()).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("{\"a\":\n tru}".utf8).write(to: URL(fileURLWithPath: path))
        var error = #expect(throws: NetworkError.self) { try JSONEntity(contentsOfFile: path) }
        #expect(
            error?.code == .invalidJSON && error?.file == path && error?.line == 2 && error?.column == 2
                && error?.path == "$.a")
        error = #expect(throws: NetworkError.self) { try JSONEntity(contentsOfFile: path + ".none") }
        #expect(error?.code == .fileFailed && error?.file == path + ".none")
        error = #expect(throws: NetworkError.self) { try JSONEntity(contentsOfFile: NSTemporaryDirectory()) }
        #expect(error?.code == .fileFailed)
        error = #expect(throws: NetworkError.self) {
            try JSONEntity(contentsOfFile: path, limits: JSONLimits(bytes: 3))
        }
        #expect(error?.code == .jsonLimit && error?.file == path)
        try Data("[7]".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try JSONEntity(contentsOfFile: path)[0].int() == 7)
    }
}
