import AshlarCustomization
import Foundation
import Testing

/// XML tables in the `.foundation` mode beside `PropertyListSerialization` in the same process.
@Suite struct FoundationXMLTests {
    private static func reference(_ bytes: [UInt8]) -> CustomizationValue? {
        (try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)).map(value)
    }

    private static func value(_ any: Any) -> CustomizationValue {
        switch any {
        case let text as String: .string(text)
        case let data as Data: .data(Array(data))
        case let date as Date: .string(date.ISO8601Format())
        case let list as [Any]: .list(list.map(value))
        case let members as [String: Any]: .dict(members.mapValues(value))
        case let number as NSNumber:
            switch String(cString: number.objCType) {
            case "c", "B": .bool(number.boolValue)
            case "d", "f": .double(number.doubleValue)
            default: .int(number.int64Value)
            }
        default: .string("unexpected \(type(of: any))")
        }
    }

    static func differs(_ bytes: [UInt8]) -> String? {
        let (ours, theirs) = (StringsFoundationTests.ours(bytes), reference(bytes))
        // Not a number is equal to nothing, but reads the same.
        if ours == theirs || "\(ours, default: "refused")" == "\(theirs, default: "refused")" { return nil }
        return "\(String(decoding: bytes, as: UTF8.self).debugDescription)\n"
            + "  Foundation: \(theirs.map { "\($0)".debugDescription } ?? "refused")\n"
            + "  ours:       \(ours.map { "\($0)".debugDescription } ?? "refused")"
    }

    static let values: [String] = [
        "<string>a</string>", "<string/>", "<string />", "<string></string>", "<string> a\n b </string>",
        "<string>a<!-- c -->b</string>", "<string><![CDATA[<a>&amp;]]></string>", "<string>a<![CDATA[]]>b</string>",
        "<string><![CDATA[a</string>", "<string><![cdata[a]]></string>", "<string>a<b/>c</string>",
        "<string>&lt;&gt;&amp;&apos;&quot;</string>", "<string>&nope;</string>", "<string>&lt</string>",
        "<string>&#65;&#x41;&#x1F600;&#128512;</string>", "<string>&#X41;</string>", "<string>&#;</string>",
        "<string>&#x;</string>", "<string>&#xD83D;&#xDE00;</string>", "<string>a&#0;b</string>",
        "<string>&#x110000;</string>", "<string>&#x100000041;</string>", "<string>&#4294967361;</string>",
        "<string>&#a;</string>", "<string>&#6", "<string>&", "<string>&#xe9;&#xE9;</string>", "<string>é😀</string>",
        "<string a='b'>x</string>", "<string a='>'>x</string>", "<string\n>x</string >", "< string>x</string>",
        "<string>x</ string>", "<string>x</strings>", "<String>x</String>", "<key>x</key>", "<key/>",
        "<integer>42</integer>", "<integer> 42</integer>", "<integer>42 </integer>", "<integer>-7</integer>",
        "<integer>- 7</integer>", "<integer>+7</integer>", "<integer>0x1F</integer>", "<integer>-0x5</integer>",
        "<integer>0XaB</integer>", "<integer>0x</integer>", "<integer></integer>", "<integer/>", "<integer> </integer>",
        "<integer>-</integer>", "<integer>007</integer>", "<integer>0</integer>", "<integer>-0</integer>",
        "<integer>00</integer>", "<integer>0x0</integer>", "<integer>0x00ff</integer>", "<integer>00x1</integer>",
        "<integer>9223372036854775807</integer>", "<integer>-9223372036854775808</integer>",
        "<integer>-9223372036854775809</integer>", "<integer>18446744073709551616</integer>",
        "<integer>1.5</integer>", "<integer>a</integer>", "<integer>1a</integer>", "<integer>&#49;</integer>",
        "<integer>1<!-- c --></integer>", "<integer>0x7fffffffffffffff</integer>", "<integer>--1</integer>",
        "<real>0.25</real>", "<real> 3 </real>", "<real> 3</real>", "<real>3 </real>", "<real>3</real>",
        "<real>-1e3</real>", "<real>1e</real>", "<real>.5</real>", "<real>5.</real>", "<real>+5</real>", "<real/>",
        "<real></real>", "<real>nan</real>", "<real>NaN</real>", "<real>inf</real>", "<real>-Infinity</real>",
        "<real>+infinity</real>", "<real>+inf</real>", "<real>0x10</real>", "<real>1,5</real>", "<real>x</real>",
        "<real>1&#46;5</real>", "<real>1E+2</real>", "<real>-.5</real>", "<real>.</real>", "<real>-</real>",
        "<real>1e400</real>", "<real>1e-400</real>", "<real>1_0</real>", "<real>-nan</real>", "<real>1.5e3.2</real>",
        "<data>AAH/</data>", "<data>*</data>", "<data/>", "<data></data>", "<data> AA H/ </data>", "<data>AA==</data>",
        "<data>AAA=</data>", "<data>AA</data>", "<data>AAA</data>", "<data>A</data>", "<data>AA=</data>",
        "<data>AA==AAH/</data>", "<data>A*A*H*/</data>", "<data>AA=*=</data>", "<data>=</data>", "<data>====</data>",
        "<data>AA= =</data>", "<data>é</data>", "<data>&amp;</data>", "<data>AAH/<!-- --></data>", "<data>AA_-</data>",
        "<data>AA=\u{B}=</data>",
        "<integer>\u{B}1</integer>", "<integer>\u{7F}\u{1}1</integer>", "<real>\u{1}\u{A0}1</real>",
        "<real>\u{2003}1</real>", "<real>\u{3000}1</real>", "<real>\u{2028}1</real>", "<real>\u{FEFF}1</real>",
        "<string>\u{FEFF}\u{FEFF}a</string>", "<integer>\u{A0}1</integer>",
        "<integer>\u{2003}-\u{3000}1</integer>", "<integer>\u{2028}1</integer>", "<integer>-\u{C}1</integer>",
        "<real>\u{B}1</real>", "<true></true\u{B}>",
        "<date>2002-01-01T00:00:00Z</date>", "<date> 2002-01-01T00:00:00Z</date>", "<date>2002-01-01</date>",
        "<date>2002-01-01T00:00:00</date>", "<date/>", "<date></date>", "<date>x</date>",
        "<date>2002-01-01T00:00:00Z </date>", "<date>2002-1-01T00:00:00Z</date>",
        "<true/>", "<true></true>", "<true> </true>", "<true>x</true>", "<true />", "<true/ >", "<false/>", "<True/>",
        "<false></true>", "<array/>", "<array></array>", "<array><string>a</string> <true/></array>",
        "<array><!-- c --><?p?><string>a</string></array>", "<array>x</array>", "<array><key>k</key></array>",
        "<array><array/><dict/></array>", "<array><plist><true/></plist></array>", "<array></dict>", "<array>",
        "<array><![CDATA[x]]></array>", "<array><!x></array>", "<array><! -- c --></array>",
        "<dict/>", "<dict></dict>", "<dict><key>a</key><true/><key>a</key><false/></dict>", "<dict><true/></dict>",
        "<dict><key>a</key></dict>", "<dict><key>a</key><key>b</key></dict>", "<dict><string>a</string><true/></dict>",
        "<dict><!-- c --><key>a</key><!-- d --><true/><!-- e --></dict>", "<dict>x</dict>",
        "<dict><key/><true/></dict>",
        "<plist><true/></plist>", "<plist/>", "<plist></plist>", "<plist><true/><false/></plist>", "<foo/>", "<>",
        "</>",
        "</dict>", "<", "<string", "<string>x", "<string>x</string", "<!-- a -- b --><true/>", "<!-->--><true/>",
        "<!---><true/>", "x<true/>", "\u{B}<true/>\u{C}", "\u{A0}<true/>", "\u{85}<true/>", "<nil/>", "<set/>",
        "<null/>",
    ]

    @Test("A value in a table reads as Foundation reads it", arguments: values)
    func value(_ xml: String) {
        #expect(Self.differs(Array("<plist version=\"1.0\"><dict><key>k</key>\(xml)</dict></plist>\n".utf8)) == nil)
        #expect(Self.differs(Array("<dict><key>a</key><array>\(xml)</array></dict>".utf8)) == nil)
    }

    @Test("A value as a whole file reads as Foundation reads it", arguments: values)
    func file(_ xml: String) {
        for source in [xml, xml + "\n", " \n" + xml + " x", "<?xml version=\"1.0\"?>\n<plist>" + xml + "</plist>"] {
            #expect(Self.differs(Array(source.utf8)) == nil)
        }
    }

    @Test(
        "What stands around the table is skipped or refused as Foundation does it",
        arguments: [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><dict/>", "<?xml encoding='utf-8'?><dict/>",
            "<?xml encoding=\"x-nope\"?><dict/>", "<?xml encoding=\"ISO-8859-1\"?><dict/>",
            "<?xml encoding=\"US-ASCII\"?><dict/>", "<?xml encoding=x?><dict/>", "<?xml encoding = \"x\"?><dict/>",
            "<?xml version=\"1.0\"?><dict encoding=\"x\"/>", "<?xml?><dict/>", "<?xml", "<? ?><?x?><dict/>",
            "<!DOCTYPE plist><dict/>", "<!DOCTYPE><dict/>",
            "<!doctype plist><dict/>", "<!DOCTYPE plist []><dict/>", "<!DOCTYPE plist [ ] ><dict/>",
            "<!DOCTYPE plist [<!ENTITY a \"b\"> <!-- c --> <?d?> %e; ]><dict/>", "<!DOCTYPE plist [x]><dict/>",
            "<!DOCTYPE plist [<x>]><dict/>", "<!DOCTYPE plist [] x><dict/>", "<!DOCTYPE plist [", "<!DOCTYPE plist",
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/y.dtd\"><plist><dict/></plist>",
            "<!DOCTYPE a \">\"><dict/>", "<!DOCTYPEplist><dict/>", "<!DOCTYPE plist [%e]><dict/>",
            "<!DOCTYPE plist [% e;]><dict/>", "<!DOCTYPE plist [%;]><dict/>", "<!DOCTYPE plist [%a b;]><dict/>",
            "<!ELEMENT x><dict/>", "<!-- c --><dict/>", "<!-- c -->", "<!-- c --> ", "<!-- c", "<!-->", "<!--",
            "<!- c --><dict/>", "<dict/><dict/>", "<dict/>junk", "<plist><dict/></plist>junk",
            "<plist><dict/>junk</plist>",
            "<plist><dict/>", "<plist><dict/></plist", "<plist><dict/></plistx>", "<plist><dict/></plist\n>",
            "<plist><!-- c --><dict/><!-- c --></plist>", "<plist><dict/><?x?></plist>", "<00ff>", "<0 0>", "<a>",
            "<ab>",
            "<dict/", "<dict/>", "<dict>", "<dict / >", "<dict x/>", "<dict x/></dict>", "<plist x=/><dict/></plist>",
            "<plist/ ><dict/></plist>", " ", "<", "<\n", "<?", "<!", "// c\n<dict/>", "/* c */<dict/>", "a = <dict/>;",
        ])
    func surroundings(_ source: String) {
        #expect(Self.differs(Array(source.utf8)) == nil)
        #expect(Self.differs(Array((source + "\n").utf8)) == nil)
    }

    static let sample = """
        <?xml version="1.0"?>
        <!DOCTYPE plist PUBLIC "x" "y">
        <plist version="1.0">
        <dict>
          <!-- c --><key>a&amp;</key> <string>x<![CDATA[<z>]]>&#65;é</string>
          <key>n</key><integer> -0x1F</integer><key>r</key><real>1.5e3</real><key>t</key><true/>
          <key>l</key><array><data>AAH/ AA==</data><dict/><false></false></array>
        </dict>
        </plist>

        """

    @Test("Every mutation of every byte, and every cut, reads as Foundation reads it")
    func mutations() {
        let original = Array(Self.sample.utf8)
        let replacements =
            StringsFoundationTests.soaks ? Array(UInt8(0)...127) : Array("<>/&;=!-[]x0 a\n".utf8) + [0]
        var failures: [String] = []
        for at in original.indices where failures.count < 5 {
            var files = [Array(original[..<at]), Array(original[..<at] + original[(at + 1)...])]
            for byte in replacements where original[at] < 0x80 && byte != original[at] {
                var mutated = original
                mutated[at] = byte
                files.append(mutated)
            }
            for file in files where file.allSatisfy({ $0 < 0x80 }) || String(validating: file, as: UTF8.self) != nil {
                if let difference = Self.differs(file) { failures.append("byte \(at): \(difference)") }
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    @Test("Nesting is followed as deep as Foundation follows it", arguments: [2, 255, 510, 511, 512, 513, 514, 600])
    func depth(_ depth: Int) {
        let lists = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        let tables =
            String(repeating: "<dict><key>k</key>", count: depth) + "<true/>"
            + String(repeating: "</dict>", count: depth)
        for source in [lists, tables, "<plist>\(lists)</plist>", "<plist>\(tables)</plist>"] {
            #expect(
                (StringsFoundationTests.ours(Array(source.utf8)) == nil) == (Self.reference(Array(source.utf8)) == nil))
        }
    }
}
