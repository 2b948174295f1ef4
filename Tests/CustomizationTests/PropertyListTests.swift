import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

/// Tables that are XML or binary property lists.
@Suite struct PropertyListTests {
    static func root() -> [String: Any] {
        [
            "text": "a \"b\" <c> & d", "empty": "", "é😀": "中", "int": 42, "negative": -7, "big": Int64.max,
            "real": 0.25,
            "yes": true, "no": false,
            "data": Data([0, 1, 255]), "list": ["x", 1, ["y"]] as [Any],
            "dict": ["k": "v", "n": ["m": 2]] as [String: Any],
            "long": String(repeating: "long ", count: 50), "many": Array(0..<40),
            "date": Date(timeIntervalSinceReferenceDate: 86_400 * 365),
        ]
    }

    static let expected: [String: CustomizationValue] = [
        "text": .string("a \"b\" <c> & d"), "empty": .string(""), "é😀": .string("中"), "int": .int(42),
        "negative": .int(-7), "big": .int(.max),
        "real": .double(0.25), "yes": .bool(true), "no": .bool(false), "data": .data([0, 1, 255]),
        "list": .list([.string("x"), .int(1), .list([.string("y")])]),
        "dict": .dict(["k": .string("v"), "n": .dict(["m": .int(2)])]),
        "long": .string(String(repeating: "long ", count: 50)), "many": .list((0..<40).map { .int($0) }),
        "date": .string("2002-01-01T00:00:00Z"),
    ]

