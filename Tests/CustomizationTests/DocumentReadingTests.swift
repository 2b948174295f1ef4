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
        #expect(parsed.diagnostics.hasErrors)
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
        #expect(parsed.diagnostics.hasErrors)
        #expect(parsed.diagnostics.first?.column == 26)
    }

    @Test(
        "A number of a theme in JSON that does not fit is an error, and the other values are read",
        arguments: ["9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "1e400"])
    func invalidJSONNumber(number: String) throws {
        let source = #"{"themes": [{"name": "t", "attributes": {"a": \#(number), "b": [1, \#(number), 2]}}]}"#
        let parsed = Theme.parse(Array(source.utf8), file: "a.json")
        let theme = try #require(parsed.themes.first)
        #expect(theme.table["a"] == nil && theme.table["b"] == .list([.int(1), .int(2)]))
        #expect(parsed.diagnostics.map(\.code) == [.malformedFile, .malformedFile])
        #expect(parsed.diagnostics.map(\.column) == [47, 58 + number.count])
    }

    @Test(
        "A JSON file with an error has no values, and its first error has a line and a column",
        arguments: [
            (#"{"strings": {\n  "a": nope,\n  "b": {},\n}}"#, 2, 8, "expected a value, found 'n'"),
            (#"{"strings": {\n  "a": {},\n}}"#, 2, 10, "trailing comma"),
            (#"// Strings\n{"strings": {}}"#, 1, 1, "expected a value, found '/'"),
            (#"{"themes": [\n {"name": "unfinished,\n "size": nope}]}"#, 2, 11, "unterminated string"),
        ])
    func malformedJSON(source: String, line: Int, column: Int, message: String) throws {
        let bytes = Array(source.replacing(#"\n"#, with: "\n").utf8)
        let catalog = StringsTable.parse(stringCatalog: bytes, file: "a.xcstrings")
        let themes = Theme.parse(bytes, file: "a.json")
        #expect(catalog.tables.isEmpty && themes.themes.isEmpty)
        for diagnostics in [catalog.diagnostics, themes.diagnostics] {
            let error = try #require(diagnostics.first)
            #expect(diagnostics.count == 1 && error.severity == .error && error.code == .malformedFile)
            #expect(error.line == line && error.column == column && error.message == message)
        }
    }
}
