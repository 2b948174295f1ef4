import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

@Suite struct FormatTests {
    struct Case: Sendable, CustomStringConvertible {
        let format: String
        let values: [FormatValue]
        let text: String
        let problems: [String]

        init(_ format: String, _ values: FormatValue..., gives text: String, problems: String...) {
            self.format = format
            self.values = values
            self.text = text
            self.problems = problems.map { "format-" + $0 }
        }

        var description: String { "\(format) with \(values)" }
    }

    @Test(
        "Values replace placeholders",
        arguments: [
            Case("", gives: ""), Case("plain ✓ é 👨‍👩‍👧", gives: "plain ✓ é 👨‍👩‍👧"), Case("100%%", gives: "100%"),
            Case("%@", .string("Zoë"), gives: "Zoë"), Case("%@%@", .string("a"), .int(2), gives: "a2"),
            Case("%d", .int(-5), gives: "-5"), Case("%i", .int(5), gives: "5"), Case("%u", .int(5), gives: "5"),
            Case(
                "%ld %lld %lu %llu %qd %zd %hhd", .int(1), .int(2), .int(3), .int(4), .int(5), .int(6), .int(7),
                gives: "1 2 3 4 5 6 7"),
            Case("%x %X %o", .int(255), .int(255), .int(8), gives: "ff FF 10"),
            Case("%#x %#X %#o %#x", .int(255), .int(255), .int(8), .int(0), gives: "0xff 0XFF 010 0"),
            Case("%c%C", .int(65), .string("é"), gives: "Aé"), Case("%s", .string("text"), gives: "text"),
            Case("%f", .double(1.5), gives: "1.500000"), Case("%.2f", .double(2.345), gives: "2.35"),
            Case("%.0f %.0f", .double(0.5), .double(1.5), gives: "0 2"), Case("%.2f", .int(3), gives: "3.00"),
            Case("%e", .double(12345.678), gives: "1.234568e+04"), Case("%g", .double(0.0001), gives: "0.0001"),
            Case("%g", .double(1e-5), gives: "1e-05"), Case("%G", .double(1e20), gives: "1E+20"),
            Case(
                "%5d|%-5d|%05d|%+d|% d", .int(42), .int(42), .int(42), .int(42), .int(42),
                gives: "   42|42   |00042|+42| 42"),
            Case("%-5@|%5@|", .string("ab"), .string("é"), gives: "ab   |    é|"),
            Case("%.3@|%.1s", .string("abcdef"), .string("👨‍👩‍👧x"), gives: "abc|👨‍👩‍👧"),
            Case("%08.3f|%-8.1f|", .double(-3.14159), .double(2), gives: "-003.142|2.0     |"),
            Case("%05d %.3d %5.3d", .int(-42), .int(7), .int(7), gives: "-0042 007   007"),
            Case("%*d|%-*d|%.*f", .int(4), .int(1), .int(3), .int(2), .int(1), .double(0.26), gives: "   1|2  |0.3"),
            Case("%.*f %.*f", .int(0), .double(2.4), .int(-1), .double(2.4), gives: "2 2.400000"),
            Case("%2$*1$d", .int(4), .int(7), gives: "   7"), Case("%*d", .int(-4), .int(7), gives: "7   "),
            Case("%2$@ %1$@", .string("a"), .string("b"), gives: "b a"),
            Case("%1$@ %2$lld %1$@", .string("a"), .int(2), gives: "a 2 a"),
            Case("%1$.1f%%", .double(99.94), gives: "99.9%"), Case("%'d", .int(1_234_567), gives: "1234567"),
            Case("%@ %@ %@", .double(1), .double(0.1), .bool(true), gives: "1 0.1 true"),
            Case("%d %d", .bool(true), .double(3), gives: "1 3"),
            Case("%llu", .unsigned(.max), gives: "18446744073709551615"),
            Case("%d", .unsigned(.max), gives: "18446744073709551615"),
            Case("%lld", .int(.min), gives: "-9223372036854775808"),
            Case("%x %lx", .int(-1), .int(-1), gives: "ffffffff ffffffffffffffff"),
            Case("%d", .int(5_000_000_000), gives: "5000000000"),
            Case(
                "%f %F %e %5.1g|%-5f|%05f", .double(.infinity), .double(-.infinity), .double(.nan), .double(.infinity),
                .double(.infinity), .double(.infinity), gives: "inf -INF nan   inf|inf  |  inf"),
            Case("%a %A %.1a", .double(1), .double(-10.5), .double(1.97), gives: "0x1p+0 -0X1.5P+3 0x2.0p+0"),
            Case("%p", .int(255), gives: "0xff"), Case("%D %U %O", .int(-1), .int(1), .int(8), gives: "-1 1 10"),
            // Values that no placeholder uses are no problem
            Case("one", .int(1), gives: "one"), Case("%1$@", .string("a"), .string("b"), gives: "a"),
            // Errors are visible and reported
            Case("%@ %d", .string("a"), gives: "a %d", problems: "missing-argument"),
            Case("%d", .string("seven"), gives: "seven", problems: "type-mismatch"),
            Case("%5d|", .string("ab"), gives: "   ab|", problems: "type-mismatch"),
            Case("%05d", .string("ab"), gives: "   ab", problems: "type-mismatch"),
            Case("%d", .double(2.5), gives: "2.5", problems: "type-mismatch"),
            Case("%f", .string("x"), gives: "x", problems: "type-mismatch"),
            Case("%s", .int(3), gives: "3", problems: "type-mismatch"),
            Case("%c", .string("two"), gives: "two", problems: "type-mismatch"),
            Case("%c", .int(0xD800), gives: "55296", problems: "type-mismatch"),
            Case("%p", .string("x"), gives: "x", problems: "type-mismatch"),
            Case("%3$@", .string("a"), gives: "%3$@", problems: "missing-argument"),
            Case("%0$@", .string("a"), gives: "%0$@", problems: "unknown-conversion"),
            Case("100 % sure", gives: "100 % sure", problems: "missing-argument"),
            Case("50%", gives: "50%", problems: "unknown-conversion"),
            Case("50%.", gives: "50%.", problems: "unknown-conversion"),
            Case("%#", gives: "%#", problems: "unknown-conversion"),
            Case("%1$#", gives: "%1$#", problems: "unknown-conversion"),
            Case("%#@", .string("a"), gives: "a"),
            Case("%y %d", .int(1), gives: "%y 1", problems: "unknown-conversion"),
            Case("%é", gives: "%é", problems: "unknown-conversion"),
            Case("%n", .int(1), gives: "%n", problems: "unknown-conversion"),
            Case("%-%@", .string("a"), gives: "%-a", problems: "unknown-conversion"),
            Case("%*y%d", .int(7), gives: "%*y7", problems: "unknown-conversion"),
            Case("%99999999999999999999d", .int(1), gives: "%99999999999999999999d", problems: "too-wide"),
            Case("%.5000f", .double(1), gives: "%.5000f", problems: "too-wide"),
            Case("%*d", .int(1_000_000_000), .int(1), gives: "%*d", problems: "too-wide"),
            Case("%*d", .string("x"), .int(1), gives: "%*d", problems: "type-mismatch"),
            Case("%*d", .int(1), gives: "%*d", problems: "missing-argument"),
            Case("%#@files@", .int(1), gives: "%#@files@", problems: "unknown-variable"),
            Case("%1$@ %@", .string("a"), gives: "a a", problems: "mixed-positions"),
            Case("%1$@ %1$d", .int(1), gives: "1 1", problems: "conflicting-types"),
        ])
    func formatting(example: Case) {
        let output = CustomizationMessage(example.format).formatted(example.values)
        #expect(output.text == example.text)
        #expect(output.problems.map(\.code.rawValue) == example.problems)
    }

