import AshlarCore
import AshlarTestSupport
import AshlarTrees
import Testing

@Suite struct WritingTextTests {
    @Test(
        "A string is quoted as JSON with the shortest escapes",
        arguments: [
            ("", #""""#), ("a/é👍", #""a/é👍""#), (#"\ ""#, #""\\ \"""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\0\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""), ("\r\n", #""\r\n""#),
        ])
    func json(text: String, expected: String) { #expect(JSONText.quoted(text) == expected) }

    @Test(
        "A step of a path is a name, or quoted if it isn't a plain one",
        arguments: [
            ("a", ".a"), ("a_b-C3", ".a_b-C3"), ("_", "._"), ("-", ".-"), ("3a", #"["3a"]"#), ("", #"[""]"#),
            ("a b", #"["a b"]"#), ("a.b", #"["a.b"]"#), ("é", #"["é"]"#), ("\"", #"["\""]"#),
        ])
    func pathStep(key: String, expected: String) { #expect(JSONText.pathStep(key) == expected) }

    @Test("XML can contain all scalars except most control characters and non-characters")
    func legal() {
        let legal: [Unicode.Scalar] = [
            "\t", "\n", "\r", " ", "\u{7F}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{10FFFF}",
        ]
        let illegal: [Unicode.Scalar] = ["\0", "\u{8}", "\u{B}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"]
        #expect(legal.allSatisfy(XMLText.isLegal) && !illegal.contains(where: XMLText.isLegal))
    }

    @Test("Random strings read back from the text", arguments: [UInt64(31), 32])
    func readsBack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", "<", ">", "&", "\"", "\\", "'", "\r", "\n", "\t", "\0", "\u{1}", "\u{1F}", "\u{7F}", "é", "👍", "]",
            ";",
        ]
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            let json = try JSONDocument(Array(JSONText.quoted(text).utf8))
            #expect(json.string(at: 0) == text, "seed \(seed): \(text.debugDescription)")
        }
    }
}
