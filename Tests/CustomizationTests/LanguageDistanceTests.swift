import AshlarCustomization
import AshlarTestSupport
import Testing

/// Rows of language matching, each derived by hand from CLDR's language matching data.
@Suite struct LanguageDistanceTests {
    /// A row such as `pt-BR | pt-PT fr | pt-PT 5`: preferences, available languages, chain and distance.
    ///
    /// The base language is English unless the row ends in another one; `-` means no match.
    struct Row: Sendable, CustomStringConvertible {
        let description: String

        var columns: [[String]] {
            description.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
        }
        var preferred: [LanguageTag] { columns[0].compactMap { LanguageTag($0) } }
        var available: [LanguageTag] { columns[1].compactMap { LanguageTag($0) } }
        var base: LanguageTag { columns.count > 3 ? LanguageTag(columns[3][0]) ?? "und" : "en" }
        var chain: [String] { columns[2].last == "-" ? [] : columns[2].dropLast() }
        var distance: Int? { columns[2].last.flatMap { Int($0) } }
    }

    static let rows: [Row] = """
        pt-BR | pt-PT | pt-PT 5
        pt-PT | pt-BR | pt-BR 5
        pt | pt-PT | pt-PT 5
        pt-AO | pt-BR | pt-BR 5
        pt-AO | pt-PT | pt-PT 4
        pt-MZ | pt-BR pt-PT | pt-BR pt-PT 4
        pt-AO | pt-MZ pt-BR | pt-BR pt-MZ 4
        pt-MZ | pt-AO pt-PT | pt-PT 4
        pt-AO | pt pt-PT | pt pt-PT 4
        pt-PT | pt pt-PT pt-BR | pt pt-PT 0
        pt-BR | pt pt-PT | pt 0
        pt-US | pt-PT pt-BR | pt-BR 4
        en-US | en-GB | en-GB 5 | fr
        en | en-GB | en-GB 5 | fr
        en-US | en-GB en-AU | en-GB 5 | fr
        en-US | en-AU en-IN | en-AU 5 | fr
        en-US | en-001 en-GB | en-001 en-GB 5 | fr
        en-AU | en en-GB | en en-GB 3 | fr
        en-AU | en en-NZ | en en-NZ 4 | fr
        en-AU | en-NZ en-GB | en-GB 3 | fr
        en-AU | en en-001 | en en-001 4 | fr
        en-AU | en en-US | en 5 | fr
        en-AU | en-US | en-US 5 | fr
        en-AU | en-US en-CA | en-US 5 | fr
        en-CA | en en-GB | en 4 | fr
        en-CA | en-GB en-US | en-US 4 | fr
        en-PR | en-US en-GB | en-US 4 | fr
        en-GU | en-CA en-GB | en-CA 4 | fr
        en-IE | en-US en-AU | en-US en-AU 4 | fr
        en-IN | en-GB en en-AU | en en-GB 3 | fr
        en-GB | en-AU en-US | en-US en-AU 3 | fr
        en-GB | en-IN en-ZA | en-IN 3 | fr
        en-ZA | en-GB | en-GB 3 | fr
        en-HK | en-SG en-US | en-US en-SG 4 | fr
        en-150 | en-GB en | en en-GB 3 | fr
        en-CH | en-150 en-GB | en-GB 3 | fr
        en-001 | en en-GB | en en-GB 3 | fr
        en-DE | en-AT en | en en-AT 4 | fr
        en-AU | en-GB | en en-GB 3
        en-AU | fr | en 5
        en | fr | en 0
        en-GB | fr | en 5
        es-AR | es es-MX | es es-MX 4
        es-AR | es es-419 | es es-419 4
        es-MX | es | es 5
        es-MX | es-ES | es-ES 5
        es | es-419 | es-419 5
        es-ES | es-419 | es-419 5
        es-ES | es-MX es-GQ | es-GQ 4
        es-ES | es-MX | es-MX 5
        es-GQ | es es-MX | es 4
        es-PH | es-419 es | es 4
        es-US | es-MX es-ES | es-ES es-MX 4
        es-419 | es-MX es | es es-MX 4
        es-419 | es-MX es-US es-ES | es-ES es-MX 4
        es-AR | es-MX es-419 | es-419 4
        es-AR | es-CL es-MX | es-CL 4
        es-AR | es-419 es-AR es | es es-419 es-AR 0
        es-AR | es-US es | es es-US 4
        fr | fr-CA | fr-CA 4
        fr-CA | fr-FR | fr-FR 4
        fr-CA | fr fr-CH | fr 4
        fr-BE | fr-CA fr-CH | fr-CA 4
        fr-CA | fr fr-FR | fr 4
        fr-CA | fr-CA fr | fr fr-CA 0
        de | de-AT | de-AT 4
        de | de-CH de-AT | de-AT 4
        de-CH | de-AT | de-AT 4
        de-AT | de-DE de-CH | de-DE 4
        de-AT | de de-CH | de 4
        de-LI | de-Latn de-AT | de-Latn 4
        it-CH | it | it 4
        it | it-CH | it-CH 4
        nl-BE | nl | nl 4
        nl | nl-BE | nl-BE 4
        ru-UA | ru | ru 4
        ko-KP | ko | ko 4
        zh-TW | zh-HK | zh-HK 5
        zh-HK | zh-TW zh-MO | zh-TW zh-MO 4
        zh-HK | zh-TW | zh-TW 5
        zh-MO | zh-HK zh-TW | zh-TW zh-HK 4
        zh-MO | zh-TW | zh-TW 5
        zh-Hant | zh-HK | zh-HK 5
        zh-Hant-MY | zh-HK zh-TW | zh-TW 4
        zh-TW | zh-HK zh-MO | zh-HK 5
        zh-TW | zh-Hant-HK zh-Hans | zh-Hant-HK 5
        zh-HK | zh-Hant zh-Hant-MO | zh-Hant zh-Hant-MO 4
        zh-SG | zh-CN | zh-CN 4
        zh-CN | zh-SG | zh-SG 4
        zh-Hans | zh-SG zh-HK | zh-SG 4
        zh-MY | zh-TW zh-SG | zh-SG 4
        zh-TW | zh-CN | -
        zh-TW | zh | -
        zh-CN | zh-TW zh-HK | -
        zh | zh-Hant | -
        ar | ar-SA | ar-SA 4
        ar-MA | ar-DZ ar-SA | ar-DZ 4
        ar-MA | ar-SA | ar-SA 5
        ar-SA | ar-MA ar-AE | ar-AE 4
        ar-EG | ar-MA ar-SY | ar-SY 4
        ar-TN | ar ar-LY | ar ar-LY 4
        ar-TN | ar | ar 5
        ar-EH | ar-MR ar-EG | ar-EG ar-MR 4
        ar-SA | ar | ar 4
        nb | no | no 1
        no | nb | nb 1
        nb | nn | nn 20
        nb | da | da 12
        nb | da nn | da 12
        no | da | da 12
        no | nn | nn 20
        nn | nb | nb 20
        nn | no | no 20
        nn | no nb | no 20
        nn | da | -
        nb | no nn da | no 1
        da | nb | nb 12
        da | no | no 12
        da | nn | -
        nb-NO | no nb | no nb 0
        hr | bs | bs 8
        bs | hr | hr 8
        sr-Latn | hr | -
        gsw | de | de 8
        gsw | de-CH de | de de-CH 4
        gsw-DE | de | de 4
        lb | de | de 8
        de | gsw lb | -
        ca | es | es 20
        ca-AD | es | es 24
        es | ca | -
        gl | es pt | es 20
        eu | es fr | es 20
        eu-FR | fr es | es 24
        br | fr | fr 20
        co | fr it | fr 20
        oc | fr | fr 20
        fr | br oc co | -
        af | nl | en 24
        af | nl | - | und
        fy | nl | nl 20
        nl | af fy | -
        fo | da | da 24
        is | da | en 24
        cs | sk | sk 24
        sk | cs | cs 24
        be | ru | ru 24
        uk | ru | -
        ru | uk be | -
        kk | ru | ru 34
        ky | ru | ru 34
        tt | ru | ru 30
        az | ru tr | -
        hy | ru | -
        ms | id | id 34
        id | ms | ms 14
        jv | id | id 20
        su | id ms | id 20
        ceb | fil | fil 30
        yue | zh-Hant | zh-Hant 14
        yue | zh-HK | zh-HK 10
        yue-Hans | zh | zh 10
        yue | zh | -
        wuu | zh | zh 10
        zh | wuu yue | -
        arz | ar | ar 10
        ary | ar | ar 14
        ary | ar ar-DZ | ar 14
        apc | ar | ar 14
        ar | arz | -
        ga | fr | en 24
        cy | fr | en 24
        mt | it | en 34
        zu | fr | en 34
        qu | es | es 34
        ht | fr | fr 24
        rw | fr | fr 34
        mr | hi | hi 30
        gu | hi | -
        hi-Latn | fr | en 20
        hi-Latn | en-IN fr | en en-IN 20
        hi-Latn | hi | en 20
        ja | ko zh | -
        fi | et sv | -
        et | fi | -
        pl | cs ru | -
        tr | az | -
        sv | nb da | -
        ro | it fr | -
        xzz | xzz-XX | xzz-XX 4
        und | fr de | -
        sr-Latn | sr | sr 5
        sr | sr-Latn | sr-Latn 5
        sr-ME | sr-Latn sr | sr-Latn 4
        sr-BA | sr sr-Latn | sr 4
        uz-Cyrl | uz | -
        az-IR | az | -
        pa-PK | pa | -
        pa-Arab | pa-PK | pa-PK 0
        en-Shaw | fr | - | fr
        ja-Latn | ja | ja 5
        de en-US | fr en-GB ja | en-GB 5 | fr
        de en-US | fr en-GB ja | en 0
        de pt-BR | fr pt-PT | pt-PT 5
        pl cs | sk fr | sk 24
        ja ko | en fr | -
        ca fr | es fr | fr 0
        ca fr-CA | es fr | fr 4
        fr-CA es | fr es | fr 4
        pt-BR es | pt-PT es | pt-PT 5
        gsw fr | de fr | fr 0
        nb sv | da sv | sv 0
        nb sv | no sv | no 1
        ca en | es | en 0
        ca pl | es | es 20
        ca pl de | es | es 20
        nn da-GL | nb da | da 4
        af en | nl | en 0
        af en-GB | nl | en 5
        br eu es-MX | fr es | es 5
        uk pl | ru | -
        be pl | ru | ru 24
        uk pl en-GB | ru | en 5
        ja zh-TW | zh-CN fr | -
        ja zh-TW zh-SG | zh-CN fr | zh-CN 4
        xzz xzy xzx xzw xzv xzu xzt xzs xzr xzq xzp de-AT | de | de 4
        de-1996 | de de-AT | de 0
        de-AT-1996 | de | de 4
        ca-valencia | ca | ca 0
        ca | ca-valencia | ca-valencia 0
        de-DE-u-co-phonebk | de-AT | de-AT 4
        en-US-x-private | en-GB | en-GB 5 | fr
        sl-rozaj | sl | sl 0
        iw | he | he 0
        he | iw | he 0
        tl | fil | fil 0
        sh | hr sr | sr 5
        mo | ro | ro 0
        ca-ES-valencia-x-a | ca ca-ES-valencia | ca ca-ES-valencia 0
        fr-CH | fr-FR fr-CA | fr-FR 4
        """.split(separator: "\n").map { Row(description: String($0)) }

