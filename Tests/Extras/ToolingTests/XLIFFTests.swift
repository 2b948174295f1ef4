import Ashlar
import AshlarTestSupport
import AshlarTrees
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
        let sample = TranslationCatalogTests.sample
        let (text, problems) = sample.xliff(version: version, language: language)
        #expect(problems == [])
        _ = try XMLDocument(xmlString: text)
        let read = Catalog.parse(xliff: Array(text.utf8), file: "a.xliff")
        #expect(read.diagnostics == [])
        let merge = TranslationCatalogTests.without(language, sample).merging(read.catalog)
        #expect(merge.diagnostics == [])
        #expect(
            TranslationCatalogTests.content(merge.catalog, language)
                == TranslationCatalogTests.content(sample, language))
        #expect(
            TranslationCatalogTests.states(merge.catalog, language) == TranslationCatalogTests.states(sample, language))
        // Every text to translate has a unit with its comment.
        #expect(read.catalog.units.map(\.name).sorted() == sample.units(for: language).map(\.name).sorted())
        #expect(read.catalog.units.first { $0.key == "title" }?.note == "On the \"first\" screen")
    }

    @Test("XLIFF has the layout that translation tools expect")
    func xliffLayout() {
        let catalog = Catalog(
            sourceLanguage: "en",
            units: [
                .init(key: "k", source: "a < b", targets: ["fr": .init("c", state: .needsReview)], note: "note"),
                .init(key: "n", form: "plural.one", source: "%lld file"),
                .init(key: "n", form: "plural.other", source: "%lld files"), .init(key: "own"),
            ])
        let digest = TranslationUnit.Target("c", state: .needsReview).digest
        #expect(
            catalog.xliff(version: .version1, language: "fr").text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:ashlar="urn:ashlar:xliff" version="1.2">
                  <file original="Localizable" source-language="en" target-language="fr" datatype="plaintext">
                    <body>
                      <trans-unit id="k" xml:space="preserve" ashlar:exported="\(digest)">
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
                      <trans-unit id="own" xml:space="preserve">
                        <source>own</source>
                      </trans-unit>
                    </body>
                  </file>
                </xliff>

                """)
        let second = catalog.xliff(version: .version2, language: "fr").text
        #expect(second.contains("version=\"2.0\" srcLang=\"en\" trgLang=\"fr\">"))
        #expect(second.contains("<unit id=\"u1\" name=\"k\" xml:space=\"preserve\" ashlar:exported=\"\(digest)\">"))
        #expect(second.contains("<segment state=\"translated\" subState=\"ashlar:needs-review\">"))
    }

    @Test("XLIFF of other tools is read with its inline elements")
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
        #expect(catalog.units.map { $0.targets["fr"]?.text } == ["B", "D", nil])
        #expect(catalog.units.map { $0.targets["fr"]?.state } == [.needsReview, .translated, nil])
        #expect(catalog.units[0].source == "A <g id=\"1\">bold</g>" && catalog.units[0].hasMarkup)
        #expect(
            problems.map(\.description) == [
                "f:3:65: note: the element header is left out [exchange-loss]",
                "f:3:80: note: the element group around units is left out [exchange-loss]",
            ])
    }

    @Test(
        "Files of other programs are read and written without a loss that isn't reported",
        arguments: ["angular.xlf", "symfony.fr.xlf", "qt_de.xlf", "xcode.xliff", "angular2.xlf", "okapi2.xlf"])
    func lossless(name: String) throws {
        let text = try fixture(name)
        let (catalog, problems) = Catalog.parse(xliff: Array(text.utf8), file: name)
        #expect(problems.allSatisfy { $0.severity != .error }, "\(problems)")
        let language = catalog.languages.first ?? "de"
        let isFirst = text.contains("version=\"1.2\"")
        let written = catalog.xliff(version: isFirst ? .version1 : .version2, language: language)
        #expect(written.diagnostics == [])
        func units(_ text: String) throws -> [String: XMLTree.Element] {
            var found: [String: XMLTree.Element] = [:]
            func collect(_ element: XMLTree.Element, _ file: String) {
                for child in element.elements {
                    let file = child.localName == "file" ? child["original"] ?? child["id"] ?? "" : file
                    if ["trans-unit", "unit"].contains(child.localName) {
                        let name = "\(file) \(child["name"] ?? child["id"] ?? child["resname"] ?? "")"
                        found[found[name] == nil ? name : name + " again"] = child
                    } else {
                        collect(child, file)
                    }
                }
            }
            let tree = XMLTree(parsing: text)
            #expect(tree.failure == nil)
            collect(try #require(tree.root), "")
            return found
        }
        /// The elements without white space between them, and without attributes that only a reader of files needs.
        func normal(_ element: XMLTree.Element) -> String {
            let own = ["xml:space", "ashlar:exported"]
            let attributes = element.attributes.filter { !own.contains($0.name) && !$0.name.hasPrefix("xmlns") }
                .filter {
                    !($0.name == "state" && $0.value == "initial") && !(element.localName == "unit" && $0.name == "id")
                }
                .map { "\($0.name)=\($0.value)" }.sorted()
            let isText = ["source", "target", "note"].contains(element.localName)
            let content = element.children.compactMap { child -> String? in
                switch child {
                case .text(let text): isText || element.elements.isEmpty ? text : nil
                case .comment: nil
                case .element(let inner): isText ? inner.xml : normal(inner)
                }
            }
            return "<\(element.localName) \(attributes)>\(content.joined())</>"
        }
        let (before, after) = (try units(text).mapValues(normal), try units(written.text).mapValues(normal))
        #expect(before.keys.sorted() == after.keys.sorted())
        for (key, unit) in before { #expect(after[key] == unit) }
        // Every plain text reaches a tree.
        var tree = catalog
        for number in tree.units.indices {
            (tree.units[number].targets, tree.units[number].element) = ([:], nil)
            if tree.units[number].hasMarkup {
                tree.units[number].source = tree.units[number].source.map(XLIFFText.plain)
                tree.units[number].hasMarkup = false
            }
        }
        let merge = tree.merging(catalog)
        #expect(merge.diagnostics.allSatisfy { $0.code == .exchangeLoss && $0.key != nil || $0.code == .extraKey })
    }

    @Test("Repeated IDs, missing IDs and a missing language are reported")
    func reported() {
        let head =
            "<xliff version='1.2' xmlns='urn:oasis:names:tc:xliff:document:1.2'><file original='T' source-language='en'><body>"
        func read(_ body: String, _ file: String = "f") -> (Catalog, [String]) {
            let (catalog, problems) = Catalog.parse(
                xliff: Array((head + body + "</body></file></xliff>").utf8), file: file)
            return (catalog, problems.map { "\($0.severity) \($0.code) \($0.key ?? "")" })
        }
        let twice = read(
            "<trans-unit id='a'><source>A</source></trans-unit><trans-unit id='a'><source>B</source></trans-unit>")
        #expect(twice.0.units.map(\.source) == ["A", "B"] && twice.1 == ["warning duplicate-key a"])
        #expect(read("<trans-unit><source>A</source></trans-unit>").1 == ["error malformed-file "])
        let body = "<trans-unit id='a'><source>A</source><target>B</target></trans-unit><trans-unit id='b'/>"
        let foreign = read(body)
        #expect(foreign.0.units[0].targets["und"]?.text == "B" && foreign.1 == ["warning malformed-file "])
        #expect(foreign.0.units.map(\.key) == ["a", "b"] && foreign.0.units[1].source == nil)
        #expect(read(body, "x/messages.pt-BR.xlf").0.languages == ["pt-BR"])
        #expect(read(body, "app_de.xlf").0.languages == ["de"])
    }

    @Test("Hostile files are read in linear time", .timeLimit(.minutes(5)))
    func hostile() {
        let head = "<xliff version='1.2'><file original='T' source-language='en' target-language='de'><body>"
        let texts: [(Int) -> String] = [
            { head + String(repeating: "<trans-unit id='a'><source>A</source></trans-unit>", count: $0) },
            { head + "<trans-unit id='" + String(repeating: "|==|", count: $0) + "'><source/></trans-unit>" },
            { head + "<trans-unit id='a'><source>" + String(repeating: "<x/>", count: $0) + "</source></trans-unit>" },
            { head + String(repeating: "<trans-unit ", count: $0) }, { head + String(repeating: "<!-- ", count: $0) },
            { head + "<trans-unit " + (0..<$0).map { "a\($0)='' " }.joined() + "/>" },
        ]
        for (number, text) in texts.enumerated() {
            let ratio = growth(from: 2_000, to: 16_000, limit: 30) {
                Array(text($0).utf8)
            } _: { bytes in
                _ = Catalog.parse(xliff: bytes)
            }
            // Eight times the text takes 8 times as long; with quadratic time, 64 times.
            #expect(ratio < 30, "\(number)")
        }
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
        #expect(problems.map { "\($0.severity) \($0.key ?? "")" } == ["note a", "note b", "warning c"])
        #expect(catalog.units.map(\.key) == ["a", "b"])
        #expect(catalog.units[0].source == "One. Two.")
        #expect(catalog.units[0].targets["fr"] == .init("Un. Deux.", state: .new))
        #expect(catalog.units[1].source == "One.Two.")
        #expect(catalog.units[1].targets["fr"] == nil)
    }

    @Test("A target in the source language is reported if its text differs")
    func sourceTarget() {
        let file = """
            <xliff version="1.2"><file original="T" source-language="en" target-language="en"><body>
            <trans-unit id="a"><source>greeting</source><target>Hello</target></trans-unit>
            <trans-unit id="b"><source>Same</source><target>Same</target></trans-unit></body></file></xliff>
            """
        let (catalog, problems) = Catalog.parse(xliff: Array(file.utf8))
        #expect(catalog.units.map(\.source) == ["greeting", "Same"] && catalog.languages.isEmpty)
        #expect(problems.map { "\($0.code) \($0.key ?? "") \($0.line)" } == ["exchange-loss a 2"])
    }

    @Test("A file that isn't UTF-8 is reported in every format")
    func encoding() throws {
        let latin = Array("b".utf8) + [0xE4] + Array("r".utf8)
        let xliff = Array(
            "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body>\n<trans-unit id=\"a\"><source>"
                .utf8)
        let problems = Catalog.parse(
            xliff: xliff + latin + Array("</source></trans-unit></body></file></xliff>".utf8)
        ).diagnostics
        #expect(problems.map { "\($0.severity) \($0.code) \($0.line)" } == ["error invalid-encoding 2"])
        let csv = Catalog.parse(csv: Array("key,en\na,".utf8) + latin).diagnostics
        #expect(csv.map { "\($0.severity) \($0.line)" } == ["error 2"])
    }

    @Test("A new translation of several segments is written as one segment")
    func joinedSegments() {
        let file = """
            <xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="fr"><file id="f" original="T">
            <unit id="a" name="a"><ignorable><source> </source></ignorable><segment><source>One.</source><target>Un.</target>\
            </segment><segment><source>Two.</source><target>Deux.</target></segment></unit></file></xliff>
            """
        var catalog = Catalog.parse(xliff: Array(file.utf8)).catalog
        catalog.units[0].targets["fr"] = .init("Neuf")
        let (text, problems) = catalog.xliff(version: .version2, language: "fr")
        #expect(problems.map(\.code) == [.exchangeLoss])
        let again = Catalog.parse(xliff: Array(text.utf8)).catalog.units
        #expect(again.map(\.source) == [" One.Two."] && again.map { $0.targets["fr"]?.text } == ["Neuf"])
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

    @Test("A character that XML can't contain is an element in version 2.0, and replaced and reported in version 1.2")
    func controls() {
        let catalog = Catalog(sourceLanguage: "en", units: [.init(key: "k", source: "a\u{1}\u{2}b")])
        let (text, problems) = catalog.xliff(version: .version1, language: "fr")
        #expect(text.contains("<source>a\u{FFFD}\u{FFFD}b</source>"))
        #expect(problems.map(\.description) == ["xliff: warning: XML can't contain U+1 [exchange-loss]"])
        let second = catalog.xliff(version: .version2, language: "fr")
        #expect(second.diagnostics == [] && second.text.contains("a<cp hex=\"0001\"/><cp hex=\"0002\"/>b"))
        #expect(Catalog.parse(xliff: Array(second.text.utf8)).catalog.units[0].source == "a\u{1}\u{2}b")
    }
}
