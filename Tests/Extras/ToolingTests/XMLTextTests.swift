import AshlarTestSupport
import AshlarTrees
import Testing

@testable import AshlarTooling

@Suite struct XMLTextTests {
    @Test(
        "Text for XML contains no markup",
        arguments: [
            ("a <b> & ]]>", "a &lt;b&gt; &amp; ]]&gt;", "a &lt;b&gt; &amp; ]]&gt;"),
            ("\t\"\n'\r\n", "\t\"\n'&#13;\n", "&#9;&quot;&#10;'&#13;&#10;"),
            ("\0é👍\u{FFFF}\u{85}", "?é👍?\u{85}", "?é👍?\u{85}"), ("", "", ""),
        ])
    func xml(text: String, expected: String, inAttribute: String) {
        #expect(XMLText.escaped(text, replacement: "?") == expected)
        #expect(XMLText.escaped(text, isAttribute: true, replacement: "?") == inAttribute)
    }

    @Test("Characters that XML can't contain stay unless they have a replacement")
    func illegal() {
        #expect(XMLText.escaped("a\u{1}\u{FFFE}") == "a\u{1}\u{FFFE}")
    }

    @Test("Random strings read back from the text", arguments: [UInt64(31), 32])
    func readsBack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", "<", ">", "&", "\"", "'", "\r", "\n", "\t", "\0", "\u{1}", "\u{7F}", "é", "👍", "]", ";",
        ]
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            let legal = text.unicodeScalars.filter(XMLText.isLegal).reduce(into: "") { $0.unicodeScalars.append($1) }
            let plist = "<plist><string>\(XMLText.escaped(legal))</string></plist>"
            let document = try XMLPropertyListParser.parse(Array(plist.utf8), limits: PropertyListLimits())
            #expect(document.strings == [legal], "seed \(seed): \(text.debugDescription)")
        }
    }
}
