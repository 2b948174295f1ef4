import AshlarCustomization
import Testing

/// Dates and amounts in messages, with a formatter that prints its arguments.
@Suite struct DateMessageTests {
    struct Recorder: DateAndCurrencyFormatter {
        func text(secondsSince1970: Double, style: MessageDateStyle, language: LanguageTag) -> String? {
            guard secondsSince1970 >= 0 else { return nil }
            switch style {
            case .lengths(let date, let time):
                return "<\(language) \(date?.rawValue ?? "-") \(time?.rawValue ?? "-") \(Int(secondsSince1970))>"
            case .skeleton(let fields): return "<\(language) ::\(fields)>"
            case .pattern(let pattern): return "<\(language) \(pattern)>"
            case .relative: return "<\(language) relative>"
            }
        }

        func text(
            amount: Double, currency: String, fractionDigits: ClosedRange<Int>?, language: LanguageTag
        ) -> String? {
            currency == "XXX" ? nil : "<\(language) \(amount) \(currency) \(fractionDigits.map { "\($0)" } ?? "")>"
        }
    }

    static let moment = FormatValue.date(secondsSince1970: 1_795_341_011)

    @Test(
        "The style of a date or an amount reaches the formatter",
        arguments: [
            ("{v}", moment, "<de short short 1795341011>"), ("{v, date}", moment, "<de medium - 1795341011>"),
            ("{v,date,short}", moment, "<de short - 1795341011>"),
            ("{v, date, full}", moment, "<de full - 1795341011>"),
            ("{v, time}", moment, "<de - medium 1795341011>"), ("{v, time, short}", moment, "<de - short 1795341011>"),
            ("{v, date, ::yMMMd}", moment, "<de ::yMMMd>"), ("{v, time, :: H mm}", moment, "<de ::Hmm>"),
            ("{v, date, yyyy-MM-dd}", moment, "<de yyyy-MM-dd>"),
            ("{v, date, HH '{h}' mm}", moment, "<de HH '{h}' mm>"),
            ("{v}", .amount(9.5, currency: "CHF"), "<de 9,5 CHF >"),
            ("{v, number, currency}", .amount(9.5, currency: "CHF"), "<de 9,5 CHF >"),
            ("{v, number, ::currency/EUR}", .double(9.5), "<de 9,5 EUR >"),
            ("{v, number, ::currency/eur .00}", .int(9), "<de 9,00 EUR 2...2>"),
            ("{v, number, ::currency/EUR precision-integer}", .unsigned(9), "<de 9 EUR 0...0>"),
            ("{v, number, ::currency/EUR}", .amount(9.5, currency: "CHF"), "<de 9,5 CHF >"),
            ("{v, number}", .amount(1234.5, currency: "CHF"), "1.234,5"),
            ("{v, plural, one {# piece} other {# pieces}}", .amount(2, currency: "CHF"), "<de 2,0 CHF > pieces"),
            ("{v, plural, offset:1 other {#}}", .amount(2, currency: "CHF"), "<de 1,0 CHF >"),
        ] as [(String, FormatValue, String)])
    func styles(_ text: String, _ value: FormatValue, _ expected: String) {
        let message = CustomizationMessage(icu: text)
        #expect(message.problems.isEmpty)
        let output = message.formatted(["v": value], language: LanguageConventions("de", formatter: Recorder()))
        #expect(output.text == expected)
        #expect(output.problems.isEmpty, "\(output.problems)")
    }

    @Test(
        "Number skeletons set the decimals, percent and scale",
        arguments: [
            ("::.00", 1234.5, "1.234,50"), ("::.0#", 0.125, "0,12"), ("::.0#", 2, "2,0"), ("::.", 2.5, "2"),
            ("::percent", 0.25, "0,25\u{A0}%"), ("::percent scale/100", 0.25, "25\u{A0}%"),
            ("::%x100 .0", 0.2512, "25,1\u{A0}%"), ("::scale/100", 0.5, "50"), ("::%x100 scale/10", 0.5, "500\u{A0}%"),
            ("::group-off", 1234.5, "1234,5"), ("::% group-off 00000", 1234.5, "01234,5\u{A0}%"),
            ("::", 1.2345678, "1,234568"),
            ("currency", 1, "1"),
        ])
    func skeletons(_ style: String, _ number: Double, _ expected: String) {
        let message = CustomizationMessage(icu: "{n, number, \(style)}")
        #expect(message.formatted(["n": number], language: "de").text == expected)
    }

    @Test(
        "An unsupported style is reported and shows the plain number",
        arguments: [
            "::currency/EURO", "::compact", "::.0x", "::currency/", "#,##0.00", "::percent compact-medium",
            // Two tokens for one property, and tokens that a kind can't have.
            "::percent currency/EUR", "::unit/hour percent", "::K unit/hour", "::currency/EUR K", "::K %", "::.0 .00",
            "::sign-always sign-never", "::unit/hour unit/day", "::K group-off", "::K 000", "::KK ,_",
            "::unit-width-full-name", "::currency/EUR unit-width-full-name", "::% unit-width-full-name",
            "::unit/", "::scale/5", "::scale/10 scale/10", "::group-off group-auto", "::integer-width/00",
        ])
    func unsupported(_ style: String) {
        let message = CustomizationMessage(icu: "{n, number, \(style)}")
        #expect(message.problems.map(\.code) == [.unknownType])
        #expect(message.formatted(["n": 1234.5]).text == "1,234.5")
    }

