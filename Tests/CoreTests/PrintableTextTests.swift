import AshlarCore
import Testing

@Suite struct PrintableTextTests {
    @Test(
        "Line ends, control characters and bidirectional controls become escapes",
        arguments: [
            ("", ""), ("plain text\t✓", "plain text\t✓"), ("a\nb\r\nc", #"a\nb\r\nc"#),
            ("\0\u{1B}\u{7F}", #"\x00\x1B\x7F"#),
            ("\u{85}\u{9B}", #"\u{85}\u{9B}"#), ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
            ("\u{61C}\u{200E}\u{200F}", #"\u{61C}\u{200E}\u{200F}"#),
            ("x\u{202E}gpj\u{202C}", #"x\u{202E}gpj\u{202C}"#),
            ("\u{2066}\u{2069}", #"\u{2066}\u{2069}"#), ("👩‍👩‍👧 \u{200B}\u{FEFF}", "👩‍👩‍👧 \u{200B}\u{FEFF}"),
        ])
    func table(text: String, printed: String) { #expect(text.onOneLine.utf8.elementsEqual(printed.utf8)) }

    @Test("Exactly the characters that end a line, control a terminal or have the property Bidi_Control are escaped")
    func everyScalar() {
        for value in 0...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let category = scalar.properties.generalCategory
            let isExpected =
                (category == .control && scalar != "\t") || category == .lineSeparator
                || category == .paragraphSeparator
                || [0x061C, 0x200E, 0x200F].contains(value) || (0x202A...0x202E).contains(value)
                || (0x2066...0x2069).contains(value)
            if scalar.forgesText != isExpected { Issue.record("U+\(String(value, radix: 16))") }
        }
    }
}
