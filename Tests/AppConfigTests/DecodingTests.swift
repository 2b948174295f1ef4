import AshlarAppConfig
import Foundation
import Testing

@Suite struct DecodingTests {
    @Test("Values are equal after encoding and decoding")
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

    @Test("An error thrown by a type has the location of its value")
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
                "a.kind: the value can't be decoded: found string \"wab\" (ApplicationConfig.json:1:") == true)
        let odd = #expect(throws: ConfigError.self) { try config.decode(Holder.self, at: "b") }
        #expect(
            odd?.description
                == "b.odds[1]: the value can't be decoded: found integer 2 (ApplicationConfig.json:3:1; it is even)")
    }

    @Test("Structures can contain values of any kind unchanged")
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
        "A decoding error has the path of the value",
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
            (
                "{\"ss\": {\"list\": [{\"name\": \"a\"}]}}",
                "s: expected Array<Item>, found nothing; did you mean ss?"
            ),
        ])
    func decodeErrors(json: String, message: String) throws {
        struct Item: Decodable { var name: String }
        let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": json]))
        let error = #expect(throws: ConfigError.self) { try config.decode([Item].self, at: "s") }
        #expect(error?.description == message)
    }
}
