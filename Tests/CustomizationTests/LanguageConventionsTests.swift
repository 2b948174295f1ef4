import AshlarCustomization
import Testing

@Suite struct LanguageConventionsTests {
    @Test("Numbers, percentages and lists of every locale have ICU's format")
    func fixture() throws {
        let styles: [String: LanguageConventions.ListStyle] = ["and": .and, "or": .or, "unit": .unit]
        var (checks, failures, locales) = (0, [String](), [LanguageConventions]())
        for line in try CLDRFixture.lines("formats.txt") {
            let fields = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 3 else {
                locales = try line.split(separator: " ").dropFirst().map {
                    LanguageConventions(try #require(LanguageTag(String($0)), "\($0)"))
                }
                continue
            }
            for language in locales {
                let text: String
                switch fields[0] {
                case "number":
                    let number = try #require(Double(fields[1]))
                    text = Int(fields[1]).map { language.number($0) } ?? language.number(number)
                case "percent": text = language.percent(try #require(Double(fields[1])))
                default:
                    text = language.list(
                        fields[1].split(separator: "+").map(String.init), try #require(styles[fields[0]], "\(line)"))
                }
                checks += 1
                if Array(text.utf8) != Array(fields[2].utf8) {
                    failures.append("\(language.language) \(line): \(text)")
                }
            }
        }
        #expect(checks > 18_000)
        #expect(failures.prefix(20).joined(separator: "\n") == "", "\(failures.count) failures")
    }

    @Test(
        "Numbers have the digits, groups and signs of the language",
        arguments: [
            ("en", 1_234, "1,234"), ("en", 0, "0"), ("en", -1, "-1"), ("de", 1_234, "1.234"),
            ("fr", 1_234, "1\u{202F}234"),
            ("hi", 12_345_678, "1,23,45,678"), ("en-IN", 100_000, "1,00,000"),
            // Four digits are not grouped in some languages.
            ("es", 1_234, "1234"), ("es", 12_345, "12.345"), ("es-MX", 1_234, "1,234"), ("pl", 1_234, "1234"),
            ("pl", 12_345, "12\u{A0}345"), ("pt-PT", 1_234, "1234"), ("pt", 1_234, "1.234"),
            ("ar-EG", 1_234, "١٬٢٣٤"), ("ar", 1_234, "1,234"), ("fa", 1_234, "۱٬۲۳۴"), ("mr", 1_234, "१,२३४"),
            ("sv", -5, "\u{2212}5"), ("ar-EG", -5, "\u{61C}-٥"), ("tlh", 1_234, "1,234"),
            ("de-AT-x-y", 1_234, "1\u{A0}234"),
            ("zh-TW", 1_234, "1,234"), ("sr-Latn", 1_234, "1.234"), ("ee", 12_345, "12345"), ("ee", 123_456, "123,456"),
            ("ff-Adlm", 1_234, "𞥑⹁𞥒𞥓𞥔"),
            ("it", 1_234, "1234"), ("hu", 1_234, "1234"), ("sl", 1_234, "1234"), ("hy", 1_234, "1234"),
            ("it", 12_345, "12.345"), ("de-AT", 1_234, "1\u{A0}234"), ("en-GB", 1_234, "1,234"),
        ])
    func numbers(tag: String, number: Int, text: String) throws {
        #expect(LanguageConventions(try #require(LanguageTag(tag))).number(number) == text)
    }

    @Test(
        "Decimals are rounded half to even, between the fewest and the most digits",
        arguments: [
            (1234.5, 0...3, "1,234.5"), (0.0005, 0...3, "0"), (0.0015, 0...3, "0.002"), (2.5, 0...0, "2"),
            (1.0, 2...2, "1.00"), (1.005, 2...2, "1.00"), (1e21, 0...0, "1,000,000,000,000,000,000,000"),
            (-0.25, 0...1, "-0.2"), (.infinity, 0...3, "∞"), (-.infinity, 0...3, "-∞"), (.nan, 0...3, "NaN"),
            (0.1, 0...400, "0.1"), (1.5, 3...3, "1.500"),
        ] as [(Double, ClosedRange<Int>, String)])
    func decimals(number: Double, digits: ClosedRange<Int>, text: String) {
        let english = LanguageConventions("en")
        #expect(english.number(number, fractionDigits: digits) == text)
    }

    @Test("Integers of any size have all their digits")
    func sizes() {
        let english = LanguageConventions("en")
        #expect(english.number(Int64.min) == "-9,223,372,036,854,775,808")
        #expect(english.number(UInt64.max) == "18,446,744,073,709,551,615")
        #expect(english.number(UInt8(7)) == "7")
    }

    @Test(
        "Percentages have the pattern of the language",
        arguments: [
            ("en", 0.256, "26%"), ("de", 0.25, "25\u{A0}%"), ("tr", 0.25, "%25"), ("tr", -0.25, "-%25"),
            ("eu", 0.25, "%\u{A0}25"), ("ar-EG", 0.25, "٢٥٪\u{61C}"), ("fr", 12, "1\u{202F}200\u{A0}%"),
        ])
    func percentages(tag: String, number: Double, text: String) throws {
        #expect(LanguageConventions(try #require(LanguageTag(tag))).percent(number) == text)
    }

    @Test("Percentages have the requested number of decimals")
    func percentDigits() {
        #expect(LanguageConventions("de").percent(0.12345, fractionDigits: 0...1) == "12,3\u{A0}%")
        #expect(LanguageConventions("en").percent(0.57) == "57%", "0.57 × 100 is not 56.99999999999999")
    }

    @Test(
        "Lists have the words and signs of the language",
        arguments: [
            ("en", ["A", "B", "C"], "A, B, and C"), ("en-GB", ["A", "B", "C"], "A, B and C"),
            ("en", ["A", "B"], "A and B"),
            ("en", ["A"], "A"), ("en", [], ""), ("de", ["A", "B", "C"], "A, B und C"),
            ("ja", ["A", "B", "C"], "A、B、C"),
            ("ar", ["A", "B", "C"], "A وB وC"), ("zh-HK", ["A", "B"], "A及B"),
            ("es", ["A", "Isa"], "A e Isa"), ("es-MX", ["A", "B", "hilo"], "A, B e hilo"),
            ("es", ["A", "hielo"], "A y hielo"),
            ("es", ["A", "Éva"], "A y Éva"), ("es", ["A", ""], "A y "), ("he", ["א", "ב"], "א וב"),
            ("he", ["א", "B"], "א ו-B"),
            ("ml", ["A", "B", "C"], "A, B, C"),
        ])
    func lists(tag: String, items: [String], text: String) throws {
        #expect(LanguageConventions(try #require(LanguageTag(tag))).list(items) == text)
    }

    @Test("Items that look like patterns are unchanged")
    func listItems() {
        let english = LanguageConventions("en")
        #expect(english.list(["<", ">", "~", "{0}"], .or) == "<, >, ~, or {0}")
    }

    @Test("The current language's conventions come from the stack")
    func customization() {
        let layer = CustomizationLayer(id: "de", role: .language("de"), tables: [:])
        #expect(Customization(layers: [layer]).conventions.number(1.5) == "1,5")
        #expect(Customization(layers: []).conventions.language == "en")
    }
}
