import AshlarAppConfig
import AshlarTestSupport
import Foundation

/// The full counts are for `ASHLAR_SOAK=1`; a normal run uses a part of them.
func rounds(_ normal: Int, soak: Int) -> Int {
    ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" ? soak : normal
}

/// Creates values of any kind that property lists support.
struct ValueMaker {
    var random: SeededRandom
    var keys = ["a", "b", "c", "host", "a.b", "häuser", "", "x[0]", "com.acme.*", "日本", "back\\slash", "<&>"]

    mutating func text() -> String {
        let pieces = [
            "", "plain text", "ümlaut", "<tag> & \"quote\" 'apos'", "]]>", "日本語", "👩‍👩‍👧", "line\nline", "\t", "$", "a b",
        ]
        return (0..<random.below(3)).map { _ in random.pick(pieces) }.joined()
    }

    mutating func scalar() -> ConfigValue {
        switch random.below(9) {
        case 0: return .boolean(random.chance(50))
        case 1: return .integer(Int64(random.below(300)) - 20)
        case 2: return .integer(random.pick([.min, .max, 0, -1, 1 << 31, 1 << 40, -(1 << 40)]))
        case 3: return .unsigned(UInt64.max - UInt64(random.below(100)))
        case 4: return .real(random.pick([0, 1.5, -0.1, 1e300, 2.5e-300, 3, 123_456.789, 1 / 3]))
        case 5: return .date(Date(timeIntervalSinceReferenceDate: Double(random.below(2_000_000_000) - 500_000_000)))
        case 6: return .data(Data((0..<random.below(40)).map { _ in UInt8(random.below(256)) }))
        default: return .string(text())
        }
    }

    mutating func value(depth: Int) -> ConfigValue {
        if depth > 0, random.chance(30) { return .dictionary(entries(depth: depth - 1)) }
        if depth > 0, random.chance(20) { return .array((0..<random.below(5)).map { _ in value(depth: depth - 1) }) }
        return scalar()
    }

    mutating func entries(depth: Int) -> [String: ConfigValue] {
        var entries: [String: ConfigValue] = [:]
        for _ in 0..<random.below(7) { entries[random.pick(keys)] = value(depth: depth) }
        return entries
    }
}

/// Writes XML property lists in all forms of the format.
struct PlistWriter {
    var random: SeededRandom

    mutating func document(_ entries: [String: ConfigValue]) -> String {
        var text = random.chance(50) ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : ""
        if random.chance(30) {
            text +=
                "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">"
        }
        return text + gap() + "<plist version=\"1.0\">" + gap() + element(.dictionary(entries)) + gap() + "</plist>\n"
    }

    private mutating func gap() -> String { random.pick(["", "", "\n", " \t", "\r\n  ", "<!-- a <comment> -->"]) }

    mutating func characters(_ text: String) -> String {
        if random.chance(10), !text.contains("]]>") { return "<![CDATA[\(text)]]>" }
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case "<": return random.pick(["&lt;", "&#60;"])
            case "&": return random.pick(["&amp;", "&#x26;"])
            case ">": return random.pick([">", "&gt;"])
            case "\"": return random.pick(["\"", "&quot;"])
            case "'": return random.pick(["'", "&apos;"])
            default: return random.chance(3) ? "&#\(scalar.value);" : String(scalar)
            }
        }.joined()
    }

    mutating func element(_ value: ConfigValue) -> String {
        switch value {
        case .null: return ""
        case .boolean(let flag): return flag ? "<true/>" : random.pick(["<false/>", "<false></false>"])
        case .integer(let number): return "<integer>\(number)</integer>"
        case .unsigned(let number): return "<integer>\(number)</integer>"
        case .real(let number): return "<real>\(number)</real>"
        case .string(let text):
            return text.isEmpty
                ? random.pick(["<string/>", "<string></string>"]) : "<string>\(characters(text))</string>"
        case .date(let date): return "<date>\(date.formatted(.iso8601))</date>"
        case .data(let data): return "<data>\(gapless(data.base64EncodedString()))</data>"
        case .array(let elements):
            if elements.isEmpty, random.chance(50) { return "<array/>" }
            return "<array>" + elements.map { gap() + element($0) }.joined() + gap() + "</array>"
        case .dictionary(let entries):
            if entries.isEmpty, random.chance(50) { return "<dict/>" }
            var text = "<dict>"
            for (key, value) in entries { text += gap() + "<key>\(characters(key))</key>" + gap() + element(value) }
            return text + gap() + "</dict>"
        }
    }

    private mutating func gapless(_ base64: String) -> String {
        random.chance(50) ? "\n\t" + base64 + "\n" : base64
    }
}
