import Testing

@testable import AshlarTooling

@Suite struct FormatLintTests {
    private func check(_ base: CustomizationValue, _ translation: CustomizationValue, language: LanguageTag = "fr")
        -> [String]
    {
        Self.findings(base, translation, language: language).map { "\($0.severity) \($0.code)" }
    }

    /// Returns the findings of a value of the base language and of its translation.
    static func findings(
        _ base: CustomizationValue, _ translation: CustomizationValue, language: LanguageTag = "fr"
    ) -> [CustomizationDiagnostic] {
        FormatLint.check(CustomizationEntry(key: "k", value: base), base: nil, language: "en")
            + FormatLint.check(CustomizationEntry(key: "k", value: translation), base: base, language: language)
    }

    @Test(
        "Placeholders of a translation are those of the base language",
        arguments: [
            ("%@ has %d", "%@ a %d", []), ("%@ has %d", "%2$d de %1$@", []), ("%1$@ %1$@", "%@", []), ("a", "b", []),
            ("100%", "100 %", []), ("50% off", "50 % de rabais", []), ("100%% of %@", "100 %% de %@", []),
            ("%d of all", "% d de tout", ["warning placeholder-suspicious", "warning placeholder-missing"]),
            ("%@ has %d", "%d a %@", ["error placeholder-type", "error placeholder-type"]),
            ("%@ has %d", "%@ a", ["warning placeholder-missing"]), ("%@", "%@ %d", ["error placeholder-extra"]),
            ("a", "%@", ["error placeholder-extra"]), ("%d", "%lld", ["warning placeholder-type"]),
            ("%1$@", "%3$@", ["error placeholder-extra", "warning placeholder-missing"]),
            ("%1$d%%", "%1$d%", ["warning placeholder-malformed"]),
            ("%1$s", "% 1$s", ["warning placeholder-malformed", "warning placeholder-missing"]),
            ("%2d:%02d", "%2d.%02d", []),
            ("%@ %d", "%2$@ %1$d", ["error placeholder-type", "error placeholder-type"]),
            ("%@", "％@", ["warning placeholder-missing"]),
            ("%1$@ %2$@", "%1$@ %@", ["warning placeholder-malformed", "warning placeholder-missing"]),
        ] as [(String, String, [String])])
    func placeholders(base: String, translation: String, expected: [String]) {
        #expect(check(.string(base), .string(translation)) == expected)
    }

    @Test("A malformed placeholder has its fix once", arguments: ["%d %y", "%1$d %n"])
    func fix(text: String) {
        let found = Self.findings(.string("%d"), .string(text)).filter { $0.code == .placeholderMalformed }
        #expect(
            !found.isEmpty && found.allSatisfy { "\($0)".ranges(of: "%% for a percent sign").count == 1 }, "\(found)")
    }

    @Test("A space flag that is probably accidental in a plural form uses up an argument, as in formatting")
    func accidentalPlaceholders() {
        func message(_ form: String) -> CustomizationValue {
            CustomizationMessage(
                format: "%#@files@ %@",
                variables: ["files": .init(valueType: "d", forms: [.one: form, .other: form])]
            ).value
        }
        #expect(check(message("%d % o"), message("%d % o")).contains("error placeholder-type") == false)
        #expect(check(message("%d"), message("%d % o")) != check(message("%d"), message("%d")))
    }

    @Test("Every plural form for integers is required")
    func categories() {
        func message(_ categories: PluralCategory...) -> CustomizationValue {
            CustomizationMessage(forms: Dictionary(uniqueKeysWithValues: categories.map { ($0, "%lld") }))
                .value
        }
        let english = message(.one, .other)
        #expect(check(english, message(.one, .other)) == [])
        #expect(check(english, message(.one, .few, .many, .other), language: "ru") == [])
        #expect(check(english, message(.one, .other), language: "ru") == ["warning plural-category-missing"])
        #expect(check(english, message(.other), language: "ja") == [])
        #expect(check(message(.other), message(.one, .other)) == ["warning plural-category-missing"])
    }

    @Test("The string of the highest base layer is the reference")
    func severalBases() {
        func layer(_ id: String, _ role: CustomizationLayer.Role, _ text: String) -> CustomizationLayer {
            CustomizationLayer(
                id: id, role: role,
                tables: ["Localizable": StringsTable(entries: [CustomizationEntry(key: "k", value: .string(text))])])
        }
        let layers = [layer("a", .base("en"), "%@"), layer("b", .base("en"), "%d"), layer("c", .language("fr"), "%d")]
        let found = Customization(layers: layers).lint().diagnostics
        #expect(found.isEmpty)
        let reversed = Customization(layers: [layers[1], layers[0], layers[2]]).lint().diagnostics
        #expect(reversed.map(\.code) == [.placeholderType])
    }

    @Test("A message and a plain string are compared by their arguments")
    func messages() {
        let message = CustomizationMessage(
            format: "%#@files@ by %@",
            variables: ["files": .init(valueType: "lld", forms: [.one: "a file", .other: "%lld files"])])
        #expect(check(message.value, message.value) == [])
        #expect(check(message.value, .string("%lld fichiers de %@")) == [])
        #expect(check(message.value, .string("%lld fichiers")) == ["warning placeholder-missing"])
        #expect(check(message.value, .string("%@ fichiers de %@")) == ["error placeholder-type"])
    }
}
