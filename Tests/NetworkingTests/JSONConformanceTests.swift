import AshlarNetworking
import Foundation
import Testing

/// Documents for which JSON parsers differ: those that must be accepted, those that must be rejected, and those that the
/// standard leaves open, with this module's choice.
///
/// A character up to U+00FF is the byte of that value, so that rows can contain invalid UTF-8.
@Suite struct JSONConformanceTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let kind: String
        let text: String
        var bytes: [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        var testDescription: String { "\(kind): \(text.prefix(40).debugDescription)" }
    }

    private static func rows(_ table: [(String, [String])]) -> [Row] {
        table.flatMap { kind, texts in texts.map { Row(kind: kind, text: $0) } }
    }

    /// Must be accepted.
    static let read = rows([
        (
            "array",
            [
                "[[]   ]", "[\"\"]", "[]", "[\"a\"]", "[false]", "[null, 1, \"1\", {}]", "[null]", "[1\n]", " [1]",
                "[1,null,null,null,2]", "[2] ",
            ]
        ),
        (
            "number",
            [
                "[123e65]", "[0e+1]", "[0e1]", "[ 4]",
                "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]\n", "[20e1]",
                "[-0]",
                "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]",
                "[123.456789]",
            ]
        ),
        (
            "object",
            [
                "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", "{\"asd\":\"sdf\"}", "{\"a\":\"b\",\"a\":\"c\"}",
                "{\"a\":\"b\",\"a\":\"b\"}", "{}", "{\"\":0}", "{\"foo\\u0000bar\": 42}",
                "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }",
                "{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxx\"}], \"id\": \"x\"}",
                "{\"a\":[]}", "{\"title\":\"\\u041f\\u043e\\u043b\" }", "{\n\"a\": \"b\"\n}",
            ]
        ),
        (
            "string",
            [
                "[\"\\u0060\\u012a\\u12AB\"]", "[\"\\uD801\\udc37\"]", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
                "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\\\u0000\"]", "[\"\\\"\"]", "[\"a/*b*/c/*d//e\"]",
                "[\"\\\\a\"]",
                "[\"\\\\n\"]", "[\"\\u0012\"]", "[\"\\uFFFF\"]", "[\"asd\"]", "[ \"asd\"]", "[\"\\uDBFF\\uDFFF\"]",
                "[\"new\\u00A0line\"]", "[\"\u{F4}\u{8F}\u{BF}\u{BF}\"]", "[\"\u{EF}\u{BF}\u{BF}\"]", "[\"\\u0000\"]",
                "[\"\\u002c\"]", "[\"\u{CF}\u{80}\"]", "[\"\u{F0}\u{9B}\u{BF}\u{BF}\"]", "[\"asd \"]", "\" \"",
                "[\"\\uD834\\uDd1e\"]", "[\"\\u0821\"]", "[\"\\u0123\"]", "[\"\u{E2}\u{80}\u{A8}\"]",
                "[\"\u{E2}\u{80}\u{A9}\"]", "[\"\\u0061\\u30af\\u30EA\\u30b9\"]", "[\"new\\u000Aline\"]",
                "[\"\u{7F}\"]",
                "[\"\\uA66D\"]", "[\"\\u005C\"]", "[\"\u{E2}\u{8D}\u{82}\u{E3}\u{88}\u{B4}\u{E2}\u{8D}\u{82}\"]",
                "[\"\\uDBFF\\uDFFE\"]", "[\"\\uD83F\\uDFFE\"]", "[\"\\u200B\"]", "[\"\\u2064\"]", "[\"\\uFDD0\"]",
                "[\"\\uFFFE\"]", "[\"\\u0022\"]", "[\"\u{E2}\u{82}\u{AC}\u{F0}\u{9D}\u{84}\u{9E}\"]", "[\"a\u{7F}a\"]",
            ]
        ),
        ("structure", ["false", "42", "-0.1", "null", "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]", " [] "]),
    ])

    /// Must be rejected.
    static let refused = rows([
        (
            "array",
            [
                "[1 true]", "[a\u{E5}]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]",
                "[\"x\"", "[x", "[3[4]]", "[\u{FF}]", "[1:2]", "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]",
                "[1,,]", "[\"\u{0B}a\"\\f]", "[*]", "[\"\"", "[1,", "[1,\n1\n,1", "[{}",
            ]
        ),
        ("literal", ["[fals]", "[nul]", "[tru]", "[True]", "[nan]", "[nullx]", "[truetrue]"]),
        (
            "number",
            [
                "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]",
                "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]",
                "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]",
                "[\u{EF}\u{BC}\u{91}]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]", "[-123.123foo]",
                "[123\u{E5}]", "[1e1\u{E5}]", "[0\u{E5}]\n", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]",
                "[-1x]", "[1ea]", "[1e\u{E5}]", "[1.]", "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]",
                "123\0",
            ]
        ),
        (
            "object",
            [
                "[\"x\", truth]", "{[: \"x\"}\n", "{\"x\", null}", "{\"x\"::\"b\"}",
                "{\u{F0}\u{9F}\u{87}\u{A8}\u{F0}\u{9F}\u{87}\u{AD}}", "{\"a\":\"a\" 123}", "{key: 'value'}",
                "{\"\u{B9}\":\"0\",}", "{\"a\" b}", "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":", "{\"a\"", "{1:1}",
                "{9999E9999:1}", "{null:null,null:null}", "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}",
                "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//", "{\"a\":\"b\"}/",
                "{\"a\":\"b\",,\"c\":\"d\"}",
                "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }", "{\"a\":\"b\"}#",
            ]
        ),
        (
            "string",
            [
                "[\"\\uD800\\\"]", "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]", "[\u{C3}\u{A9}]",
                "[\"\\\0\"]", "[\"\\\\\\\"]", "[\"\\x00\"]", "[\"\\\\\\\"]", "[\"\\\t\"]",
                "[\"\\\u{F0}\u{9F}\u{8C}\u{80}\"]", "[\"\\\"]", "[\"\\u00A\"]", "[\"\\uD834\\uDd\"]",
                "[\"\\uD800\\uD800\\x\"]", "[\"\\u\u{E5}\"]", "[\"\\a\"]", "[\"\\uqqqq\"]", "[\"\\\u{E5}\"]",
                "[\\u0020\"asd\"]", "[\\n]", "\"", "['single quote']", "abc", "[\"\\", "[\"a\0a\"]", "[\"new\nline\"]",
                "[\"\t\"]", "\"\\UA66D\"", "\"\"x",
            ]
        ),
        (
            "structure",
            [
                "<.>", "[<null>]", "[1]x", "[1]]", "[\"asd]", "a\u{C3}\u{A5}", "[True]", "1]", "{\"x\": true,", "[][]",
                "]", "\u{EF}\u{BB}{}", "\u{E5}", "[", "", "[\0]", "2@", "{}}", "{\"\":", "{\"a\":/*comment*/\"b\"}",
                "{\"a\": true} \"x\"", "['", "[,", "[{", "[\"a", "[\"a\"", "{", "{]", "{,", "{[", "{\"a", "{'a'",
                "[\"\\{[\"\\{[\"\\{[\"\\{", "\u{E9}", "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1", "[ false, nul",
                "[ true, fals", "[ false, tru", "{\"asd\":\"asd\"", "\u{C3}\u{A5}", "[\u{E2}\u{81}\u{A0}]",
                "\u{EF}\u{BB}\u{BF}", "[\u{0C}]", " ", "\u{EF}\u{BB}\u{BF}\u{EF}\u{BB}\u{BF}[]",
                String(repeating: "[", count: 100_000), String(repeating: "[{\"\":", count: 50_000) + "\n",
            ]
        ),
    ])

    /// Left open by the standard, and rejected here: lone surrogates and invalid UTF-8.
    static let refusedByChoice = rows([
        (
            "surrogate",
            [
                "{\"\\uDFAA\":0}", "[\"\\uDADA\"]", "[\"\\uD888\\u1234\"]", "[\"\\uD800\\n\"]", "[\"\\uDd1ea\"]",
                "[\"\\uD800\\uD800\\n\"]", "[\"\\ud800\"]", "[\"\\ud800abc\"]", "[\"\\uDd1e\\uD834\"]", "[\"\\uDFAA\"]",
            ]
        ),
        (
            "UTF-8",
            [
                "[\"\u{E6}\u{97}\u{A5}\u{D1}\u{88}\u{FA}\"]", "[\"\u{FF}\"]", "[\"\u{E9}\"]",
                "[\"\u{F4}\u{BF}\u{BF}\u{BF}\"]",
                "[\"\u{81}\"]", "[\"\u{C0}\u{AF}\"]", "[\"\u{FC}\u{83}\u{BF}\u{BF}\u{BF}\u{BF}\"]",
                "[\"\u{FC}\u{80}\u{80}\u{80}\u{80}\u{80}\"]", "[\"\u{E0}\u{FF}\"]", "[\"\u{ED}\u{A0}\u{80}\"]",
            ]
        ),
        ("UTF-16", ["\u{FF}\u{FE}[\0\"\0\u{E9}\0\"\0]\0", "\0[\0\"\0\u{E9}\0\"\0]", "[\0\"\0\u{E9}\0\"\0]\0"]),
        ("depth", [String(repeating: "[", count: 513) + String(repeating: "]", count: 513)]),
    ])

    /// Left open by the standard, and accepted here: numbers of any size, which retain their text, and a byte order mark.
    static let readByChoice = rows([
        (
            "number",
            [
                "[123.456e-789]",
                "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999969999999006]",
                "[-1e+9999]", "[1.5e+9999]", "[-123123e100000]", "[123123e100000]", "[123e-10000000]",
                "[-123123123123123123123123123123]", "[100000000000000000000]",
                "[-237462374673276894279832749832423479823246327846]",
            ]
        ),
        (
            "structure",
            ["\u{EF}\u{BB}\u{BF}{}", String(repeating: "[", count: 500) + String(repeating: "]", count: 500)]
        ),
    ])

    @Test("Every document that a parser must accept is read and written back unchanged", arguments: read + readByChoice)
    func reads(row: Row) throws {
        let json = try JSONEntity(parsing: row.bytes)
        #expect(json.isValid)
        #expect(try JSONEntity(parsing: json.bytes()) == json && JSONEntity(parsing: json.bytes(indent: 2)) == json)
        for value in json where value.numberText() != nil {
            #expect(row.text.contains(value.numberText() ?? "-"), "a number keeps its text")
        }
    }

    @Test(
        "Every document that a parser must reject throws an error with its position",
        arguments: refused + refusedByChoice)
    func refuses(row: Row) {
        let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: row.bytes) }
        #expect(error?.code == .invalidJSON || error?.code == .jsonLimit)
        #expect(error?.offset.map { $0 <= row.bytes.count } == true && error?.message.isEmpty == false)
        #expect((error?.line ?? 0) >= 1 && (error?.column ?? 0) >= 1 && error?.path?.hasPrefix("$") == true)
    }

    @Test("The table has its stated size and no duplicate rows")
    func size() {
        let all = Self.read + Self.readByChoice + Self.refused + Self.refusedByChoice
        #expect(all.count >= 300, "\(all.count)")
        #expect(Self.read.count >= 90 && Self.refused.count >= 185, "\(Self.read.count) \(Self.refused.count)")
    }

    @Test("Values are parsed exactly")
    func values() throws {
        func first(_ text: String) throws -> JSONEntity {
            try JSONEntity(parsing: Row(kind: "", text: text).bytes)[0]
        }
        #expect(try first("[\"\\uD834\\uDd1e\"]").string() == "\u{1D11E}")
        #expect(try first("[\"\\b\\f\\n\\r\\t\\/\\\\\\\"\"]").string() == "\u{8}\u{C}\n\r\t/\\\"")
        #expect(try first("[\"\\uFFFF\"]").string()?.unicodeScalars.first?.value == 0xFFFF)
        #expect(try first("[\"\\u0000\"]").string() == "\0")
        #expect(try first("[\"\u{F0}\u{9B}\u{BF}\u{BF}\"]").string() == "\u{1BFFF}")
        #expect(try first("[123.456e78]").double() == 123.456e78)
        #expect(try first("[-1e+9999]").double() == nil && first("[-1e+9999]").numberText() == "-1e+9999")
        #expect(try first("[100000000000000000000]").int() == nil)
        #expect(try JSONEntity(parsing: "{\"foo\\u0000bar\": 42}")["foo\0bar"].int() == 42)
        #expect(try JSONEntity(parsing: "{\"a\":\"b\",\"a\":\"c\"}")["a"].string() == "c")
    }
}
