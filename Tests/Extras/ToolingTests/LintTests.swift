import AshlarTestSupport
import AshlarTooling
import Foundation
import Testing

@Suite struct LintTests {
    static func tree() throws -> TemporaryFolder {
        try TemporaryFolder([
            "en.lproj/Localizable.strings": """
            "title" = "Welcome";
            "ok" = "OK";
            "count" = "4";
            "flag" = "YES";
            "tint" = "92,66,134";
            "edge" = "Name: ";
            "only" = "English only";
            "logo" = "logo.png";
            "Title" = "Twice";
            "gone" = "gone.png";
            """,
            "en.lproj/logo.png": "",
            "fr.lproj/Localizable.strings": """
            "title" = "Bienvenue";
            "ok" = "OK";
            "count" = "quatre";
            "flag" = "peut-être";
            "edge" = "Nom :";
            "extra" = "En plus";
            "Title" = "Deux fois";
            "logo" = "logo.png";
            "gone" = "gone.png";
            "bad" = "\\u00e9";
            """,
            "fr-CA.lproj/Localizable.strings": "\"title\" = \"Bienvenue, toi\";\n;\n\"ok\" = \"Correct\";",
            "acme.lproj/Localizable.strings":
                "\"tint\" = \"purple\";\n\"bar\" = \"92,66,134,54\";\n\"clear\" = \"1,2,3,54%\";",
            "other.lproj/Localizable.strings": "a = b;",
            "Info.plist": """
            <plist version="1.0"><dict><key>FTCustomizationString</key><string>acme</string></dict></plist>
            """,
        ])
    }

    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

    /// Compares with a golden file; `ASHLAR_RECORD=1` rewrites it.
    static func expectGolden(_ text: String, _ name: String) throws {
        let url = fixtures.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["ASHLAR_RECORD"] == "1" {
            try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
    }

    @Test("Findings of every language, brand and file have a file, line and column")
    func text() throws {
        let tree = try Self.tree()
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        try Self.expectGolden(report.text, "lint.txt")
        #expect(report.hasErrors)
    }

    @Test("The SARIF form is JSON with a result for each finding")
    func sarif() throws {
        let tree = try Self.tree()
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        try Self.expectGolden(report.sarif, "lint.sarif")
        let root = try #require(try JSONSerialization.jsonObject(with: Data(report.sarif.utf8)) as? [String: Any])
        let runs = try #require(root["runs"] as? [[String: Any]])
        #expect(root["version"] as? String == "2.1.0")
        #expect((runs[0]["results"] as? [[String: Any]])?.count == report.diagnostics.count)
    }

    @Test("Findings can be ignored by rule; a correct tree has none")
    func ignoring() throws {
        let tree = try Self.tree()
        let all = Customization(path: tree.path, languages: ["en"]).lint()
        let some = all.ignoring([.extraKey, .untranslated])
        #expect(all.diagnostics.count - some.diagnostics.count == 3, "two extra keys, one text left as it was")
        let orderly = try TemporaryFolder([
            "en.lproj/Localizable.strings": "\"a\" = \"Yes\";", "fr.lproj/Localizable.strings": "\"a\" = \"Oui\";",
        ])
        #expect(Customization(path: orderly.path, languages: ["en"]).lint().diagnostics.isEmpty)
    }

    @Test(
        "The location at which Foundation stops without an error is an error",
        arguments: [
            "\"a\" = \"b\";\n;\n\"c\" = \"d\";", "\"a\" = \"b\";\n}\n\"c\" = \"d\";",
            "\"a\" = \"b\";\u{A0}\n\"c\" = \"d\";\n",
            "\"a\" = \"b\";\né = x;\n\"c\" = \"d\";",
        ])
    func truncation(_ source: String) throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": source])
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        #expect(report.diagnostics.contains { $0.code == .truncatedByFoundation && $0.line >= 2 })
    }

