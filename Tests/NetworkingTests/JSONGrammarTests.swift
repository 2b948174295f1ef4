import AshlarNetworking
import Foundation
import Testing

/// RFC 8259, case by case.
@Suite struct JSONGrammarTests {
    static let accepted: [String] = [
        // Scalars at the root, whitespace.
        "null", "true", "false", "0", "-0", "1", "\"\"", "[]", "{}", " \t\r\n null \n", "\u{FEFF}[]", "\n\n1\n\n",
        // Numbers.
        "10", "-1", "123456789", "0.5", "-0.0", "1.0", "1.25e2", "1E5", "1e+5", "1E-5", "0e0", "0e+1", "0E-99",
        "1e0001",
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e400", "-1e400",
        "1e-400", "123456789012345678901234567890.123456789", "1.7976931348623157e308", "2.2250738585072014e-308",
        "5e-324", "0.00000000000000000000000000000000000000000000000001", "[1,2,3]", "[-1,-0.5,1e1]",
        // Arrays.
        "[[]]", "[[],[]]", "[null]", "[1 , 2]", "[ ]", "[\n1\n,\n2\n]", "[[[[[[[[[[]]]]]]]]]]", "[{}]",
        "[\"a\",1,null,true,{}]",
        "[[],{},[],{}]",
        // Objects.
        "{\"a\":1}", "{\"\":0}", "{\"a\":{\"b\":{\"c\":[]}}}", "{ \"a\" : 1 , \"b\" : 2 }", "{\"a\":1,\"a\":2}",
        "{\"a\":null}", "{\"\\u0061\":1}", "{\"a b\":1}", "{\"\u{1F600}\":1}", "{\"a\":[],\"b\":{}}", "{\n}",
        "{\"a\":\"}\"}",
        "{\"min\":-1.0e+28,\"max\":1.0e+28}", "{\"x\":[{\"id\":\"0000000000000000000000000000000000000000\"}]}",
        // Strings.
        "\"a\"", "\"\\\"\"", "\"\\\\\"", "\"\\/\"", "\"/\"", "\"\\b\\f\\n\\r\\t\"", "\"\\u0000\"", "\"\\u001f\"",
        "\"\\u00e9\"", "\"\\u00E9\"", "\"\\uD83D\\uDE00\"", "\"\\ud83d\\ude00\"", "\"\\uFFFF\"", "\"\\uDBFF\\uDFFF\"",
        "\"\\u0022\"", "\"\\u005C\"", "\"é\"", "\"日本語\"", "\"😀\"", "\"\u{7F}\"", "\"\u{80}\"", "\"\u{7FF}\"",
        "\"\u{800}\"",
        "\"\u{FFFD}\"", "\"\u{FFFE}\"", "\"\u{10FFFF}\"", "\"\u{2028}\u{2029}\"", "\"[1,2]\"", "\"a\\\\\"",
        "\"\\\\\\\"\"",
        "\"'\"", "\"// no comment\"", "\"12345678\"", "\"1234567\\\\\"", "\"123456\\u0041\"",
        "\"12345678901234567890é\"",
        "\"\\u0060\\u012a\\u12AB\"", "\"new\\u000Aline\"", "\"asd \"", "\"\u{E000}\"", "\"\u{D7FF}\"",
    ]

