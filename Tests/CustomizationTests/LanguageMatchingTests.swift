import AshlarCustomization
import AshlarTestSupport
import Testing

@Suite struct LanguageMatchingTests {
    struct Case: Sendable, CustomStringConvertible {
        let preferred: [LanguageTag]
        let available: [LanguageTag]
        let base: LanguageTag
        let chain: String

        init(_ preferred: String, of available: String, base: LanguageTag = "en", gives chain: String) {
            self.preferred = preferred.split(separator: " ").compactMap { LanguageTag(String($0)) }
            self.available = available.split(separator: " ").compactMap { LanguageTag(String($0)) }
            self.base = base
            self.chain = chain
        }

        var description: String { "\(preferred) of \(available) over \(base)" }
    }

    @Test(
        "The chain is ordered from general to specific and contains the available languages",
        arguments: [
            Case("fr-CA", of: "en fr fr-CA", gives: "fr fr-CA"),
            Case("fr-CA", of: "en fr", gives: "fr"),
            Case("fr-CA", of: "en fr-CA", gives: "fr-CA"),
            Case("fr", of: "en fr fr-CA", gives: "fr"),
            Case("fr", of: "en fr-CA", gives: "fr-CA"),
            Case("fr_CA", of: "English French", gives: "fr"),
            Case("de", of: "en fr", gives: ""),
            Case("de fr", of: "en fr", gives: "fr"),
            Case("de en fr", of: "en fr", gives: "en"),
            Case("en fr", of: "fr", gives: "en"),
            Case("en-GB fr", of: "fr", gives: "en"),
            Case("en-GB", of: "fr en-GB", gives: "en en-GB"),
            Case("", of: "en fr", gives: ""),
            Case("fr", of: "", gives: ""),
            Case("fr fr-CA", of: "fr fr-CA", gives: "fr"),
            // Chinese: no way from traditional to simplified, or back
            Case("zh-TW", of: "en zh-CN", gives: ""),
            Case("zh-TW", of: "en zh", gives: ""),
            Case("zh-TW", of: "en zh-Hans", gives: ""),
            Case("zh-TW", of: "en zh-Hant", gives: "zh-Hant"),
            Case("zh-TW", of: "en zh-Hant zh-TW zh", gives: "zh-Hant zh-TW"),
            Case("zh-Hant-TW", of: "zh-TW zh-CN", gives: "zh-TW"),
            Case("zh-Hant", of: "zh-TW zh-CN", gives: "zh-TW"),
            Case("zh-HK", of: "zh-TW zh-CN", gives: "zh-TW"),
            Case("zh-HK", of: "zh-Hant zh-TW zh-HK", gives: "zh-Hant zh-HK"),
            Case("zh-MO", of: "zh-Hant zh-Hant-HK", gives: "zh-Hant zh-Hant-HK"),
            Case("zh-CN", of: "zh-TW", gives: ""),
            Case("zh-CN", of: "zh-Hans", gives: "zh-Hans"),
            Case("zh-CN", of: "zh", gives: "zh"),
            Case("zh-SG", of: "zh-CN zh-TW", gives: "zh-CN"),
            Case("zh", of: "zh-TW", gives: ""),
            Case("zh", of: "zh-CN zh-TW", gives: "zh-CN"),
            Case("zh-Hans-CN", of: "zh_CN", gives: "zh-CN"),
            Case("zh-TW ja", of: "zh-CN ja", gives: "ja"),
            Case("yue-HK", of: "zh-HK", gives: "zh-HK"),
            // Spanish, English and Portuguese have parents that truncation does not find
            Case("es-MX", of: "es es-419 es-ES", gives: "es es-419"),
            Case("es-MX", of: "es-419 es-MX es", gives: "es es-419 es-MX"),
            Case("es-MX", of: "es-ES", gives: "es-ES"),
            Case("es-ES", of: "es es-419", gives: "es"),
            Case("es-AR", of: "es-419", gives: "es-419"),
            Case("es-PH", of: "es-419 es", gives: "es"),
            Case("en-AU", of: "en en-001 en-GB en-US", base: "de", gives: "en en-001 en-GB"),
            Case("en-AU", of: "en-GB", base: "de", gives: "en-GB"),
            Case("en-AU", of: "en-US", base: "de", gives: "en-US"),
            Case("en-CH", of: "en en-001 en-150", base: "de", gives: "en en-001 en-150"),
            Case("pt-AO", of: "pt pt-PT pt-BR", gives: "pt pt-PT"),
            Case("pt-AO", of: "pt-PT", gives: "pt-PT"),
            Case("pt-AO", of: "pt-BR", gives: "pt-BR"),
            Case("pt-BR", of: "pt-PT", gives: "pt-PT"),
            Case("pt-BR", of: "pt pt-PT", gives: "pt"),
            Case("pt-PT", of: "pt-BR pt", gives: "pt"),
            // Scripts
            Case("sr-Latn", of: "sr", gives: "sr"),
            Case("sr-Latn-RS", of: "sr sr-Latn", gives: "sr-Latn"),
            Case("sr-ME", of: "sr sr-Latn", gives: "sr-Latn"),
            Case("sr-RS", of: "sr-Latn", gives: "sr-Latn"), Case("sr-ME", of: "sr", gives: "sr"),
            // Pseudolocales match only themselves
            Case("en-GB", of: "en-XA", base: "de", gives: ""), Case("en", of: "en-XA ar-XB", base: "de", gives: ""),
            Case("ar-EG", of: "ar-XB", gives: ""), Case("ar", of: "ar-XB ar-SY", gives: "ar-SY"),
            Case("en-XA", of: "en en-XA", base: "de", gives: "en en-XA"),
            Case("en-XA", of: "en", base: "de", gives: "en"),
            Case("en-PSACCENT", of: "en-XA en", base: "de", gives: "en en-XA"),
            Case("zh-Hans-XC", of: "zh-Hans zh-Hans-XC", gives: "zh-Hans zh-Hans-XC"),
            Case("nl-Latn-NL", of: "nl nl-NL nl-BE", gives: "nl nl-NL"),
            Case("sr-RS", of: "sr-Cyrl sr-Latn", gives: "sr-Cyrl"),
            Case("sr", of: "sr-Cyrl-RS", gives: "sr-Cyrl-RS"),
            Case("sh", of: "sr-Latn", gives: "sr-Latn"),
            Case("az-Cyrl", of: "az", gives: ""),
            Case("az-AZ", of: "az-Latn", gives: "az-Latn"),
            Case("uz-Latn-UZ", of: "uz uz-Cyrl", gives: "uz"),
            Case("pa-PK", of: "pa", gives: ""),
            Case("pa-PK", of: "pa-Arab", gives: "pa-Arab"),
            Case("ru-Latn", of: "ru", gives: ""),
            Case("en-Latn-GB", of: "en-001", base: "de", gives: "en-001"),
            // Norwegian and old codes
            Case("nb", of: "no", gives: "no"),
            Case("no", of: "nb", gives: "nb"),
            Case("nb-NO", of: "no nb nn", gives: "no nb"),
            Case("nn", of: "no nb", gives: "no"),
            Case("he", of: "iw", gives: "he"),
            Case("id", of: "in", gives: "id"),
            Case("tl", of: "fil", gives: "fil"),
            // Variants, extensions, what is implied
            Case("ca-ES-valencia", of: "ca ca-ES ca-ES-valencia", gives: "ca ca-ES ca-ES-valencia"),
            Case("de-1996", of: "de de-1901", gives: "de"),
            Case("de-DE-u-co-phonebk", of: "de de-DE", gives: "de de-DE"),
            Case("de-AT", of: "de de-DE", gives: "de"),
            Case("de-AT", of: "de-DE", gives: "de-DE"),
            Case("fr-CH", of: "fr-FR fr-CA", gives: "fr-FR"),
            Case("de-CH", of: "de-AT", gives: "de-AT"),
            Case("de-DE", of: "de de-Latn de-DE", gives: "de de-Latn de-DE"),
            Case("fr", of: "fr-FR", base: "fr-FR", gives: "fr-FR"),
        ])
    func chain(example: Case) {
        let chain = matchedChain(for: example.preferred, available: example.available, base: example.base)
        #expect(chain.map(\.description).joined(separator: " ") == example.chain)
    }

