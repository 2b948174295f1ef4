import AshlarCore
import AshlarTestSupport
import AshlarTrees
import Testing

/// Parsing, positions and comments; Networking's tests cover the grammar.
@Suite struct JSONDocumentTests {
    @Test(
        "A document returns the values of its text",
        arguments: [
            (
                #" {"a" : [1, -2.50e1, true, false, null], "b\n": "x\u00e9"} "#,
                #"{"a":[1,-25.0,true,false,null],"b<LF>":"xé"}"#
            ),
            ("[]", "[]"), ("{}", "{}"), ("\u{FEFF}7", "7"), (#""""#, #""""#), ("[[[]],{\"\":{}}]", #"[[[]],{"":{}}]"#),
        ])
    func values(text: String, expected: String) throws {
        #expect(try render(JSONDocument(Array(text.utf8))) == expected)
    }

    @Test(
        "Escapes are resolved, and characters beyond 16 bits are two of them",
        arguments: [
            (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u0041\u00e9\u20AC"#, "Aé€"),
            (#"<\ud83d\uDE00>\u0021"#, "<😀>!"), (#"\ud83d\ude00\ud83d\ude01"#, "😀😁"),
            (#"\ue000\ud7ff"#, "\u{E000}\u{D7FF}"),
        ])
    func escapes(text: String, expected: String) throws {
        let document = try JSONDocument(Array("{\"\(text)\": \"\(text)\"}".utf8))
        #expect(document.string(at: 1) == expected && document.string(at: 2) == expected)
        #expect(document.find(expected, in: 0) == 1 && document.find(text, in: 0) == nil)
        #expect(document.withUTF8(at: 2) { Array($0) } == Array(expected.utf8))
    }

    @Test(
        "Half of a pair of escapes is an error",
        arguments: [#"\ud83d"#, #"\ud83dx"#, #"\ud83d\n"#, #"\ud83d\u0041"#, #"\ude00"#, #"\ud83d\ud83d"#])
    func halves(text: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array("[\"\(text)\"]".utf8)) }
        #expect(error?.message == "unpaired surrogate in a \\u escape" && error?.offset == 2)
    }

    @Test("Integers keep 64 bits, whatever the width of Int")
    func integers() throws {
        let text =
            "[9223372036854775807, -9223372036854775808, 18446744073709551615, 9223372036854775808, 1e3, 1.5, 1e400]"
        let document = try JSONDocument(Array(text.utf8))
        let positions = Array(document.children(of: 0))
        #expect(positions.map(document.int64(at:)) == [.max, .min, nil, nil, 1000, nil, nil])
        #expect(
            positions.map(document.uint64(at:)) == [
                9_223_372_036_854_775_807, nil, .max, 9_223_372_036_854_775_808, 1000, nil, nil,
            ])
        #expect(document.double(at: positions[5]) == 1.5 && document.double(at: positions[6]) == nil)
        #expect(positions.map { String(decoding: document.bytes(at: $0), as: UTF8.self) }[6] == "1e400")
    }

    @Test("The tape grows with an array of short values")
    func manyValues() throws {
        let count = 300_000
        let document = try JSONDocument(Array("[1\(String(repeating: ",2", count: count - 2)),3]".utf8))
        #expect(document.count(of: 0) == count)
        #expect(document.element(0, of: 0).flatMap { document.int64(at: $0) } == 1)
        #expect(document.element(count - 1, of: 0).flatMap { document.int64(at: $0) } == 3)
        #expect(document.element(count, of: 0) == nil)
    }

    @Test("Every value and key has an offset, a line and a column")
    func positions() throws {
        let document = try JSONDocument(Array("{\n  \"a\": [1,\n    \"x\"]\n}".utf8))
        let key = try #require(document.find("a", in: 0))
        #expect(document.range(of: key) == 4..<7)
        let items = Array(document.children(of: key + 1))
        #expect(items.map { document.range(of: $0) } == [10..<11, 17..<20])
        let (line, column) = document.position(of: 17)
        #expect(line == 3 && column == 5)
        #expect(document.path(to: items[1]) == "$.a[1]")
    }

    @Test("The table of lines is made once, so the positions of all values take time proportional to their number")
    func positionsOfAll() throws {
        let ratio = try growth(from: 400, to: 3_200, limit: 30) { count in
            try JSONDocument(Array("[1\(String(repeating: ",\n1", count: count))]".utf8))
        } _: { document in
            let lines = document.children(of: 0).map { document.position(of: document.range(of: $0).lowerBound).line }
            #expect(lines == Array(1...lines.count))
        }
        // Eight times the values take 8 times as long; with a table for each, 64 times.
        #expect(ratio < 30)
    }

    @Test("The last of duplicate keys wins, or is an error that names the first", arguments: [2, 40])
    func duplicates(members: Int) throws {
        let filler = (0..<members).map { "\"k\($0)\": 0, " }.joined()
        let text = "{" + filler + "\n\"a\": 1,\n\"\\u0061\": 2}"
        let document = try JSONDocument(Array(text.utf8))
        #expect(document.find("a", in: 0).flatMap { document.int64(at: $0 + 1) } == 2, "the last value wins")
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONDocument(Array(text.utf8), options: .init(rejectsDuplicateKeys: true))
        }
        #expect(error?.kind == .duplicateKey && error?.message == "duplicate key, first defined at line 2")
        #expect(error?.line == 3 && error?.column == 1)
    }

    @Test(
        "An error has a position, a path and a plain message",
        arguments: [
            ("{\n  \"a\": tru\n}", "2:8 $.a: expected a value, found 't'"),
            (
                "[1,\n 2\n",
                "3:1 $[1]: expected ',' or ']' after the value, found the end of the text in the array of line 1"
            ),
            ("[\"a\", \"b", "1:7 $[1]: unterminated string"), ("{\"a\": 1,}", "1:8 $.a: trailing comma"),
            ("[1, 2,\n]", "1:6 $[2]: trailing comma"), ("{\"a\": 01}", "1:7 $.a: leading zero in a number"),
            ("[\"\\q\"]", "1:3 $[0]: invalid escape: a backslash before 'q'"),
            ("[1, // x\n 2]", "1:5 $[1]: expected a value, found '/'"),
        ])
    func errors(text: String, expected: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8)) }
        #expect(error.map(describe) == expected)
    }

    @Test(
        "An error shows the character that it found, or the byte if it is none",
        arguments: [
            (Array("[é]".utf8), "expected a value, found 'é'"), (Array("[€]".utf8), "expected a value, found '€'"),
            (Array("[😀]".utf8), "expected a value, found '😀'"),
            ([0x5B, 0x80], "expected a value, found the byte 0x80"),
            ([0x5B, 0xC3], "expected a value, found the byte 0xC3"),
            ([0x5B, 0xE2, 0x82], "expected a value, found the byte 0xE2"),
            ([0x5B, 0x7F], "expected a value, found the byte 0x7F"),
            ([0x5B, 0x00], "expected a value, found the byte 0x00"),
            ([0x5B, 0x22, 0x01, 0x22], "unescaped control character 0x01 in a string"),
            ([0x5B, 0x22, 0x61, 0xFF, 0x22], "invalid UTF-8 byte 0xFF"),
        ] as [([UInt8], String)])
    func found(bytes: [UInt8], message: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(bytes) }
        #expect(error?.message == message)
    }

    @Test(
        "A text in UTF-16 or UTF-32 is reported as such",
        arguments: [
            ([0xFE, 0xFF, 0, 0x5B], true), ([0xFF, 0xFE, 0x5B, 0], true), ([0, 0x5B, 0, 0x5D], true),
            ([0x5B, 0, 0x5D, 0], true), ([0, 0, 0, 0x5B], true), ([0xFE, 0x41, 0x41, 0x41], false),
            ([0x5B, 0xFF, 0x5D, 0x5D], false), ([0xFE, 0xFF], false), ([0x5B, 0, 0x5D], false),
            ([0x5B, 0x31, 0, 0x5D], false),
        ] as [([UInt8], Bool)])
    func otherEncodings(bytes: [UInt8], isOther: Bool) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(bytes) }
        #expect((error?.message == "expected UTF-8, found text that looks like UTF-16 or UTF-32") == isOther)
    }

    @Test("Depth and size have limits")
    func limits() {
        let deep = #expect(throws: JSONSyntaxError.self) {
            try JSONDocument(Array("[[[]]]".utf8), options: .init(depth: 2))
        }
        #expect(deep?.kind == .depth && deep?.limit == 2 && deep?.offset == 2)
        let large = #expect(throws: JSONSyntaxError.self) {
            try JSONDocument(Array("[1,2]".utf8), options: .init(bytes: 4))
        }
        #expect(large?.kind == .size && large?.limit == 4)
    }

    // MARK: Comments

    @Test(
        "Comments are permitted on request, and nothing else changes",
        arguments: [
            ("// one\n[1, /* two */ 2] // three", "[1,2]"), ("/**/{}/***/", "{}"),
            ("{\"a\": {\"b\": 1} // ,\n}", #"{"a":{"b":1}}"#),
            ("[\"// no\", \"/* no */\", \"\\\"//\"/**/]", #"["// no","/* no */",""//"]"#),
            ("[1 // }\n /* ] */ ]", "[1]"), ("[1/*,*/]", "[1]"), ("[1/*\u{B}\u{C}*/]", "[1]"),
            ("[1]//", "[1]"), ("/*\r*/[\"\\\\\"]//\"", #"["\"]"#),
        ])
    func comments(text: String, expected: String) throws {
        #expect(try render(JSONDocument(Array(text.utf8), options: .init(allowsComments: true))) == expected)
        #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8)) }
    }

    @Test(
        "Comments change no other rule, and must end",
        arguments: [
            ("[1,] // x", "1:3 $[1]: trailing comma"), ("{\"a\": 1, // x\n}", "1:8 $.a: trailing comma"),
            ("[,]", "1:2 $[0]: expected a value, found ','"), ("/* [1]", "1:1 $: expected a value, found '/'"),
            ("/*/ [1]", "1:1 $: expected a value, found '/'"),
            ("[1] /", "1:5 $: expected the end of the document, found '/'"),
            ("[1 / 2]", "1:4 $[0]: expected ',' or ']' after the value, found '/'"),
            ("// only", "1:8 $: expected a value, found the end of the text"),
            ("[\"a // x\n1]", "1:2 $[0]: unterminated string"),
        ])
    func commentErrors(text: String, expected: String) {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONDocument(Array(text.utf8), options: .init(allowsComments: true))
        }
        #expect(error.map(describe) == expected)
    }

    @Test("Comments don't move positions")
    func commentPositions() throws {
        let document = try JSONDocument(
            Array("/* a\n b */ [ // c\n 7]".utf8), options: .init(allowsComments: true))
        #expect(document.range(of: 1) == 19..<20 && document.position(of: 19).line == 3)
    }

    @Test("Every truncated and every damaged text is parsed or has an error with a position")
    func everyDamage() throws {
        let text = Array(#"{"a": [1, {"b": "x\u00e9"}, -2.5e3], "c": {"d": true, "e": null}, "f": "g"}"#.utf8)
        let replacements: [UInt8] = [0x22, 0x2C, 0x7D, 0x5B, 0x5C, 0x2F, 0x00, 0xFF]
        var failures = 0
        for index in text.indices {
            var damaged = [Array(text[..<index])]
            for byte in replacements { damaged.append(text[..<index] + [byte] + text[(index + 1)...]) }
            for bytes in damaged {
                do throws(JSONSyntaxError) {
                    _ = try JSONDocument(bytes, options: .init(allowsComments: true))
                } catch {
                    failures += 1
                    #expect(error.line == 1 && error.column == error.offset + 1 && error.offset <= bytes.count)
                }
            }
        }
        #expect(failures > text.count)
    }

    // MARK: Helpers

    private func describe(_ error: JSONSyntaxError) -> String {
        "\(error.line):\(error.column) \(error.path): \(error.message)"
    }

    private func render(_ document: JSONDocument, _ index: Int = 0) -> String {
        switch document.kind(at: index) {
        case .null: "null"
        case .bool: document.isTrue(at: index) ? "true" : "false"
        case .integer: document.int64(at: index).map(String.init) ?? "big"
        case .fraction: document.double(at: index).map { "\($0)" } ?? "big"
        case .string: "\"\(text(document, index))\""
        case .array: "[\(document.children(of: index).map { render(document, $0) }.joined(separator: ","))]"
        case .object:
            "{\(document.children(of: index).map { "\"\(text(document, $0))\":\(render(document, $0 + 1))" }.joined(separator: ","))}"
        }
    }

    private func text(_ document: JSONDocument, _ index: Int) -> String {
        let text = document.string(at: index)
        #expect(document.withUTF8(at: index) { String(decoding: $0, as: UTF8.self) } == text)
        return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "<LF>")
    }
}