    /// Text, offset of the error, and expectation.
    static let refused: [(text: String, offset: Int, message: String)] = [
        // The document.
        ("", 0, "expected a value, found the end"), (" ", 1, "expected a value"), ("\u{FEFF}", 3, "expected a value"),
        ("1 2", 2, "expected the end of the document, found '2'"), ("[] []", 3, "the end of the document"),
        ("{}}", 2, "the end of the document, found '}'"), ("[]]", 2, "the end"), ("null,", 4, "the end"),
        ("\"a\" x", 4, "the end"),
        ("[1]\0", 3, "found the byte 0x00"), ("\0", 0, "found the byte 0x00"), ("x", 0, "expected a value, found 'x'"),
        ("é", 0, "expected a value, found 'é'"), ("\u{00A0}1", 0, "expected a value"),
        ("\u{2028}", 0, "expected a value"),
        ("\u{0C}1", 0, "found the byte 0x0C"), ("\u{0B}[]", 0, "0x0B"), ("/* c */ 1", 0, "found '/'"),
        ("1 // c", 2, "found '/'"),
        ("# c", 0, "found '#'"), ("\u{FEFF}\u{FEFF}1", 3, "expected a value"), ("'a'", 0, "found '''"),
        ("<", 0, "found '<'"),
        // Literals.
        ("nul", 0, "expected a value, found 'n'"), ("nulL", 0, "found 'n'"), ("True", 0, "found 'T'"),
        ("tru", 0, "found 't'"),
        ("truth", 0, "found 't'"), ("fals", 0, "found 'f'"), ("FALSE", 0, "found 'F'"), ("NULL", 0, "found 'N'"),
        ("nullx", 4, "the end of the document, found 'x'"), ("[truefalse]", 5, "expected ',' or ']'"),
        ("undefined", 0, "found 'u'"),
        // Numbers.
        ("NaN", 0, "found 'N'"), ("nan", 0, "found 'n'"), ("Infinity", 0, "found 'I'"),
        ("-Infinity", 1, "expected a digit, found 'I'"),
        ("-NaN", 1, "a digit"), ("+1", 0, "found '+'"), ("-", 1, "expected a digit, found the end"),
        ("--1", 1, "a digit, found '-'"),
        ("+-1", 0, "found '+'"), ("01", 0, "leading zero"), ("-01", 1, "leading zero"),
        ("00", 0, "leading zero"), ("-00.1", 1, "leading zero"), ("[012]", 1, "leading zero"), ("1.", 2, "a digit"),
        ("[1.]", 3, "a digit, found ']'"),
        (".5", 0, "found '.'"), ("-.5", 1, "a digit, found '.'"), ("1.e1", 2, "a digit, found 'e'"),
        ("1e", 2, "a digit"),
        ("1e+", 3, "a digit"), ("1E-", 3, "a digit"), ("1ee1", 2, "a digit, found 'e'"),
        ("1e1.5", 3, "the end of the document"),
        ("1.2.3", 3, "the end"), ("0x10", 1, "the end of the document, found 'x'"), ("1_000", 1, "found '_'"),
        ("1,000", 1, "found ','"),
        ("1a", 1, "found 'a'"), ("[1 2]", 3, "expected ',' or ']'"), ("[1e]", 3, "a digit, found ']'"),
        ("0e", 2, "a digit"),
        ("0.e1", 2, "a digit"), ("1+2", 1, "found '+'"), ("[-]", 2, "a digit"),
        ("[- 1]", 2, "a digit, found the byte 0x20"),
        ("１", 0, "found '１'"), ("1\u{0660}", 1, "found '٠'"), ("0.1.2", 3, "the end"), ("[0e+]", 4, "a digit"),
        ("1e-5-", 4, "the end"),
        // Arrays.
        ("[", 1, "expected a value, found the end"), ("]", 0, "found ']'"),
        ("[1", 2, "expected ',' or ']' after the value"),
        ("[1,", 3, "expected a value, found the end"), ("[1,]", 2, "trailing comma"),
        ("[,1]", 1, "found ','"),
        ("[,]", 1, "found ','"), ("[1,,2]", 3, "found ','"), ("[1}", 2, "expected ',' or ']'"),
        ("[1:2]", 2, "found ':'"),
        ("[[]", 3, "expected ',' or ']'"), ("[\"a\"", 4, "expected ',' or ']'"), ("[\"a\" \"b\"]", 5, "found '\"'"),
        ("[a]", 1, "found 'a'"),
        ("[1;2]", 2, "found ';'"), ("[*]", 1, "found '*'"), ("[\u{0}]", 1, "0x00"), ("[\"\",", 4, "expected a value"),
        ("[][]", 2, "the end"),
        ("[x", 1, "found 'x'"), ("[true", 5, "',' or ']'"), ("[{}", 3, "',' or ']'"), ("[1,\n1\n,1", 8, "',' or ']'"),
        ("[\n1\n2]", 4, "',' or ']'"),
        // Objects.
        ("{", 1, "expected a quoted key or '}', found the end"), ("}", 0, "found '}'"),
        ("{]", 1, "a quoted key or '}', found ']'"),
        ("{1:1}", 1, "a quoted key or '}', found '1'"), ("{a:1}", 1, "found 'a'"), ("{'a':1}", 1, "found '''"),
        ("{null:1}", 1, "found 'n'"),
        ("{\"a\"", 4, "expected ':' after the key"), ("{\"a\"}", 4, "expected ':' after the key, found '}'"),
        ("{\"a\" 1}", 5, "expected ':'"),
        ("{\"a\",1}", 4, "expected ':'"), ("{\"a\"::1}", 5, "expected a value, found ':'"),
        ("{\"a\":}", 5, "expected a value, found '}'"),
        ("{\"a\":", 5, "expected a value, found the end"), ("{\"a\":1", 6, "expected ',' or '}' after the value"),
        ("{\"a\":1,", 7, "expected a quoted key, found the end"),
        ("{\"a\":1,}", 6, "trailing comma"),
        ("{\"a\":1]", 6, "expected ',' or '}'"), ("{,}", 1, "found ','"), ("{\"a\":1,,\"b\":2}", 7, "found ','"),
        ("{\"a\":1 \"b\":2}", 7, "',' or '}'"),
        ("{\"a\":1:2}", 6, "',' or '}'"), ("{[]:1}", 1, "found '['"), ("{\"a\":[1,{\"b\":}]}", 13, "expected a value"),
        ("{\"a\"=1}", 4, "found '='"),
        ("{\"a\":x}", 5, "found 'x'"), ("{\"a\":1}/", 7, "the end"), ("{\"a\":\"b\"#", 8, "',' or '}'"),
        ("{}[", 2, "the end"), ("{\"a\" b}", 5, "':'"),
        // Strings.
        ("\"", 0, "unterminated string"), ("\"a", 0, "unterminated string"), ("\"\\\"", 0, "unterminated string"),
        ("\"\\", 1, "a backslash before the end"),
        ("\"\\x\"", 1, "invalid escape: a backslash before 'x'"),
        ("\"\\a\"", 1, "before 'a'"),
        ("\"\\'\"", 1, "before '''"), ("\"\\0\"", 1, "before '0'"), ("\"\\U0041\"", 1, "before 'U'"),
        ("\"\\é\"", 1, "before 'é'"),
        ("\"\\ \"", 1, "0x20"), ("\"\\\n\"", 1, "0x0A"), ("\"\\u\"", 1, "four hexadecimal digits"),
        ("\"\\u1\"", 1, "four"), ("\"\\u12\"", 1, "four"),
        ("\"\\u123\"", 1, "four"), ("\"\\u123g\"", 1, "four"), ("\"\\u 123\"", 1, "four"), ("\"\\u+123\"", 1, "four"),
        ("\"\\u-001\"", 1, "four"),
        ("\"\\u12", 1, "four"), ("\"\\uD800\"", 1, "unpaired surrogate"), ("\"\\uDC00\"", 1, "unpaired surrogate"),
        ("\"\\uDFFF\"", 1, "unpaired surrogate"), ("\"\\uD800\\n\"", 1, "unpaired surrogate"),
        ("\"\\uD800\\u0041\"", 1, "unpaired surrogate"), ("\"\\uD800\\uD800\"", 1, "unpaired surrogate"),
        ("\"\\uDC00\\uD800\"", 1, "unpaired surrogate"),
        ("\"\\uD83D\\uDE0\"", 1, "unpaired surrogate"), ("\"\\uD83D\\u\"", 1, "unpaired surrogate"),
        ("\"\\uD83D", 1, "unpaired surrogate"),
        ("\"\\uD800x\\uDC00\"", 1, "unpaired surrogate"),
        ("\"ab\\uDBFF\"", 3, "unpaired surrogate"),
        ("\"\n\"", 0, "unterminated string"), ("\"\t\"", 1, "unescaped control character 0x09 in a string"),
        ("\"\0\"", 1, "0x00"), ("\"\u{1F}\"", 1, "0x1F"), ("\"a\rb\"", 0, "unterminated string"),
        ("\"12345678\u{1}\"", 9, "0x01"),
        ("[\"a\0b\"]", 3, "0x00"),
        ("\"1234567\n\"", 0, "unterminated string"), ("[\"\\uD800\\uDBFF\"]", 2, "unpaired surrogate"),
        ("{\"\\u00\":1}", 2, "four"),
        ("\"a\"b", 3, "the end"), ("\"\\\\\\\"", 0, "unterminated string"),
        ("`a`", 0, "found '`'"), ("“a”", 0, "found '“'"), ("\\u0061", 0, "found '\\'"),
        ("[\"\\\\\\x\"]", 4, "before 'x'"),
    ]