    @Test(
        "Fallbacks follow RFC 4647 lookup and the parents of CLDR",
        arguments: [
            "fr-CA fr", "es-MX es-419 es", "en-AU en-001 en", "en-CH en-150 en-001 en", "pt-AO pt-PT pt",
            "zh-Hant", "zh-TW zh-Hant-TW zh-Hant", "zh-Hant-MO zh-Hant-HK zh-Hant", "zh-Hans-CN zh-Hans zh",
            "zh-CN zh", "sr-Latn-RS sr-Latn", "sr-ME sr-Latn-ME sr-Latn", "sr-Cyrl-RS sr-Cyrl sr", "nb no",
            "nn-NO nn no",
            "hi-Latn en-IN en-001 en", "de",
            // The example of RFC 4647, section 3.4, in Simplified Chinese, whose script CLDR lets fall away
            "zh-Hans-CN-x-private1-private2 zh-Hans-CN-x-private1 zh-Hans-CN zh-Hans zh",
            "de-DE-1996-u-co-phonebk de-DE-1996-u-co de-DE-1996 de-DE de", "sl-IT-nedis-rozaj sl-IT-nedis sl-IT sl",
        ])
    func fallbacks(line: String) throws {
        let tags = line.split(separator: " ").map(String.init)
        #expect(try #require(LanguageTag(tags[0])).fallbacks.map(\.description) == tags)
    }

