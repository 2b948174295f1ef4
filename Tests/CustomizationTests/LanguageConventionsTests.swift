import AshlarCustomization
import Testing

@Suite struct LanguageConventionsTests {
    /// Compares lines of Scripts/generate-cldr with this module.
    ///
    /// babel omits bidirectional marks, uses `-` for every minus sign and `%` for every percent sign, and ignores the
    /// smallest group.
    private func check(_ lines: [String]) throws -> (checks: Int, failures: [String]) {
        var (checks, failures) = (0, [String]())
        for line in lines {
            let fields = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            let head = fields[0].split(separator: " ")
            let language = LanguageConventions(try #require(LanguageTag(String(head[0])), "\(line)"))
            var text: String
            switch head[1] {
            case "number":
                let number = try #require(Double(fields[1]))
                text = Int(fields[1]).map { language.number($0) } ?? language.number(number)
            case "percent": text = language.percent(try #require(Double(fields[1])))
            default:
                let styles: [Substring: LanguageConventions.ListStyle] = ["and": .and, "or": .or, "unit": .unit]
                text = language.list(
                    fields[1].split(separator: " ").map(String.init), try #require(styles[head[1]], "\(line)"))
            }
            var expected = fields[2]
            if head[1] == "number" || head[1] == "percent" {
                (text, expected) = (Self.plain(text), Self.plain(expected))
            }
            checks += 1
            if Array(text.utf8) != Array(expected.utf8) { failures.append("\(line): \(text)") }
        }
        return (checks, failures)
    }

    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{200E}", "\u{200F}", "\u{61C}": continue
            case "−": plain.append("-")
            case "٪": plain.append("%")
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    @Test("Numbers, percentages and lists of 22 languages have babel's format")
    func fixture() throws {
        let result = try check(CLDRFixture.lines("formats.txt"))
        #expect(result.checks > 400)
        #expect(result.failures.prefix(20).joined(separator: "\n") == "")
    }

    @Test("All locales of PyPI's babel agree (left out where PyPI cannot be reached)", .timeLimit(.minutes(5)))
    func babel() throws {
        guard let lines = PluralSamples.ofBabel("--formats") else {
            print("left out: babel cannot be installed from PyPI")
            return
        }
        let result = try check(lines)
        #expect(result.checks > 20_000)
        #expect(result.failures.prefix(20).joined(separator: "\n") == "")
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
            ("sv", -5, "\u{2212}5"), ("ar-EG", -5, "\u{61C}-٥"), ("tlh", 1_234, "1,234"), ("de-AT-x-y", 1_234, "1.234"),
            ("zh-TW", 1_234, "1,234"), ("sr-Latn", 1_234, "1.234"), ("ee", 12_345, "12345"), ("ee", 123_456, "123,456"),
            ("ff-Adlm", 1_234, "𞥑⹁𞥒𞥓𞥔"),
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
            ("ml", ["A", "B", "C"], "A, B, C എന്നിവ"),
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
