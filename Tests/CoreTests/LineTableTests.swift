import AshlarCore
import Testing

@Suite struct LineTableTests {
    @Test(
        "Lines end at LF, CR LF, and CR; columns count bytes",
        arguments: [
            ("", 0, 1, 1), ("abc", 2, 1, 3), ("a\nb", 1, 1, 2), ("a\nb", 2, 2, 1), ("a\r\nb", 3, 2, 1),
            ("a\rb", 2, 2, 1),
            ("a\r", 2, 2, 1), ("\n\r\n\r\r12345678", 5, 5, 1), ("ü\nüx", 5, 2, 3), ("0123456789abcdef\n!", 17, 2, 1),
        ])
    func position(text: String, offset: Int, line: Int, column: Int) {
        #expect(LineTable(Array(text.utf8)).position(of: offset) == (line, column))
    }
}
