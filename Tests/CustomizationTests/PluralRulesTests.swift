import AshlarTestSupport
import Testing

@testable import AshlarCustomization

@Suite struct PluralRulesTests {
    @Test("Every sample of CLDR has its category, in every locale")
    func publishedSamples() throws {
        let result = try PluralSamples.check(CLDRFixture.lines("plurals.txt"))
        #expect(result.checks > 14_000)
        #expect(result.failures == [])
    }

    @Test("Every published range has its category, in every locale")
    func publishedRanges() throws {
        var locales: [LanguageTag] = []
        var checks = 0
        for line in try CLDRFixture.lines("ranges.txt") {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "locales" {
                locales = words.dropFirst().compactMap { LanguageTag($0) }
                continue
            }
            let forms = try words.map { try #require(PluralCategory(rawValue: $0)) }
            for locale in locales {
                checks += 1
                #expect(PluralRules(locale).category(from: forms[0], to: forms[1]) == forms[2], "\(locale) \(line)")
            }
        }
        #expect(checks > 400)
    }

    @Test("A range without data takes the form of its end, and a region the data of its language")
    func ranges() {
        #expect(PluralRules("sl-SI").category(from: .two, to: .one) == .few)
        #expect(PluralRules("xzz").category(from: .one, to: .other) == .other)
        #expect(PluralRules("de").category(from: .other, to: .one) == .one)
        #expect(PluralRules("ar-EG").category(from: .one, to: .two) == .other)
    }

    @Test(
        "Ordinals have their own rules",
        arguments: [
            ("en", 1, "one"), ("en", 2, "two"), ("en", 3, "few"), ("en", 11, "other"), ("en", 113, "other"),
            ("en-AU", 21, "one"), ("sv", 2, "one"), ("it", 8, "many"), ("fr", 1, "one"), ("de", 1, "other"),
            ("cy", 3, "few"), ("hu", 5, "one"), ("uk", 23, "few"), ("xzz", 1, "other"),
        ])
    func ordinals(tag: String, number: Int, category: String) throws {
        let rules = PluralRules(try #require(LanguageTag(tag)), kind: .ordinal)
        #expect(rules.category(for: number).rawValue == category)
    }

    @Test(
        "A tag has the rules of its language, regardless of region and script",
        arguments: [
            ("en-AU", "one other"), ("sr-Latn-RS", "one few other"), ("sh", "one few other"), ("zh-Hant-TW", "other"),
            ("pt-AO", "one many other"), ("ar-EG", "zero one two few many other"), ("iw", "one two other"),
            ("tl", "one other"), ("und", "other"), ("xzz-XZ", "other"), ("de-DE-1996-x-a", "one other"),
            ("pl", "one few many other"), ("cy", "zero one two few many other"), ("lv", "zero one other"),
        ])
    func lookup(tag: String, categories: String) throws {
        let rules = PluralRules(try #require(LanguageTag(tag)))
        #expect(rules.categories.map(\.rawValue).joined(separator: " ") == categories)
    }

    @Test("In European Portuguese 0 is other, in Brazilian Portuguese one")
    func portuguese() {
        #expect(PluralRules("pt-PT").category(for: 0) == .other)
        #expect(PluralRules("pt-AO").category(for: 0) == .other)
        #expect(PluralRules("pt-BR").category(for: 0) == .one)
    }

    @Test("The operands of a number follow its displayed digits")
    func operands() throws {
        let shown = try #require(PluralOperands("-12.340"))
        #expect(shown.integer == 12)
        #expect(shown.visibleDigits == 3)
        #expect(shown.fraction == 340)
        #expect(shown.significantDigits == 2)
        #expect(shown.significantFraction == 34)
        #expect(shown.exponent == 0)
        #expect(PluralOperands("1.2c6") != PluralOperands("1200000"))
        #expect(PluralOperands("1.2c6")?.integer == 1_200_000)
        #expect(PluralOperands(1.0) == PluralOperands(1))
        #expect(PluralOperands(1.5) == PluralOperands("1.5"))
        #expect(PluralOperands(-3) == PluralOperands(3))
        #expect(PluralOperands(1e-7) == PluralOperands("0.0000001"))
        #expect(PluralOperands(1e22) == PluralOperands("10000000000000000000000"))
        for text in ["", "-", ".", "1.", ".5", "a", "1e", "1c99", "1 ", "１", "1.2.3", "+-1", "1c-3"] {
            #expect(PluralOperands(text) == nil, "\(text)")
        }
    }

    @Test("English distinguishes 1 from 1.0")
    func visibleZeros() throws {
        let rules = PluralRules("en")
        #expect(rules.category(for: 1) == .one)
        #expect(rules.category(for: -1) == .one)
        #expect(rules.category(for: 1.0) == .one)
        #expect(rules.category(forDisplayed: "1.0") == .other)
        #expect(rules.category(forDisplayed: "1,0") == nil)
        #expect(rules.category(for: .nan) == .other)
        #expect(rules.category(for: -Double.infinity) == .other)
    }

    @Test("Large numbers have the digits that rules depend on", arguments: ["ru", "sl", "ga", "br", "fr", "kw"])
    func largeNumbers(tag: String) throws {
        let rules = PluralRules(try #require(LanguageTag(tag)))
        var generator = SeededRandom(seed: 3)
        for _ in 0..<300 {
            let tail = Int.random(in: 1_000_000_000...9_999_999_999, using: &generator)
            let expected = rules.category(for: tail)
            #expect(rules.category(for: try #require(PluralOperands("98765432109876543210\(tail)"))) == expected)
            #expect(rules.category(for: UInt64(1_000_000_000_0) * 1_234_567_890 / 10 * 10 + UInt64(tail)) == expected)
            let huge = (UInt128(1) << 80) * 10_000_000_000 + UInt128(tail)
            #expect(rules.category(for: huge) == rules.category(for: try #require(PluralOperands("\(huge)"))))
        }
        let manyZeros = UInt128(1_000_000_000_000_000_000) * 1_000_000_000_000 + 1
        #expect(PluralRules("en").category(for: manyZeros) == .other)
        #expect(rules.category(for: UInt64.max) == rules.category(for: try #require(PluralOperands("\(UInt64.max)"))))
        #expect(rules.category(for: Int64.min) == rules.category(for: UInt64(1) << 63))
    }

    @Test("Every language of the tables has other, and is listed once")
    func languages() {
        let languages = CLDRTable.read(CLDRPluralData.cardinals).keys.compactMap { LanguageTag($0) }
        #expect(languages.count > 200)
        #expect(Set(languages).count == languages.count)
        for language in languages { #expect(PluralRules(language).categories.last == .other) }
    }
}
