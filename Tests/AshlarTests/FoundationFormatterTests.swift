import Ashlar
import AshlarTestSupport
import Foundation
import Testing

/// Fixed time zone and languages, so that the results depend on CLDR's data only.
@Suite struct FoundationFormatterTests {
    static let moment = Date(timeIntervalSince1970: 1_795_341_011)  // 2026-11-22T09:50:11Z
    static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    /// Returns a string without the spaces that differ between versions of CLDR.
    private func plain(_ text: String) -> String {
        text.replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ").replacing("\u{200F}", with: "")
    }

    private func message(
        _ text: String, _ language: LanguageTag, _ zone: TimeZone = .gmt
    ) -> (text: String, problems: [MessageProblem]) {
        CustomizationMessage(icu: text).formatted(
            ["when": Self.moment, "price": Decimal(string: "1234.5") ?? 0, "large": 1_234_567],
            language: LanguageConventions(language, formatter: FoundationFormatter(timeZone: zone)))
    }

    @Test(
        "Dates, times and amounts follow the language of the message",
        arguments: [
            ("en", "{when, date, short}", "11/22/26"), ("en", "{when, date}", "Nov 22, 2026"),
            ("en", "{when, date, long}", "November 22, 2026"),
            ("en", "{when, date, full}", "Sunday, November 22, 2026"),
            ("en", "{when, time, short}", "9:50 AM"), ("de", "{when, date, short}", "22.11.26"),
            ("de", "{when, date, full}", "Sonntag, 22. November 2026"), ("de", "{when, time, short}", "09:50"),
            ("de", "{when}", "22.11.26, 09:50"), ("fr-CA", "{when, date, long}", "22 novembre 2026"),
            ("ja", "{when, date, long}", "2026年11月22日"), ("en", "{when, date, ::MMMd}", "Nov 22"),
            ("de", "{when, date, ::MMMd}", "22. Nov."), ("en", "{when, date, yyyy-MM-dd}", "2026-11-22"),
            ("en", "{price, number, ::currency/EUR}", "€1,234.50"),
            ("de", "{price, number, ::currency/EUR}", "1.234,50 €"),
            ("ja", "{price, number, ::currency/JPY}", "¥1,234"),
            ("hi", "{large, number, ::currency/EUR}", "€12,34,567.00"),
            ("de", "{large, number, ::currency/EUR}", "1.234.567,00 €"),
            ("de", "{price, number, ::currency/EUR precision-integer}", "1.234 €"),
            ("de", "{price, number}", "1.234,5"),
        ])
    func languages(_ language: String, _ text: String, _ expected: String) throws {
        let output = message(text, try #require(LanguageTag(language)))
        let result = plain(output.text)
        // Versions of CLDR differ in the yen sign.
        #expect(result.replacing("￥", with: "¥") == expected)
        #expect(output.problems.isEmpty)
    }

    @Test(
        "Compact numbers, quantities of time and times from now have the words of the language",
        arguments: [
            ("en", "{n, number, ::compact-short}", "1.2K"),
            ("en", "{n, number, ::compact-short sign-always}", "+1.2K"), ("en", "{m, number, ::K scale/1000}", "3K"),
            ("de", "{n, number, ::currency/EUR +!}", "+1.234,00 €"), ("en", "{d, number, ::K sign-never}", "1.2K"),
            ("en", "{d, number, ::currency/EUR +?}", "-€1,234.00"), ("nl", "{m, number, ::currency/EUR +?}", "€ +3,00"),
            ("en", "{s, number, ::unit/hour +?}", "+0.25 hr"), ("en", "{s, number, ::unit/hour . +?}", "0 hr"),
            ("en", "{s, number, ::unit/hour . +!}", "+0 hr"), ("en", "{h, number, ::unit/hour}", "2.25 hr"),
            ("de", "{h, number, ::unit/hour}", "2,25 Std."), ("en", "{h, number, ::unit/day scale/10}", "22.5 days"),
            ("en", "{n, number, ::unit/hour group-off}", "1234 hr"), ("en", "{m, number, ::unit/hour 000}", "003 hr"),
            ("de", "{n, number, ::currency/EUR group-off 00000}", "01234,00 €"),
            ("de", "{d, number, ::unit/minute}", "-1.234 Min."),
            ("de", "{n, number, ::unit/hour unit-width-full-name}", "1.234 Stunden"),
            ("en", "{m, number, ::unit/minute unit-width-full-name}", "3 minutes"), ("en", "{m, number, ::K}", "3"),
            ("fr", "{t, date, relative}", "il y a 3 heures"), ("en", "{t, date, relative}", "3 hours ago"),
        ])
    func words(_ language: String, _ text: String, _ expected: String) throws {
        let output = CustomizationMessage(icu: text).formatted(
            ["n": 1234, "m": 3, "d": -1234, "s": 0.25, "h": 2.25, "t": Date().addingTimeInterval(-3 * 3_600 - 5)],
            language: LanguageConventions(try #require(LanguageTag(language)), formatter: FoundationFormatter()))
        #expect(plain(output.text) == expected)
        #expect(output.problems.isEmpty)
        let unknown = CustomizationMessage(icu: "{n, number, ::unit/kilometer}").formatted(
            ["n": 3], language: LanguageConventions("en", formatter: FoundationFormatter()))
        #expect(unknown.text == "3")
        #expect(unknown.problems.map(\.code.rawValue) == ["message-missing-formatter"])
    }

    @Test("Each token of a skeleton changes the text of each kind of number, or is reported")
    func skeletons() {
        let number = -1234.567_890_123_45
        func output(_ skeleton: String) -> (text: String, problems: [MessageProblem]) {
            CustomizationMessage(icu: "{n, number, ::\(skeleton)}").formatted(
                ["n": number], language: LanguageConventions("en", formatter: FoundationFormatter()))
        }
        let kinds = ["", "percent", "%x100", "currency/EUR", "unit/hour", "compact-short", "compact-long"]
        let tokens = [
            "precision-integer", ".", "precision-unlimited", ".+", ".000", ".00##", ".000+", "compact-short", "K", "KK",
            "sign-always", "+!", "sign-except-zero", "sign-never", "+_", "group-off", ",_", "unit-width-full-name",
            "unit/day", "measure-unit/duration-day", "scale/100", "integer-width/+000000000", "000000000",
            "currency/JPY",
            "percent", "%", "%x100", "unknown", "rounding-mode-up", "engineering", "scientific", "@@@", "latin",
        ]
        let usual = ["sign-auto", "group-auto", "notation-simple", "unit-width-short", "rounding-mode-half-even"]
        for kind in kinds {
            let plain = output(kind)
            for token in tokens {
                for skeleton in ["\(kind) \(token)", "\(token) \(kind)"] {
                    let found = output(skeleton)
                    // A number below zero has no plus sign.
                    let isUsual = ["sign-always", "+!", "sign-except-zero"].contains(token)
                    #expect(isUsual || !found.problems.isEmpty || found.text != plain.text, "\(skeleton) \(found.text)")
                }
            }
            for token in usual where !(kind.hasPrefix("compact") && token == "notation-simple") {
                let found = output("\(kind) \(token)")
                // compact-long needs words that the formatter doesn't have.
                #expect(found.text == plain.text && found.problems.count == plain.problems.count, "\(kind) \(token)")
            }
        }
    }

    @Test(
        "Each sign of a skeleton applies to each kind of number",
        arguments: [
            "", "percent", "%x100", "currency/EUR", "unit/hour", "unit/day unit-width-full-name", "compact-short",
        ])
    func signs(kind: String) {
        func text(_ number: Double, _ sign: String) -> String {
            let output = CustomizationMessage(icu: "{n, number, ::\(kind) \(sign)}").formatted(
                ["n": number], language: LanguageConventions("en", formatter: FoundationFormatter()))
            #expect(output.problems.isEmpty, "\(kind) \(sign)")
            return output.text
        }
        let plain = text(12, "")
        for sign in ["sign-always", "+!", "sign-except-zero", "+?"] {
            #expect(text(12, sign) == "+" + plain, "\(sign)")
            #expect(text(-12, sign) == text(-12, ""), "\(sign)")
        }
        for sign in ["sign-except-zero", "+?"] { #expect(text(0, sign) == text(0, ""), "\(sign)") }
        for sign in ["sign-never", "+_"] { #expect(text(-12, sign) == plain, "\(sign)") }
    }

    @Test(
        "An amount has the separators and groups of numbers in its language",
        arguments: [
            "fr-CH", "hy", "de-CH", "de-AT", "en", "de", "fr", "hi", "pl", "es", "pt-PT", "it-CH", "bn", "ar-EG", "sv",
            "nb", "lv", "en-ZA", "es-MX", "rm", "my",
        ])
    func conventionsOfAmounts(language: String) throws {
        let conventions = LanguageConventions(
            try #require(LanguageTag(language)), formatter: FoundationFormatter(timeZone: .gmt))
        for number in [1234.5, 12.25, 1_234_567.5, 0.5, -1234.5] {
            let expected = conventions.number(number.magnitude, fractionDigits: 2...2)
            let message = CustomizationMessage(icu: "{n, number, ::currency/EUR}")
            let text = message.formatted(["n": number], language: conventions).text
            #expect(text.contains(expected), "\(text), not \(expected)")
            #expect(text.contains("€") || text.contains("EUR"), "\(text)")
            #expect(conventions.currency(Decimal(number), "EUR") == text)
        }
    }

    @Test(
        "A sentence has the digits of one system",
        arguments: ["mr", "ar-EG", "ar", "fa", "bn", "ne", "my", "hi", "as", "dz", "ur-IN", "ckb", "ps", "th", "sa"])
    func digits(language: String) throws {
        let text = message(
            "{price} {price, number, percent} {price, number, ::currency/EUR} {when, date, short} {when, time}",
            try #require(LanguageTag(language))
        ).text
        let zeros = Set(
            text.unicodeScalars.filter { $0.properties.generalCategory == .decimalNumber }.map { digit in
                digit.value - UInt32(digit.properties.numericValue ?? 0)
            })
        #expect(zeros.count == 1, "\(language): \(text)")
    }

    @Test("The time zone is that of the formatter, with daylight saving time")
    func timeZone() {
        #expect(message("{when, time, short}", "de", Self.berlin).text == "10:50")
        let summer = CustomizationMessage(icu: "{when, time, short}").formatted(
            ["when": Date(timeIntervalSince1970: 1_782_122_400)],
            language: LanguageConventions("de", formatter: FoundationFormatter(timeZone: Self.berlin)))
        #expect(summer.text == "12:00")
    }

    @Test("Values outside of Foundation's range are shown in their plain form and reported")
    func range() {
        let english = LanguageConventions("en", formatter: FoundationFormatter(timeZone: .gmt))
        for seconds in [Double.nan, .infinity, 1e18, -1e18] {
            let output = CustomizationMessage(icu: "{d, date}").formatted(
                ["d": FormatValue.date(secondsSince1970: seconds)], language: english)
            #expect(output.problems.map(\.code) == [.missingFormatter])
        }
        for value in [FormatValue.amount(.nan, currency: "EUR"), .amount(1, currency: ""), .amount(1, currency: "€")] {
            let output = CustomizationMessage(icu: "{p}").formatted(["p": value], language: english)
            #expect(output.problems.map(\.code) == [.missingFormatter])
        }
        let weeks = CustomizationMessage(icu: "{n, number, ::unit/week}").formatted(["n": 9e14], language: english)
        #expect(weeks.problems.map(\.code) == [.missingFormatter])
    }

    @Test("An app's messages and conventions use its formatter and follow the selected language")
    func app() throws {
        let folder = try TemporaryFolder([
            "en.lproj/Localizable.strings": "\"due\" = \"Due {when, date, long}, {price, number, ::currency/EUR}\";",
            "fr.lproj/Localizable.strings":
                "\"due\" = \"Pour le {when, date, long}, {price, number, ::currency/EUR}\";",
        ])
        var configuration = AshlarApp.Configuration.inMemory(resources: folder.path, environments: [], log: nil)
        configuration.languages = ["en"]
        configuration.formatter = FoundationFormatter(timeZone: Self.berlin)
        let app = AshlarApp(configuration)
        func due() -> String {
            plain(
                app.customization.current.message(
                    "due", ["when": Self.moment, "price": Decimal(9)]))
        }
        #expect(due() == "Due November 22, 2026, €9.00")
        app.customization.update { $0.switching(language: "fr") }
        #expect(due() == "Pour le 22 novembre 2026, 9,00 €")
        let conventions = app.customization.current.conventions
        #expect(conventions.text(Self.moment, .lengths(date: .short, time: nil)) == "22/11/2026")
        #expect(conventions.text(Self.moment, .lengths(date: nil, time: .short)) == "10:50", "the app's time zone")
        #expect(plain(conventions.currency(Decimal(string: "0.5") ?? 0, "EUR")) == "0,50 €")
        #expect(plain(conventions.text(Self.moment, .skeleton("MMMd"))) == "22 nov.")
        #expect(app.customization.current.problems.isEmpty)
    }

    @Test("Without a formatter of their own, conventions use Foundation's")
    func conventions() {
        let german = LanguageConventions("de")
        #expect(german.text(Self.moment, .pattern("yyyy")) == "2026")
        #expect(plain(german.currency(Decimal(-3), "EUR")) == "-3,00 €")
        #expect(plain(german.currency(Decimal(3), "?")) == "3 ?")
    }

    @Test("One formatter serves many threads, languages and patterns", .timeLimit(.minutes(2)))
    func threads() async {
        let formatter = FoundationFormatter(timeZone: .gmt)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    (0..<300).count { turn in
                        let language: LanguageTag = [LanguageTag("de"), "en", "fr"][(worker + turn) % 3]
                        let text = formatter.text(
                            secondsSince1970: Double(turn) * 86_400, style: .pattern("D '\(turn)'"), language: language)
                        return text != "\(turn + 1) \(turn)"
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test("The days of a time from now are those of the formatter's time zone")
    func relativeDays() throws {
        let seconds = Date().timeIntervalSince1970 + 36 * 3_600
        // In one of two time zones with 12 hours between them, it is before noon.
        let texts = try [0, 43_200].map { offset in
            FoundationFormatter(timeZone: try #require(TimeZone(secondsFromGMT: offset))).text(
                secondsSince1970: seconds, style: .relative, language: "en")
        }
        #expect(Set(texts) == ["tomorrow", "in 2 days"])
    }
}
