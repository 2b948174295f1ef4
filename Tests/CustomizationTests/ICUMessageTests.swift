import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

@Suite struct ICUMessageTests {
    /// A message, its values, and the expected text.
    struct Example: Sendable, CustomTestStringConvertible {
        let message: String
        let values: [(String, FormatValue)]
        let text: String
        var language = "en"

        init(_ message: String, _ values: [(String, FormatValue)], _ text: String, _ language: String = "en") {
            (self.message, self.values, self.text, self.language) = (message, values, text, language)
        }

        var testDescription: String { message }
    }

    static let files = "{count, plural, =0 {no files} one {# file} other {# files}}"
    static let guests = """
        {host} invites {count, plural, offset:1 =0 {nobody} =1 {{guest}} one {{guest} and # other} \
        other {{guest} and # others}}
        """
    static let place = "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}"
    static let nested = """
        {gender, select, female {She has {n, plural, one {# cat} other {# cats}}} \
        other {They have {n, plural, one {# cat} other {# cats}}}}
        """

    static let examples: [Example] = [
        Example("", [], ""), Example("plain", [], "plain"), Example("{a}", [("a", .string("x"))], "x"),
        Example("{ a }", [("a", .string("x"))], "x"), Example("{a}{b}", [("b", .int(2)), ("a", .int(1))], "12"),
        Example("{a} {a}", [("a", .bool(true))], "true true"),
        Example("{n}", [("n", .int(1_234_567))], "1,234,567"),
        Example("{n}", [("n", .int(1_234_567))], "1.234.567", "de"),
        Example("{n, number}", [("n", .double(-1234.5))], "-1,234.5"),
        Example("{n, number, integer}", [("n", .double(2.5))], "2"),
        Example("{n, number, percent}", [("n", .double(0.25))], "25%"),
        Example("{n, number, percent}", [("n", .double(0.25))], "25\u{A0}%", "de"),
        Example("{n}", [("n", .unsigned(.max))], "18,446,744,073,709,551,615"),
        Example("{n, number, integer}", [("n", .int(.max))], "9,223,372,036,854,775,807"),
        Example("{n, number, ::group-off}", [("n", .unsigned(.max))], "18446744073709551615"),
        Example("{n, number, ::+!}", [("n", .int(5))], "+5", "sv"),
        // Plurals
        Example(files, [("count", .int(0))], "no files"), Example(files, [("count", .int(1))], "1 file"),
        Example(files, [("count", .int(1200))], "1,200 files"), Example(files, [("count", .double(1))], "1 file"),
        Example(files, [("count", .double(1.5))], "1.5 files"), Example(files, [("count", .int(-1))], "-1 file"),
        Example(files, [("count", .double(0))], "no files"),
        Example("{n, plural, one {# файл} few {# файла} other {# файлов}}", [("n", .int(23))], "23 файла", "ru"),
        Example("{n, plural, =1.5 {half} other {#}}", [("n", .double(1.5))], "half"),
        Example("{n, plural, offset:-1 other {#}}", [("n", .int(1))], "2"),
        Example("{n, plural, offset:1 other {#}}", [("n", .int(.min + 1))], "-9,223,372,036,854,775,808"),
        Example("{n, plural, offset:1 other {#}}", [("n", .unsigned(.max))], "18,446,744,073,709,551,614"),
        Example(guests, [("host", .string("Zoë")), ("count", .int(0))], "Zoë invites nobody"),
        Example(guests, [("host", .string("Zoë")), ("count", .int(1)), ("guest", .string("Tom"))], "Zoë invites Tom"),
        Example(
            guests, [("host", .string("Zoë")), ("count", .int(2)), ("guest", .string("Tom"))],
            "Zoë invites Tom and 1 other"),
        Example(
            guests, [("host", .string("Zoë")), ("count", .int(5)), ("guest", .string("Tom"))],
            "Zoë invites Tom and 4 others"),
        // Ordinals
        Example(place, [("n", .int(1))], "1st"), Example(place, [("n", .int(22))], "22nd"),
        Example(place, [("n", .int(3))], "3rd"), Example(place, [("n", .int(11))], "11th"),
        // Choices by name, and nested ones
        Example(nested, [("gender", .string("female")), ("n", .int(1))], "She has 1 cat"),
        Example(nested, [("gender", .string("unknown")), ("n", .int(2))], "They have 2 cats"),
        Example("{f, select, true {yes} other {no}}", [("f", .bool(true))], "yes"),
        Example("{f, select, 1 {one} other {no}}", [("f", .int(1))], "one"),
        Example(
            "{a, plural, other {# {b, plural, other {#}} #}}", [("a", .int(1)), ("b", .int(2))], "1 2 1"),
        // As in ICU, # is a number only directly in a plural.
        Example("{a, plural, other {{s, select, x {#} other {-}}}}", [("a", .int(7)), ("s", .string("x"))], "#"),
        Example("{a, plural, other {'|#' '#'#}}", [("a", .int(7))], "'|7' #7"),
        // White space includes marks of direction.
        Example("{\u{200F}n\u{200E},\u{85}plural,\u{2028}\u{200E}one {x} \u{200F}other {y}}", [("n", .int(1))], "x"),
        Example("{user-name} {user.id}", [("user-name", .string("Zoë")), ("user.id", .int(7))], "Zoë 7"),
        Example("{n, number, ::+!}", [("n", .int(5))], "+5"),
        Example("{n, number, ::sign-always .0}", [("n", .int(1234))], "+1.234,0", "de"),
        Example("{n, number, ::+!}", [("n", .int(0))], "+0"), Example("{n, number, ::+?}", [("n", .int(0))], "0"),
        Example("{n, number, ::sign-except-zero}", [("n", .double(-0.5))], "-0.5"),
        Example("{n, number, ::+_}", [("n", .int(-5))], "5"), Example("{n, number, ::,_}", [("n", .int(1234))], "1234"),
        Example("{n, number, ::group-off .00*}", [("n", .double(1234.5))], "1234.50"),
        Example("{n, number, ::000}", [("n", .int(7))], "007"),
        Example("{n, number, ::scale/1000}", [("n", .int(7))], "7,000"),
        Example("{n, number, ::integer-width/+0000}", [("n", .int(7))], "0,007"),
        // Apostrophes
        Example("I'm '{a}' '' '{'", [], "I'm {a} ' {"), Example("'{don''t}'", [], "{don't}"),
        Example("it's", [], "it's"), Example("'{unclosed", [], "{unclosed"), Example("a'", [], "a'"),
        Example("{n, plural, other {'#' #}}", [("n", .int(1))], "# 1"), Example("# '#'", [], "# '#'"),
        Example("}", [], "}"), Example("日本 {名前}", [("名前", .string("花"))], "日本 花"),
        Example("{\n  n,\n  plural,\n  other {x}\n}", [("n", .int(1))], "x"),
    ]

