import AshlarCore
import Testing

/// Patterns as text; a table of all mistakes is in the tests of EventBus.
@Suite struct RoutePatternTextTests {
    private func describe(_ pattern: RoutePatternText) -> [String] {
        pattern.segments.map { segment in
            switch segment {
            case .literal(let text): text
            case .parameter(let name, let type): "<\(name) \(type ?? "any")>"
            case .catchAll(let name): "<\(name) rest>"
            }
        }
    }

    @Test(
        "A pattern is divided into literals, parameters and a catch-all",
        arguments: [
            ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//", ["", ""]),
            ("/:a/b/:c_1/*d", ["<a any>", "b", "<c_1 any>", "<d rest>"]),
            ("/:a(int)/:b(string)/:c(month)", ["<a int>", "<b any>", "<c month>"]),
            (#"/\:a\*\\\/\?\é/50%/%zz"#, [#":a*\/?é"#, "50%", "%zz"]), ("/:日本", ["<日本 any>"]),
        ] as [(String, [String])])
    func segments(text: String, expected: [String]) throws {
        let pattern = try RoutePatternText(text, types: ["month"])
        #expect(describe(pattern) == expected)
        #expect(pattern.source == text && pattern.authority == nil)
    }

    @Test("The parameters of a pattern have their names and types, in order")
    func parameters() throws {
        let pattern = try RoutePatternText("/a/:b(uuid)/:c/*d")
        #expect(pattern.parameters.map { "\($0.name) \($0.type ?? "any")" } == ["b uuid", "c any", "d any"])
        #expect(pattern.names == ["b", "c", "d"])
    }

    @Test(
        "The scheme and the host are compared in lowercase, without a final dot and the scheme's port",
        arguments: [
            ("HTTPS://Example.com:443/a", "https://example.com"),
            ("https://example.com.:8443", "https://example.com:8443"),
            ("app://[::1]:80/a", "app://[::1]:80"), ("app:///a", "app://"),
        ])
    func authorities(text: String, authority: String) throws {
        #expect(try RoutePatternText(text).authority == authority)
    }

    @Test(
        "A mistake has a code, the offset, and the expected and the found text",
        arguments: [
            ("", "patternEmpty@0: a path that begins with / / nothing"),
            ("a", "patternMissingSlash@0: / or a scheme and :// at the beginning"),
            ("app://u@h/a", "patternMalformedHost@7: a plain host"),
            ("app://h:port/a", "patternMalformedHost@8: a port of digits"),
            ("/*a/b", "patternCatchAllNotLast@3: nothing after a catch-all"),
            ("/:", "patternEmptyName@2: a name of letters, digits and _ after :"),
            ("/:a/*a", "patternRepeatedName@5: every name once / a again"),
            ("/:a(int", "patternUnknownType@7: a type name and ) after a("),
            ("/:a(Int)", #"patternUnknownType@4: one of bool, uint, int, uuid, double, slug, string / "Int""#),
            (#"/a\"#, #"patternDanglingEscape@2: a character after \"#),
            (
                "/a?b",
                #"patternReservedCharacter@2: \? for the character itself / a query or a fragment, which takes no part in matching"#
            ),
            ("/{a}", #"patternReservedCharacter@1: \{ for the character itself / {"#),
            (
                "/a%2F",
                #"patternPercentEncoded@2: the decoded character, or \% for a % / an escape in a pattern, which is written decoded"#
            ),
            (
                "/a:b",
                "patternParameterNotAlone@2: a parameter that is a whole segment / text around one, which the conversion of a RouteParameterType can split off"
            ),
            (
                "/:a.b",
                "patternParameterNotAlone@3: a parameter that is a whole segment / text around one, which the conversion of a RouteParameterType can split off"
            ),
        ])
    func faults(text: String, expected: String) {
        let fault = #expect(throws: RoutePatternFault.self) { try RoutePatternText(text) }
        let description = fault.map { "\($0.code)@\($0.offset): \($0.expected)\($0.found.map { " / " + $0 } ?? "")" }
        #expect(description == expected)
    }

    @Test("Patterns have limits: 8192 bytes, 128 segments and 32 parameters")
    func limits() throws {
        func code(_ text: String) -> String? {
            do throws(RoutePatternFault) {
                _ = try RoutePatternText(text)
                return nil
            } catch { return "\(error.code)@\(error.offset)" }
        }
        #expect(code("/" + String(repeating: "x", count: 8191)) == nil)
        #expect(code("/" + String(repeating: "x", count: 8192)) == "patternTooLong@0")
        #expect(code(String(repeating: "/a", count: 128)) == nil)
        #expect(code(String(repeating: "/a", count: 129)) == "patternTooManySegments@256")
        let parameters = (1...32).map { "/:p\($0)" }.joined()
        #expect(code(parameters) == nil)
        #expect(code(parameters + "/:q") == "patternTooManyParameters@\(parameters.utf8.count + 1)")
    }

    @Test(
        "A value has the types that its text is a form of",
        arguments: [
            ("true", "bool slug"), ("True", "slug"), ("0", "uint int double slug"), ("-1", "int double slug"),
            ("+1", ""),
            ("18446744073709551615", "uint double slug"), ("18446744073709551616", "double slug"),
            ("-9223372036854775808", "int double slug"), ("-9223372036854775809", "double slug"),
            ("00112233-4455-6677-8899-aabbccddeeFF", "uuid slug"), ("00112233-4455-6677-8899-aabbccddeefg", "slug"),
            ("001122334-455-6677-8899-aabbccddeeff", "slug"), ("1.5", "double"), ("-1.5e3", "double"),
            ("1e-3", "double slug"),
            ("1.", ""), (".5", ""), ("1.e3", ""), ("1e999", "slug"), ("nan", "slug"), ("0x1p3", "slug"),
            ("1e+3", "double"),
            ("a_b-C9", "slug"), ("ä", ""), ("a b", ""),
        ])
    func valueTypes(text: String, types: String) {
        #expect(RouteValueType.allCases.filter { $0.accepts(text) }.map(\.rawValue).joined(separator: " ") == types)
    }
}
