import AshlarAppConfig
import Foundation
import Testing

@Suite struct ValueCodingTests {
    @Test(
        "Encoders preserve the kind of numbers",
        arguments: [
            .real(2), .real(-0.0), .real(0), .real(1e300), .real(.infinity), .real(1.5), .integer(2), .integer(.min),
            .unsigned(.max), ["a": [.real(3), .integer(3)]],
            ["$real": "2.0"], ["$$real": "2.0"], ["$real": 2], ["$": ["$real": .real(1)]],
        ] as [ConfigValue])
    func numbers(value: ConfigValue) throws {
        let json = try JSONDecoder().decode([ConfigValue].self, from: JSONEncoder().encode([value]))
        let plist = try PropertyListDecoder().decode([ConfigValue].self, from: PropertyListEncoder().encode([value]))
        #expect("\(json)" == "\([value])" && json == [value])
        #expect("\(plist)" == "\([value])" && plist == [value])
    }
}
