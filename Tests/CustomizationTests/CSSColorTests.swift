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

    /// The table of coloraide has older values for both names.
    @Test(
        "Names have the values of the specification",
        arguments: [("mediumpurple", "#9370db"), ("palevioletred", "#db7093")])
    func names(name: String, expected: String) {
        #expect(ColorDialect.css.color(name)?.description == expected)
    }

    /// The expected values are those of coloraide 8.13, clipped to sRGB; but a negative saturation or chroma is 0, as in
    /// CSS.
    @Test(
        "Each form of a color is converted to sRGB",
        arguments: [
            ("red", "#ff0000"), ("RebeccaPurple", "#663399"), ("grey", "#808080"), ("GREY", "#808080"),
            ("transparent", "#00000000"), ("#abc", "#aabbcc"), ("#ABCD", "#aabbccdd"), ("#11223344", "#11223344"),
            ("hsl(120,100%,25%)", "#008000"), ("hsl(120deg 100% 25%)", "#008000"), ("hsl(120 100 25)", "#008000"),
            ("hsla(120,100%,25%,.5)", "#00800080"), ("hsl(0.5turn 50% 50%)", "#40bfbf"),
            ("hsl(200grad 50% 50%)", "#40bfbf"), ("hsl(3.14159rad 50% 50%)", "#40bfbf"),
            ("hsl(-60 50% 50%)", "#bf40bf"), ("hsl(780 50% 50%)", "#bfbf40"), ("hsl(none 50% 50%)", "#bf4040"),
            ("hsl(90 none 50%)", "#808080"), ("hsl(90 50% 50% / none)", "#80bf4000"),
            ("hsl(90deg,50%,50%,50%)", "#80bf4080"), ("hsl(90 -20% 50%)", "#808080"), ("hwb(90 10% 10%)", "#80e61a"),
            ("hwb(195 0% 0% / 50%)", "#00bfff80"), ("hwb(90 60% 60%)", "#808080"), ("hwb(0.25turn 10 10)", "#80e61a"),
            ("hwb(none none none)", "#ff0000"), ("lab(29.2345% 39.3825 20.0664)", "#7d2329"),
            ("lab(52.2345 40.1645 59.9971)", "#c65d06"), ("lab(67.5345% -8.6911 -41.6019)", "#62acef"),
            ("lab(50% 40% -40%)", "#a753ce"), ("lab(150% 0 0)", "#ffffff"), ("lab(none 0 0)", "#000000"),
            ("lch(29.2345% 44.2 27)", "#7d2329"), ("lch(52.2345% 72.2 56.2)", "#c65d06"),
            ("lch(60% 20% 120deg)", "#829861"), ("lch(50% -10 30)", "#777777"),
            ("oklab(40.101% 0.1147 0.0453)", "#7d2329"), ("oklab(0.65125 -0.0320 -0.1274)", "#5691de"),
            ("oklab(50% 40% -40%)", "#911db8"), ("oklab(2 0 0)", "#ffffff"), ("oklch(40.1% 0.123 21.57)", "#7d2429"),
            ("oklch(0.6 0.1 240)", "#4188b6"), ("oklch(59.686% 50% 49.77deg)", "#d74c00"),
            ("oklch(50% none none)", "#636363"), ("color(srgb 1 0.5 0)", "#ff8000"),
            ("color(srgb 100% 50% 0% / 25%)", "#ff800040"), ("color(srgb-linear 0.5 0.5 0.5)", "#bcbcbc"),
            ("color(display-p3 0.8 0.4 0.2)", "#db5e1f"), ("color(display-p3 1 0 0)", "#ff0000"),
            ("color(display-p3-linear 0.5 0.25 0.1)", "#c58650"), ("color(a98-rgb 0.6 0.4 0.2)", "#aa662b"),
            ("color(a98-rgb -0.2 0.5 0.5)", "#008181"), ("color(prophoto-rgb 0.4 0.3 0.2)", "#93583c"),
            ("color(prophoto-rgb 0.01 0.01 0.01)", "#020202"), ("color(rec2020 0.4 0.5 0.3)", "#4a7c39"),
            ("color(rec2020 0.02 0.02 0.02)", "#000000"), ("color(xyz 0.3 0.2 0.1)", "#ce5451"),
            ("color(xyz-d65 0.3 0.2 0.1)", "#ce5451"), ("color(xyz-d50 0.3 0.2 0.1)", "#c65660"),
        ] as [(String, String)])
    func forms(text: String, expected: String) {
        #expect(ColorDialect.css.color(text)?.description == expected)
    }

    @Test(
        "Each function has its own grammar",
        arguments: [
            ("hsl(120, 100, 25)", nil), ("hsl(120 100% 25)", "#008000"), ("hsl(120%, 100%, 25%)", nil),
            ("hsl(120% 100% 25%)", nil), ("hsl(none, 100%, 25%)", nil), ("hsl(120px 100% 25%)", nil),
            ("hsl(120deg, 100%, 25%, none)", nil), ("rgb(255deg 0 0)", nil), ("hwb(90, 10%, 10%)", nil),
            ("lab(50%, 40, 40)", nil), ("lab(50 40 40deg)", nil), ("lch(50 40 40%)", nil), ("lch(50 40deg 40)", nil),
            ("oklab(50% 0 0", nil), ("oklch(50% 0 0))", nil), ("color(srgb 1 1)", nil), ("color(srgb 1 1 1 1)", nil),
            ("color(srgb 1 1 1 / 1 1)", nil), ("color(hsl 1 1 1)", nil), ("color(oklab 1 0 0)", nil),
            ("color(1 1 1)", nil), ("color(cmyk 1 1 1)", nil), ("color(srgb, 1, 1, 1)", nil),
            ("color(DISPLAY-P3 1 1 1)", "#ffffff"), ("color(srgb none 1 50%)", "#00ff80"),
            ("color(srgb 1e999 -1e999 0)", "#ff0000"), ("HSL(120DEG 100% 25%)", "#008000"),
            ("currentcolor", nil), ("Canvas", nil), ("none", nil), ("reddish", nil), ("red blue", nil), ("red(", nil),
            ("/* a */ red /* b */", "#ff0000"), ("#fff /* white */", "#ffffff"), ("# fff", nil), ("#ffg", nil),
            ("#fff fff", nil), ("rgb(calc(1) 2 3)", nil), ("rgba(1 2 3)x", nil), ("ſlategray", nil),
            ("blac\u{212A}", nil), ("BLACK", "#000000"), ("", nil),
            ("/* unclosed", nil), ("r\\65 d", nil),
        ] as [(String, String?)])
    func functions(text: String, expected: String?) {
        #expect(ColorDialect.css.color(text)?.description == expected)
    }

    @Test("Only CSS accepts the names and the other functions")
    func otherDialects() {
        for text in ["red", "hsl(120 100% 25%)", "color(srgb 1 1 1)", "transparent"] {
            #expect(ColorDialect.css.color(text) != nil)
            for dialect in [ColorDialect.db5, .squidKit, .ftCustomization, .dtcg] {
                #expect(dialect.color(text) == nil, "\(dialect)")
            }
        }
        #expect(ColorDialect.db5.color("rgba(255, 0, 0, 1)")?.description == "#ff0000")
    }
}
