import Ashlar
import Foundation
import Testing

@testable import AshlarTooling

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct XLIFFTests {
    typealias Catalog = TranslationCatalog

    @Test(
        "A catalog survives XLIFF in both versions",
        arguments: [Catalog.XLIFFVersion.version1, .version2], ["fr", "ru"] as [LanguageTag])
    func xliff(version: Catalog.XLIFFVersion, language: LanguageTag) throws {
        let sample = TranslationCatalogTests.withoutNew(TranslationCatalogTests.sample)
        let (text, problems) = sample.xliff(version: version, language: language)
        #expect(problems == [])
        _ = try XMLDocument(xmlString: text)
        let read = Catalog.parse(xliff: Array(text.utf8), file: "a.xliff", model: sample)
        #expect(read.diagnostics == [])
        var expected = TranslationCatalogTests.only(["en", language], sample)
        expected.units.sort { ($0.table, $0.key) < ($1.table, $1.key) }
        var found = read.catalog
        found.units.sort { ($0.table, $0.key) < ($1.table, $1.key) }
        for (a, b) in zip(found.units, expected.units) {
            #expect(a.key == b.key && a.comment == b.comment)
            #expect(a.translations[language] == b.translations[language], "\(a.key)")
            // The source of a plural has a string for each category of the target language.
            if case .string = b.translations["en"]?.value { #expect(a.translations["en"] == b.translations["en"]) }
        }
        #expect(found.units.count == expected.units.count)
    }

    @Test("XLIFF has the layout that translation tools expect")
    func xliffLayout() {
        let catalog = Catalog(
            sourceLanguage: "en",
            units: [
                .init(
                    key: "k", comment: "note",
                    translations: ["en": .init("a < b"), "fr": .init("c", state: .needsReview)]),
                .init(key: "n", translations: ["en": .init(.message(TranslationCatalogTests.files))]),
            ])
        #expect(
            catalog.xliff(version: .version1, language: "fr").text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
                  <file original="Localizable" source-language="en" target-language="fr" datatype="plaintext">
                    <body>
                      <trans-unit id="k" xml:space="preserve">
                        <source>a &lt; b</source>
                        <target state="needs-review-translation">c</target>
                        <note>note</note>
                      </trans-unit>
                      <trans-unit id="n|==|plural.one" xml:space="preserve">
                        <source>%lld file</source>
                      </trans-unit>
                      <trans-unit id="n|==|plural.many" xml:space="preserve">
                        <source>%lld files</source>
                      </trans-unit>
                      <trans-unit id="n|==|plural.other" xml:space="preserve">
                        <source>%lld files</source>
                      </trans-unit>
                    </body>
                  </file>
                </xliff>

                """)
        let second = catalog.xliff(version: .version2, language: "fr").text
        #expect(
            second.contains(
                "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" version=\"2.0\" srcLang=\"en\" trgLang=\"fr\">")
        )
        #expect(second.contains("<unit id=\"u1\" name=\"k\" xml:space=\"preserve\">"))
        #expect(second.contains("<segment state=\"translated\" subState=\"ashlar:needs-review\">"))
    }

    @Test("XLIFF of other tools is read")
    func foreignXLIFF() {
        let text = """
            <?xml version="1.0"?>
            <xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
            <file original="Main" source-language="en" target-language="fr"><header/><body><group id="g">
            <trans-unit id="a"><source>A <g id="1">bold</g></source><target state="needs-adaptation">B</target></trans-unit>
            <trans-unit id="b"><source>C</source><target>D</target></trans-unit>
            <trans-unit id="c"><source>E</source></trans-unit></group></body></file></xliff>
            """
        let (catalog, problems) = Catalog.parse(xliff: Array(text.utf8), file: "f")
        #expect(catalog.units.map { $0.translations["fr"]?.value } == ["B", "D", nil])
        #expect(catalog.units.map { $0.translations["fr"]?.state } == [.needsReview, .translated, nil])
        #expect(catalog.units[0].translations["en"]?.value == "A bold")
        #expect(problems.map(\.description) == ["f:4:20: warning: inline markup is read as text [exchange-loss]"])
    }

    @Test("The segments of a unit are joined; a unit with a segment without target is not translated")
    func segments() {
        let file = """
            <xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="fr"><file id="f" original="T">
            <unit id="a"><segment state="final"><source>One.</source><target>Un.</target></segment><ignorable><source> \
            </source></ignorable><segment state="initial"><source>Two.</source><target>Deux.</target></segment></unit>
            <unit id="b"><segment><source>One.</source><target>Un.</target></segment><segment><source>Two.</source>\
            </segment></unit><unit id="c"/></file></xliff>
            """
        let (catalog, problems) = Catalog.parse(xliff: Array(file.utf8))
        #expect(problems.isEmpty)
        #expect(catalog.units.map(\.key) == ["a", "b"])
        #expect(catalog.units[0].translations["en"]?.value == .string("One. Two."))
        #expect(catalog.units[0].translations["fr"] == .init("Un. Deux.", state: .new))
        #expect(catalog.units[1].translations["en"]?.value == .string("One.Two."))
        #expect(catalog.units[1].translations["fr"] == nil)
    }

    @Test(
        "A malformed file is reported with its location and never crashes",
        arguments: [
            "", "<xliff", "<other/>", "<xliff version=\"1.2\"><file/></xliff>",
            "<xliff version=\"2.0\" srcLang=\"?\"/>",
        ])
    func malformedXLIFF(text: String) {
        #expect(Catalog.parse(xliff: Array(text.utf8)).diagnostics.contains { $0.severity == .error })
    }

    @Test("A character that XML can't contain is replaced and reported")
    func controls() {
        let catalog = Catalog(
            sourceLanguage: "en", units: [.init(key: "k", translations: ["en": .init("a\u{1}\u{2}b")])])
        let (text, problems) = catalog.xliff(version: .version1, language: "fr")
        #expect(text.contains("<source>a\u{FFFD}\u{FFFD}b</source>"))
        #expect(problems.map(\.description) == ["xliff: warning: XML can't contain U+1 [exchange-loss]"])
    }
}
