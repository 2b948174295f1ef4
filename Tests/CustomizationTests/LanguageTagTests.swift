import AshlarCustomization
import AshlarTestSupport
import Testing

@Suite struct LanguageTagTests {
    @Test(
        "A tag is parsed into its canonical form",
        arguments: [
            ("fr", "fr"), ("FR", "fr"), ("fr-CA", "fr-CA"), ("fr_CA", "fr-CA"), ("FR_ca", "fr-CA"),
            ("zh_hant_tw", "zh-Hant-TW"), ("ZH-HANS", "zh-Hans"), ("es_419", "es-419"), ("sr-latn-rs", "sr-Latn-RS"),
            ("ca-ES-VALENCIA", "ca-ES-valencia"), ("de-1996", "de-1996"),
            ("sl-rozaj-biske-1994", "sl-1994-biske-rozaj"),
            ("ckb", "ckb"), ("hsb", "hsb"), ("ars", "ars"), ("und", "und"), ("mn-Cyrl-MN", "mn-Cyrl-MN"),
            // Deprecated, overlong, legacy
            ("iw", "he"), ("in", "id"), ("ji", "yi"), ("mo", "ro"), ("sh", "sr-Latn"), ("sh-ME", "sr-Latn-ME"),
            ("tl", "fil"), ("cmn", "zh"), ("deu", "de"), ("ger", "de"), ("eng-USA", nil), ("en-UK", "en-GB"),
            ("en-840", "en-US"), ("ru-SU", "ru-RU"), ("uk-SU", "uk-UA"), ("sr-YU", "sr-RS"), ("de-DD", "de-DE"),
            ("no-bokmal", "nb"), ("no-nynorsk", "nn"), ("nb", "nb"), ("no", "no"), ("hy-arevmda", "hyw"),
            // Extended languages and irregular tags
            ("zh-yue", "yue"), ("zh-yue-HK", "yue-HK"), ("zh-cmn-Hans-CN", "zh-Hans-CN"), ("zh-min-nan", "nan"),
            ("i-klingon", "tlh"), ("i_lux", "lb"), ("art-lojban", "jbo"), ("en-GB-oed", "en-GB-oxendict"),
            ("sgn-BE-FR", "sfb"), ("sgn-US", "ase"), ("zh-min", "nan-x-zh-min"), ("ar-arz-EG", "arz-EG"),
            // Extensions and private use
            ("en-US-u-ca-buddhist", "en-US-u-ca-buddhist"), ("en-x-US", "en-x-us"), ("x-acme", "und-x-acme"),
            ("de-DE-u-co-phonebk-x-Sales-2", "de-DE-u-co-phonebk-x-sales-2"), ("en-t-fr-a-b1", "en-a-b1-t-fr"),
            // Old folder names
            ("English", "en"), ("French", "fr"), ("german", "de"), ("Japanese", "ja"), ("Dutch", "nl"),
            ("SimplifiedChinese", "zh-Hans"), ("Traditional Chinese", "zh-Hant"), ("Flemish", "nl-BE"),
            ("Esperanto", "eo"), ("Norwegian", "nb"), ("Thai", "th"), ("Lao", "lo"), ("Moldavian", "ro-MD"),
            // No tags
            ("", nil), ("Base", nil), ("acme", nil), ("f", nil), ("C", nil), ("POSIX", nil), ("fr-", nil), ("-fr", nil),
            ("fr--CA", nil), ("fr CA", nil), ("fr.lproj", nil), ("français", nil), ("fr-C", nil), ("fr-CAN", nil),
            ("en-u", nil), ("en-x", nil), ("en-a-bb-a-cc", nil), ("de-1996-1996", nil), ("12", nil), ("e1", nil),
            ("en-abcdefghi", nil), ("Klingonese", nil), (String(repeating: "a", count: 300), nil),
        ] as [(String, String?)])
    func canonicalForm(text: String, expected: String?) {
        #expect(LanguageTag(text)?.description == expected)
    }

    @Test("Every tag has a canonical form that is a tag, up to the maximum length")
    func longestTags() {
        for count in 240...260 {
            let text = "x" + String(repeating: "-abcdefg", count: 33).prefix(count - 1)
            guard !text.hasSuffix("-") else { continue }
            let tag = LanguageTag(text)
            #expect((tag != nil) == (count <= 251), "\(count)")
            #expect(tag.flatMap { LanguageTag($0.description) } == tag, "\(count)")
        }
    }

