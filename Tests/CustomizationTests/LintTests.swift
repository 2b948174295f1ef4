import AshlarCustomization
import Foundation
import Testing

@Suite struct LintTests {
    static func tree() throws -> TemporaryTree {
        try TemporaryTree([
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
            "Info.plist": infoPlist(brand: "acme"),
        ])
    }

    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

    /// Compares with a golden file; `ASHLAR_RECORD=1` writes it anew.
    static func expectGolden(_ text: String, _ name: String) throws {
        let url = fixtures.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["ASHLAR_RECORD"] == "1" {
            try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
    }

    @Test("Lint tells what is wrong with every language, brand and file, with file, line and column")
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

    @Test("Findings can be left out by kind; an orderly tree has none")
    func ignoring() throws {
        let tree = try Self.tree()
        let all = Customization(path: tree.path, languages: ["en"]).lint()
        let some = Customization(path: tree.path, languages: ["en"]).lint(ignoring: [.extraKey, .untranslated])
        #expect(all.diagnostics.count - some.diagnostics.count == 3, "two extra keys, one text left as it was")
        let orderly = try TemporaryTree([
            "en.lproj/Localizable.strings": "\"a\" = \"Yes\";", "fr.lproj/Localizable.strings": "\"a\" = \"Oui\";",
        ])
        #expect(Customization(path: orderly.path, languages: ["en"]).lint().diagnostics.isEmpty)
    }

    @Test(
        "The place where Foundation stops without a word is an error of its own",
        arguments: [
            "\"a\" = \"b\";\n;\n\"c\" = \"d\";", "\"a\" = \"b\";\n}\n\"c\" = \"d\";",
            "\"a\" = \"b\";\u{A0}\n\"c\" = \"d\";\n",
            "\"a\" = \"b\";\né = x;\n\"c\" = \"d\";",
        ])
    func truncation(_ source: String) throws {
        let tree = try TemporaryTree(["en.lproj/Localizable.strings": source])
        let report = Customization(path: tree.path, languages: ["en"]).lint()
        #expect(report.diagnostics.contains { $0.code == .truncatedByFoundation && $0.line >= 2 })
    }

    @Test("Aliases that lead nowhere, ignored alphas and decided alphas")
    func themesAndAlphas() throws {
        let themes = Theme.parse(
            Array(#"{"themes": [{"name": "T", "attributes": {"a": "$b", "c": "$c", "d": "FF000080"}}]}"#.utf8),
            file: "T.json"
        ).themes
        let report = Customization(layers: []).with(themes: themes).lint()
        #expect(report.diagnostics.map(\.code.rawValue).sorted() == ["alias-cycle", "dangling-alias", "ignored-alpha"])
        let tree = try TemporaryTree(["en.lproj/Localizable.strings": "\"c\" = \"1,2,3,54\";"])
        func codes(_ scale: ColorDialect.AlphaScale) -> [String] {
            let policy = CustomizationPolicy(colors: .components(alpha: scale))
            return Customization(path: tree.path, languages: ["en"], policy: policy).lint().diagnostics.map(
                \.code.rawValue)
        }
        #expect(codes(.undecided) == ["ambiguous-alpha"])
        #expect(codes(.byte).isEmpty && codes(.percent).isEmpty)
    }
}