    @Test("The table has its stated size")
    func tableSize() {
        #expect(Self.accepted.count + Self.refused.count >= 200)
        #expect(Set(Self.accepted).count == Self.accepted.count)
        #expect(Set(Self.refused.map(\.text)).count == Self.refused.count)
    }

    @Test("Valid documents are parsed and written to the same value", arguments: accepted)
    func accepts(text: String) throws {
        let json = try JSONEntity(parsing: text)
        #expect(json.isValid)
        let once = json.bytes()
        let again = try JSONEntity(parsing: once)
        #expect(again == json)
        #expect(again.bytes() == once)
        #expect(try JSONEntity(parsing: json.text(indent: 2)).bytes() == once)
    }

    @Test("Invalid documents are rejected with the position and the expectation", arguments: refused)
    func refuses(text: String, offset: Int, message: String) {
        let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: text) }
        #expect(error?.code == .invalidJSON)
        #expect(error?.offset == offset)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        let before = Array(text.utf8.prefix(offset))
        #expect(error?.line == before.filter { $0 == 10 }.count + 1)
        #expect(error?.column == offset - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0) + 1)
    }

    @Test(
        "An error has the path of its position",
        arguments: [
            ("{\"users\": [{\"name\": \"a\"}, {\"name\": }]}", "$.users[1].name"), ("[1, [2, [x]]]", "$[1][1][0]"),
            ("{\"a\": {\"b c\": [true, tru]}}", "$.a[\"b c\"][1]"), ("[[], [], {\"k\": 1 2}]", "$[2].k"), ("[", "$[0]"),
            ("{", "$"),
            ("{\"a\": [1], \"b\": [[3], 4, }", "$.b[2]"), ("nope", "$"), ("[{\"a\":[]},{\"b\":{}},,", "$[2]"),
        ])
    func paths(text: String, path: String) {
        let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: text) }
        #expect(error?.path == path)
    }

    @Test("Every invalid UTF-8 sequence of up to four bytes is rejected at its first byte, at any position")
    func invalidUTF8() throws {
        let bad: [[UInt8]] = [
            [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82],
            [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x28, 0x8C, 0xBC], [0xF0, 0x90, 0x28, 0xBC],
            [0xF0, 0x90, 0x8C, 0x28],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            [0xEF, 0xBB],
        ]
        for sequence in bad {
            for position in 0...17 {
                let fill = [UInt8](repeating: 0x61, count: position)
                for tail in [0, 1, 9] {
                    let text = [0x5B, 0x22] + fill + sequence + [UInt8](repeating: 0x62, count: tail) + [0x22, 0x5D]
                    let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: text) }
                    #expect(error?.code == .invalidJSON && error?.offset == position + 2, "\(sequence) at \(position)")
                    #expect(error?.message.hasPrefix("invalid UTF-8 byte 0x") == true)
                }
            }
        }
    }

    @Test("Every Unicode scalar is accepted, raw and escaped")
    func everyScalar() throws {
        var raw = ""
        var escaped = ""
        var count = 0
        for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            raw.unicodeScalars.append(scalar)
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            count += 1
        }
        let json = try JSONEntity(parsing: "[\"\(raw)\",\"\(escaped)\"]")
        #expect(count > 150_000)
        #expect(json[0].string() == raw)
        #expect(json[1].string()?.unicodeScalars.elementsEqual(raw.unicodeScalars) == true)
        #expect(json[0] == json[1])
    }

    @Test(
        "The error for another encoding names it",
        arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func otherEncodings(encoding: String.Encoding) throws {
        let data = try #require("{\"a\":1}".data(using: encoding))
        let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: data) }
        #expect(error?.message == "expected UTF-8, found text that looks like UTF-16 or UTF-32")
    }

    // MARK: Limits

    @Test(
        "Depth is limited, to 512 by default",
        arguments: [(512, 512), (513, 512), (3, 3), (4, 3), (1, 0), (1024, 5000), (1025, 5000)])
    func depth(depth: Int, limit: Int) throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            if depth <= min(limit, JSONLimits.deepest) {
                let json = try JSONEntity(parsing: text, limits: JSONLimits(depth: limit))
                #expect(json.text() == text)
                #expect(json == (try JSONEntity(parsing: text, limits: JSONLimits(depth: limit))))
                _ = json.hashValue
            } else {
                let error = #expect(throws: NetworkError.self) {
                    try JSONEntity(parsing: text, limits: JSONLimits(depth: limit))
                }
                #expect(error?.code == .jsonLimit && error?.limit == min(limit, JSONLimits.deepest))
                #expect(error?.offset == open.utf8.count * min(limit, JSONLimits.deepest))
                let step = open == "[" ? "[0]" : ".a"
                let path = "$" + String(repeating: step, count: min(limit, JSONLimits.deepest))
                #expect(error?.path == (limit > 10 ? "\(path.prefix(256))…" : path))
            }
        }
    }

    @Test("Ten megabytes of open brackets are rejected quickly", .timeLimit(.minutes(5)))
    func manyBrackets() {
        for text in [String(repeating: "[", count: 10_000_000), String(repeating: "{\"\":", count: 2_500_000)] {
            let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: text) }
            #expect(error?.code == .jsonLimit && error?.limit == 512)
            #expect(error?.message == "nested more than 512 levels deep")
        }
    }

    @Test("Size is limited")
    func size() throws {
        #expect(try JSONEntity(parsing: "[1,2]", limits: JSONLimits(bytes: 5)).count == 2)
        let error = #expect(throws: NetworkError.self) {
            try JSONEntity(parsing: "[1,2]", limits: JSONLimits(bytes: 4))
        }
        #expect(error?.code == .jsonLimit && error?.limit == 4)
        #expect(error?.message == "a document of 5 bytes exceeds the limit of 4")
    }

    @Test("The last of duplicate keys is read, and the others are preserved; strict limits reject them")
    func duplicates() throws {
        let text = #"{"a":1,"b":2,"\u0061":3,"a":4}"#
        let json = try JSONEntity(parsing: text)
        #expect(json["a"].int() == 4 && json.count == 4 && json.text() == text)
        #expect(json.dictionary()?["a"]?.int() == 4)
        let many = (0..<60).map { #""k\#($0 % 50)":\#($0)"# }.joined(separator: ",")
        let large = try JSONEntity(parsing: "{\(many)}")
        #expect(large.count == 60 && large["k9"].int() == 59 && large["k49"].int() == 49, "also in large objects")
        #expect(json == ["a": 4, "b": 2])
        #expect(json != ["a": 1, "b": 2])
        let error = #expect(throws: NetworkError.self) {
            try JSONEntity(parsing: text, limits: JSONLimits(rejectsDuplicateKeys: true))
        }
        #expect(error?.code == .invalidJSON && error?.offset == 13)
        #expect(error?.message == "duplicate key, first defined at line 1")
        #expect(
            try JSONEntity(parsing: #"[{"a":1},{"a":1,"b":{"a":1}}]"#, limits: JSONLimits(rejectsDuplicateKeys: true))
                .count
                == 2)
    }

    @Test("A number of a million digits is parsed in linear time", .timeLimit(.minutes(5)))
    func longNumbers() throws {
        let digits = String(repeating: "7", count: 1_000_000)
        let json = try JSONEntity(
            parsing:
                "[\(digits),0.\(digits),1e\(digits),-\(digits)e-\(digits),1\(String(repeating: "0", count: 1_000_000))e-1000000]"
        )
        #expect(json[0].numberText() == digits && json[0].int() == nil && json[0].double() == nil)
        #expect(json[1].double() == 0.7777777777777778 && json[1].int() == nil)
        #expect(json[2].double() == nil && json[2].int() == nil)
        #expect(json[3].double() == 0 && json[3].int() == nil)
        #expect(json[4].int() == 1)
        #expect(json[0] == json[0].detached())
    }
}
