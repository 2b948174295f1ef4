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
        Case(#""a" = "b" "c" = "d";"#, ["a": "b", "c": "d"], ["1:10 missing-semicolon"]),
        Case("a = b c = d; e = f;", ["a": "b", "c": "d", "e": "f"], ["1:6 missing-semicolon"]),
        Case(#""a" = "b" c; "d" = "e";"#, ["d": "e"], ["1:10 missing-semicolon"]),
        Case("/* x */ \"a\" = \"b\" /* y */ \"c\" = \"d\";", ["a": "b", "c": "d"], ["1:18 missing-semicolon"]),
        Case("\"a\" = \"b\"\n\"c\" = \"d\";", ["a": "b", "c": "d"], ["1:10 missing-semicolon"]),
        Case(#""a" = "b""#, ["a": "b"], ["1:10 missing-semicolon"]),
        Case(#""a" = "b";; "c" = "d";"#, ["a": "b", "c": "d"], ["1:11 unexpected-character"]),
        Case(#""a" = "b"; } "c" = "d";"#, ["a": "b", "c": "d"], ["1:12 unexpected-character"]),
        Case("\"a\" = \"b\";\u{A0}\"c\" = \"d\";", ["a": "b", "c": "d"], ["1:11 unexpected-character"]),
        Case("\"a\" = \"b;\n\"c\" = \"d\";", ["c": "d"], ["1:7 unterminated-string"]),
        Case("\"a = \"b\";\n\"c\" = \"d\";", ["c": "d"], ["1:7 missing-equals"]),
        Case("\"a\" = \"b\";\n\"c", ["a": "b"], ["2:1 unterminated-string"]),
        Case("\"a\" = \"b\"; /* c", ["a": "b"], ["1:12 unterminated-comment"]),
        Case("\"a\" = \"b\"; /* c\n\"d\" = \"e\";", ["a": "b", "d": "e"], ["1:12 unterminated-comment"]),
        Case("/* a /* b */ c */\n\"d\" = \"e\";", ["d": "e"], ["1:6 nested-comment", "1:16 missing-equals"]),
        Case(
            #"/* a /* b */ c */ "k"="v";"#, ["k": "v"], ["1:6 nested-comment", "1:16 missing-equals"]),
        Case(
            #"/* a /* b */ two words */ k = v;"#, ["k": "v"], ["1:6 nested-comment", "1:18 missing-equals"]),
        // The end of a comment is missing: the statements up to the next comment are read.
        Case(
            "/* Title\n\"a\" = \"b\";\n\"c\" = \"d\";\n/* Next */\n\"e\" = \"f\";", ["a": "b", "c": "d", "e": "f"],
            ["1:1 unterminated-comment"]),
        Case(
            "\"x\" = \"y\";\n/* Title\n\"a\" = \"b\";\n/* End */", ["x": "y", "a": "b"], ["2:1 unterminated-comment"]),
        Case(
            "/* One\n\"a\" = \"b\";\n/* Two\n\"c\" = \"d\";\n/* Three */\n\"e\" = \"f\";",
            ["a": "b", "c": "d", "e": "f"],
            ["1:1 unterminated-comment", "3:1 unterminated-comment"]),
        // Statements that are commented out on purpose.
        Case(
            "/*\n\"a\" = \"b\";\n/* note */\n\"c\" = \"d\";", ["c": "d"],
            ["2:1 statement-in-comment", "3:1 nested-comment"]),
        Case("/* \"a\" = \"b\"; */\n\"c\" = \"d\";", ["c": "d"]),
        Case("/* Title\nmore /* text */\n\"c\" = \"d\";", ["c": "d"], ["2:6 nested-comment"]),
        Case("*/ \"k\" = \"v\";", ["k": "v"], ["1:1 unexpected-character"]),
        Case("d = {a = 1; a = 2;}; e = f;", ["d": "", "e": "f"], ["1:13 duplicate-key"]),
        Case("a = +3;\nb = 1;", ["a": "+3", "b": "1"], ["1:5 unquoted-text"]),
        Case("a = 54%;", ["a": "54%"], ["1:5 unquoted-text"]),
        Case("a = 92,66,134,54;", ["a": "92,66,134,54"], ["1:5 unquoted-text"]),
        Case("a = #FF0000;", ["a": "#FF0000"], ["1:5 unquoted-text"]),
        Case("a@2x = b;", ["a@2x": "b"], ["1:1 unquoted-text"]),
        Case("é = b; c = d;", ["é": "b", "c": "d"], ["1:1 unquoted-text"]),
        Case("key;", ["key": "key"], ["1:1 shorthand"]),
        Case("\"only a string\"", [:], ["1:16 missing-equals"]),
        Case("{ a = b; }", ["a": "b"]),
        Case("{ a = b; } c = d;", ["a": "b", "c": "d"], ["1:12 unexpected-character"]),
        Case(#"a = 1; a = 2;"#, ["a": "2"], ["1:8 duplicate-key"]),
        Case(#""a" = "\Uzz";"#, ["a": #"\Uzz"#], ["1:8 malformed-escape"]),
        Case(#""a" = "\u00e9";"#, ["a": "u00e9"], ["1:8 suspicious-escape"]),
        Case(#""a" = "\U0001F600";"#, ["a": "\u{1}F600"], ["1:8 suspicious-escape"]),
        Case(
            #""a" = "\0 \U0000 \U00";"#, ["a": "\0 \0 \0"],
            ["1:8 nul-character", "1:11 nul-character", "1:18 nul-character"]),
        Case("'k = 1; \"l\" = 'it';", ["l": "it"], ["1:16 missing-equals"]),
        Case(
            #"x y; z; "k" = "v";"#, ["k": "v"], ["1:3 missing-equals", "1:6 skipped-text"]),
        // A comment may have swallowed an unquoted statement with its line end; a quoted one is a statement put aside.
        Case("// Buttons key = v;", [:], ["1:12 statement-in-comment"]),
        Case("// Buttonskey = v;\na = b;", ["a": "b"], ["1:4 statement-in-comment"]),
        Case("//key = v;", [:], ["1:3 statement-in-comment"]),
        Case("// two words key;", [:], ["1:14 statement-in-comment"]),
        Case("//key;\n", [:], ["1:3 statement-in-comment"]),
        Case("// key; // as is", [:], ["1:4 statement-in-comment"]),
        Case("// \"key\" = \"v\";", [:]), Case("// first; then more", [:]), Case("// (a);", [:]), Case("// ;", [:]),
        Case("a = b; // c = d", ["a": "b"]), Case("a = b; // c = d;", ["a": "b"], ["1:11 statement-in-comment"]),
        Case(#""a" = "\q";"#, ["a": "q"], ["1:8 suspicious-escape"]),
        Case("", [:]), Case(" \n\t// nothing\n/* at all */", [:]),
    ]

    @Test(
        "The valid entries of a malformed file are read, and the others reported with line and column", arguments: cases
    )
    func recovery(_ test: Case) {
        let parsed = StringsTable.parse(strings: Array(test.source.utf8), file: "f.strings")
        #expect(
            Dictionary(uniqueKeysWithValues: parsed.table.map { ($0.key, $0.value.text ?? "") }) == test.entries)
        #expect(parsed.diagnostics.map { "\($0.line):\($0.column) \($0.code)" } == test.problems)
    }

    @Test("A comment that lacks its end hides the statements of its line; the diagnostic names the next one read")
    func statementsHiddenByComment() {
        let source = "/* Title / \"a\" = \"1\"; \"b\" = \"2\";\n\n\"c\" = \"3\";\n/* Next */\n\"d\" = \"4\";"
        let parsed = StringsTable.parse(strings: Array(source.utf8), file: "f.strings")
        #expect(parsed.table.map(\.key).sorted() == ["c", "d"])
        #expect(parsed.diagnostics.map { "\($0.line):\($0.column) \($0.code)" } == ["1:1 unterminated-comment"])
        #expect(parsed.diagnostics.first?.related?.line == 3)
    }
}
