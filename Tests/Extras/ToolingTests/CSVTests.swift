import Ashlar
import Foundation
import Testing

@testable import AshlarTooling

@Suite struct CSVTests {
    typealias Catalog = TranslationCatalog

    @Test("A catalog survives CSV")
    func csv() {
        let sample = TranslationCatalogTests.sample
        let read = Catalog.parse(csv: Array(sample.csv.utf8))
        #expect(read.diagnostics == [])
        let bare = TranslationCatalogTests.without("fr", TranslationCatalogTests.without("ru", sample))
        let merge = bare.merging(read.catalog)
        #expect(merge.diagnostics == [])
        for language in ["fr", "ru"] as [LanguageTag] {
            #expect(
                TranslationCatalogTests.content(merge.catalog, language)
                    == TranslationCatalogTests.content(sample, language))
        }
    }

    @Test("CSV has columns for the text, the state and the exported state of each language")
    func csvLayout() {
        let target = TranslationUnit.Target("z", state: .needsReview)
        let catalog = Catalog(
            sourceLanguage: "en", units: [.init(key: "a,b", source: "x\"y\"", targets: ["fr": target], note: "c")])
        #expect(
            catalog.csv == "table,key,part,comment,en,fr,fr state,fr exported\r\n"
                + "Localizable,\"a,b\",,c,\"x\"\"y\"\"\",z,needsReview,\(target.digest)\r\n")
    }

    @Test(
        "CSV of spreadsheets is read",
        arguments: [
            "key;en;fr\na;A;B\n", "\u{FEFF}key,en,fr\r\na,A,B", "en\tkey\tfr\nA\ta\tB\n\n",
            "key,en,fr\r\"a\",\"A\",\"B\"\r",
        ])
    func foreignCSV(text: String) {
        let (catalog, problems) = Catalog.parse(csv: Array(text.utf8))
        #expect(problems == [])
        #expect(catalog.units == [.init(key: "a", source: "A", targets: ["fr": .init("B")])])
    }

    @Test(
        "Quotation marks enclose a cell, and are text elsewhere",
        arguments: [
            ("\"x\"", "x"), ("\"\"", ""), ("x\"\"y", "x\"\"y"), ("x\"y\"", "x\"y\""), ("\"x\"y", "xy"),
            ("\"x\"y\"z", "xy\"z"),
            ("\"\"\"x\"\"\"", "\"x\""), ("\"\"\"\"", "\""), ("\"x\"\"\"\"y\"", "x\"\"y"), ("\"a,b;c\td\"", "a,b;c\td"),
            ("\"a\r\nb\rc\nd\"", "a\r\nb\rc\nd"), ("\"\u{301}é\"", "\u{301}é"), (" x ", " x "),
        ])
    func quotes(cell: String, text: String) {
        for end in ["\n", "\r", "\r\n", ""] {
            let (catalog, problems) = Catalog.parse(csv: Array("key,en,fr\na,\(cell),B\nb,C,\(cell)\(end)".utf8))
            #expect(problems == [])
            #expect(catalog.units.map(\.key) == ["a", "b"])
            #expect(catalog.units.first?.source.map { Array($0.utf8) } == Array(text.utf8))
            #expect(catalog.units.last?.targets["fr"]?.text ?? "" == text)
        }
    }

    @Test(
        "A malformed table is reported with its line",
        arguments: [
            ("", "f:1: error: expected a column \"key\" and a column of a language [malformed-file]"),
            ("key,en\na,b,c\n", "f:2: error: 3 cells, but the first row has 2 [malformed-file]"),
            ("key,en\na,\"b", "f:2: error: unterminated quotation mark [malformed-file]"),
            ("key,en,no language\na,b,c\n", "f:1: error: column \"no language\" is not a language [malformed-file]"),
            ("key,part,en\na,plural.x,b\n", "f:2: error: \"plural.x\" is not a form of \"a\" [malformed-file]"),
        ])
    func malformedCSV(text: String, problem: String) {
        #expect(Catalog.parse(csv: Array(text.utf8), file: "f").diagnostics.map(\.description).contains(problem))
    }
}
