import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

/// Compares strings files that are read without an error with `PropertyListSerialization` in the same process.
@Suite struct StringsFoundationTests {
    /// Foundation's result for bytes, or nil if it rejects them.
    static func reference(_ bytes: [UInt8]) -> CustomizationValue? {
        guard let root = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
        else { return nil }
        return value(root)
    }

    private static func value(_ any: Any) -> CustomizationValue {
        switch any {
        case let text as String: .string(text)
        case let data as Data: .data(Array(data))
        case let list as [Any]: .list(list.map(value))
        case let members as [String: Any]: .dict(members.mapValues(value))
        default: .string("unexpected \(type(of: any))")
        }
    }

    /// Returns whether a file can be compared: it is read without an error, and Foundation reads a table.
    ///
    /// Foundation loses the first character of UTF-16 without a byte order mark.
    static func isComparable(_ bytes: [UInt8]) -> Bool {
        let diagnostics = StringsTable.parse(strings: bytes).diagnostics
        if diagnostics.hasErrors || diagnostics.contains(where: { $0.code == .missingByteOrderMark }) { return false }
        if case .dict? = reference(bytes) { return true } else { return false }
    }

    /// Returns the difference from Foundation; nil if there is none.
    static func differs(_ bytes: [UInt8]) -> String? {
        let table = StringsTable.parse(strings: bytes).table
        let ours = CustomizationValue.dict(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }))
        let foundation = reference(bytes)
        if ours == foundation { return nil }
        return "\(String(decoding: bytes, as: UTF8.self).debugDescription) \(bytes.count < 80 ? "\(bytes)" : "")\n"
            + "  Foundation: \(foundation.map { "\($0)".debugDescription } ?? "refused")\n"
            + "  ours:       \("\(ours)".debugDescription)"
    }

    static let sources: [String] =
        StringsRecoveryTests.cases.map(\.source) + [
            "a = 1; b = 2;", "\"a\" = \"b\";", "'a' = 'b';", "'it\\'s' = \"\\\"x\\\"\";", "{ a = 1; }", "{ a = 1; };",
            "{}", "{",
            "{ a = 1; ", "(a, b)", "(a, b,)", "(a b)", "(", "()", "(,)", "<00ff 0a>", "<0>", "<0g>", "<00", "<>",
            "< 0 0 >",
            "a = (b, c);", "a = { b = c; d; };", "a = <0102>;", "a = (b, {c = d;}, <00>, \"e\");", "a = {b = c};",
            "/a = 1;", "http://x/y = z;", "a = http://x/y;", "a = //c\n b;", "a /* b */ = /* c */ d /* e */ ; // f",
            "\"// no\" = \"/* comment */\";", "/*/ a = b; */ c = d;", "/**/a=b;", "/", "//", "/*", "a = /;",
            "a = b / c;",
            "a\u{2028}=\u{2029}b;", "// x\u{2028}a = b;", "// x\u{85}a = b;", "a = b;\u{85}c = d;", "a = b;\u{0}c = d;",
            "\u{0}", "a = \"\u{0}\";", "a = b;\u{FEFF}c = d;", "\u{FEFF}\u{FEFF}a = b;", "a=\"é\"; \"e\u{301}\" = x;",
            "a = \"x\\\ny\";", "a = \"x\ny\r\nz\";", "a = \"\\a\\b\\f\\n\\r\\t\\v\\\\\";", "a = \"\\z\\é\\😀\";",
            "a = \"\\",
            "a = \"\\\"", "a = \"\\U\";", "a = \"\\U0\";", "a = \"\\U00E9\\U e9\";", "a = \"\\UD83D\\UDE00\";",
            "a = \"\\UD83Dx\";", "a = \"\\UDE00\\UD83D\";", "a = \"\\UD83D\\n\";", "a = \"\\0\\01\\012\\0123\\8\\18\";",
            "a", "a b", "a =", "a = ;", "= b;", ";", "a;;", "a; b", "a = b", "a = b c;", "a = 'b\";", "a, b",
            "a = \"b\" \"c\";",
            "\t\n\u{B}\u{C}\r a\t=\u{B}b\u{C};", "a = b;}", "a = b;)", "a = (b;);", "\"\" = \"\";", "'' ;",
            "a = $b_c.d-e:f/g;",
            "a = b; \"c", "a = b; 'c", "a = b; \"c\" = ", "a = b; \"c\" = \"", "a = b; /* c", "a = b; // c", "a = b; /",
            "a = b /* c", "a /* c", "a = /* c", "(a, /* c", "<?xml?>", "<", ">", "a = <", "  <00>  ", "<00> x",
            "\"a\" b",
            "a = (\"b\", c) d", "{a = b;} c", "a = {b = c; d = {e = f;};}; g = h;", "a = {b = c; ;};", "{\"/* c */}",
            "a = (\") ;", "{a = b; \"}", "a = (b, {c );", "a = {\"};", "(\")", "(a, \")", "{\"a\\n}", "a = \"b",
            "a = {;};",
        ]

    @Test("Every handwritten file without an error is read as Foundation reads it")
    func handwritten() {
        let files = Self.sources.map { Array($0.utf8) }.filter(Self.isComparable)
        #expect(files.count > 60)
        for file in files { #expect(Self.differs(file) == nil) }
    }

    @Test(
        "A file is read as Foundation reads it in every encoding",
        arguments: [
            "a = b;", " a = b;", "\"é😀\" = \"中\";", "\"a\" = \"b\";", "{ a = (b, c); }",
        ])
    func encodings(_ source: String) {
        let units = Array(source.utf16)
        let scalars = source.unicodeScalars.map(\.value)
        var forms: [[UInt8]] = [
            [0xEF, 0xBB, 0xBF] + source.utf8, [0xFF, 0xFE], [0xFE, 0xFF], [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF],
        ]
        for unit in units {
            forms[1] += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            forms[2] += [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
        for scalar in scalars {
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar >> $0) }
            forms[3] += bytes.reversed()
            forms[4] += bytes
        }
        for bytes in [Array(source.utf8)] + forms { #expect(Self.differs(bytes) == nil) }
    }

    @Test("Every octal escape is read as Foundation reads it")
    func octal() {
        for code in 0...0o777 {
            for digits in [
                String(code, radix: 8),
                String(repeating: "0", count: max(0, 3 - String(code, radix: 8).count)) + String(code, radix: 8),
            ] {
                #expect(Self.differs(Array("a = \"\\\(digits)\"; b = \"\\\(digits)x\";".utf8)) == nil)
            }
        }
    }

    @Test("Every \\U escape is read as Foundation reads it")
    func unicode() {
        // 256 codes per file make this fast; only for a difference is each code tried alone.
        for start in stride(from: 0, to: 0x10000, by: 256) {
            let statements = (start..<(start + 256)).map { code in
                let digits = String(code, radix: 16, uppercase: code % 2 == 0)
                let padded = String(repeating: "0", count: 4 - digits.count) + digits
                return "k\(code) = \"<\\U\(padded)>\\U\(digits) \\U\(padded)0\";"
            }
            guard Self.differs(Array(statements.joined(separator: "\n").utf8)) != nil else { continue }
            for statement in statements { #expect(Self.differs(Array(statement.utf8)) == nil) }
        }
    }

    static let soaks = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

    @Test("Generated files are read as Foundation reads them", .timeLimit(.minutes(5)))
    func generated() {
        var random = SeededRandom(seed: 20_251_120)
        var failures: [String] = []
        var compared = 0
        for _ in 0..<(Self.soaks ? 200_000 : 15_000) {
            let bytes = StringsGenerator.file(using: &random)
            guard Self.isComparable(bytes) else { continue }
            compared += 1
            if let difference = Self.differs(bytes) {
                failures.append(difference)
                if failures.count == 5 { break }
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        #expect(compared > 4_000)
    }
}
