import AshlarCustomization
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct TypedReadTests {
    static func customization(_ source: String, policy: CustomizationPolicy = .init()) -> Customization {
        let parsed = StringsTable.parse(strings: Array(source.utf8), file: "f.strings")
        return Customization(
            layers: [
                CustomizationLayer(
                    id: "en.lproj", role: .base("en"), tables: ["Localizable": parsed.table], colors: policy.colors,
                    resolvesAliases: policy.resolvesAliases)
            ], policy: policy)
    }

    static func one(_ text: String, policy: CustomizationPolicy = .init()) -> Customization {
        Customization(
            layers: [
                CustomizationLayer(
                    id: "en.lproj", role: .base("en"),
                    tables: [
                        "Localizable": StringsTable(entries: [CustomizationEntry(key: "k", value: .string(text))])
                    ],
                    colors: policy.colors)
            ], policy: policy)
    }

    // MARK: Numbers

    @Test(
        "Whole numbers are read strictly",
        arguments: [
            ("4", 4), (" 4 ", 4), ("+4", 4), ("-4", -4), ("007", 7), ("0x1F", 31), ("0X1f", 31), ("0", 0), ("-0", 0),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0x7FFFFFFFFFFFFFFF", .max),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil),
            ("0x8000000000000000", nil), ("0x10000000000000001", nil), ("0xFFFFFFFFFFFFFFFF1", nil),
            ("12abc", nil), ("4.0", nil), ("4,0", nil), ("", nil), (" ", nil), ("+", nil), ("-", nil), ("--4", nil),
            ("0x", nil), ("0xG", nil),
            ("１２", nil), ("1 2", nil), ("1_000", nil), ("YES", nil), ("-0x10", nil),
        ] as [(String, Int?)])
    func int(_ text: String, _ expected: Int?) {
        let read = Self.one(text)
        #expect(read[CustomizationKey<Int>("k")] == expected)
        #expect(read.int("k", default: -99) == expected ?? -99)
        #expect(read.problems.isEmpty == (expected != nil))
    }

    @Test(
        "Numbers are read strictly",
        arguments: [
            ("0.8", 0.8), ("8", 8), ("-1.5e3", -1500), ("+.5", 0.5), ("5.", 5), ("1E-2", 0.01), (" 2.5\t", 2.5),
            ("1e400", nil),
            ("1,5", nil), ("1.5x", nil), (".", nil), ("e5", nil), ("1e", nil), ("inf", nil), ("nan", nil),
            ("0x10", nil), ("", nil), ("1.2.3", nil),
        ] as [(String, Double?)])
    func double(_ text: String, _ expected: Double?) {
        #expect(Self.one(text)[CustomizationKey<Double>("k")] == expected)
        #expect(Self.one(text).double("k", default: -99) == expected ?? -99)
    }

    @Test(
        "Booleans are read in the spellings that NSString also accepts, in any case",
        arguments: [
            ("YES", true), ("yes", true), ("True", true), ("y", true), ("T", true), ("1", true), ("NO", false),
            ("no", false), ("FALSE", false),
            ("n", false), ("f", false), ("0", false), (" yes ", true), ("on", nil), ("off", nil), ("2", nil),
            ("yess", nil), ("ja", nil), ("", nil), ("01", nil),
            ("tru", nil), ("\u{19}es", nil),
        ] as [(String, Bool?)])
    func bool(_ text: String, _ expected: Bool?) {
        #expect(Self.one(text)[CustomizationKey<Bool>("k")] == expected)
        #expect(Self.one(text).bool("k", default: true) == expected ?? true)
        #expect(Self.one(text).bool("k", default: false) == expected ?? false)
    }

    @Test(
        "The .nsstring policy matches NSString",
        arguments: [
            "1,5", "12abc", "on", "99999999999999999999", "-99999999999999999999", " 7x", "0x10", "YES", "yes!", "tea",
            "-01", "+0", "1e3z",
            ".5.", "e", "", "-", "00", "3.9", "no", "\u{A0}5", "- 5",
        ])
    func nsstring(_ text: String) {
        let read = Self.one(text, policy: CustomizationPolicy(numbers: .nsstring))
        let reference = text as NSString
        #expect(read.int("k", default: -77) == reference.integerValue)
        #expect(read.double("k", default: -77) == reference.doubleValue)
        #expect(read.bool("k") == reference.boolValue)
    }

    // MARK: Colors

    struct ColorCase: Sendable, CustomTestStringConvertible {
        var dialect: ColorDialect
        var text: String
        var expected: String?
        var testDescription: String { "\(dialect) \(text)" }
        init(_ dialect: ColorDialect, _ text: String, _ expected: String?) {
            (self.dialect, self.text, self.expected) = (dialect, text, expected)
        }
    }

    static let colors: [ColorCase] = [
        .init(.ftCustomization, "92,66,134,54", "#5c428636"), .init(.ftCustomization, "92,66,134", "#5c4286"),
        .init(.ftCustomization, " 92 , 66 , 134 , 54% ", "#5c42868a"),
        .init(.ftCustomization, "92,66,134,0.54", "#5c42868a"),
        .init(.components(alpha: .percent), "92,66,134,54", "#5c42868a"),
        .init(.components(alpha: .percent), "92,66,134,101", nil),
        .init(.components(alpha: .fraction), "92,66,134,1", "#5c4286"),
        .init(.components(alpha: .fraction), "9,6,4,2", nil),
        .init(.ftCustomization, "92,66,134,255", "#5c4286"), .init(.ftCustomization, "92,66,134,0", "#5c428600"),
        .init(.ftCustomization, "92,66,134,256", nil), .init(.ftCustomization, "256,0,0", nil),
        .init(.ftCustomization, "-1,0,0", nil),
        .init(.ftCustomization, "1,2", nil), .init(.ftCustomization, "1,2,3,4,5", nil),
        .init(.ftCustomization, "1,,3", nil),
        .init(.ftCustomization, "1,2,3,", nil), .init(.ftCustomization, "1.5,2,3", nil),
        .init(.ftCustomization, "1,2,3,1.5", nil),
        .init(.ftCustomization, "1,2,3,101%", nil), .init(.ftCustomization, "1,2,3,-5%", nil),
        .init(.ftCustomization, "red", nil), .init(.ftCustomization, "", nil),
        .init(.ftCustomization, "#5C4286", "#5c4286"), .init(.ftCustomization, "#5C428636", nil),
        .init(.ftCustomization, "5C4286", nil),
        .init(.squidKit, "0000FF(blue)", "#0000ff"), .init(.squidKit, "0xFF0000", "#ff0000"),
        .init(.squidKit, "#00ff00 green", "#00ff00"),
        .init(.squidKit, "0XFF0000", "#ff0000"), .init(.squidKit, "FF000080", "#ff0000"), .init(.squidKit, "FF00", nil),
        .init(.squidKit, "GG0000", nil),
        .init(.squidKit, "", nil), .init(.squidKit, "##FF0000", nil),
        .init(.squidKitLenient, "##FF00#00", "#ff0000"), .init(.squidKitLenient, "0xFF0x0000", "#ff0000"),
        .init(.squidKitLenient, "GG1G00", "#000100"), .init(.squidKitLenient, "FF00", nil),
        .init(.db5, "FF0000", "#ff0000"), .init(.db5, "#FF0000", "#ff0000"), .init(.db5, "clear", "#00000000"),
        .init(.db5, "Clear", "#00000000"),
        .init(.db5, "FF000080", "#ff000080"), .init(.db5, "rgba(255,0,0,0.5)", "#ff000080"), .init(.db5, "FF00", nil),
        .init(.db5, "FF0000 red", "#ff0000"),
        .init(.db5, "rgb(255, 0, 0)", "#ff0000"), .init(.db5, "RGBA( 255 , 0 , 0 , 50% )", "#ff000080"),
        .init(.db5, "rgba(255,0,0,1)", "#ff0000"), .init(.db5, "rgba(255,0,0,0)", "#ff000000"),
        .init(.db5, "rgb(300,0,0)", nil), .init(.db5, "rgba(1,2,3,2)", nil), .init(.db5, "rgb(1,2)", nil),
        .init(.db5, "rgb(255 0 0)", nil), .init(.db5, "hsl(120,100%,25%)", nil), .init(.db5, "rgb()", nil),
        .init(.db5, "red", nil), .init(.db5, "FF00008G", "#ff0000"),
    ]

    @Test("Colors are read in their layer's notation and in no other", arguments: colors)
    func color(_ test: ColorCase) {
        #expect(test.dialect.color(test.text)?.description == test.expected)
        let read = Self.one(test.text, policy: CustomizationPolicy(colors: test.dialect))
        #expect(read[CustomizationKey<RGBAColor>("k")]?.description == test.expected)
        #expect(read.color("k", default: .clear).description == test.expected ?? "#00000000")
    }

    @Test("A color's components are clamped to 0...1, and its bytes are rounded")
    func colorBounds() {
        let color = RGBAColor(red: -1, green: .nan, blue: 2, alpha: .infinity)
        #expect([color.red, color.green, color.blue, color.alpha] == [0, 0, 1, 1])
        #expect(RGBAColor(red8: 1, green8: 2, blue8: 3, alpha8: 4).bytes == (1, 2, 3, 4))
        #expect(RGBAColor(red: 0.5, green: 0, blue: 0).bytes.red == 128)
        #expect(RGBAColor.black.withAlpha(0.5).description == "#00000080")
    }

    // MARK: Keys, lists and errors

    @Test("The error of a malformed value contains file, line, key, and the expected and found values")
    func malformed() {
        let read = Self.customization("\"a\" = \"b\";\n\"PIN\" = \"12abc\";")
        #expect(throws: CustomizationError.self) { try read.value(CustomizationKey<Int>("PIN")) }
        do {
            _ = try read.value(CustomizationKey<Int>("PIN"))
        } catch {
            #expect(error.code == .malformed)
            #expect(error.description == #"f.strings:2:1: "PIN": expected whole number, found text "12abc""#)
            #expect(error.diagnostic.line == 2)
        }
        #expect(read.int("PIN", default: 6) == 6)
        #expect(read.int("PIN") == 0)
        #expect(read.problems.map(\.code) == [.malformedValue])
    }

    @Test("A list or dictionary read as text is an error, not a crash")
    func containers() {
        let read = Self.customization("a = (b, c); d = {e = f;}; g = <00>;")
        for key in ["a", "d", "g"] {
            #expect(read.string(key) == key)
            #expect(throws: CustomizationError.self) { try read.value(CustomizationKey<String>(key)) }
        }
        #expect(read.problems.count == 3)
        #expect(read[CustomizationKey<[String]>("a")] == ["b", "c"])
        #expect(read[CustomizationKey<[Int]>("a")] == nil)
        #expect(read[CustomizationKey<CustomizationValue>("d")] == .dict(["e": .string("f")]))
    }

    @Test("Keys are equal by text and table")
    func keys() {
        let a: CustomizationKey<Int> = "PIN"
        #expect(a == CustomizationKey("PIN") && a != CustomizationKey("PIN", table: "Other") && a != "pin")
        #expect(Set([a, CustomizationKey("PIN"), "pin"]).count == 2)
        #expect(Self.one("5")[CustomizationKey<Int>("k", table: "Nothing")] == nil)
    }

    @Test("Every key of every length is found, and no other")
    func manyKeys() {
        let names =
            (0..<300).map { String(repeating: "k", count: $0) } + (0..<3000).map { "section\($0 % 7).key\($0)" } + [
                "é", "e\u{301}",
            ]
        let entries = names.enumerated().map { CustomizationEntry(key: $1, value: .int(Int64($0))) }
        let read = Customization(layers: [
            CustomizationLayer(id: "a", role: .base("en"), tables: ["Localizable": StringsTable(entries: entries)])
        ])
        for (number, name) in names.enumerated() {
            #expect(read[CustomizationKey<Int>(name)] == number)
            #expect(read.string(name) == "\(number)")
        }
        for name in names { #expect(read.entry(name + "!") == nil) }
        #expect(read.keys().count == names.count)
    }

    // MARK: Missing keys

    @Test("A missing key gives the policy's text")
    func missing() {
        #expect(Self.one("x").string("nope") == "nope")
        #expect(Self.one("x", policy: .init(missing: .marked)).string("nope") == "⟦nope⟧")
        #expect(Self.one("x", policy: .init(missing: .empty)).string("nope") == "")
        let custom = CustomizationPolicy(missing: .custom { "\($1)/\($0)" })
        #expect(Self.one("x", policy: custom).string("nope") == "Localizable/nope")
        #expect(Self.one("x", policy: custom).string("nope", table: "T") == "T/nope")
        #expect(Self.one("").string("k") == "", "an empty text is a hit")
    }

    @Test("The hook is called for every missing and malformed read; the list contains each once")
    func hook() {
        let heard = Mutex<[String]>([])
        let read = Self.one(
            "x",
            policy: CustomizationPolicy(onProblem: { problem in heard.withLock { $0.append(problem.code.rawValue) } }))
        for _ in 0..<3 {
            _ = read.string("nope")
            _ = read.int("k")
        }
        #expect(heard.withLock { $0 } == Array(repeating: ["missing-key", "malformed-value"], count: 3).flatMap { $0 })
        #expect(read.problems.count == 2)
    }

    @Test("A hook that reads the same customization does not deadlock", .timeLimit(.minutes(5)))
    func reentrantHook() {
        let holder = Mutex<Customization?>(nil)
        let read = Self.one("x", policy: CustomizationPolicy(onProblem: { _ in _ = holder.withLock { $0 }?.problems }))
        holder.withLock { $0 = read }
        #expect(read.string("nope") == "nope")
    }

    @Test("A text that only the base language defines is reported on request")
    func fallback() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = A; n = 1;", "fr.lproj/Localizable.strings": "b = B;",
        ])
        let silent = Customization(path: tree.path, languages: ["fr"])
        #expect(silent.string("a") == "A" && silent.problems.isEmpty)
        let read = Customization(
            path: tree.path, languages: ["fr"], policy: CustomizationPolicy(reportsFallbacks: true))
        #expect(read.string("a") == "A")
        #expect(read.int("n") == 1)
        #expect(read.string("b") == "B")
        #expect(read.problems.map(\.key) == ["a", "n"])
        #expect(read.problems.allSatisfy { $0.code == .fallback })
        #expect(read.switching(language: "en").string("a") == "A")
        #expect(read.switching(language: "en").problems.isEmpty)
    }

    // MARK: Aliases

    @Test("Aliases are followed after composition, so an override of the target applies")
    func aliases() {
        let source =
            "link = \"$tint\"; braces = \"{tint}\"; twice = \"$link\"; tint = \"92,66,134\"; price = \"$$5\"; lone = \"$\"; text = \"costs $5\";"
        let read = Self.customization(source, policy: CustomizationPolicy(resolvesAliases: true))
        for key in ["link", "braces", "twice"] { #expect(read.color(key).description == "#5c4286", "\(key)") }
        #expect(read.string("price") == "$5" && read.string("lone") == "$" && read.string("text") == "costs $5")
        let overridden = read.applying(CustomizationLayer(overrides: ["tint": .string("1,2,3")]))
        for key in ["link", "braces", "twice"] { #expect(overridden.string(key) == "1,2,3", "\(key)") }
        #expect(read.explain("twice").aliases == ["twice", "link", "tint"])
        #expect(Self.customization(source).string("link") == "$tint", "off in strings files unless asked for")
    }

    @Test(
        "Alias cycles and dangling aliases are errors with their path",
        arguments: [
            ("a = \"$a\";", CustomizationError.Code.cycle, ["a", "a"]),
            ("a = \"$b\"; b = \"$c\"; c = \"$b\";", .cycle, ["a", "b", "c", "b"]),
            ("a = \"$b\";", .missing, ["a", "b"]), ("a = \"$b\"; b = \"$c\";", .missing, ["a", "b", "c"]),
        ])
    func badAliases(_ source: String, _ code: CustomizationError.Code, _ path: [String]) {
        let read = Self.customization(source, policy: CustomizationPolicy(resolvesAliases: true))
        do {
            let text = try read.value(CustomizationKey<String>("a"))
            Issue.record("read \(text)")
        } catch {
            #expect(error.code == code && error.aliases == path)
        }
        #expect(read.string("a") == "a")
        #expect(read.explain("a").aliases == path)
        #expect(read.problems.count == 1)
    }

    @Test("At most 64 aliases are followed")
    func longAliases() {
        func read(_ count: Int) -> String? {
            let source = (0..<count).map { "a\($0) = \"$a\($0 + 1)\";" }.joined() + "a\(count) = end;"
            return Self.customization(source, policy: CustomizationPolicy(resolvesAliases: true))[
                CustomizationKey<String>("a0")]
        }
        #expect(read(64) == "end")
        #expect(read(65) == nil)
    }
}
