import AshlarCustomization
import Testing

@Suite struct CSSColorTests {
    @Test(
        "Only the grammar of CSS Color 4 is accepted",
        arguments: [
            ("rgb(1/2/3/4)", nil), ("rgb(10%, 20, 30%)", nil), ("rgba(-2, 300, 400%, -0.5)", nil), ("rgb(1.,2,3)", nil),
            ("rgb(255 none 0)", "#ff0000"), ("rgb(255 0 0 / none)", "#ff000000"), ("rgb(none none none)", "#000000"),
            ("rgb(255, none, 0)", nil), ("rgb(255 0 0 / 50%)", "#ff000080"), ("rgb(100% 0 0)", "#ff0000"),
            ("rgb(300 -5 0)", "#ff0000"), ("rgba(300, -5, 0, 2)", "#ff0000"), ("rgb(255 0 0 / -1)", "#ff000000"),
            ("rgb(255,0,0,)", nil), ("rgb(255 0,0)", nil), ("rgb(255, 0, 0 / 1)", nil), ("rgb(255 0 0 1)", nil),
            ("rgb(255 0 0 /)", nil), ("rgb(/ 255 0 0)", nil), ("rgb()", nil), ("rgb (1 2 3)", nil),
            ("rgb(255/* red */0/**/0)", "#ff0000"), ("rgb(2.55e2 +0 .0)", "#ff0000"), ("rgb(1e 2 3)", nil),
            ("rgb(255px 0 0)", nil), ("rgb(255.0.0)", nil), ("rgb(255 .0.0)", "#ff0000"), ("rgb(255+0-0)", "#ff0000"),
            ("rgb(nonenone 0 0)", nil), ("rgb(0x10 0 0)", nil), ("RGBA(255 NONE 0)", "#ff0000"),
            ("rgb(\u{B}255 0 0)", nil), ("rgb(255\t0\n0)", "#ff0000"), ("rgb(inf 0 0)", nil), ("rgb(nan,0,0)", nil),
        ] as [(String, String?)])
    func grammar(text: String, expected: String?) {
        #expect(ColorDialect.css.color(text)?.description == expected)
    }
}
