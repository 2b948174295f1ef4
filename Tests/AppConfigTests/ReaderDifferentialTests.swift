import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct ReaderDifferentialTests {
    @Test("XML property lists are parsed like by PropertyListSerialization", .timeLimit(.minutes(5)))
    func xml() throws {
        var maker = ValueMaker(random: SeededRandom(seed: 1))
        var writer = PlistWriter(random: SeededRandom(seed: 2))
        for round in 0..<rounds(1500, soak: 200_000) {
            let entries = maker.entries(depth: 4)
            let bytes = Array(writer.document(entries).utf8)
            let config = try read(bytes).get()
            guard let expected = Oracle.propertyList(bytes)?.dictionary else {
                Issue.record("round \(round): the oracle refuses \(String(decoding: bytes, as: UTF8.self))")
                return
            }
            guard config.values == expected, expected == entries else {
                Issue.record("round \(round): \(String(decoding: bytes, as: UTF8.self)) read as \(config.values)")
                return
            }
        }
    }

    @Test("Binary property lists of PropertyListSerialization are parsed correctly", .timeLimit(.minutes(5)))
    func binary() throws {
        var maker = ValueMaker(random: SeededRandom(seed: 3))
        for round in 0..<rounds(1500, soak: 200_000) {
            let entries = maker.entries(depth: 4)
            let data = try PropertyListSerialization.data(
                fromPropertyList: Oracle.any(.dictionary(entries)), format: .binary, options: 0)
            let config = try read(Array(data)).get()
            guard config.values == entries else {
                Issue.record("round \(round): \(entries) read as \(config.values)")
                return
            }
        }
    }

    @Test("JSON of JSONSerialization is parsed correctly", .timeLimit(.minutes(5)))
    func json() throws {
        var maker = ValueMaker(random: SeededRandom(seed: 4))
        for round in 0..<rounds(1000, soak: 50_000) {
            let entries = jsonValue(.dictionary(maker.entries(depth: 4)), &maker.random).dictionary ?? [:]
            let data = try JSONSerialization.data(
                withJSONObject: Oracle.any(.dictionary(entries)), options: .sortedKeys)
            let config = try read(Array(data)).get()
            guard numbersAsReals(.dictionary(config.values)) == numbersAsReals(.dictionary(entries)) else {
                Issue.record("round \(round): \(String(decoding: data, as: UTF8.self)) read as \(config.values)")
                return
            }
        }
    }

    /// Returns a value in which values that JSON can't represent are replaced.
    private func jsonValue(_ value: ConfigValue, _ random: inout SeededRandom) -> ConfigValue {
        switch value {
        case .date, .data: return .string("\(random.below(10))")
        case .array(let elements): return .array(elements.map { jsonValue($0, &random) })
        case .dictionary(let entries): return .dictionary(entries.mapValues { jsonValue($0, &random) })
        default: return value
        }
    }

    private func numbersAsReals(_ value: ConfigValue) -> ConfigValue {
        switch value {
        case .integer(let number): .real(Double(number))
        case .unsigned(let number): .real(Double(number))
        case .array(let elements): .array(elements.map(numbersAsReals))
        case .dictionary(let entries): .dictionary(entries.mapValues(numbersAsReals))
        default: value
        }
    }

    @Test(
        "Damaged files cause an error with a location, or have Foundation's values",
        .timeLimit(.minutes(5)), arguments: ["xml", "binary", "json"])
    func damaged(format: String) throws {
        var maker = ValueMaker(random: SeededRandom(seed: 5))
        var writer = PlistWriter(random: SeededRandom(seed: 6))
        var random = SeededRandom(seed: 7)
        var (refused, accepted) = (0, 0)
        for round in 0..<rounds(1500, soak: 100_000) {
            var entries = maker.entries(depth: 3)
            var bytes: [UInt8]
            switch format {
            case "xml": bytes = Array(writer.document(entries).utf8)
            case "binary":
                let plist = Oracle.any(.dictionary(entries))
                bytes = Array(
                    try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0))
            default:
                entries = jsonValue(.dictionary(entries), &random).dictionary ?? [:]
                bytes = Array(
                    try JSONSerialization.data(withJSONObject: Oracle.any(.dictionary(entries)), options: .sortedKeys))
            }
            for _ in 0...random.below(3) where !bytes.isEmpty {
                switch random.below(4) {
                case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                case 1: bytes.remove(at: random.below(bytes.count))
                case 2: bytes.insert(random.pick(Array("<>/&;\"{}[],:0".utf8)), at: random.below(bytes.count))
                default: bytes.removeLast(random.below(bytes.count))
                }
            }
            switch read(bytes) {
            case .failure(let error):
                refused += 1
                guard error.location?.name == "ApplicationConfig.plist",
                    error.description.contains("expected") || error.reason != nil
                else {
                    Issue.record("round \(round): \(error)")
                    return
                }
            case .success(let config):
                accepted += 1
                let expected = format == "json" ? Oracle.json(bytes) : Oracle.propertyList(bytes)
                // Foundation rejects some well-formed files; the values that it accepts must be the same.
                if let expected {
                    guard numbersAsReals(.dictionary(config.values)) == numbersAsReals(expected) else {
                        Issue.record(
                            "round \(round): \(String(decoding: bytes, as: UTF8.self)) read as \(config.values), not \(expected)"
                        )
                        return
                    }
                }
            }
        }
        #expect(refused > 0 && accepted > 0)
    }
}