    @Test("The nearest language is chosen, with its parents below it", arguments: rows)
    func chain(row: Row) {
        let chain = matchedChain(for: row.preferred, available: row.available, base: row.base)
        #expect(chain.map(\.description) == row.chain)
    }

    @Test("A match states its distance", arguments: rows)
    func distance(row: Row) {
        let match = LanguageMatcher(available: row.available, base: row.base).match(for: row.preferred)
        #expect(match?.distance == row.distance)
    }

    @Test("The order of the available languages does not matter", arguments: rows)
    func order(row: Row) {
        var generator = SeededRandom(seed: 5)
        for _ in 0..<4 {
            let shuffled = row.available.shuffled(using: &generator)
            let chain = matchedChain(for: row.preferred, available: shuffled, base: row.base)
            #expect(chain.map(\.description) == row.chain)
        }
    }

    @Test(
        "Languages in other scripts match on request",
        arguments: [
            ("sr-Latn", "sr", 5), ("sr", "sr-Latn", 5), ("hi-Latn", "hi", 20), ("ja-Latn", "ja", 5), ("hy", "ru", 44),
            ("am", "fr", 44), ("zh-TW", "zh", nil), ("zh-Latn", "zh", 20), ("az-Arab", "az", nil), ("ko-Hang", "ko", 5),
        ] as [(String, String, Int?)])
    func scripts(preferred: String, available: String, distance: Int?) throws {
        let tags = try [preferred, available].map { try #require(LanguageTag($0)) }
        func match(_ crossesScripts: Bool) -> LanguageMatch? {
            LanguageMatcher(available: [tags[1]], base: "en", crossesScripts: crossesScripts).match(for: [tags[0]])
        }
        #expect(match(true)?.distance == distance)
        // Scripts with a distance of 5 are those that most readers know.
        let isShared = distance == 5
        #expect((match(false)?.language.maximized.script == tags[1].maximized.script) == isShared)
        let chain = matchedChain(for: [tags[0]], available: [tags[1]], base: "en", crossesScripts: true)
        #expect(chain.isEmpty == (distance == nil))
    }

    @Test(
        "A match explains itself",
        arguments: [
            ("pt-BR", "pt-PT", "pt-PT for pt-BR, distance 5: region 5 (pt-*-* <> pt-*-*)"),
            ("en-AU", "en-GB", "en-GB for en-AU, distance 3: region 3 (en-*-$!enUS <> en-*-GB)"),
            ("gsw", "de", "de for gsw, distance 8: language 4 (gsw > de) + region 4 (*-*-* <> *-*-*)"),
            ("fr", "fr", "fr for fr, distance 0"),
            ("nn", "nb", "nb for nn, distance 20: language 20 (nn <> nb)"),
            ("hi-Latn", "en-IN", "en-IN for hi-Latn, distance 20: parent locale"),
        ])
    func explanation(preferred: String, available: String, text: String) throws {
        let tags = try [preferred, available].map { try #require(LanguageTag($0)) }
        let match = LanguageMatcher(available: [tags[1]], base: "xzz").match(for: [tags[0]])
        #expect(match?.description == text)
        #expect(match?.language == tags[1])
        #expect(match?.preference == tags[0])
    }
}
