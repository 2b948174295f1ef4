import AshlarCustomization
import Testing

/// Recovery from malformed files: the entries that are read, and the location of each loss.
@Suite struct StringsRecoveryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var source: String
        var entries: [String: String]
        /// `line:column code` of each diagnostic.
        var problems: [String]
        var testDescription: String { source.debugDescription }
        init(_ source: String, _ entries: [String: String], _ problems: [String] = []) {
            (self.source, self.entries, self.problems) = (source, entries, problems)
        }
    }

    static let cases: [Case] = [
        // After an error, reading continues after the next semicolon at the end of a line.
        Case(#""a" = "b" "c" = "d";"#, [:], ["1:10 missing-semicolon"]),
        Case("a = b c = d; e = f;\ng = h;", ["g": "h"], ["1:6 missing-semicolon", "1:14 skipped-text"]),
        Case(#""a" = "b" c; "d" = "e";"#, [:], ["1:10 missing-semicolon", "1:14 skipped-text"]),
        Case("/* x */ \"a\" = \"b\" /* y */ \"c\" = \"d\";", [:], ["1:18 missing-semicolon"]),
        Case("\"a\" = \"b\"\n\"c\" = \"d\";\n\"e\" = \"f\";", ["e": "f"], ["1:10 missing-semicolon"]),
        Case(#""a" = "b""#, [:], ["1:10 missing-semicolon"]),
        Case("\"a\" = \"b\";;\n\"c\" = \"d\";", ["a": "b", "c": "d"], ["1:11 unexpected-character"]),
        Case(#""a" = "b";; "c" = "d";"#, ["a": "b"], ["1:11 unexpected-character", "1:13 skipped-text"]),
        Case(#""a" = "b"; } "c" = "d";"#, ["a": "b"], ["1:12 unexpected-character"]),
        Case("\"a\" = \"b\";\u{A0}\"c\" = \"d\";\ne = f;", ["a": "b", "e": "f"], ["1:11 unexpected-character"]),
        Case("\"a\" = \"b;\n\"c\" = \"d\";", ["c": "d"], ["2:2 missing-semicolon"]),
        Case("\"a = \"b\";\n\"c\" = \"d\";", ["c": "d"], ["1:7 missing-equals"]),
        Case("\"a\" = \"b\"; \t\r\n\"c", ["a": "b"], ["2:1 unterminated-string"]),
        Case("\"a = b;\n\"c\" = \"d\";", ["c": "d"], ["2:2 missing-equals"]),
        Case("\"a\" = \"b\"; /* c", ["a": "b"], ["1:12 unterminated-comment"]),
        Case(
            "\"a\" = \"b\"; /* c\n\"d\" = \"e\";\n\"f\" = \"g\";", ["a": "b", "f": "g"],
            ["1:12 unterminated-comment"]),
        Case("a = /* b\nc;\nd = e;", ["d": "e"], ["1:5 unterminated-comment"]),
        Case("/* a /* b */ c */\n\"d\" = \"e\";", [:], ["1:6 nested-comment", "1:16 missing-equals"]),
        Case(#"/* a /* b */ two words */ k = v;"#, [:], ["1:6 nested-comment", "1:18 missing-equals"]),
        // The end of a comment is missing, or statements were commented out: each is reported.
        Case(
            "/* Title\n\"a\" = \"b\";\n\"c\" = \"d\";\n/* Next */\n\"e\" = \"f\";", ["e": "f"],
            ["2:10 statement-in-comment", "3:10 statement-in-comment", "4:1 nested-comment"]),
        Case(
            "\"x\" = \"y\";\n/* Title\n\"a\" = \"b\";\n/* End */", ["x": "y"],
            ["3:10 statement-in-comment", "4:1 nested-comment"]),
        Case(
            "/*\n\"a\" = \"b\";\n/* note */\n\"c\" = \"d\";", ["c": "d"],
            ["2:10 statement-in-comment", "3:1 nested-comment"]),
        Case("/* \"a\" = \"b\"; */\n\"c\" = \"d\";", ["c": "d"]),
        Case("/* Title\nmore /* text */\n\"c\" = \"d\";", ["c": "d"], ["2:6 nested-comment"]),
        Case("*/ \"k\" = \"v\";\na = b;", ["a": "b"], ["1:1 unexpected-character"]),
        // Values.
        Case("d = {a = 1; a = 2;}; e = f;", ["d": "", "e": "f"], ["1:13 duplicate-key"]),
        Case("a = +3;\nb = 1;", ["b": "1"], ["1:5 unquoted-text"]),
        Case("a = 54%;", [:], ["1:7 unquoted-text"]),
        Case("a = 92,66,134,54;", [:], ["1:7 missing-semicolon"]),
        Case("a = #FF0000;", [:], ["1:5 unquoted-text"]),
        Case("a@2x = b;", [:], ["1:2 unquoted-text"]),
        Case("é = b; c = d;\ne = f;", ["e": "f"], ["1:1 unquoted-text", "1:8 skipped-text"]),
        Case(
            "a = ;\nb = (c;\nd = <0;\ne = {f = g;\n};", ["e": ""],
            ["1:5 unexpected-character", "2:7 malformed-container", "3:6 malformed-container"]),
        Case("a = (b, c", [:], ["1:5 malformed-container"]),
        Case("key;", ["key": "key"], ["1:1 shorthand"]),
        Case("\"only a string\"", [:], ["1:16 missing-equals"]),
        Case("{ a = b; }", ["a": "b"]),
        Case("{ a = b; } c = d;", ["a": "b"], ["1:12 unexpected-character"]),
        Case("{ a = b;", ["a": "b"], ["1:1 malformed-container"]),
        Case(#"a = 1; a = 2;"#, ["a": "2"], ["1:8 duplicate-key"]),
        Case(#""a" = "\Uzz";"#, ["a": #"\Uzz"#], ["1:8 malformed-escape"]),
        Case(#""a" = "\u00e9";"#, ["a": "u00e9"], ["1:8 suspicious-escape"]),
        Case(#""a" = "\U0001F600";"#, ["a": "\u{1}F600"], ["1:8 suspicious-escape"]),
        Case(
            #""a" = "\0 \U0000 \U00";"#, ["a": "\0 \0 \0"],
            ["1:8 nul-character", "1:11 nul-character", "1:18 nul-character"]),
        Case(#""a" = "\q";"#, ["a": "q"], ["1:8 suspicious-escape"]),
        Case("'k = 1; \"l\" = 'it';", [:], ["1:9 skipped-text", "1:16 missing-equals"]),
        Case(
            #"x y; z; "k" = "v";"#, [:], ["1:3 missing-equals", "1:6 skipped-text", "1:9 skipped-text"]),
        // A comment may have swallowed a statement with its line end; a quoted one was commented out.
        Case("// Buttons key = v;", [:], ["1:19 statement-in-comment"]),
        Case("// Buttonskey = v;\na = b;", ["a": "b"], ["1:18 statement-in-comment"]),
        Case("//key;\n", [:], ["1:6 statement-in-comment"]),
        Case("// key; // as is", [:], ["1:7 statement-in-comment"]),
        Case("// \"key\" = \"v\";", [:]), Case("// first; then more", [:]), Case("a = b; // c = d", ["a": "b"]),
        Case("a = b; // c = d;", ["a": "b"], ["1:16 statement-in-comment"]),
        Case("", [:]), Case(" \n\t// nothing\n/* at all */", [:]),
    ]

    @Test(
        "The message for an unknown escape names the whole character",
        arguments: [(#"\q"#, "q"), (#"\é"#, "é"), (#"\👍🏽"#, "👍"), (#"\8"#, "8")])
    func unknownEscape(escape: String, character: String) {
        let parsed = StringsTable.parse(strings: Array("\"a\" = \"\(escape)\";".utf8))
        #expect(parsed.diagnostics.map(\.message) == ["\\\(character) is not an escape and is \(character)"])
    }

    @Test(
        "The valid entries of a malformed file are read, and the others reported with line and column", arguments: cases
    )
    func recovery(_ test: Case) {
        let parsed = StringsTable.parse(strings: Array(test.source.utf8), file: "f.strings")
        #expect(
            Dictionary(uniqueKeysWithValues: parsed.table.map { ($0.key, $0.value.text ?? "") }) == test.entries)
        #expect(parsed.diagnostics.map { "\($0.line):\($0.column) \($0.code)" } == test.problems)
    }

    @Test("An error on another line than its statement names the start of the statement, which probably lacks an end")
    func severalLines() throws {
        let parsed = StringsTable.parse(strings: Array("\"a\" = \"b;\n\"c\" = \"d\";".utf8), file: "f.strings")
        let problem = try #require(parsed.diagnostics.first)
        #expect(problem.key == "a" && problem.related?.description == "f.strings:1:1")
    }

    @Test(
        "A thousand problems are listed; the others are counted, and are an error if one of them is",
        arguments: [
            ("", CustomizationDiagnostic.Severity.warning, "2 further problems are not listed"),
            ("c = (", .error, "3 further problems are not listed"),
        ])
    func furtherProblems(end: String, severity: CustomizationDiagnostic.Severity, message: String) throws {
        let duplicates = String(repeating: "a = b;\n", count: 1_003)
        let problems = StringsTable.parse(strings: Array((duplicates + end).utf8)).diagnostics
        #expect(problems.count == 1_001)
        let last = try #require(problems.last)
        #expect(last.severity == severity && last.message == message)
    }

    @Test("Notes of a statement with an error have no key of another statement, and none is reported twice")
    func notes() {
        let source = "a = \"\\q\" b;\n// x;\nc = \"\\q\";\n\"\\q\" = (\"\\q\",\nd = \"\\q\";\n"
        let parsed = StringsTable.parse(strings: Array(source.utf8), file: "f.strings")
        #expect(
            parsed.diagnostics.map { "\($0.line):\($0.column) \($0.code) \($0.key ?? "-")" } == [
                "1:6 suspicious-escape a", "1:9 missing-semicolon a", "2:5 statement-in-comment -",
                "3:6 suspicious-escape c", "4:2 suspicious-escape q", "4:10 suspicious-escape q",
                "5:3 malformed-container q",
            ])
    }
}