    @Test(
        "Without a formatter, dates are those of UTC, amounts have their code, and both are reported",
        arguments: [
            ("{v, date, short}", moment, "2026-11-22"), ("{v, time, short}", moment, "09:50:11Z"),
            ("{v}", moment, "2026-11-22T09:50:11Z"), ("{v, date, ::yMMMd}", moment, "2026-11-22T09:50:11Z"),
            ("{v, date}", .date(secondsSince1970: -1), "1969-12-31"),
            ("{v, date}", .date(secondsSince1970: .nan), "nan s since 1970"),
            ("{v, date}", .date(secondsSince1970: 1e300), "1e+300 s since 1970"),
            ("{v, number, ::currency/EUR}", .double(1234.5), "1.234,50\u{A0}EUR"),
            ("{v, number, ::currency/JPY}", .int(1234), "1.234\u{A0}JPY"),
            ("{v}", .amount(.infinity, currency: "EUR"), "∞\u{A0}EUR"),
        ] as [(String, FormatValue, String)])
    func withoutFormatter(_ text: String, _ value: FormatValue, _ expected: String) {
        let output = CustomizationMessage(icu: text).formatted(["v": value], language: "de")
        #expect(output.text == expected)
        #expect(output.problems.map(\.code) == [.missingFormatter])
        #expect(output.problems[0].message.contains("there is no formatter"))
    }

    @Test("A value that the formatter does not support is shown in its plain form and reported")
    func unsupportedValue() {
        let german = LanguageConventions("de", formatter: Recorder())
        let message = CustomizationMessage(icu: "{when, date} {price}")
        let output = message.formatted(
            ["when": FormatValue.date(secondsSince1970: -86_400), "price": FormatValue.amount(1, currency: "XXX")],
            language: german)
        #expect(output.text == "1969-12-31 1\u{A0}XXX")
        #expect(output.problems.map(\.code) == [.missingFormatter, .missingFormatter])
        #expect(output.problems.allSatisfy { $0.message.contains("does not support") })
    }

    @Test(
        "A value of another type is shown and reported",
        arguments: [
            ("{v, date}", .string("soon"), "soon"), ("{v, date}", .int(5), "5"),
            ("{v, time, short}", .bool(true), "true"),
            ("{v, number}", moment, "<en short short 1795341011>"),
            ("{v, plural, other {#}}", moment, "<en short short 1795341011>"),
            ("{v, number, currency}", .double(2.5), "2.5"),
        ] as [(String, FormatValue, String)])
    func otherTypes(_ text: String, _ value: FormatValue, _ expected: String) {
        let output = CustomizationMessage(icu: text).formatted(
            ["v": value], language: LanguageConventions("en", formatter: Recorder()))
        #expect(output.text == expected)
        #expect(output.problems.map(\.code) == [.typeMismatch])
    }

    @Test("In a format, a date is the time in UTC and an amount a number")
    func formats() {
        #expect(CustomizationMessage("%@").formatted(Self.moment).text == "2026-11-22T09:50:11Z")
        #expect(CustomizationMessage("%.2f").formatted(FormatValue.amount(2.5, currency: "EUR")).text == "2.50")
        #expect(CustomizationMessage("%@").formatted(FormatValue.amount(2.5, currency: "EUR")).text == "2.5 EUR")
        #expect(CustomizationMessage("%d").formatted(Self.moment).problems.map(\.code) == [.typeMismatch])
    }

    @Test("The policy's formatter formats a snapshot's messages in the language of the entry")
    func snapshot() {
        let layers = [
            CustomizationLayer(id: "en", role: .base("en"), tables: ["Localizable": Self.table("Due {when, date}")]),
            CustomizationLayer(id: "fr", role: .language("fr"), tables: ["Localizable": Self.table("Le {when, date}")]),
        ]
        let strings = Customization(layers: layers, policy: CustomizationPolicy(formatter: Recorder()))
        #expect(strings.message("due", ["when": Self.moment]) == "Le <fr medium - 1795341011>")
        let base = Customization(layers: [layers[0]], policy: CustomizationPolicy(formatter: Recorder()))
        #expect(base.message("due", ["when": Self.moment]) == "Due <en medium - 1795341011>")
        let plain = Customization(layers: layers)
        #expect(plain.message("due", ["when": Self.moment]) == "Le 2026-11-22")
        #expect(plain.message("due", ["when": Self.moment]) == "Le 2026-11-22")
        #expect(plain.problems.map(\.code) == [.init("message-missing-formatter")], "once")
    }

    private static func table(_ text: String) -> StringsTable {
        StringsTable(entries: [CustomizationEntry(key: "due", value: .string(text))])
    }

    @Test("Five arguments take values by name and by position; the first of two equal names is used")
    func manyArguments() {
        let message = CustomizationMessage(icu: "{a}{b}{c}{d}{e}{f}")
        #expect(message.formatted(["f": 6, "e": 5, "d": 4, "c": 3, "b": 2, "a": 1, "e": 9]).text == "123456")
        #expect(message.formatted(["f": 6]).problems.count == 5)
        let numbered = CustomizationMessage(icu: "{5}{4}{3}{2}{1}{0}")
        #expect(numbered.formatted(1, 2, 3, 4, 5, 6).text == "654321")
        #expect(numbered.formatted(1, 2, 3, 4, 5).problems.map(\.message) == ["argument 6 is missing; there are 5"])
        #expect(CustomizationMessage("%6$d%5$d%1$d").formatted(1, 2, 3, 4, 5, 6).text == "651")
    }
}