    @Test("The subtags can be read one by one")
    func subtags() {
        let tag: LanguageTag = "SL_latn_it_nedis_u_co_phonebk_x_a1"
        #expect(tag.language == "sl")
        #expect(tag.script == "Latn")
        #expect(tag.region == "IT")
        #expect(tag.variants == ["nedis"])
        #expect(tag.extensions == ["u-co-phonebk", "x-a1"])
        #expect(("fr" as LanguageTag).script == nil)
    }

    @Test("Canonical forms agree with every case that CLDR publishes")
    func publishedCanonicalForms() throws {
        let cases = try CLDRFixture.lines("canonicalization.txt").map { $0.split(separator: " ").map(String.init) }
        #expect(cases.count > 1600)
        for pair in cases where LanguageTag(pair[0])?.description != pair[1] {
            Issue.record("\(pair[0]) is \(LanguageTag(pair[0])?.description ?? "nil"), not \(pair[1])")
        }
    }

    @Test("A canonical form is parsed unchanged")
    func canonicalFormIsStable() throws {
        for pair in try CLDRFixture.lines("canonicalization.txt").map({ $0.split(separator: " ").map(String.init) }) {
            let tag = try #require(LanguageTag(pair[1]))
            #expect(LanguageTag(tag.description) == tag)
        }
    }

    @Test(
        "Implied subtags are added",
        arguments: [
            ("de", "de-Latn-DE"), ("zh-TW", "zh-Hant-TW"), ("zh", "zh-Hans-CN"), ("zh-Hant", "zh-Hant-TW"),
            ("zh-HK", "zh-Hant-HK"), ("zh-SG", "zh-Hans-SG"), ("sr", "sr-Cyrl-RS"), ("sr-ME", "sr-Latn-ME"),
            ("sr-Latn", "sr-Latn-RS"), ("az-IR", "az-Arab-IR"), ("uz-AF", "uz-Arab-AF"), ("pt", "pt-Latn-BR"),
            ("en-Shaw", "en-Shaw-GB"), ("pa-PK", "pa-Arab-PK"), ("xzz", "xzz"), ("en-US", "en-Latn-US"),
            ("zh-TW-x-a", "zh-Hant-TW-x-a"),
        ])
    func likelySubtags(text: String, expected: String) throws {
        #expect(try #require(LanguageTag(text)).maximized.description == expected)
    }

    @Test("Any bytes are a canonical tag or nil")
    func randomTexts() {
        var generator = SeededRandom(seed: 20)
        let alphabet = Array("aZfr01-_x9éE ".unicodeScalars)
        var read = 0
        for _ in 0..<CLDRFixture.count(20_000, soak: 2_000_000) {
            var text = ""
            for _ in 0..<Int.random(in: 0...14, using: &generator) {
                text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            guard let tag = LanguageTag(text) else { continue }
            read += 1
            #expect(LanguageTag(tag.description) == tag, "\(text)")
            #expect(tag.fallbacks.count < 20)
        }
        #expect(read > 500)
    }

    @Test("The longest tag has a fallback for each of its subtags")
    func longestTag() throws {
        let tag = try #require(LanguageTag("fr-CA-x" + String(repeating: "-a", count: 124)))
        #expect(tag.description.utf8.count == 255)
        #expect(tag.fallbacks.count == 126 && tag.fallbacks.suffix(2).map(\.description) == ["fr-CA", "fr"])
        #expect(Set(tag.fallbacks).count == 126)
        #expect(matchedChain(for: [tag], available: ["fr", "fr-CA"], base: "en") == ["fr", "fr-CA"])
        #expect(LanguageTag("fr-CA-x" + String(repeating: "-a", count: 124) + "b") == nil)
    }

    #if os(Linux) || os(macOS)
        @Test("A literal that is not a tag traps")
        func wrongLiteral() async {
            await #expect(processExitsWith: .failure) {
                let tag: LanguageTag = "no tag"
                print(tag)
            }
        }
    #endif
}