    @Test(
        "A problem of a text shows the whole placeholder",
        arguments: [
            ("a %é b", "%é"), ("%👍", "%👍"), ("%y.", "%y"), ("50%", "%"), ("%-5é.", "%-5é"), ("%99999d", "%99999d"),
        ])
    func wholePlaceholder(text: String, placeholder: String) {
        #expect(CustomizationMessage(text).problems.map(\.placeholder) == [placeholder])
    }

    @Test("Swift's own types can be arguments")
    func arguments() {
        let format = PrintfFormat("%@ %@ %d %d %lu %.1f %@ %d %@")
        let output = CustomizationMessage(format.text).formatted(
            "text", "part of it".prefix(4), Int8(-3), UInt16(7), UInt64.max, Float(0.5), Character("c"),
            true,
            Float(0.1))
        #expect(output.text == "text part -3 7 18446744073709551615 0.5 c 1 0.1")
        #expect(output.problems.isEmpty)
    }

    @Test("Placeholders have an offset, position and type")
    func placeholders() throws {
        let format = PrintfFormat("é %2$-5.1lf and %#@files@ %1$@")
        #expect(format.placeholders.map(\.text) == ["%2$-5.1lf", "%#@files@", "%1$@"])
        #expect(format.placeholders.map(\.offset) == [3, 17, 27])
        #expect(format.placeholders.map(\.position) == [2, 1, 1])
        #expect(format.placeholders.map(\.isPositional) == [true, false, true])
        #expect(format.placeholders.map(\.type.description) == ["float (l)", "variable", "object"])
        #expect(format.placeholders[1].variable == "files")
        #expect(
            PrintfFormat("%*.*f").placeholders.flatMap(\.uses).map { "\($0.0) \($0.1)" } == [
                "1 integer", "2 integer", "3 float",
            ])
        #expect(
            PrintfFormat("%d %lld").placeholders[0].type != PrintfFormat("%d %lld").placeholders[1].type)
        #expect(PrintfFormat("%qu").placeholders[0].type == PrintfFormat("%llu").placeholders[0].type)
    }

    @Test("A value can be isolated from the direction of the text around it")
    func isolated() {
        let output = CustomizationMessage("%@ %@").formatted("זואי".isolated, 3.isolated)
        #expect(output.text == "\u{2068}זואי\u{2069} \u{2068}3\u{2069}")
    }

    @Test("Problems contain the placeholder, the expected and the found value")
    func messages() {
        let output = CustomizationMessage("%1$lld of %2$@").formatted("x")
        #expect(
            output.problems.map(\.description) == [
                "%1$lld: expected integer (ll), found string \"x\"", "%2$@: argument 2 is missing; there are 1",
            ])
    }

    @Test("Whole numbers are written as the C library writes them")
    func integersAgreeWithC() {
        var generator = SeededRandom(seed: 11)
        for _ in 0..<CLDRFixture.count(4_000, soak: 400_000) {
            let number = Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator))
            let specification = "%" + randomFlags("-+ 0#", &generator) + randomWidth(&generator) + "ll"
            for conversion in ["d", "u", "x", "X", "o"] {
                let format = specification + conversion
                let expected = String(format: format, number)
                #expect(
                    CustomizationMessage(format).formatted(number).text == expected, "\(format) \(number)")
            }
        }
    }

    @Test("Numbers with decimals are written as the C library writes them")
    func floatsAgreeWithC() {
        var generator = SeededRandom(seed: 12)
        for round in 0..<CLDRFixture.count(6_000, soak: 600_000) {
            let number: Double =
                switch round % 4 {
                case 0: Double(bitPattern: generator.next())
                case 1: Double(Int.random(in: -100_000...100_000, using: &generator)) / 1000
                case 2: Double(Int.random(in: -400...400, using: &generator)) / 16
                default: Double.random(in: -1...1, using: &generator)
                }
            guard number.isFinite else { continue }
            let specification = "%" + randomFlags("-+ 0#", &generator) + randomWidth(&generator)
            for conversion in ["f", "e", "E", "g", "G", "a", "A"] {
                // For a subnormal or a rounded significand C libraries choose different leading digits.
                if conversion.lowercased() == "a", number.isSubnormal || specification.contains(".") { continue }
                let format = specification + conversion
                let expected = String(format: format, number)
                #expect(
                    CustomizationMessage(format).formatted(number).text == expected, "\(format) \(number)")
            }
        }
        #expect(
            CustomizationMessage("%#.1g|%.2g").formatted(99.9, 99.9).text == "1.e+02|1e+02")
    }

    private func randomFlags(_ flags: String, _ generator: inout SeededRandom) -> String {
        flags.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
    }

    private func randomWidth(_ generator: inout SeededRandom) -> String {
        let width = Bool.random(using: &generator) ? String(Int.random(in: 1...30, using: &generator)) : ""
        return width + (Bool.random(using: &generator) ? ".\(Int.random(in: 0...25, using: &generator))" : "")
    }

    @Test("Missing formats and values don't crash, and only placeholders change")
    func randomFormats() {
        var generator = SeededRandom(seed: 13)
        let pieces = [
            "%", "%%", "@", "d", "1$", "2$", "0$", "#@", "@", "v@", "ll", "h", "-", "+", " ", "0", "#", "'", "*", ".",
            "5", "40",
            "x", "f", "g", "a", "c", "s", "p", "é", "👍", "text", "\u{301}", "n", "y",
        ]
        let values: [FormatValue] = [
            .string("v"), .int(-7), .unsigned(.max), .double(-0.0), .double(1e300), .bool(false),
        ]
        for _ in 0..<CLDRFixture.count(20_000, soak: 2_000_000) {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }.joined()
            let format = PrintfFormat(text)
            let given = values.shuffled(using: &generator).prefix(
                Int.random(in: 0...6, using: &generator))
            let output = CustomizationMessage(format.text).formatted(Array(given))
            #expect(output.text.utf8.count < 20_000)
            let hasPercent = text.range(of: "%%", options: .literal) != nil
            if format.placeholders.isEmpty, !hasPercent { #expect(output.text == text) }
            // Without values, every placeholder is unchanged.
            if !hasPercent { #expect(CustomizationMessage(format.text).formatted([]).text == text) }
        }
    }

    @Test(
        "A format with explicit positions takes the same values",
        arguments: [
            ("", ""), ("100%", "100%%"), ("%% %", "%% %%"), ("%@ of %d", "%1$@ of %2$d"), ("%2$@ %1$@", "%2$@ %1$@"),
            ("%2$@ %@", "%2$@ %1$@"), ("%-+ #08.3f", "%1$-#+ 08.3f"), ("%*d %.*f", "%2$*1$d %4$.*3$f"),
            ("%qd %D %U", "%1$lld %2$lD %3$lU"), ("%.d", "%1$.0d"), ("%#@n@ %@", "%1$#@n@ %2$@"),
            ("%'#@a@", "%1$@a@"), ("%##@a@ %d", "%1$@a@ %2$d"), ("% z %5000d %@", "%% z %%5000d %1$@"),
        ])
    func positional(text: String, expected: String) {
        let format = PrintfFormat(text)
        #expect(format.positional == expected)
        let positional = PrintfFormat(expected)
        #expect(positional.positional == expected && types(positional) == types(format))
        for values in [
            [FormatValue.int(3), .int(2), .int(1), .int(4)], [.string("a"), .double(0.5), .int(7), .int(2)],
        ] {
            guard
                CustomizationMessage(format.text).formatted(values).problems.count == format.problems.count
            else { continue }
            #expect(
                CustomizationMessage(positional.text).formatted(values).text
                    == CustomizationMessage(format.text).formatted(values).text)
        }
    }

    /// Returns the first type of each argument.
    private func types(_ format: PrintfFormat) -> [Int: PrintfFormat.PlaceholderType] {
        Dictionary(format.placeholders.flatMap(\.uses)) { first, _ in first }
    }

    @Test("A sign without a placeholder gets no position", arguments: ["%* 100% %1$@", "%5000d %1$@", "%1$z %@"])
    func noPosition(text: String) {
        let format = PrintfFormat(text)
        #expect(format.placeholders.count == 1)
        #expect(!format.problems.contains { $0.code == .mixedPositions })
    }

    @Test("Any text takes the same values with explicit positions")
    func randomPositional() {
        var random = SeededRandom(seed: 7)
        let pieces = [
            "%", "%", "@", "d", "#", "#@", "a@", "1$", "2$", "*", ".", "l", "-", "0", " ", "'", "f", "x", "é", "5",
        ]
        for _ in 0..<(StringsFoundationTests.soaks ? 500_000 : 10_000) {
            let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let format = PrintfFormat(text)
            let positional = PrintfFormat(format.positional)
            #expect(
                positional.positional == format.positional && types(positional) == types(format),
                "\(text)")
            for values in [
                [FormatValue.int(3), .int(-2), .int(1), .int(0), .int(4)], [.string("a"), .int(1), .double(2.5)],
            ] {
                let output = CustomizationMessage(format.text).formatted(values)
                guard output.problems.count == format.problems.count else { continue }
                #expect(
                    CustomizationMessage(positional.text).formatted(values).text == output.text, "\(text)")
            }
        }
    }
}
