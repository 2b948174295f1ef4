import AshlarCore
import AshlarTrees
import Testing

/// The values and places of the nodes, one line each, for comparison in tests.
func outline(_ document: PropertyListDocument) -> [String] {
    document.nodes.map { node in
        let key = document.keyBytes[Int(node.keyStart)..<Int(node.keyStart + node.keyLength)]
        let value =
            switch node.kind {
            case .string: "\"\(document.strings[node.index])\""
            case .integer: "\(node.integer)"
            case .unsigned, .uid: "\(node.kind) \(node.unsigned)"
            case .real: "real \(node.real)"
            case .boolean: "\(node.boolean)"
            case .date: "date \(node.real)"
            case .data: "data \(document.blobs[node.index])"
            case .array, .dictionary: "\(node.kind) \(node.index)"
            }
        return key.isEmpty ? value : "\(String(decoding: key, as: UTF8.self)): \(value)"
    }
}

@Suite struct XMLPropertyListTests {
    private func parse(
        _ text: String, _ markup: XMLPropertyListParser.Markup = .strict,
        _ limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) -> PropertyListDocument {
        try XMLPropertyListParser.parse(Array(text.utf8), markup: markup, limits: limits)
    }

    private func entry(_ value: String) throws -> [String] {
        Array(outline(try parse("<plist><dict><key>k</key>\(value)</dict></plist>")).dropFirst())
    }

    @Test(
        "Every kind of value is parsed",
        arguments: [
            ("<string>a</string>", "\"a\""), ("<string/>", "\"\""), ("<string></string>", "\"\""),
            ("<string> a \n</string>", "\" a \n\""),
            (
                "<string>x<!-- no -->y<![CDATA[<z>&]]>&#65;&#x1F600;&apos;&lt;&gt;&amp;&quot;</string>",
                "\"xy<z>&A😀'<>&\"\""
            ),
            ("<string>a\r\nb</string>", "\"a\r\nb\""), ("<string>ü</string >", "\"ü\""),
            ("<true/>", "true"), ("<false />", "false"), ("<true> </true>", "true"),
            ("<integer>42</integer>", "42"), ("<integer> -0x10 </integer>", "-16"), ("<integer>+7</integer>", "7"),
            ("<integer>9223372036854775807</integer>", "9223372036854775807"),
            ("<integer>-9223372036854775808</integer>", "-9223372036854775808"),
            ("<integer>9223372036854775808</integer>", "unsigned 9223372036854775808"),
            ("<integer>18446744073709551615</integer>", "unsigned 18446744073709551615"),
            ("<real>1.5e3</real>", "real 1500.0"), ("<real>-inf</real>", "real -inf"), ("<real>7</real>", "real 7.0"),
            ("<date>2001-01-01T00:00:00Z</date>", "date 0.0"),
            ("<date>2000-02-29T12:30:45Z</date>", "date -26479755.0"),
            ("<data>AQID</data>", "data [1, 2, 3]"), ("<data>\n\tAQ I=\n</data>", "data [1, 2]"),
            ("<data/>", "data []"),
        ])
    func values(_ text: String, _ value: String) throws {
        #expect(try entry(text) == ["k: \(value)"])
    }

    @Test("Nodes are in the order of the file, with the places of values and keys")
    func order() throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
              <key>b</key> <array>
                <integer>1</integer><dict><key>c</key><true/></dict>
              </array>
              <!-- a comment -->
              <key>a</key><string>x</string>
            </dict>
            </plist>

