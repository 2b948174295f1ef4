/// Generates strings files, most of them with few errors.
enum StringsGenerator {
    private static let words = [
        "a", "b", "key", "Cancel", "x.y", "$v", "_z", "/p", "http://h/q", "1", "0.8", "-3", "a:b",
    ]
    private static let texts = [
        "", "a", "OK", "two words", "é", "中文", "😀", "it's", "// no", "/* no */", "a;b", "a=b", "%1$@", "line\nbreak",
        "tab\t",
        "\r\n", "{x}", "(y)", "<z>", "\u{2028}", "\u{A0}",
    ]
    private static let escapes = [
        "\\n", "\\t", "\\\\", "\\\"", "\\'", "\\q", "\\101", "\\5", "\\0605", "\\341", "\\777", "\\U00e9", "\\U41 ",
        "\\Uzz",
        "\\u00e9", "\\U0001F600", "\\UD83D\\UDE00", "\\UD83D", "\\\n", "\\0",
    ]
    private static let spaces = [
        "", " ", "\n", "\t", "\r\n", " /* c */ ", "// l\n", "\u{2029}", "/**/", "/* a\n\"b\" = \"c\"; */",
        "// \"a\" = \"b\";\n",
    ]
    private static let mistakes = [
        ";", "}", "{", ")", "(", "\"", "'", "/*", "*/", "/", "=", ",", "\u{A0}", "\u{FEFF}", "+", "%", "#", "@", "\\",
        "<", ">",
        "é", "\u{0}",
    ]

    static func file(using random: inout some RandomNumberGenerator) -> [UInt8] {
        var text = ""
        func pick(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &random)] }
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        func space() -> String { chance(60) ? " " : pick(spaces) }
        func quoted() -> String {
            let quote = chance(90) ? "\"" : "'"
            var body = ""
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                body += chance(70) ? pick(texts).filter { String($0) != quote } : pick(escapes)
            }
            return quote + body + quote
        }
        func string() -> String { chance(70) ? quoted() : pick(words) }
        func value(_ depth: Int) -> String {
            guard depth < 3, chance(12) else { return string() }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in space() + value(depth + 1) + space()
                }
                return "(" + items.joined(separator: ",") + (chance(20) ? "," : "") + ")"
            case 1: return "{" + statements(depth + 1) + space() + "}"
            default: return chance(80) ? "<00 ff1 2>" : "<0\n a>"
            }
        }
        func statements(_ depth: Int) -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                space() + string() + space() + (chance(92) ? "=" + space() + value(depth) + space() : "") + ";"
            }.joined()
        }
        let isBraced = chance(8)
        text += space() + (isBraced ? "{" : "")
        for _ in 0..<Int.random(in: 0...2, using: &random) { text += statements(0) }
        text += space() + (isBraced ? "}" : "") + space()
        if chance(40) {
            var scalars = Array(text.unicodeScalars)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let at = Int.random(in: 0...scalars.count, using: &random)
                if at < scalars.count, chance(50) { scalars.remove(at: at) }
                if chance(70) { scalars.insert(contentsOf: pick(mistakes).unicodeScalars, at: min(at, scalars.count)) }
            }
            text = String(String.UnicodeScalarView(scalars))
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case 1: return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case 2: return [0xEF, 0xBB, 0xBF] + text.utf8
        default: return Array(text.utf8)
        }
    }
}
