import AshlarCustomization
import AshlarTestSupport
import Testing

/// Recovering reads of every encoding, with and without a byte order mark.
@Suite struct StringsEncodingTests {
    static let source = "\"é😀\" = \"中\";\n\"ascii key\" = \"ascii value\";\n"

    static func bytes(_ text: String, _ encoding: StringsEncoding) -> [UInt8] {
        switch encoding {
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .utf32LittleEndian, .utf32BigEndian:
            text.unicodeScalars.flatMap { scalar in
                let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
                return encoding == .utf32BigEndian ? bytes : bytes.reversed()
            }
        default: Array(text.utf8)
        }
    }

    static let all: [StringsEncoding] = [
        .utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
    ]

    @Test(
        "A byte order mark determines the encoding; a second one is an error and nothing else is lost", arguments: all)
    func marked(encoding: StringsEncoding) {
        let parsed = StringsTable.parse(strings: Self.bytes("\u{FEFF}" + Self.source, encoding))
        #expect(parsed.diagnostics.isEmpty)
        #expect(parsed.table["é😀"] == .string("中") && parsed.table["ascii key"] == .string("ascii value"))
        #expect(parsed.table.entry("ascii key")?.location.line == 2)
        let twice = StringsTable.parse(strings: Self.bytes("\u{FEFF}\u{FEFF}" + Self.source, encoding))
        #expect(twice.table.count == 2)
        #expect(twice.diagnostics.map { "\($0.severity) \($0.code)" } == ["error stray-byte-order-mark"])
    }

    @Test(
        "UTF-16 without a mark is detected by its zero bytes with a warning",
        arguments: [Self.source, "a;", "k=v;", " "])
    func unmarked(source: String) {
        for encoding in [StringsEncoding.utf16LittleEndian, .utf16BigEndian] where source != " " {
            let parsed = StringsTable.parse(strings: Self.bytes(source, encoding))
            let expected = StringsTable.parse(strings: Array(source.utf8))
            #expect(Array(parsed.table) == Array(expected.table), "nothing is lost, not even the first character")
            #expect(parsed.diagnostics.first?.code == .missingByteOrderMark)
            #expect(parsed.diagnostics.first?.severity == .warning)
        }
        let plain = StringsTable.parse(strings: Array(source.utf8)).diagnostics
        #expect(!plain.contains { $0.code == .missingByteOrderMark })
    }

    @Test("A few zero bytes in UTF-8 do not make it UTF-16")
    func zeros() {
        for text in ["/* \0: */\n\"/\" = \"+~Ra\";\n\n/* \0: */\n\":\" = \":\";\n", "a = b; // \0\0\0 c\0\nd = e;"] {
            let parsed = StringsTable.parse(strings: Array(text.utf8))
            #expect(parsed.table.count == 2 && parsed.diagnostics.isEmpty)
        }
        let chinese = "\"title\" = \"中丁七中丁七中丁七中丁七\";\n"
        for encoding in [StringsEncoding.utf16LittleEndian, .utf16BigEndian] {
            let parsed = StringsTable.parse(strings: Self.bytes(chinese, encoding))
            #expect(parsed.table["title"] == .string("中丁七中丁七中丁七中丁七"))
        }
    }

    @Test(
        "An empty file, or one with only a byte order mark, is an empty table",
        arguments: [[], [0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]]
            as [[UInt8]])
    func empty(bytes: [UInt8]) {
        let parsed = StringsTable.parse(strings: bytes)
        #expect(parsed.table.isEmpty && parsed.diagnostics.isEmpty)
    }

    @Test("An incomplete unit is ignored, an unpaired surrogate is U+FFFD, and both are warnings")
    func broken() throws {
        var bytes = Self.bytes("\u{FEFF}\"a\" = \"x?y\";", .utf16LittleEndian)
        let mark = try #require(bytes.firstIndex(of: UInt8(ascii: "?")))
        bytes.replaceSubrange(mark...(mark + 1), with: [0x00, 0xD8])
        let parsed = StringsTable.parse(strings: bytes + [0x41])
        #expect(parsed.table["a"] == .string("x\u{FFFD}y"))
        #expect(
            parsed.diagnostics.map { "\($0.line):\($0.column) \($0.severity) \($0.code)" } == [
                "1:9 warning broken-utf16", "1:13 warning broken-utf16",
            ])
    }

    @Test(
        "Invalid bytes reject the file with their offset",
        arguments: [[0xE9], [0x8E], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        let rejected = StringsTable.parse(strings: Array("\"a\" = \"".utf8) + bytes + Array("\"; b = c;".utf8))
        #expect(rejected.table.isEmpty)
        #expect(rejected.diagnostics.map(\.code) == [.invalidEncoding])
        #expect(rejected.diagnostics.first?.message.hasPrefix("invalid UTF-8 at byte 7") == true)
    }

    @Test("An invalid scalar in UTF-32 rejects the file")
    func invalidUTF32() {
        let parsed = StringsTable.parse(
            strings: [0xFF, 0xFE, 0, 0] + Self.bytes("a=b;", .utf32LittleEndian) + [0, 0xD8, 0, 0])
        #expect(parsed.table.isEmpty && parsed.diagnostics.map(\.code) == [.invalidEncoding])
        let cut = StringsTable.parse(strings: [0xFF, 0xFE, 0, 0] + Self.bytes("a=b;", .utf32LittleEndian) + [1, 2])
        #expect(cut.table["a"] == .string("b") && cut.diagnostics.map(\.severity) == [.warning])
    }

    @Test("Values nested too deeply are an error, and reading continues after them")
    func depth() {
        let deep = String(repeating: "(", count: 600) + String(repeating: ")", count: 600)
        let parsed = StringsTable.parse(strings: Array("a = b;\nd = \(deep);\nc = e;".utf8))
        #expect(parsed.table.map(\.key) == ["a", "c"])
        #expect(parsed.diagnostics.map { "\($0.line) \($0.code)" } == ["2 too-deep"])
    }
}