    @Test("Dangling aliases, ignored alphas and ambiguous alphas are reported")
    func themesAndAlphas() throws {
        let themes = Theme.parse(
            Array(#"{"themes": [{"name": "T", "attributes": {"a": "$b", "c": "$c", "d": "FF000080"}}]}"#.utf8),
            file: "T.json"
        ).themes
        let report = Customization(layers: []).with(themes: themes).lint()
        #expect(report.diagnostics.map(\.code.rawValue).sorted() == ["alias-cycle", "dangling-alias", "ignored-alpha"])
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "\"c\" = \"1,2,3,54\";"])
        func codes(_ scale: ColorDialect.AlphaScale) -> [String] {
            let policy = CustomizationPolicy(colors: .components(alpha: scale))
            return Customization(path: tree.path, languages: ["en"], policy: policy).lint().diagnostics.map(
                \.code.rawValue)
        }
        #expect(codes(.undecided) == ["ambiguous-alpha"])
        #expect(codes(.byte).isEmpty && codes(.percent).isEmpty)
        for (alpha, isAmbiguous) in [(0, false), (1, true), (100, true), (101, false), (255, false)] {
            try tree.write("\"c\" = \"1,2,3,\(alpha)\";", to: "en.lproj/Localizable.strings")
            #expect(codes(.undecided) == (isAmbiguous ? ["ambiguous-alpha"] : []), "\(alpha)")
        }
    }

    @Test(
        "A string that is almost a color or a number is reported",
        arguments: [
            ("92,66,300", true), ("92,66,134,54", false), ("92, 66, 134, 256", true), ("92,66,134,101%", true),
            ("1,2,3,4,5", false), ("#12345G", true), ("#123456", false), ("#hashtag", false), ("#1", false),
            ("1,5", true), ("1, 5", false), ("99999999999999999999", true), ("-99999999999999999999", true),
            ("9223372036854775807", false), ("10%", false), ("12:30", false), ("1.2.3", false), ("a,b,c", false),
        ])
    func nearlyTyped(text: String, isFound: Bool) throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "\"k\" = \"\(text)\";"])
        let policy = CustomizationPolicy(colors: .components(alpha: .byte))
        let found = Customization(path: tree.path, languages: ["en"], policy: policy).lint().diagnostics
        #expect(found.map(\.code) == (isFound ? [.malformedValue] : []))
    }

    @Test("Themes that are not in use are checked, too")
    func otherThemes() {
        let themes = Theme.parse(
            Array(
                """
                {"themes": [
                {"name": "A", "attributes": {"x": 1}},
                {"name": "B", "attributes": {
                    "c": "$c", "d": {"color": "GG0000"}, "e": "FF000080"}}]}
                """.utf8), file: "T.json"
        ).themes
        let report = Customization(layers: []).with(themes: themes, theme: "A").lint()
        #expect(
            report.diagnostics.map { "\($0.line) \($0.code)" } == [
                "4 alias-cycle", "4 malformed-value", "4 ignored-alpha",
            ])
    }

    @Test("Duplicate keys are reported with both locations")
    func repeats() throws {
        let tree = try TemporaryFolder(["en.lproj/Localizable.strings": "\n\n\"c\" = \"z\";\n\"c\" = \"w\";"])
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        #expect(report.diagnostics.map(\.code) == [.duplicateKey])
        #expect(report.diagnostics[0].line == 4 && report.diagnostics[0].related?.line == 3)
        let root = try #require(try JSONSerialization.jsonObject(with: Data(report.sarif.utf8)) as? [String: Any])
        let results = try #require((root["runs"] as? [[String: Any]])?[0]["results"] as? [[String: Any]])
        let related = try #require(results[0]["relatedLocations"] as? [[String: Any]])
        let place = try #require(related[0]["physicalLocation"] as? [String: Any])
        #expect((place["region"] as? [String: Int])?["startLine"] == 3)
    }

    /// The findings in two languages, English being the base.
    static func findings(_ english: String, _ other: String, language: String = "fr") throws -> CustomizationReport {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": english, "\(language).lproj/Localizable.strings": other,
        ])
        return Customization(path: tree.path, languages: ["en"]).lint()
    }

    @Test(
        "A number in a language's spelling is a note, a word instead of a number an error",
        arguments: [
            ("0,25", "note localized-number"), ("٠٫٢٥", "note localized-number"), ("−3", "note localized-number"),
            ("1\u{202F}000,5", "note localized-number"), ("2", ""), ("un quart", "error changed-type"),
            ("0,25 m", "error changed-type"),
        ])
    func localizedNumbers(text: String, expected: String) throws {
        let report = try Self.findings("\"k\" = \"0.25\";", "\"k\" = \"\(text)\";")
        #expect(report.diagnostics.map { "\($0.severity) \($0.code)" } == (expected.isEmpty ? [] : [expected]))
    }

    @Test("Similar keys are reported once for all languages, and again only for languages that add new ones")
    func similarKeysOnce() throws {
        let keys = "\"Title\" = \"a\";\n\"title\" = \"b\";"
        let same = try Self.findings(keys, keys.replacing("\"a\"", with: "\"c\"").replacing("\"b\"", with: "\"d\""))
        #expect(same.diagnostics.map { "\($0.file) \($0.code)" } == ["en.lproj/Localizable.strings similar-keys"])
        let new = try Self.findings("\"Title\" = \"a\";", "\"Title\" = \"c\";\n\"title\" = \"d\";")
        #expect(
            new.diagnostics.map { "\($0.file) \($0.code)" } == [
                "fr.lproj/Localizable.strings extra-key", "fr.lproj/Localizable.strings similar-keys",
            ])
    }

    @Test("A fix is printed once")
    func fixOnce() throws {
        let text = try Self.findings("\"k\" = \"%@ is 5%!\";", "\"k\" = \"%@ fait 5%!\";").text
        for line in text.split(separator: "\n") where line.contains("[placeholder-malformed]") {
            #expect(line.components(separatedBy: "write %%").count == 2)
        }
        #expect(text.contains("[placeholder-malformed]"))
    }

    @Test("The problems that a list omits are an error only if one of them is", arguments: ["\\u00e9", "\\Uzz"])
    func furtherProblems(escape: String) {
        let text = (0..<1_200).map { "\"k\($0)\" = \"\(escape)\";\n" }.joined()
        let found = StringsTable.parse(strings: Array(text.utf8)).diagnostics.filter { $0.code == .furtherProblems }
        #expect(found.map(\.severity) == [escape == "\\Uzz" ? .error : .warning])
    }

    @Test("Rules are enabled individually, and a report has a summary and a baseline")
    func rules() throws {
        let tree = try Self.tree()
        let strings = Customization(path: tree.path, languages: ["en"])
        let all = strings.lint()
        let extra = all.only([.extraKey])
        #expect(extra.diagnostics.map(\.code) == [.extraKey, .extraKey])
        #expect(extra.ignoring(["extra-key"]).diagnostics == [])
        #expect(Set(all.diagnostics.map(\.code)).isSubset(of: CustomizationReport.codes))
        #expect(
            extra.summary == """
                2 × extra-key (warning), first at fr.lproj/Localizable.strings:6:1
                0 errors, 2 warnings, 0 notes

                """)
        #expect(
            extra.baseline == """
                fr.lproj/Localizable.strings extra-key "bad"
                fr.lproj/Localizable.strings extra-key "extra"

                """)
        #expect(all.removing(baseline: all.baseline).diagnostics == [])
        #expect(all.removing(baseline: extra.baseline).diagnostics.count == all.diagnostics.count - 2)
        #expect(all.removing(baseline: "nonsense").diagnostics == all.diagnostics)
        // A second finding of the same kind is new.
        var twice = extra
        twice.diagnostics += extra.diagnostics
        #expect(twice.removing(baseline: extra.baseline).diagnostics.count == 2)
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

    @Test("The colors of the policy are those of string catalogs, too")
    func catalogColors() throws {
        let tree = try TemporaryFolder([
            "Localizable.xcstrings": #"""
            {"sourceLanguage": "en", "strings": {"tint": {"localizations": {
              "en": {"stringUnit": {"value": "1,2,3"}}, "fr": {"stringUnit": {"value": "1,2,3,54"}}}}}}
            """#
        ])
        func codes(_ colors: ColorDialect) -> [String] {
            var policy = CustomizationPolicy()
            policy.colors = colors
            return Customization(path: tree.path, languages: [], policy: policy).lint().diagnostics.map(\.code.rawValue)
        }
        #expect(codes(.components(alpha: .undecided)) == ["ambiguous-alpha"])
        #expect(codes(.components(alpha: .byte)) == [])
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

    @Test("The overview has few lines for many findings, and each line can be found in the text")
    func overview() throws {
        let keys = (1...30).map { "k\($0)" }
        func table(_ keys: some Sequence<String>, _ text: String) -> String {
            keys.map { "\"\($0)\" = \"\(text) \($0)\";\n" }.joined()
        }
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": table(keys, "Text"),
            "de.lproj/Localizable.strings": table(keys.prefix(5), "Wort"),
            "fr.lproj/Localizable.strings": table(keys.dropLast(2), "Mot"),
            "es.lproj/Localizable.strings": table(keys.dropLast(2), "Texto "),
            "it.lproj/Localizable.strings": table(keys, "Testo") + "\"k31\" = \"\";\n",
        ])
        let report = Customization(path: tree.path, languages: [], brand: .none).lint()
        #expect(report.diagnostics.count == 25 + 2 + 2 + 1)
        #expect(
            report.overview == """
                de.lproj: warning: 25 findings, such as "k10", "k11", "k12"; the first is at de.lproj/Localizable.strings [missing-translation]
                es.lproj/Localizable.strings: warning: no es translation of "k29", defined at en.lproj/Localizable.strings:29:1 [missing-translation] (1 more in fr.lproj)
                es.lproj/Localizable.strings: warning: no es translation of "k30", defined at en.lproj/Localizable.strings:30:1 [missing-translation] (1 more in fr.lproj)
                it.lproj/Localizable.strings:31:1: warning: key "k31" is in it but not in the base language en [extra-key]
                0 errors, 30 warnings, 0 notes

                """)
    }
}
