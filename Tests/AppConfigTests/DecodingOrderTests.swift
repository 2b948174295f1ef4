import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// A type's keys are first searched at their last positions, which may be wrong.
@Suite struct DecodingOrderTests {
    private struct Point: Decodable, Equatable {
        var x: Int
        var y: String
        var label: String?
        var aNameOfMoreThanFifteenBytes: Double
        var isBig: Bool

        enum CodingKeys: String, CodingKey {
            case x, y, label, aNameOfMoreThanFifteenBytes
            case isBig = "größe"
        }
    }

    @Test("A type decodes from dictionaries in any order of keys")
    func permutations() throws {
        let entries = [
            "\"x\": 1", "\"y\": \"two\"", "\"label\": \"l\"", "\"aNameOfMoreThanFifteenBytes\": 2.5",
            "\"größe\": true", "\"label2\": \"no\"", "\"aNameOfMoreThanFifteenBytez\": [1, {\"x\": 9}]", "\"X\": 3",
        ]
        var random = SeededRandom(seed: 7)
        for _ in 0..<300 {
            let hasLabel = random.chance(50)
            var chosen = Array(entries[..<5])
            if !hasLabel { chosen.remove(at: 2) }
            chosen += entries[5...].filter { _ in random.chance(50) }
            let text = "{\"s\": {\(chosen.shuffled(using: &random).joined(separator: ", "))}}"
            let config = try ApplicationConfig.load(plan(["ApplicationConfig.json": text]))
            let expected = Point(
                x: 1, y: "two", label: hasLabel ? "l" : nil, aNameOfMoreThanFifteenBytes: 2.5, isBig: true)
            #expect(try config.decode(Point.self, at: "s") == expected)
        }
    }

    @Test("A missing key is an error, even if the type was decoded before or a neighbor has the key")
    func missing() throws {
        let whole = "{\"x\": 1, \"y\": \"\", \"aNameOfMoreThanFifteenBytes\": 0.5, \"größe\": false}"
        let config = try ApplicationConfig.load(
            plan(["ApplicationConfig.json": "{\"a\": \(whole), \"b\": {\"x\": 1}, \"c\": {\"inner\": \(whole)}}"]))
        for _ in 0..<3 {
            #expect(try config.decode(Point.self, at: "a").x == 1)
            let short = #expect(throws: ConfigError.self) { try config.decode(Point.self, at: "b") }
            #expect(short?.code == .missingKey)
            #expect(short?.key == "b.y")
            let deep = #expect(throws: ConfigError.self) { try config.decode(Point.self, at: "c") }
            #expect(deep?.key == "c.x")
        }
    }

    /// Reads all keys in its own order, each in several ways, and some missing ones.
    private struct Curious: Decodable {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var wrong: [String] = []
        var count = 0

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Name.self)
            var names = container.allKeys.map(\.stringValue)
            count = names.count
            var random = SeededRandom(seed: UInt64(names.count))
            names.shuffle(using: &random)
            for name in names {
                let key = Name(stringValue: name)
                if random.chance(30), !container.contains(key) { wrong.append(name) }
                if random.chance(30), try container.decodeNil(forKey: key) { wrong.append(name) }
                if name.hasPrefix("section") {
                    let inner = try container.decode(Curious.self, forKey: key)
                    wrong += inner.wrong
                    count += inner.count
                } else if try container.decode(String.self, forKey: key) != name {
                    wrong.append(name)
                }
                for other in [name + "x", String(name.dropLast()), "y" + name.dropFirst(), ""] where random.chance(20) {
                    let isThere = names.contains(other)
                    if container.contains(Name(stringValue: other)) != isThere { wrong.append(other) }
                }
            }
        }
    }

    @Test(
        "Dictionaries of any size contain their keys and no others", arguments: [1, 2, 31, 33, 127, 128, 129, 700])
    func sizes(count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        func dictionary(_ count: Int, depth: Int) -> ConfigValue {
            var entries: [String: ConfigValue] = [:]
            for number in 0..<count {
                if depth > 0, random.chance(5) {
                    entries["section\(number)"] = dictionary(random.below(40), depth: depth - 1)
                } else {
                    let name =
                        String(repeating: ["k", "é", "水"][random.below(3)], count: random.below(20)) + "\(number)"
                    entries[name] = .string(name)
                }
            }
            return .dictionary(entries)
        }
        for _ in 0..<3 {
            let config = ApplicationConfig(["s": dictionary(count, depth: 2)])
            let answers = try config.decode(Curious.self, at: "s")
            #expect(answers.wrong == [])
            #expect(answers.count >= count)
        }
    }

    @Test("Threads decode one type from differently ordered dictionaries without interference")
    func threads() async {
        let entries: [(String, ConfigValue)] = [
            ("x", 1), ("y", "two"), ("aNameOfMoreThanFifteenBytes", 2), ("größe", true),
        ]
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(task))
                    var wrong = 0
                    for round in 0..<300 {
                        // Preceding names shift the entries, which are sorted.
                        var values = Dictionary(uniqueKeysWithValues: entries)
                        for number in 0..<random.below(5) { values["a\(number)"] = 0 }
                        values["x"] = .integer(Int64(round))
                        let point = try? ApplicationConfig(["s": .dictionary(values)]).decode(Point.self, at: "s")
                        if point?.x != round || point?.y != "two" || point?.isBig != true { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("A stored container or decoder can be read after its value was created")
    func kept() throws {
        struct Late: Decodable {
            let container: KeyedDecodingContainer<Curious.Name>
            let decoder: any Decoder
            init(from decoder: any Decoder) throws {
                (container, self.decoder) = (try decoder.container(keyedBy: Curious.Name.self), decoder)
            }
        }
        let late = try ApplicationConfig(["s": ["a": "text", "b": 2]]).decode(Late.self, at: "s")
        #expect(try late.container.decode(Int.self, forKey: Curious.Name(stringValue: "b")) == 2)
        #expect(try late.container.decode(String.self, forKey: Curious.Name(stringValue: "a")) == "text")
        #expect(try [String: String](from: late.decoder) == ["a": "text", "b": "2"])
    }
}
