import AshlarCustomization
import AshlarTestSupport
import AshlarTooling
import Testing

@Suite struct LintTests {
    static func tree() throws -> TemporaryFolder {
        try TemporaryFolder([
            "en.lproj/Localizable.strings": """
            "title" = "Welcome";
            "sent" = "%@ sent %d";
            "only" = "English only";
            "twice" = "a";
            "twice" = "b";
            """,
            "fr.lproj/Localizable.strings": """
            "title" = "Bienvenue";
            "sent" = "%@ a envoyé";
            "twice" = "c";
            "extra" = "En plus";
            "bad" = "\\u00e9";
            """,
            "fr-CA.lproj/Localizable.strings": "\"title\" = \"Bienvenue, toi\";\n;\n\"sent\" = \"%d de %@\";",
            "acme.lproj/Localizable.strings": "\"sent\" = \"%@ %d %d\";",
            "other.lproj/Localizable.strings": "a = b;",
            "Info.plist": """
            <plist version="1.0"><dict><key>FTCustomizationString</key><string>acme</string></dict></plist>
            """,
        ])
    }

    @Test("Findings of every language, brand and file have a file, line and column")
    func text() throws {
        let tree = try Self.tree()
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        #expect(
            report.text == """
                acme.lproj/Localizable.strings:1:1: error: argument 3 (integer) is not used in the base language [placeholder-extra]
                en.lproj/Localizable.strings:5:1: warning: duplicate key "twice", first defined at line 4, column 1; the last value wins [duplicate-key]
                fr-CA.lproj/Localizable.strings:2:1: error: expected a key, found ";" [unexpected-character]
                fr-CA.lproj/Localizable.strings:3:1: error: argument 1 is object in the base language, here integer [placeholder-type]
                fr-CA.lproj/Localizable.strings:3:1: error: argument 2 is integer in the base language, here object [placeholder-type]
                fr.lproj/Localizable.strings: warning: no fr translation of "only", defined at en.lproj/Localizable.strings:3:1 [missing-translation]
                fr.lproj/Localizable.strings:2:1: warning: argument 2 (integer) of the base language is not used [placeholder-missing]
                fr.lproj/Localizable.strings:4:1: warning: key "extra" is in fr but not in the base language en [extra-key]
                fr.lproj/Localizable.strings:5:1: warning: key "bad" is in fr but not in the base language en [extra-key]
                fr.lproj/Localizable.strings:5:10: warning: \\u is not an escape and is the letter u; use \\U with four digits [suspicious-escape]
                4 errors, 6 warnings, 0 notes

                """)
        #expect(report.hasErrors)
    }

    @Test("Findings can be ignored by rule; a correct tree has none")
    func ignoring() throws {
        let tree = try Self.tree()
        let all = Customization(path: tree.path, languages: ["en"]).lint()
        let some = all.ignoring([.extraKey])
        #expect(all.diagnostics.count - some.diagnostics.count == 2)
        let orderly = try TemporaryFolder([
            "en.lproj/Localizable.strings": "\"a\" = \"Yes\";", "fr.lproj/Localizable.strings": "\"a\" = \"Oui\";",
        ])
        #expect(Customization(path: orderly.path, languages: ["en"]).lint().diagnostics.isEmpty)
    }

    @Test("Dangling aliases are reported")
    func aliases() {
        let themes = Theme.parse(
            Array(#"{"themes": [{"name": "T", "attributes": {"a": "$b", "c": "$c"}}]}"#.utf8), file: "T.json"
        ).themes
        let report = Customization(layers: []).with(themes: themes).lint()
        #expect(report.diagnostics.map(\.code.rawValue).sorted() == ["alias-cycle", "dangling-alias"])
    }

    @Test("Duplicate keys are reported with both locations")
    func repeats() throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "\n\n\"c\" = \"z\";\n\"c\" = \"w\";"])
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        #expect(report.diagnostics.map(\.code) == [.duplicateKey])
        #expect(report.diagnostics[0].line == 4 && report.diagnostics[0].related?.line == 3)
    }

    /// The findings in two languages, English being the base.
    static func findings(_ english: String, _ other: String, language: String = "fr") throws -> CustomizationReport {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": english, "\(language).lproj/Localizable.strings": other,
        ])
        return Customization(path: tree.path, languages: ["en"]).lint()
    }

    @Test("A fix is printed once")
    func fixOnce() throws {
        let text = try Self.findings("\"k\" = \"%@ is 5%!\";", "\"k\" = \"%@ fait 5%!\";").text
        for line in text.split(separator: "\n") where line.contains("[placeholder-malformed]") {
            #expect(line.ranges(of: "write %%").count == 1)
        }
        #expect(text.contains("[placeholder-malformed]"))
    }

    @Test("The problems that a list omits are an error only if one of them is", arguments: ["\\u00e9", "\\Uzz"])
    func furtherProblems(escape: String) {
        let text = (0..<1_200).map { "\"k\($0)\" = \"\(escape)\";\n" }.joined()
        let found = StringsTable.parse(strings: Array(text.utf8)).diagnostics.filter { $0.code == .furtherProblems }
        #expect(found.map(\.severity) == [escape == "\\Uzz" ? .error : .warning])
    }

    @Test("Rules are enabled individually")
    func rules() throws {
        let tree = try Self.tree()
        let all = Customization(path: tree.path, languages: ["en"]).lint()
        let extra = all.only([.extraKey])
        #expect(extra.diagnostics.map(\.code) == [.extraKey, .extraKey])
        #expect(extra.ignoring([.init("extra-key")]).diagnostics == [])
        #expect(Set(all.diagnostics.map(\.code)).isSubset(of: CustomizationReport.codes))
        #expect(
            extra.text.split(separator: "\n") == [
                "fr.lproj/Localizable.strings:4:1: warning: key \"extra\" is in fr but not in the base language en [extra-key]",
                "fr.lproj/Localizable.strings:5:1: warning: key \"bad\" is in fr but not in the base language en [extra-key]",
                "0 errors, 2 warnings, 0 notes",
            ])
    }

    @Test("Duplicate keys in a dictionary of any file are reported")
    func nestedRepeats() {
        let xml =
            "<plist><dict><key>a</key><dict>\n<key>b</key><string>1</string>\n<key>b</key><string>2</string></dict></dict></plist>"
        #expect(
            StringsTable.parse(strings: Array(xml.utf8)).diagnostics.map { "\($0.line) \($0.code)" } == [
                "3 duplicate-key"
            ])
        let json = "{\"themes\": [{\"name\": \"T\", \"attributes\": {\"a\": 1,\n\"a\": 2}}]}"
        #expect(Theme.parse(Array(json.utf8)).diagnostics.map { "\($0.line) \($0.code)" } == ["2 duplicate-key"])
    }

    @Test("Texts that aren't for translators need no translation")
    func notForTranslators() throws {
        let tree = try TemporaryFolder([
            "Localizable.xcstrings": #"""
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "": {}, "Brand": {"shouldTranslate": false}, "Open": {},
              "Save": {"localizations": {"fr": {"stringUnit": {"state": "translated", "value": "Enregistrer"}}}}
            }}
            """#
        ])
        let report = Customization(path: tree.path, brand: .none).lint()
        #expect(report.diagnostics.filter { $0.code.rawValue == "missing-translation" }.map(\.key) == ["Open"])
    }

    @Test("Findings that differ only by their key are in the order of the keys")
    func keyOrder() {
        let keys = (10..<60).map { "k\($0)" }
        let found = keys.map {
            CustomizationDiagnostic(.warning, "missing-key", "same", at: CustomizationLocation(file: "f"), key: $0)
        }
        #expect(CustomizationReport(found).diagnostics.compactMap(\.key) == keys)
    }
}
