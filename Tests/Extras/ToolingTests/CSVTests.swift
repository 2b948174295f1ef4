import Ashlar
import Foundation
import Testing

@testable import AshlarTooling

@Suite struct CSVTests {
    typealias Catalog = TranslationCatalog

    @Test("A catalog survives CSV")
    func csv() {
        let read = Catalog.parse(
            csv: Array(TranslationCatalogTests.sample.csv.utf8), model: TranslationCatalogTests.sample)
        #expect(read.diagnostics == [])
        #expect(read.catalog == TranslationCatalogTests.sample)
    }

    @Test("CSV has a column and a state column for each language")
    func csvLayout() {
        let catalog = Catalog(
            sourceLanguage: "en",
            units: [
                .init(
                    key: "a,b", comment: "c",
                    translations: ["en": .init("x\"y\""), "fr": .init("z", state: .needsReview)])
            ])
        #expect(
            catalog.csv
                == "table,key,part,comment,en,fr,fr state\r\nLocalizable,\"a,b\",,c,\"x\"\"y\"\"\",z,needsReview\r\n")
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
        #expect(catalog.units == [.init(key: "a", translations: ["en": .init("A"), "fr": .init("B")])])
    }

    @Test(
        "A malformed table is reported with its line",
        arguments: [
            ("", "f:1: error: expected a column \"key\" and a column of a language [malformed-file]"),
            ("key,en\na,b,c\n", "f:2: error: 3 cells, but the first row has 2 [malformed-file]"),
            ("key,en\na,\"b", "f:2: error: unterminated quotation mark [malformed-file]"),
            ("key,en,no language\na,b,c\n", "f:1: error: column \"no language\" is not a language [malformed-file]"),
            (
                "key,part,en\na,plural.x,b\n",
                "Localizable: error: the texts plural.x do not form a message [malformed-file]"
            ),
        ])
    func malformedCSV(text: String, problem: String) {
        #expect(Catalog.parse(csv: Array(text.utf8), file: "f").diagnostics.map(\.description).contains(problem))
    }
}
