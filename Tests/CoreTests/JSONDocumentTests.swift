import AshlarCore
import AshlarTrees
import Testing

/// Parsing, positions, permitted extensions and recovery; Networking's tests cover the grammar.
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

    // MARK: Extensions

    @Test(
        "Comments and trailing commas are permitted on request, and nothing else changes",
        arguments: [
            ("// one\n[1, /* two */ 2] // three", "[1,2]"), ("/**/{}/***/", "{}"), ("[1,2,]", "[1,2]"),
            ("{\"a\": {\"b\": 1,}, // ,\n}", #"{"a":{"b":1}}"#),
            ("[\"// no\", \"/* no */\", \"\\\"//\",]", #"["// no","/* no */",""//"]"#),
            ("[1, // }\n /* ] */ ]", "[1]"), ("[\"a,\",\n]\n", #"["a,"]"#), ("[1,/*,*/]", "[1]"),
        ])
    func extensions(text: String, expected: String) throws {
        let options = JSONDocument.Options(allowsComments: true, allowsTrailingCommas: true)
        #expect(try render(JSONDocument(Array(text.utf8), options: options)) == expected)
        #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8)) }
    }

    @Test(
        "Extensions have limits of their own",
        arguments: ["[,]", "[1,,]", "{,}", "[1,,2]", "/* [1]", "[1] /", "[1 / 2]", "// only", "[1, /* ]", "{\"a\":,}"])
    func extensionErrors(text: String) {
        let options = JSONDocument.Options(allowsComments: true, allowsTrailingCommas: true)
        #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8), options: options) }
    }

    @Test("Each extension is permitted alone, and positions do not move")
    func singleExtensions() throws {
        #expect(throws: JSONSyntaxError.self) {
            try JSONDocument(Array("[1,] // x".utf8), options: .init(allowsComments: true))
        }
        #expect(throws: JSONSyntaxError.self) {
            try JSONDocument(Array("[1,] // x".utf8), options: .init(allowsTrailingCommas: true))
        }
        let document = try JSONDocument(
            Array("/* a\n b */ [ // c\n 7]".utf8), options: .init(allowsComments: true))
        #expect(document.range(of: 1) == 19..<20 && document.position(of: 19).line == 3)
    }

    // MARK: Recovery

    @Test(
        "Recovery loses only the member or element with the error",
        arguments: [
            ("{\"a\": 1, \"b\": 2,}", #"{"a":1,"b":2}"#, ["1:16 trailing comma"]),
            ("[1, 2, ]", "[1,2]", ["1:6 trailing comma"]),
            ("{\"a\": 1\n \"b\": 2}", #"{"a":1,"b":2}"#, ["2:2 expected ',' or '}' after the value, found '\"'"]),
            ("{\"a\": tru, \"b\": 2}", #"{"b":2}"#, ["1:7 expected a value, found 't'"]),
            ("{\"a\": 1, \"b\": tru}", #"{"a":1}"#, ["1:15 expected a value, found 't'"]),
            ("{\"a\": tru\n \"b\": 2}", #"{"b":2}"#, ["1:7 expected a value, found 't'"]),
            (
                "{\"x\": 1,\n \"a\": \"open,\n \"b\": 2}", #"{"x":1,"b":2}"#,
                ["2:7 unterminated string"]
            ),
            (
                "{\"a\": \"\\q\", \"b\": {\"c\": [1, x, 3]}}", #"{"b":{"c":[1,3]}}"#,
                ["1:8 invalid escape: a backslash before 'q'", "1:28 expected a value, found 'x'"]
            ),
            ("{a: 1, \"b\": 2}", #"{"b":2}"#, ["1:2 expected a quoted key or '}', found 'a'"]),
            ("{\"a\" 1, \"b\": 2}", #"{"b":2}"#, ["1:6 expected ':' after the key, found '1'"]),
            ("{\"a\": 1} x", #"{"a":1}"#, ["1:10 expected the end of the document, found 'x'"]),
            (
                "{\"a\": [1, 2}", #"{"a":[1,2]}"#,
                [
                    "1:12 expected ',' or ']' after the value, found '}'",
                    "1:13 expected ',' or '}' after the value, found the end of the text in the object of line 1",
                ]
            ),
            (
                "{\"a\": {\"b\": 1, \"c", #"{"a":{"b":1}}"#,
                [
                    "1:16 unterminated string",
                    "1:18 expected a quoted key, found the end of the text in the object of line 1",
                ]
            ),
            (
                "{\"a\": {\"b\": 1, \"c\":", #"{"a":{"b":1}}"#,
                ["1:20 expected a value, found the end of the text in the object of line 1"]
            ),
            (
                "[1, 2", "[1,2]",
                ["1:6 expected ',' or ']' after the value, found the end of the text in the array of line 1"]
            ),
            ("{\"a\": [1}, \"b\": 2}", #"{"a":[1],"b":2}"#, ["1:9 expected ',' or ']' after the value, found '}'"]),
            ("{\"a\": 1:2, \"b\": 2}", #"{"a":1,"b":2}"#, ["1:8 expected ',' or '}' after the value, found ':'"]),
            ("{\"a\": 1, \"a\": 2}", #"{"a":1,"a":2}"#, []),
            (
                "// first\n{\"a\": /* x */ 1, // \"y\n \"b\": \"//z\"} /* last */", #"{"a":1,"b":"//z"}"#,
                ["1:1 expected a value, found '/'"]
            ),
            (
                "{\"a\": 1 /* open, \"b\": 2}", #"{"a":1,"b":2}"#,
                ["1:9 expected ',' or '}' after the value, found '/'"]
            ),
            (
                "[1, / 2, 3] // end", "[1,3]",
                ["1:5 expected a value, found '/'", "1:13 expected the end of the document, found '/'"]
            ),
        ] as [(String, String, [String])])
    func recovery(text: String, expected: String, errors: [String]) throws {
        let result = JSONDocument.recovering(Array(text.utf8), options: .init(rejectsDuplicateKeys: true))
        #expect(result.document.map { render($0) } == expected)
        #expect(result.errors.map { "\($0.line):\($0.column) \($0.message)" } == errors)
    }

    @Test("Recovery returns no document without a root", arguments: ["", "x", "\"a", "// c", ","])
    func nothingToRecover(text: String) {
        let result = JSONDocument.recovering(Array(text.utf8))
        #expect(result.document == nil && result.errors.count == 1)
    }

    @Test("Recovery retains what precedes the hundredth error")
    func manyErrors() throws {
        let text = "{" + (0..<150).map { "\"good\($0)\": 1, \"bad\($0)\": x" }.joined(separator: ",\n") + "}"
        let result = JSONDocument.recovering(Array(text.utf8))
        #expect(result.errors.count == 100)
        #expect(try #require(result.document).count(of: 0) == 100)
    }

    @Test("Recovery ends for every truncated and every damaged text", .timeLimit(.minutes(2)))
    func everyDamage() {
        let text = Array(#"{"a": [1, {"b": "x\u00e9"}, -2.5e3], "c": {"d": true, "e": null}, "f": "g"}"#.utf8)
        var parsed = 0
        let replacements: [UInt8] = [0x22, 0x2C, 0x7D, 0x5B, 0x5C, 0x00, 0xFF]
        for index in text.indices {
            var damaged = [Array(text[..<index])]
            for byte in replacements { damaged.append(text[..<index] + [byte] + text[(index + 1)...]) }
            for bytes in damaged {
                let result = JSONDocument.recovering(bytes)
                #expect(result.document != nil || !result.errors.isEmpty)
                if let document = result.document { parsed += render(document).isEmpty ? 0 : 1 }
            }
        }
        #expect(parsed > text.count * 7)
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