    @Test("No chain has languages in different scripts, except for Serbian")
    func scriptsStayApart() {
        var generator = SeededRandom(seed: 7)
        let tags: [LanguageTag] = [
            "zh", "zh-TW", "zh-CN", "zh-Hant", "zh-Hans", "zh-HK", "zh-MO", "zh-SG", "sr", "sr-Latn", "sr-ME",
            "sr-Cyrl",
            "sr-RS", "az", "az-Cyrl", "az-IR", "uz", "uz-AF", "uz-Cyrl", "pa", "pa-PK", "pa-Arab", "es-MX", "es-419",
        ]
        var chosen = 0
        for _ in 0..<3_000 {
            let preferred = tags.randomElement(using: &generator) ?? "zh"
            let available = tags.filter { _ in Bool.random(using: &generator) }
            let chain = matchedChain(for: [preferred], available: available, base: "en")
            for tag in chain {
                let script = preferred.language == "sr" ? chain.first?.maximized.script : preferred.maximized.script
                #expect(tag.maximized.script == script, "\(preferred) of \(available): \(chain)")
                #expect(available.contains(tag))
            }
            #expect(Set(chain).count == chain.count)
            if available.contains(preferred) { #expect(chain.contains(preferred)) }
            chosen += chain.isEmpty ? 0 : 1
        }
        #expect(chosen > 1_000)
    }

    @Test(
        "The environment's preferred languages are read like by gettext",
        arguments: [
            (["LANG": "fr_CA.UTF-8"], "fr-CA"), (["LANG": "de_DE@euro"], "de-DE"), ([:], ""),
            (["LANG": "C"], ""), (["LANG": "C.UTF-8"], ""), (["LANG": "POSIX", "LANGUAGE": "de"], ""),
            (["LANG": ""], ""),
            (["LANG": "en_US.UTF-8", "LC_MESSAGES": "de_AT.UTF-8"], "de-AT"),
            (["LANG": "en_US", "LC_MESSAGES": "de_AT", "LC_ALL": "it_IT"], "it-IT"),
            (["LANG": "en_US", "LC_ALL": ""], "en-US"), (["LC_ALL": "C", "LANG": "de_DE"], ""),
            (["LANG": "en_US.UTF-8", "LANGUAGE": "fr_CA:de:en"], "fr-CA de en en-US"),
            (["LANG": "fr_FR", "LANGUAGE": "fr_FR:fr"], "fr-FR fr"),
            (["LANG": "fr_FR", "LANGUAGE": "::C:x y"], "fr-FR"),
            (["LANG": "sr_RS.UTF-8@latin"], "sr-Latn-RS"), (["LANG": "ca_ES@valencia"], "ca-ES-valencia"),
            (["LANG": "zh_TW.Big5"], "zh-TW"), (["LANG": "iw_IL"], "he-IL"), (["LANG": "no such locale"], ""),
        ] as [([String: String], String)])
    func environment(variables: [String: String], expected: String) {
        let tags = LanguageTag.preferred(inEnvironment: variables)
        #expect(tags.map(\.description).joined(separator: " ") == expected)
    }
}
