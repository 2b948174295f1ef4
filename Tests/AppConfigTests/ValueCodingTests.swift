import AshlarAppConfig
import Foundation
import Testing

@Suite struct ValueCodingTests {
    static let values: [ConfigValue] = [
        .real(1.5), .real(1e300), .integer(2), .integer(.min), .unsigned(.max), true, "text",
        ["a": [.real(0.5), .integer(3)]], .real(2), .real(-0.0), .real(.infinity), ["$real": "1"],
        ["$$real": [.real(3)]],
        ["$real": "2.0", "b": 1],
    ]

    @Test("Encoders preserve values", arguments: values)
    func roundTrip(value: ConfigValue) throws {
        let json = try JSONDecoder().decode([ConfigValue].self, from: JSONEncoder().encode([value]))
        let plist = try PropertyListDecoder().decode([ConfigValue].self, from: PropertyListEncoder().encode([value]))
        #expect(json == [value])
        #expect(plist == [value])
        // Equality of numbers ignores the sign of zero.
        guard case .real(let number) = value else { return }
        for decoded in json + plist {
            guard case .real(let other) = decoded else { continue }
            #expect(other.sign == number.sign)
        }
    }

    @Test("A hundred dictionaries and arrays within each other are decoded, and no more")
    func depth() throws {
        for (start, end) in [("[", "]"), ("{\"a\":", "}")] {
            func decode(_ depth: Int) throws -> ConfigValue {
                let text = String(repeating: start, count: depth) + "1" + String(repeating: end, count: depth)
                return try JSONDecoder().decode(ConfigValue.self, from: Data(text.utf8))
            }
            var value = try decode(100)
            for _ in 0..<100 { value = try #require(value.array?.first ?? value.dictionary?["a"]) }
            #expect(value == 1)
            #expect(throws: DecodingError.self) { try decode(101) }
        }
    }

    @Test("Files in memory can be none")
    func noFiles() throws {
        let plan = ConfigPlan(files: .memory([:]), environments: [])
        #expect(try ApplicationConfig.load(plan).allKeys.isEmpty)
    }
}