            """
        let document = try parse(text)
        #expect(
            outline(document) == ["dictionary 2", "b: array 2", "1", "dictionary 1", "c: true", "a: \"x\""])
        #expect(document.nodes.map { Int($0.end) } == [6, 5, 3, 5, 5, 6])
        #expect(Array(document.children(of: 0)) == [1, 5])
        #expect(Array(document.children(of: 1)) == [2, 3])
        #expect(Array(document.children(of: 5)).isEmpty)
        #expect(document.key(of: 4) == "c" && document.key(of: 2) == "")
        let lines = LineTable(Array(text.utf8))
        let (value, key) = (document.nodes[5].position, document.nodes[5].keyPosition)
        #expect(lines.position(of: Int(value)) == (9, 15))
        #expect(lines.position(of: Int(key)) == (9, 3))
    }

    @Test("Every repeated key is reported with the entry before it")
    func duplicates() throws {
        let document = try parse(
            "<plist><dict><key>a</key><true/><key>b</key><dict><key>x</key><true/><key>x</key><true/></dict>"
                + "<key>a</key><false/><key>&#97;</key><true/></dict></plist>")
        let pairs = document.duplicates.map { "\($0.earlier) \($0.later)" }
        #expect(pairs == ["3 4", "1 5", "5 6"])
        let many = (0..<2_000).map { "<key>k\($0 % 1_500)</key><true/>" }.joined()
        let twins = try parse("<plist><dict>\(many)</dict></plist>").duplicates
        #expect(twins.count == 500 && twins.allSatisfy { $0.later - $0.earlier == 1_500 })
    }

    @Test(
        "A malformed file is an error with its line, column, and path",
        arguments: [
            ("", "1:1 : expected <plist>, found the end of the file"), ("x", "1:1 : expected <plist>, found text"),
            ("<html/>", "1:1 : expected <plist>, found <html>"), ("<plist/>", "1:1 : expected <plist>, found <plist/>"),
            ("<plist><foo/></plist>", "1:8 : expected a value, found <foo>"),
            ("<plist><dict/>", "1:15 : expected </plist>, found the end of the file"),
            ("<plist><dict/></plist>x", "1:23 : expected the end of the file, found more text"),
            ("<plist><true/><true/></plist>", "1:15 : expected </plist>, found <true/>"),
            ("<plist>\n<dict>\r\n<true/></dict></plist>", "3:1 : expected <key> or </dict>, found <true/>"),
            ("<plist><dict><key>a</key></dict></plist>", "1:26 a: expected a value, found </dict>"),
            ("<plist><dict><key>a</key><key>b</key></dict></plist>", "1:26 a: expected a value, found <key>"),
            ("<plist><array><key>a</key></array></plist>", "1:15 [0]: expected a value or </array>, found <key>"),
            ("<plist><array><true/></dict></plist>", "1:22 [1]: expected a value or </array>, found </dict>"),
            ("<plist><array>x</array></plist>", "1:15 [0]: expected a value or </array>, found text"),
            ("<plist><plist></plist></plist>", "1:8 : expected a value, found <plist>"),
            ("<plist><true>x</true></plist>", "1:14 : expected </true>, found text"),
            ("<plist><string>a</plist>", "1:17 : expected </string>, found </plist>"),
            ("<plist><string>a", "1:17 : expected a value, found the end of the file"),
            ("<plist><string a='b'>x</string></plist>", "1:16 : expected > at the end of <string, found other text"),
            (
                "<plist><dict><key>a</key><array><true/><integer>1.5</integer></array></dict></plist>",
                "1:40 a[1]: expected a 64-bit integer, found \"1.5\""
            ),
            (
                "<plist><integer>18446744073709551616</integer></plist>",
                "1:8 : expected a 64-bit integer, found \"18446744073709551616\""
            ),
            ("<plist><real>snan</real></plist>", "1:8 : expected a number, found \"snan\""),
            ("<plist><real>nan(7)</real></plist>", "1:8 : expected a number, found \"nan(7)\""),
            (
                "<plist><date>2026-02-30T00:00:00Z</date></plist>",
                "1:8 : expected a date such as 2026-01-31T23:59:59Z, found \"2026-02-30T00:00:00Z\""
            ),
            (
                "<plist><date>2026-02-03T00:00:00+01:00</date></plist>",
                "1:8 : expected a date such as 2026-01-31T23:59:59Z, found \"2026-02-03T00:00:00+01:00\""
            ),
            ("<plist><data>QQ</data></plist>", "1:8 : expected Base64 text, found other text"),
            ("<plist><data>QQ=Q</data></plist>", "1:8 : expected Base64 text, found other text"),
            ("<plist><data>Q*==</data></plist>", "1:8 : expected Base64 text, found other text"),
            (
                "<plist><string>&nope;</string></plist>",
                "1:16 : expected a character reference such as &amp;, found &nope;"
            ),
            ("<plist><string>a & b</string></plist>", "1:18 : expected a character reference such as &amp;, found &"),
            (
                "<plist><string>&#xD800;</string></plist>",
                "1:16 : expected a character reference such as &amp;, found &#xD800;"
            ),
            ("<plist><string>&#1;</string></plist>", "1:16 : expected a character reference such as &amp;, found &#1;"),
            ("<plist><string>\u{1}</string></plist>", "1:16 : control character 0x1 is not allowed in XML"),
            ("<plist><string><![CDATA[x</string></plist>", "1:16 : unterminated CDATA section"),
            ("<plist><!-- x</plist>", "1:8 : unterminated comment"), ("<?xml", "1:1 : unterminated XML declaration"),
            ("<?x", "1:1 : unterminated processing instruction"), ("<!DOCTYPE plist", "1:1 : unterminated <!DOCTYPE>"),
            ("<!DOCTYPE plist [", "1:17 : declarations inside <!DOCTYPE> are not supported"),
            ("<?xml encoding='latin1'?><plist/>", "1:1 : expected the encoding UTF-8, found latin1"),
        ])
    func malformed(_ text: String, _ message: String) {
        let error = #expect(throws: PropertyListError.self) { try parse(text) }
        #expect(error.map(describe) == message)
        #expect(error?.code == .malformed)
    }

    private func describe(_ error: PropertyListError) -> String {
        let path = error.path.map { step in
            switch step {
            case .key(let key): key
            case .index(let index): "[\(index)]"
            }
        }
        return "\(error.line ?? 0):\(error.column ?? 0) \(path.joined()): \(error.message)"
    }

    @Test("Bytes that are not UTF-8 are an error at the first of them")
    func invalidUTF8() {
        let bytes = Array("<plist>\n<string>".utf8) + [0xC0] + Array("</string></plist>".utf8)
        let error = #expect(throws: PropertyListError.self) { try XMLPropertyListParser.parse(bytes) }
        #expect(error.map(describe) == "2:9 : expected UTF-8 text, found byte 0xc0")
    }

    @Test(
        "Lenient markup adds what other tools write",
        arguments: [
            "<dict><key>a</key><string>x</string></dict>",
            "<?xml version='1.0' encoding='latin1'?><plist><dict><key>a</key><string>x</string></dict></plist>",
            "<!DOCTYPE plist [ <!ENTITY z \"]>\"> ]><plist><dict><key>a</key><string>x</string></dict></plist>",
            "<!DOCTYPE plist [<!-- ]> --> <?x ]>\" ?>]><plist><dict><key>a</key><string>x</string></dict></plist>",
            "<plist><dict id='1'><key b=\"/>\">a</key><string xml:space='preserve'>x</string></dict></plist>",
        ])
    func lenient(_ text: String) throws {
        #expect(outline(try parse(text, .lenient)) == ["dictionary 1", "a: \"x\""])
        #expect(throws: PropertyListError.self) { try parse(text) }
    }

    @Test("Sizes beyond the limits are errors")
    func limits() throws {
        let text = "<plist><array><array><true/></array></array></plist>"
        #expect(try parse(text, .strict, PropertyListLimits(depth: 2, values: 3)).nodes.count == 3)
        for limits in [PropertyListLimits(depth: 1), PropertyListLimits(values: 2)] {
            let error = #expect(throws: PropertyListError.self) { try parse(text, .strict, limits) }
            #expect(error?.code == .limitExceeded)
        }
        let deep = "<plist>" + String(repeating: "<array>", count: 1_000_000)
        #expect(throws: PropertyListError.self) { try parse(deep) }
    }

    @Test("Mutated files give a document or an error with a place inside the file")
    func mutations() throws {
        let text = """
            <?xml version="1.0"?><!-- c --><!DOCTYPE plist><plist><dict><key>a&amp;</key><array><integer>1</integer>
            <real>2.5</real><date>2001-01-01T00:00:00Z</date><data>AQID</data></array><key>b</key>
            <string>x<![CDATA[y]]></string><key>b</key><false/></dict></plist>
            """
        var random = Mutations(seed: 11)
        var parsed = 0
        for round in 0..<20_000 {
            let bytes = random.mutate(Array(text.utf8), inserting: Array("<>/&;![]-\"'=ekx0 ".utf8))
            do throws(PropertyListError) {
                let markup: XMLPropertyListParser.Markup = round % 2 == 0 ? .strict : .lenient
                let document = try XMLPropertyListParser.parse(bytes, markup: markup)
                parsed += 1
                #expect(document.nodes.allSatisfy { Int($0.end) <= document.nodes.count })
                #expect(Int(document.nodes[0].end) == document.nodes.count)
            } catch {
                #expect((0...bytes.count).contains(error.offset) && error.line != nil)
            }
        }
        #expect(parsed > 0)
    }
}

/// Damages bytes, in the same way in every run.
struct Mutations {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: state >> 33) % bound
    }

    mutating func mutate(_ bytes: [UInt8], inserting inserted: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) where !bytes.isEmpty {
            switch below(5) {
            case 0: bytes[below(bytes.count)] = UInt8(below(256))
            case 1: bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
            case 2: bytes.remove(at: below(bytes.count))
            case 3: bytes.insert(inserted[below(inserted.count)], at: below(bytes.count))
            default: bytes.removeLast(below(bytes.count))
            }
        }
        return bytes
    }
}