    private func pairs(_ values: [(String, FormatValue)]) -> KeyValuePairs<String, any FormatArgument> {
        switch values.count {
        case 0: [:]
        case 1: [values[0].0: values[0].1]
        case 2: [values[0].0: values[0].1, values[1].0: values[1].1]
        default: [values[0].0: values[0].1, values[1].0: values[1].1, values[2].0: values[2].1]
        }
    }

    @Test("A message shows its named values", arguments: examples)
    func texts(example: Example) throws {
        let language = LanguageConventions(try #require(LanguageTag(example.language)))
        let output = CustomizationMessage(icu: example.message).formatted(pairs(example.values), language: language)
        #expect(output.text == example.text)
        #expect(output.problems == [])
    }

    @Test("Random messages have the text of ICU")
    func icu() throws {
        struct Row: Decodable {
            let language: String, message: String, n: Double, m: Int, s: String, text: String
        }
        let rows = try CLDRFixture.lines("messages.txt").map { line in
            try JSONDecoder().decode(Row.self, from: Data(line.utf8))
        }
        #expect(rows.count == 800)
        var failures: [String] = []
        for row in rows {
            let language = LanguageConventions(try #require(LanguageTag(row.language)))
            let output = CustomizationMessage(icu: row.message).formatted(
                ["n": row.n, "m": row.m, "s": row.s], language: language)
            if Array(output.text.utf8) != Array(row.text.utf8) {
                failures.append(
                    "\(row.language) \(row.message.debugDescription) n=\(row.n) m=\(row.m): "
                        + "\(output.text.debugDescription), not \(row.text.debugDescription)")
            }
        }
        #expect(failures.prefix(10).joined(separator: "\n") == "", "\(failures.count) failures")
    }

    @Test("Numbers as names take values by position")
    func positions() {
        let message = CustomizationMessage(icu: "{1} before {0}")
        #expect(message.formatted("a", "b").text == "b before a")
        #expect(CustomizationMessage(icu: "{name}").formatted("a").problems.map(\.code) == [.missingArgument])
    }

    @Test("A dictionary has the values of any number of arguments")
    func dictionaries() {
        let message = CustomizationMessage(icu: "{a}{b}{c}{d}{e}{f} {a}")
        let values: [String: any FormatArgument] = ["a": 1, "b": 2, "c": "3", "d": 4, "e": 5, "f": 6]
        #expect(message.formatted(named: values).text == "123456 1")
        #expect(message.formatted(["a": 1, "b": 2, "c": "3", "d": 4, "e": 5, "f": 6, "a": 9]).text == "123456 1")
        let output = message.formatted(named: ["f": 6])
        #expect(output.text == "{a}{b}{c}{d}{e}6 {a}")
        #expect(output.problems.first?.description == "{a}: argument \"a\" is missing; there is f")
        let strings = Customization(layers: [CustomizationLayer(overrides: ["k": "{x} of {y}"])])
        #expect(strings[CustomizationText("k", named: ["x": 1, "y": 2])] == "1 of 2")
    }

    @Test(
        "Compact numbers and units take their words from the formatter",
        arguments: [
            ("::compact-short", "1234.0 compact(isLong: false) nil"), ("::KK .0", "1234.0 compact(isLong: true) 1"),
            ("::unit/hour", "1,234 unit(\"hour\", isLong: false) 0"),
            ("::unit-width-full-name measure-unit/duration-hour", "1,234 unit(\"hour\", isLong: true) 0"),
            ("::unit/kilometer unit-width-full-name .0", "1,234.0 unit(\"kilometer\", isLong: true) 1"),
            ("::unit/hour group-off 00000", "01234 unit(\"hour\", isLong: false) 0"),
        ])
    func notations(skeleton: String, text: String) {
        struct Words: DateAndCurrencyFormatter {
            func text(secondsSince1970: Double, style: MessageDateStyle, language: LanguageTag) -> String? {
                "\(style)"
            }
            func text(
                amount: Double, currency: String, fractionDigits: ClosedRange<Int>?, language: LanguageTag
            ) -> String? { nil }
            func text(
                number: Double, notation: MessageNumberNotation, fractionDigits: ClosedRange<Int>?,
                language: LanguageTag
            ) -> String? { "\(number) \(notation) \(fractionDigits.map { "\($0.upperBound)" } ?? "nil")" }
        }
        let message = CustomizationMessage(icu: "{n, number, \(skeleton)}")
        let found = message.formatted(["n": 1234], language: LanguageConventions("en", formatter: Words()))
        #expect(found.text.replacing("AshlarCustomization.MessageNumberNotation.", with: "") == text)
        #expect(found.problems.isEmpty)
        let plain = message.formatted(["n": 1234])
        #expect(plain.text.contains("234"))
        #expect(plain.problems.map(\.code.rawValue) == ["message-missing-formatter"])
        let time = CustomizationMessage(icu: "{t, date, relative}")
        let relative = time.formatted(
            ["t": FormatValue.date(secondsSince1970: 0)], language: LanguageConventions("en", formatter: Words()))
        #expect(relative.text == "relative")
    }

    @Test("Messages with many cases and arguments are parsed in linear time", .timeLimit(.minutes(5)))
    func manyParts() {
        let ratio = growth(from: 4_000, to: 16_000, limit: 10) { count in
            let cases = (0..<count).map { "=\($0) {c\($0)}" }.joined(separator: " ")
            let names = (0..<count).map { "c\($0) {x}" }.joined(separator: " ")
            let arguments = (0..<count).map { "{a\($0)}" }.joined()
            let text = "{n, plural, \(cases) other {x}}{s, select, \(names) other {x}}" + arguments
            var values: [String: any FormatArgument] = ["n": count - 1, "s": "x"]
            for index in 0..<count { values["a\(index)"] = index }
            return (text: text, values: values, start: "c\(count - 1)x012")
        } _: { message in
            let output = CustomizationMessage(icu: message.text).formatted(named: message.values)
            #expect(output.problems.isEmpty && output.text.hasPrefix(message.start))
        }
        // Four times as many parts take 4 times as long; with quadratic time, 16 times.
        #expect(ratio < 10)
    }

    @Test("Names reach the variables and positions of the other notations")
    func otherNotations() {
        let plural = CustomizationMessage(
            format: "%#@files@ by %2$@",
            variables: ["files": .init(forms: [.one: "a file", .other: "%d files"])])
        #expect(plural.formatted(["files": 3, "2": "Zoë"]).text == "3 files by Zoë")
        #expect(CustomizationMessage("%2$@ %1$@").formatted(["1": "a", "2": "b"]).text == "b a")
    }

    @Test(
        "A value of the wrong type gives readable text and a problem",
        arguments: [
            ("Hello {name}", "Hello {name}", "{name}: argument \"name\" is missing; there is n, s"),
            ("{n, plural, other {#}} {x}", "2 {x}", "{x}: argument \"x\" is missing; there is n, s"),
            ("{x, plural, other {#}}", "{x}", "{x}: argument \"x\" is missing; there is n, s"),
            ("{s, plural, one {1} other {# files}}", "text files", "{s}: expected a number, found string \"text\""),
            ("{s, number}", "text", "{s}: expected a number, found string \"text\""),
            ("{s, select, a {A}}", "{s}", "{s}: there is no text for text and none for other"),
            ("{n, plural, one {1}}", "{n}", "{n}: there is no text for other and none for other"),
        ])
    func mismatches(message: String, text: String, problem: String) {
        let output = CustomizationMessage(icu: message).formatted(["n": 2, "s": "text"])
        #expect(output.text == text)
        #expect(output.problems.map(\.description).contains(problem), "\(output.problems)")
    }

    @Test(
        "An error in a message is literal text and has a position",
        arguments: [
            ("a {", "a {", 3, "expected the name of an argument"),
            ("a {}", "a {}", 3, "expected the name of an argument"),
            ("{n", "{n", 2, "expected \",\" or \"}\" after \"n\""),
            ("{n plural}", "{n plural}", 3, "expected \",\" or \"}\" after \"n\""),
            ("{n, plural}", "{n, plural}", 10, "expected \",\" after \"plural\""),
            ("{n, plural, one}", "{n, plural, one}", 15, "expected \"{\" after \"one\""),
            ("{n, plural, other {x} x", "{n, plural, other {x} x", 23, "expected \"{\" after \"x\""),
            ("{n, plural, other {x", "{n, plural, other {x", 20, "expected \"}\""),
            ("{n, plural, offset:x other {}}", "{n, plural, offset:x other {}}", 20, "expected a whole number"),
            ("{n, number, {", "{n, number, {", 12, "expected \"}\""),
            ("{n, plural, ={x} other {y}}", "{n, plural, ={x} other {y}}", 13, "expected a number after \"=\""),
            ("{s, select, =1 {a} other {b}}", "{s, select, =1 {a} other {b}}", 12, "expected a case of \"s\""),
        ])
    func syntax(message: String, text: String, offset: Int, problem: String) {
        let message = CustomizationMessage(icu: message)
        let output = message.formatted(["n": 2])
        #expect(output.text == text)
        #expect(message.problems.map(\.code) == [.messageSyntax])
        #expect(message.problems.map(\.offset) == [offset])
        #expect(message.problems.map(\.message) == [problem])
        #expect(output.problems == message.problems)
    }

    @Test("The text after an error is parsed")
    func recovery() {
        let output = CustomizationMessage(icu: "{a b} {n} {n, plural, {x}").formatted(["n": 1])
        #expect(output.text == "{a b} 1 {n, plural, {x}")
        #expect(output.problems.map(\.code) == [.messageSyntax, .messageSyntax])
        let doubtful = CustomizationMessage(icu: "{n, plural, what {a} what {b}")
        #expect(doubtful.problems.map(\.code) == [.messageSyntax], "its unknown cases aren't reported")
        let long = CustomizationMessage(icu: "a {n, plural, one {1} other}\nb {x y")
        #expect(long.problems.map(\.placeholder) == ["{n, plural, one {1} othe", "{x y"])
    }

    @Test(
        "Suspicious parts are reported with their positions",
        arguments: [
            ("{d, spellout}", "message-unknown-type", 0), ("{n, number, ::nonsense}", "message-unknown-type", 0),
            ("{n, plural, one {a}}", "message-missing-other", 0),
            ("x {s, select, a {a}}", "message-missing-other", 2),
            ("{n, plural, single {a} other {b}}", "message-unknown-case", 12),
            ("{n, plural, =x {a} other {b}}", "message-unknown-case", 12),
            ("{n, plural, =0x10 {a} other {b}}", "message-unknown-case", 12),
            ("{n, plural, =inf {a} other {b}}", "message-unknown-case", 12),
            ("{n, plural, =nan {a} other {b}}", "message-unknown-case", 12),
            ("{n, plural, one {a} one {b} other {c}}", "message-duplicate-case", 20),
            ("{n, plural, =1 {a} =1.0 {b} other {c}}", "message-duplicate-case", 19),
        ])
    func doubts(message: String, code: String, offset: Int) {
        let problems = CustomizationMessage(icu: message).problems
        #expect(problems.map(\.code.rawValue) == [code])
        #expect(problems.map(\.offset) == [offset])
    }

    @Test("Nested braces neither exhaust the stack nor take more than linear time")
    func depth() {
        for unit in ["{", "{a", "{a,plural,other{", "{a,select,", "'{", "{a,plural,other{x}"] {
            let ratio = growth(from: 6_250, to: 50_000, limit: 30) { count in
                String(repeating: unit, count: count)
            } _: { text in
                #expect(!CustomizationMessage(icu: text).formatted(["a": 1]).text.isEmpty)
            }
            // Eight times the text takes 8 times as long; with quadratic time, 64 times.
            #expect(ratio < 30, "\(unit)")
        }
        let deep = String(repeating: "{a,plural,other{", count: 15) + "#" + String(repeating: "}}", count: 15)
        #expect(CustomizationMessage(icu: deep).formatted(["a": 3]).text == "3")
    }

    @Test("Any text of special characters is printed, and its problems have valid positions")
    func random() {
        var random = SeededRandom(seed: 20_261_122)
        let pieces = [
            "{", "}", "'", "#", ",", " ", "n", "s", "plural", "select", "selectordinal", "other", "one", "=1",
            "offset:1", "number", "percent", "é", "{n}", "{n, plural, other {#}}", "{s, select, other {x}}",
        ]
        for _ in 0..<CLDRFixture.count(20_000, soak: 1_000_000) {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let message = CustomizationMessage(icu: text)
            for problem in message.problems { #expect((0...text.utf8.count).contains(problem.offset), "\(text)") }
            let output = message.formatted(["n": 1, "s": "x"], language: "pl")
            if !text.contains("{"), !text.contains("'") { #expect(output.text == text) }
        }
    }

    // MARK: In a customization

    @Test("The layer's language chooses forms and numbers, and problems state the location")
    func snapshot() {
        func layer(_ role: CustomizationLayer.Role, _ text: String) -> CustomizationLayer {
            let entry = CustomizationEntry(
                key: "files", value: .string(text), location: .init(file: role.description, line: 7, column: 1))
            return CustomizationLayer(
                id: role.description, role: role, tables: ["Localizable": StringsTable(entries: [entry])])
        }
        let english = layer(.base("en"), Self.files)
        let russian = layer(.language("ru"), "{count, plural, one {# файл} few {# файла} other {# файлов}}")
        let strings = Customization(layers: [english, russian])
        #expect(strings.message("files", ["count": 1_002]) == "1\u{A0}002 файла")
        #expect(Customization(layers: [english]).message("files", ["count": 1_002]) == "1,002 files")
        #expect(strings.message("files") == "{count}")
        #expect(strings.message("Hello {name}", ["name": "Zoë"]) == "Hello Zoë")
        #expect(
            strings.problems.map(\.description) == [
                "language ru:7:1: warning: {count}: argument \"count\" is missing; there are none "
                    + "[format-missing-argument]",
                "Localizable: warning: no layer defines \"Hello {name}\" in table Localizable [missing-key]",
            ])
    }

    @Test("One text can be read in both notations")
    func bothNotations() {
        let strings = Customization(layers: [CustomizationLayer(overrides: ["k": "{0} %@"])])
        #expect(strings.format("k", "a") == "{0} a")
        #expect(strings.message("k", ["0": "a"]) == "a %@")
        #expect(strings.format("k", "b") == "{0} b")
    }

    @Test("Threads that format one message concurrently get the same text", .timeLimit(.minutes(5)))
    func concurrency() async {
        let strings = Customization(layers: [CustomizationLayer(overrides: ["k": .string(Self.files)])])
        let shared = CustomizationMessage(icu: Self.files)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { number in
                        let expected = number == 0 ? "no files" : number == 1 ? "1 file" : "\(number) files"
                        return strings.message("k", ["count": number]) == expected
                            && shared.formatted(["count": number]).text == expected
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
