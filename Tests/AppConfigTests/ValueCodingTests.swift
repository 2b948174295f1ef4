import AshlarAppConfig
import Foundation
import Testing

@Suite struct ValueCodingTests {
    static let values: [ConfigValue] = [
        .real(1.5), .real(1e300), .integer(2), .integer(.min), .unsigned(.max), true, "text",
        ["a": [.real(0.5), .integer(3)]],
    ]

    @Test("Encoders preserve values", arguments: values)
    func roundTrip(value: ConfigValue) throws {
        let json = try JSONDecoder().decode([ConfigValue].self, from: JSONEncoder().encode([value]))
        let plist = try PropertyListDecoder().decode([ConfigValue].self, from: PropertyListEncoder().encode([value]))
        #expect(json == [value])
        #expect(plist == [value])
    }
}
