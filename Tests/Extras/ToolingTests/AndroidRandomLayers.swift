import AshlarTestSupport
import AshlarTooling

/// Layers of random keys, values and comments, often with characters that need escaping.
struct RandomLayers {
    private var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    /// Entries without their locations, which an export doesn't preserve.
    static func plain(_ table: StringsTable?) -> [CustomizationEntry] {
        (table.map { Array($0) } ?? []).map { entry in
            CustomizationEntry(key: entry.key, value: entry.value, comment: entry.comment)
        }
    }

    mutating func layers() -> [CustomizationLayer] {
        let roles: [CustomizationLayer.Role] = [
            .base("en"), .language("fr"), .language("fr-CA"), .language("sr-Latn"), .brand("acme"),
            .brandLanguage("acme", "fr"), .brand("Zweite Marke"), .theme("Dark -- mode"), .override,
        ]
        return roles.filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }.map { role in
            var tables: [String: StringsTable] = [:]
            for name in ["Localizable", "Intro", "info plist"] where tables.isEmpty || Bool.random(using: &generator) {
                tables[name] = table()
            }
            return CustomizationLayer(
                id: role.description + ".lproj", role: role, tables: tables,
                colors: Bool.random(using: &generator) ? .ftCustomization : .squidKit)
        }
    }

    private mutating func table() -> StringsTable {
        let count = Int.random(in: 1...8, using: &generator)
        return StringsTable(
            entries: (0..<count).map { _ in
                CustomizationEntry(
                    key: text(8), value: value(depth: 0), comment: Bool.random(using: &generator) ? text(6) : nil)
            })
    }

    private mutating func value(depth: Int) -> CustomizationValue {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0: return .int(Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator)))
        case 1: return .double(Double(Int.random(in: -1000...1000, using: &generator)) / 8)
        case 2:
            return .double(
                [Double.infinity, 1e300, -0.0, Double.leastNonzeroMagnitude, 1e-7][
                    Int.random(in: 0..<5, using: &generator)])
        case 3: return .bool(Bool.random(using: &generator))
        case 4:
            return .color(
                RGBAColor(
                    red: Float.random(in: 0...1, using: &generator), green: 0.5, blue: 1,
                    alpha: Float.random(in: 0...1, using: &generator)))
        case 5: return .data((0..<Int.random(in: 0...4, using: &generator)).map { UInt8($0 * 77) })
        case 6 where depth < 3:
            return .list((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth + 1) })
        case 7 where depth < 3: return .dict([text(3): value(depth: depth + 1), "$data": .string("x")])
        case 8: return .dict(["$alias": .string(text(3))])
        case 9: return .alias(text(4))
        case 10:
            return CustomizationMessage(forms: [.one: text(5), .few: text(5), .other: text(5)]).value
        case 11:
            return CustomizationMessage(
                format: text(3) + "%#@v@" + text(3),
                variables: ["v": .init(forms: [.one: text(5), .other: text(5)])]
            ).value
        case 12:
            return .string(
                ["YES", "NO", "4", "+4", "0.80", "92,66,134", "92, 66,134,54", "#FF0000"].randomElement(
                    using: &generator) ?? "")
        case 13: return .list((0..<Int.random(in: 0...3, using: &generator)).map { _ in .string(text(5)) })
        default: return .string(text(12))
        }
    }

    private mutating func text(_ most: Int) -> String {
        let pieces = [
            "a", "B", "é", "e\u{301}", "日", "👍", " ", "  ", "\n", "\r", "\t", "'", "\"", "\\", "\\n", "@", "?", "&",
            "<", ">",
            "%", "%%", "%@", "%1$@", "%2$lld", "%5.1f", "%n", "-", "--", "->", "_", "_x", "_x20_", "x", ".", "/", "0",
            "#", "$",
            "{", "}", "\u{0}", "\u{1}", "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "\u{FFFE}", "\u{10FFFF}",
            "ashlar: {}", "]]>", "key",
        ]
        return (0..<Int.random(in: 0...most, using: &generator)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        }.joined()
    }
}
