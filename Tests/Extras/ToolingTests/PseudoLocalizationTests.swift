import AshlarTestSupport
import AshlarTooling
import Testing

@Suite struct PseudoLocalizationTests {
    @Test(
        "Accented text is longer, bracketed, and keeps its placeholders",
        arguments: [
            ("", "[]"), ("word", "[ŵöŕð one]"), ("world", "[ŵöŕļð one]"), ("Hello, world", "[Ĥéļļö, ŵöŕļð one two]"),
            ("Hello, %@!", "[Ĥéļļö, %@¡ one two]"), ("%1$lld of %2$lld", "[%1$lld öƒ %2$lld one two three]"),
            ("100%% sure?", "[100%% šûŕé¿ one two]"), ("%#@files@", "[%#@files@ one two]"),
            ("<b>Bold</b> &amp; &#233;", "[<b>Ɓöļð</b> &amp; &#233; one two three]"),
            ("a < b", "[å < ƀ one]"), ("R&D", "[Ŕ&Ð one]"), ("日本語", "[日本語 one]"),
            ("%arg files", "[%arg ƒîļéš one two]"),
            ("The quick brown fox jumps", "[Ţĥé ɋûîçķ ƀŕöŵñ ƒöẋ ĵûɱþš one two three]"),
        ])
    func accented(text: String, expected: String) {
        #expect(PseudoLocalization.accented.pseudolocalize(text) == expected)
    }

    @Test(
        "The notation of messages, URLs, links and a final percent sign don't change",
        arguments: [
            ("Hi {name}!", "Ĥî {name}¡"), ("{user-name} {0}", "{user-name} {0}"),
            (
                "{n, plural, =0 {none} one {# file} other {# files in {place}}}!",
                "{n, plural, =0 {ñöñé} one {# ƒîļé} other {# ƒîļéš îñ {place}}}¡"
            ),
            (
                "{g, select, female {her} other {their}} {d, date, long}",
                "{g, select, female {ĥéŕ} other {ţĥéîŕ}} {d, date, long}"
            ),
            ("{n, plural, offset:1 one {a} other {b '{c}'}}", "{n, plural, offset:1 one {å} other {ƀ '{c}'}}"),
            ("{ a", "{ å"), ("a {b c}", "å {ƀ ç}"),
            ("See https://a.example/b?c=d&e now", "Šéé https://a.example/b?c=d&e ñöŵ"),
            ("(www.example.com)", "(www.example.com)"), ("mailto:me@example.com", "mailto:me@example.com"),
            ("[here](https://x.example)", "[ĥéŕé](https://x.example)"),
            ("^[%lld cat](inflect: true)", "^[%lld çåţ](inflect: true)"),
            ("<a href=\"https://x.example/y\">go</a>", "<a href=\"https://x.example/y\">ĝö</a>"),
            ("100%", "100%"), ("&nbsp;a&#x27;", "&nbsp;å&#x27;"), ("<!-- c -->d", "<!-- c -->ð"),
        ])
    func preserved(text: String, expected: String) {
        let pseudo = PseudoLocalization.accented(expansion: 0, brackets: false).pseudolocalize(text)
        #expect(pseudo == expected)
    }

    @Test("The added words don't turn a final percent sign into a placeholder")
    func percent() {
        let text = PseudoLocalization.accented.pseudolocalize("Sure 100%")
        #expect(text.hasPrefix("[Šûŕé 100%") && PrintfFormat(text).placeholders.isEmpty)
        let message = CustomizationMessage(icu: "{n, plural, one {# file} other {# files}}")
        let pseudo = PseudoLocalization.accented.value(.message(message))
        guard case .message(let changed)? = pseudo else { return #expect(Bool(false), "no message") }
        #expect(changed.formatted(["n": 2]).text.contains("2 ƒîļéš"))
    }

    @Test("Expansion and brackets can be chosen")
    func options() {
        #expect(PseudoLocalization.accented(expansion: 0, brackets: false).pseudolocalize("Go") == "Ĝö")
        #expect(
            PseudoLocalization.accented(expansion: 2).pseudolocalize("Gogo")
                == "[Ĝöĝö one two three]")
        #expect(PseudoLocalization.accented(expansion: -1).pseudolocalize("Go") == "[Ĝö]")
        #expect(PseudoLocalization.accented(expansion: .infinity).pseudolocalize("Go").count < 60)
        #expect(PseudoLocalization.accented(expansion: .nan).pseudolocalize("Go").hasPrefix("[Ĝö"))
    }

    @Test("Mirrored text wraps each word and leaves placeholders outside")
    func mirrored() {
        let (open, close) = ("\u{200F}\u{202E}", "\u{202C}\u{200F}")
        #expect(
            PseudoLocalization.mirrored.pseudolocalize("hello world") == "\(open)hello\(close) \(open)world\(close)")
        #expect(
            PseudoLocalization.mirrored.pseudolocalize("Hi %@!\nBye")
                == "\(open)Hi\(close) %@\(open)!\(close)\n\(open)Bye\(close)")
        #expect(PseudoLocalization.mirrored.pseudolocalize("") == "")
        #expect(PseudoLocalization.mirrored.language == "ar-XB")
        #expect(PseudoLocalization.accented.language == "en-XA")
    }

    @Test("Placeholders are preserved in every string, in order", arguments: [PseudoLocalization.accented, .mirrored])
    func placeholdersSurvive(pseudo: PseudoLocalization) {
        var generator = SeededRandom(seed: 5)
        let pieces = [
            "%@", "%1$d", "%%", "%.2f", "%#@n@", "word", " ", "é", "%", "<i>", "&lt;", "<", "\n", "👍", "%5", "$", "d",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }.joined()
            let before = PrintfFormat(text).placeholders.map(\.text)
            let after = PrintfFormat(pseudo.pseudolocalize(text)).placeholders.map(\.text)
            // A lone percent sign may precede an added letter and become a placeholder; none is lost.
            var rest = after[...]
            for placeholder in before {
                let found = rest.firstIndex(of: placeholder)
                #expect(found != nil, "\(text) → \(pseudo.pseudolocalize(text))")
                rest = rest[(found ?? rest.startIndex)...].dropFirst()
            }
        }
    }
}