    @Test(
        "XML and binary property lists are read as tables",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func formats(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: Self.root(), format: format, options: 0)
        let parsed = StringsTable.parse(strings: Array(data), file: "t.strings")
        #expect(parsed.diagnostics.isEmpty && parsed.table.count == Self.expected.count)
        for (key, value) in Self.expected { #expect(parsed.table[key] == value, "\(key)") }
        if format == .xml { #expect(parsed.table.entry("text")?.location.line ?? 0 > 3) }
    }

    @Test("An XML table has the locations of its keys and reports duplicates")
    func xmlPlaces() {
        let source = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment -->
            <!DOCTYPE plist PUBLIC "x" "y" [ <!ENTITY z "w"> ]>
            <plist version="1.0">
            <dict>
              <key>a</key> <string>x<!-- no -->y<![CDATA[<z>]]>&#65;&#x1F600;&apos;</string>
              <key>a</key><string/>
              <key>n</key><integer> 0x1F </integer>
              <key>t</key><true></true>
            </dict>
            </plist>

            """
        let parsed = StringsTable.parse(strings: Array(source.utf8), file: "t.strings")
        #expect(parsed.table["a"] == .string(""))
        #expect(parsed.table["n"] == .int(31) && parsed.table["t"] == .bool(true))
        #expect(parsed.table.entry("n")?.location == CustomizationLocation(file: "t.strings", line: 8, column: 3))
        #expect(parsed.diagnostics.map { "\($0.line):\($0.column) \($0.code)" } == ["7:3 duplicate-key"])
    }

    @Test("XML in UTF-16 is read")
    func utf16() {
        let source = "<?xml version=\"1.0\"?><plist><dict><key>a</key><string>é</string></dict></plist>"
        let bytes: [UInt8] =
            [0xFF, 0xFE] + Array(source.utf16).flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(StringsTable.parse(strings: bytes).table["a"] == .string("é"))
    }

    @Test(
        "A malformed XML table is rejected with the location",
        arguments: [
            ("<plist><dict><key>a</key></dict></plist>", "1:26"),
            ("<plist><dict>\n<string>a</string></dict></plist>", "2:1"),
            ("<plist><dict><key>a</key><integer>x</integer></dict></plist>", "1:26"), ("<plist><foo/></plist>", "1:8"),
            ("<plist/>", "1:1"),
            ("<plist><dict><key>a</key><string>&nope;</string></dict></plist>", "1:34"),
            ("<plist><dict><key>a</key><string>x", "1:35"),
            ("<plist><dict/></plist>junk", "1:23"), ("<plist><dict></array></plist>", "1:14"), ("<!-- ", "1:1"),
            ("<plist><array/></plist>", "0:0"),
            ("<plist><dict><key>a</key><data>*</data></dict></plist>", "1:26"),
            ("<plist><dict><key>a</key><string>&#xD800;</string></dict></plist>", "1:34"),
        ])
    func brokenXML(_ source: String, _ place: String) {
        let parsed = StringsTable.parse(strings: Array(source.utf8))
        #expect(parsed.table.isEmpty)
        #expect(parsed.diagnostics.map { "\($0.line):\($0.column)" } == [place])
    }

    @Test("Deep XML is rejected without overflowing the stack")
    func deepXML() {
        let depth = 100_000
        let source = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        #expect(StringsTable.parse(strings: Array("<plist>\(source)</plist>".utf8)).diagnostics.hasErrors)
        let json = String(repeating: "[", count: depth)
        #expect(Theme.parse(Array(json.utf8)).themes.isEmpty)
    }

    @Test("Damaged binary tables never crash: every mutation of every byte, every cut, and self-reference")
    func damagedBinary() throws {
        let small: [String: Any] = [
            "a": "b", "é": [1, 2.5, true] as [Any], "d": Data([1]), "w": "中", "t": Date(timeIntervalSince1970: 0),
        ]
        let data = Array(try PropertyListSerialization.data(fromPropertyList: small, format: .binary, options: 0))
        #expect(StringsTable.parse(strings: data).table.count == 5)
        var read = 0
        for at in data.indices {
            for value in [0, 1, 0x0F, 0x1F, 0x7F, 0x80, 0xA1, 0xAF, 0xD1, 0xDF, 0xFF] as [UInt8] {
                var mutated = data
                mutated[at] = value
                let parsed = StringsTable.parse(strings: mutated)
                if !parsed.table.isEmpty { read += 1 }
            }
            #expect(StringsTable.parse(strings: Array(data[..<at])).table.count <= 5)
        }
        #expect(read > 0)
        // An array that holds itself: object 0 is [0].
        var loop: [UInt8] = Array("bplist00".utf8)
        loop += [0xA1, 0x00, 0x08, 0, 0, 0, 0, 0, 0, 1, 1]
        loop += [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10]
        #expect(StringsTable.parse(strings: loop).diagnostics.hasErrors)
    }

    @Test("Random bytes with any prefix never crash a reader")
    func randomBytes() {
        var random = SeededRandom(seed: 5)
        let heads: [[UInt8]] = [
            [], Array("bplist00".utf8), Array("<?xml ".utf8), Array("<plist><dict><key>".utf8),
            Array("{\"themes\": [".utf8), [0xFF, 0xFE], [0xFE, 0xFF],
        ]
        let alphabet = Array("<>/=;\"'(){}[]:,\\*UuabdiktnsgryxT0123456789&#!-? \n".utf8)
        for _ in 0..<(StringsFoundationTests.soaks ? 1_000_000 : 10_000) {
            var bytes = heads.randomElement(using: &random) ?? []
            let isText = Bool.random(using: &random)
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                bytes.append(
                    isText ? alphabet.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random))
            }
            _ = StringsTable.parse(strings: bytes)
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            let themes = Theme.parse(bytes)
            if !isJSON, !bytes.starts(with: heads[1]), !bytes.starts(with: Array("<".utf8)) {
                #expect(themes.themes.isEmpty && !themes.diagnostics.isEmpty)
            }
        }
    }

    @Test("Keys that differ in their Unicode form aren't duplicates")
    func forms() {
        let source =
            "<plist><dict><key>\u{E9}</key><string>a</string><key>e\u{301}</key><string>b</string></dict></plist>"
        let parsed = StringsTable.parse(strings: Array(source.utf8))
        #expect(parsed.table["\u{E9}"] == .string("a") && parsed.table["e\u{301}"] == .string("b"))
        #expect(parsed.diagnostics.isEmpty)
    }
}

extension [CustomizationDiagnostic] {
    var hasErrors: Bool { contains { $0.severity == .error } }
}
