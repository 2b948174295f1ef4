import Ashlar
import Testing

@testable import AshlarTooling

@Suite struct MessageLintTests {
    static let base = "{name} sent {count, plural, one {# file} other {# files}}"

    private func check(_ base: String, _ text: String, language: LanguageTag = "fr") -> [String] {
        MessageLint.check(CustomizationEntry(key: "k", value: .string(text)), base: base, language: language)
            .map { "\($0.severity) \($0.code): \($0.message)" }
    }

    @Test(
        "A translation with the arguments of the base language has no finding",
        arguments: [
            "{count, plural, one {# fichier} other {# fichiers}} de {name}",
            "{name} : {count, plural, =1 {un fichier} other {# fichiers}}",
            "{name} ({count}): {count, plural, one{#} other{#}}",
        ])
    func correct(text: String) {
        #expect(check(Self.base, text) == [])
    }

    @Test(
        "Errors in a translation are found",
        arguments: [
            ("{nom} {name} {count}", "error placeholder-extra: argument \"nom\" is not used in the base language"),
            (
                "{count, plural, one {#} other {#}}",
                "warning placeholder-missing: argument \"name\" of the base language is not used"
            ),
            (
                "{name} {count, select, a {} other {}}",
                "error placeholder-type: argument \"count\" is a number in the base language, here a choice by name"
            ),
            ("{name} {count, plural, one {#}}", "error plural-missing-other: {count}: there is no text for other"),
            (
                "{name} {count, plural, one {#} other {#}",
                "error placeholder-malformed: {count, plural, one {#} : expected \"{\" after \"\", at byte 39"
            ),
            ("{name} {count, plural, few {#} one {#} other {#} x {y}}", "warning placeholder-malformed"),
        ])
    func mistakes(text: String, finding: String) {
        let found = check(Self.base, text)
        #expect(found.contains { $0.hasPrefix(finding.prefix(40)) }, "\(found)")
    }

    @Test(
        "A style or type that isn't supported is found, also in a string whose arguments all have types",
        arguments: [
            "{n, number, ::K 000}", "{n, number, ::unit/hour group-off ::}", "{n, number, ::rounding-mode-up}",
            "{n, number, ::compact-long ,_}", "{n, number, ::@@#}", "{n, number, ::E0}", "{n, number, ::scale/3}",
            "{n, spellout}", "{n,duration, %a}", "{n, ordinal}", "{n, number, ::percent percent}",
        ])
    func unsupported(text: String) {
        let found = check(text, text)
        #expect(found.count == 1 && found[0].hasPrefix("warning placeholder-malformed"), "\(found)")
    }

    @Test(
        "A supported style has no finding",
        arguments: [
            "{n, number, ::percent scale/100 .00 sign-always integer-width/+000 ,_}", "{d, date, ::yMMMd}",
            "{n, number, ::currency/EUR group-off}", "{n, number, ::unit/hour 000}", "{n, number, integer}",
        ])
    func supported(text: String) { #expect(check(text, text) == []) }

    @Test("Missing plural forms are found by language")
    func categories() {
        #expect(
            check(Self.base, "{name} {count, plural, one {#} other {#}}", language: "ru") == [
                "warning plural-category-missing: missing plural forms of \"count\" for ru: few, many"
            ])
        #expect(check(Self.base, "{name} {count, plural, other {#}}", language: "ja") == [])
    }

    @Test(
        "Strings with braces that aren't messages have no finding",
        arguments: [
            ("Use { and }", "{ et }"), ("{ \"json\": 1 }", "{ \"json\": 2 }"), ("plain", "simple"), ("{}", "{}"),
            ("%@ {", "%@ }"), ("f({x, y})", "g({x, number of})"), ("{ a, b }", "{ a, b }"),
        ])
    func others(base: String, text: String) {
        #expect(check(base, text) == [])
    }
}
