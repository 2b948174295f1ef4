import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

/// Every single-byte mutation of the fixture files: each lost statement has a diagnostic near it.
@Suite struct StringsMutationTests {
    static let fixtures: [String] = [
        #"""
        /* The title of the window */
        "title" = "Welcome, %1$@";

        // Buttons
        "ok" = "OK";
        "cancel" = "Cancel";
        bare.key = bareValue;

        /* Settings
           over two lines */
        "path" = "C:\\temp \"quoted\"";
        "unicode" = "caf\U00e9";
        'single' = 'quotes';
        "list" = ( "a", "b" );
        "dict" = { x = "1"; y = "2"; };
        "color" = "92,66,134,54"; // brand
        "last" = "end";
        """#,
        "\"one\"=\"1\";\"two\"=\"2\";\"three\"=\"3\";\n\"four\"=\"4\"; /* c */ \"five\"=\"5\";\n",
        """
        /* one */ "a" = "1"; "a2" = "1"; "a3" = "1"; z = y; /* x */ "a4" = "1"; // two
        b1 = 1; // a note on what follows
        b2 = 2; b3 = 3;
        // "old" = "statement";
        "b" = "2"; /* three
        "c" = "commented"; */ "d" = "4";
        "path" = "//not/a/comment"; "e" = "/* nor this */";\r
        unquoted = http://example.com/x; 'f' = '"';\r
        "esc" = "\\\\"; "g" = "\\"";
        "h" = (a, {b = c;}, <0f>); "é" = "ü"; "last" = "";
        """,
        "{\n  \"a\" = \"first\";\n  \"b\" = \"second line\nof text\";\n  \"c\" = <00 ff>;\n  shorthand;\n  \"d\" = \"last\";\n}\n",
    ]

    /// The bytes that replace each byte.
    static let replacements: [UInt8] =
        StringsFoundationTests.soaks
        ? Array(0...127) : Array("\"'\\/*;={}()<>,a0 \n\r".utf8) + [0, 0x7F]

    struct Statement {
        var key: String
        var value: CustomizationValue
        var start: Int
    }

    /// Whether a byte before another one makes a longer token of it: of an unquoted key or, escaped, of anything.
    static func joins(_ byte: UInt8, _ next: UInt8) -> Bool {
        func isBare(_ c: UInt8) -> Bool {
            switch c {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: c >= 0x80 || "_$/:.-".utf8.contains(c)
            }
        }
        return isBare(byte) && isBare(next)
    }

    static func offset(_ line: Int, _ column: Int, in bytes: [UInt8]) -> Int {
        var (l, c, i) = (1, 1, 0)
        while i < bytes.count, l < line || c < column {
            let byte = bytes[i]
            i += 1
            if byte == 0x0A || byte == 0x0D && !(i < bytes.count && bytes[i] == 0x0A) {
                (l, c) = (l + 1, 1)
            } else if i == bytes.count || bytes[i] & 0xC0 != 0x80 {
                c += 1
            }
        }
        return i
    }

    @Test("Each untouched statement is read, or a diagnostic is within one statement of it", arguments: fixtures)
    func mutations(_ source: String) {
        let original = Array(source.utf8)
        let statements = StringsTable.parse(strings: original).table.map {
            Statement(
                key: $0.key, value: $0.value, start: Self.offset($0.location.line, $0.location.column, in: original))
        }.sorted { $0.start < $1.start }
        #expect(statements.count >= 3)
        var failures: [String] = []
        for at in original.indices {
            for byte in Self.replacements where byte != original[at] && failures.count < 5 {
                var mutated = original
                mutated[at] = byte
                let parsed = StringsTable.parse(strings: mutated)
                if original[at] >= 0x80 || (original.indices.contains(at + 1) && original[at + 1] & 0xC0 == 0x80) {
                    // Half of a character is invalid; the file is rejected with its position.
                    if parsed.table.isEmpty, parsed.diagnostics.map(\.code) == [.invalidEncoding] { continue }
                }
                let places = parsed.diagnostics.flatMap { [$0.location] + ($0.related.map { [$0] } ?? []) }
                    .map { Self.offset($0.line, $0.column, in: mutated) }
                for (i, statement) in statements.enumerated() {
                    let next = i + 1 < statements.count ? statements[i + 1].start : original.count
                    if at >= statement.start, at < next { continue }
                    // A byte that becomes the start of an unquoted key touches its statement.
                    if at == statement.start - 1, Self.joins(byte, original[statement.start]) { continue }
                    if parsed.table[statement.key] == statement.value { continue }
                    let from = i > 0 ? statements[i - 1].start : 0
                    let to = i + 2 < statements.count ? statements[i + 2].start : original.count
                    if places.contains(where: { from...to ~= $0 }) { continue }
                    failures.append(
                        "\(statement.key) lost without a word: byte \(at) \(original[at]) → \(byte), "
                            + "diagnostics \(parsed.diagnostics), file \(String(decoding: mutated, as: UTF8.self))")
                }
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    /// Handwritten files: several statements on a line, comments, every kind of key and value.
    static let generated: [String] = {
        var random = SeededRandom(seed: 20_261_120)
        func pick(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &random)] }
        return (0..<(StringsFoundationTests.soaks ? 200 : 6)).map { _ in
            (0..<Int.random(in: 4...9, using: &random)).map { n in
                let key = pick(["\"key \(n)\"", "\"k\(n)\"", "bare.\(n)", "'single\(n)'", "\"\(n)\\n\"", "\"é\(n)\""])
                let value = pick([
                    "\"text\"", "\"two words, %1$@\"", "\"\"", "word", "http://h/q", "\"a\\\"b\"", "'it'", "\"x\ny\"",
                    "\"; = /*\"",
                    "(a, \"b\")", "{ c = d; \"e\" = \"f\"; }", "<00 ff>", "\"\\U00e9\"", "\"92,66,134,54\"",
                ])
                let comment = pick(["", "", "", "/* said of \(n) */\n", "/* a */ ", "// what follows\n", "\n"])
                let end = pick(["\n", "\n", "\n", " ", "\r\n", "", " // as is\n", " /* as was */ "])
                return n > 3 && key.hasPrefix("bare") && value == "word"
                    ? "\(comment)\n\(key);\(end)" : "\(comment)\(key) = \(value);\(end)"
            }.joined()
        }
    }()

    @Test("The same holds for generated files", arguments: generated)
    func generatedMutations(_ source: String) { mutations(source) }

    @Test("An invalid UTF-8 byte rejects the file and is reported with its line and column")
    func invalidUTF8() {
        let original = Array(Self.fixtures[0].utf8)
        for at in original.indices {
            var mutated = original
            mutated[at] = 0xE9
            let parsed = StringsTable.parse(strings: mutated, file: "f.strings")
            #expect(parsed.table.isEmpty && parsed.diagnostics.count == 1)
            let problem = parsed.diagnostics[0]
            #expect(problem.code == .invalidEncoding && problem.message.hasPrefix("invalid UTF-8 at byte \(at) "))
            #expect(Self.offset(problem.line, problem.column, in: original) == at)
        }
    }

    @Test(
        "Worst-case files are read in linear time", .timeLimit(.minutes(5)),
        arguments: [
            "\"k\" = /* x\n", "/* x;\n", "\"k\" = (a;\n", "\"k\" = (a,\n", "\"a\" = \"\\\"\n", ";\"", "\"k\" = {\n",
            "((((\n", "\"", "'a\n",
            "a = \"b\n", "a=b\n", "/",
            "a\"b';\n", "\u{A0}", "\"k\" = <0\n", "k k\n",
        ])
    func adversarial(_ unit: String) {
        // Eight times the bytes take eight times as long; with quadratic time, 64 times.
        let ratio = growth(from: 20_000, to: 160_000, limit: 32) { count in
            Array(String(repeating: unit, count: count / unit.utf8.count).utf8)
        } _: { bytes in
            _ = StringsTable.parse(strings: bytes).diagnostics.count
        }
        #expect(ratio < 32)
    }

    @Test("A failed search for a closing quote is not repeated", .timeLimit(.minutes(5)))
    func quotesInComments() {
        for number in 0..<3 {
            let ratio = growth(from: 2_000, to: 32_000, limit: 64) { count in
                let quotes = String(repeating: "\\\"", count: count)
                let blanks = String(repeating: " ", count: count)
                let comments = ["// = ;\(quotes)\n", "/* /* \(quotes) */", "/* /* \(quotes)\"\(blanks)*/"]
                return Array((comments[number] + "\"a\" = \"b\";").utf8)
            } _: { bytes in
                #expect(StringsTable.parse(strings: bytes).table.count == 1)
            }
            // Sixteen times the bytes take 16 times as long; with a search from every quote, 256 times.
            #expect(ratio < 64, "comment \(number)")
        }
    }

    @Test("The number of bytes that are read twice is limited")
    func rereading() {
        // Every line fails 100 dictionaries further on, and starts a statement again. The text is read about five times.
        let source = String(repeating: "\"k\" = {a = b;\n", count: 3000)
        let problems = StringsTable.parse(strings: Array(source.utf8)).diagnostics
        #expect(problems.first?.code == .tooDeep)
        #expect((5...160).contains(problems.count), "\(problems.count) problems")
    }

    @Test("Unterminated comments lose their own lines only, however many they are")
    func unterminatedComments() {
        let source = (0..<2_000).map { "/* x;\n\"k\($0)\" = \"v\";\n" }.joined()
        let parsed = StringsTable.parse(strings: Array(source.utf8))
        #expect(parsed.table.count == 2_000)
        #expect(parsed.diagnostics.first?.code == .unterminatedComment)
    }
}
