import AshlarCustomization
import Foundation
import Testing

/// Property lists and JSON files with values that are invalid or do not fit.
@Suite struct DocumentReadingTests {
    /// A binary property list with the dictionary `{"a": value}`, where `object` is the encoded value.
    private func binary(_ object: [UInt8]) -> [UInt8] {
        var bytes = Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, UInt8(ascii: "a")] + object
        let table = UInt8(bytes.count)
        bytes += [8, 11, 13]
        return bytes + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 15) + [table]
    }

    @Test("A well-formed binary value is read")
    func wellFormed() {
        #expect(StringsTable.parse(strings: binary([0x51, UInt8(ascii: "x")])).table["a"] == .string("x"))
        let negative = [0x14] + [UInt8](repeating: 0xFF, count: 16)
        #expect(StringsTable.parse(strings: binary(negative)).table["a"] == .int(-1))
    }

    @Test(
        "A binary value that does not fit or is not text is an error",
        arguments: [
            [0x14] + [UInt8](repeating: 0, count: 8) + [0x80] + [UInt8](repeating: 0, count: 7),
            [0x14] + [UInt8](repeating: 1, count: 16), [0x80, 5], [0x51, 0xFF], [0x61, 0xD8, 0x00],
        ] as [[UInt8]])
    func invalidBinary(object: [UInt8]) {
        let parsed = StringsTable.parse(strings: binary(object), file: "a.strings")
        #expect(parsed.table["a"] == nil)
        #expect(parsed.hasErrors)
    }

    @Test(
        "An XML value that does not fit or is malformed is an error",
        arguments: [
            "<data>QQ</data>", "<data>QQ=</data>", "<data>QQ==QQ==</data>", "<integer>9223372036854775808</integer>",
            "<date>yesterday</date>", "<real>1,5</real>",
        ])
    func invalidXML(value: String) {
        let source = "<plist><dict><key>a</key>\(value)</dict></plist>"
        let parsed = StringsTable.parse(strings: Array(source.utf8), file: "a.strings")
        #expect(parsed.table["a"] == nil)
        #expect(parsed.hasErrors)
        #expect(parsed.diagnostics.first?.column == 26)
    }

    @Test("A trailing comma doesn't remove entries of a string catalog")
    func catalogWithTrailingComma() throws {
        let source = """
            {"sourceLanguage": "en", "strings": {
              "a": {"localizations": {"de": {"stringUnit": {"value": "A", "state": "translated"}}}},
              "b": {"localizations": {"de": {"stringUnit": {"value": nope, "state": "translated"}}}},
              "c": {"localizations": {"de": {"stringUnit": {"value": "C", "state": "translated"}}}},
            }}
            """
        let parsed = StringsTable.parse(stringCatalog: Array(source.utf8), file: "a.xcstrings")
        let german = try #require(parsed.tables["de"])
        #expect(german["a"] == .string("A"))
        #expect(german["c"] == .string("C"))
        #expect(german["b"] == nil)
        #expect(parsed.diagnostics.contains { $0.line == 3 && $0.severity == .error })
        #expect(parsed.diagnostics.contains { $0.line == 4 && $0.severity == .error })
    }

    @Test("Comments don't remove entries of a string catalog, and are reported once")
    func catalogWithComments() throws {
        let source = """
            // Strings of the app
            {"sourceLanguage": "en", /* base */ "strings": {
              "a": {"localizations": {"de": {"stringUnit": {"value": "A // no comment"}}}}, // first
              "b": {"localizations": {"de": {"stringUnit": {"value": "/* B */"}}}}
            }}
            """
        let parsed = StringsTable.parse(stringCatalog: Array(source.utf8), file: "a.xcstrings")
        let german = try #require(parsed.tables["de"])
        #expect(german["a"] == .string("A // no comment"))
        #expect(german["b"] == .string("/* B */"))
        #expect(parsed.diagnostics.map { "\($0.line) \($0.severity)" } == ["1 error"])
    }

    @Test("An error in a theme file removes only its attribute")
    func themeWithMistake() throws {
        let source = """
            {"themes": [{"name": "Dark", "attributes": {
              "bar": {"color": "#112233"},
              "title": "unfinished,
              "size": 12,
            }}]}
            """
        let parsed = Theme.parse(Array(source.utf8), file: "a.json")
        let theme = try #require(parsed.themes.first)
        #expect(theme.table["bar"] != nil)
        #expect(theme.table["size"] == .int(12))
        #expect(parsed.diagnostics.contains { $0.line == 3 && $0.severity == .error })
    }
}
