import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTooling

@Suite struct MergeTests {
    typealias Catalog = TranslationCatalog
    typealias Unit = TranslationUnit

    private func catalog(_ source: String, _ french: String?, _ state: Unit.State = .translated) -> Catalog {
        var unit = Unit(key: "k", source: source)
        if let french { unit.targets["fr"] = .init(french, state: state) }
        return Catalog(sourceLanguage: "en", units: [unit])
    }

    @Test("Merging takes new translations and reports conflicts by key")
    func merging() {
        func merged(_ ours: Catalog, _ theirs: Catalog, _ ancestor: Catalog? = nil) -> (
            String?, Unit.State?, [String]
        ) {
            let result = ours.merging(theirs, ancestor: ancestor)
            let french = result.catalog.units[0].targets["fr"]
            return (french?.text, french?.state, result.diagnostics.map(\.code.rawValue))
        }
        #expect(merged(catalog("a", nil), catalog("a", "x")) == ("x", .translated, []))
        #expect(merged(catalog("a", "", .new), catalog("a", "x")) == ("x", .translated, []))
        #expect(merged(catalog("a", "x"), catalog("a", "x")) == ("x", .translated, []))
        #expect(merged(catalog("a", "x"), catalog("a", nil)) == ("x", .translated, []))
        #expect(merged(catalog("a", "x"), catalog("a", "y")) == ("x", .translated, ["merge-conflict"]))
        #expect(merged(catalog("a", "x"), catalog("a", "", .new)) == ("x", .translated, []))
        #expect(merged(catalog("a", "x", .needsReview), catalog("a", "x")) == ("x", .translated, []))
        // With a common ancestor only changes on both sides are conflicts.
        #expect(merged(catalog("a", "x"), catalog("a", "y"), catalog("a", "x")) == ("y", .translated, []))
        #expect(merged(catalog("a", "y"), catalog("a", "x"), catalog("a", "x")) == ("y", .translated, []))
        #expect(
            merged(catalog("a", "y"), catalog("a", "z"), catalog("a", "x")) == ("y", .translated, ["merge-conflict"]))
        // A translation that was lost here returns.
        #expect(merged(catalog("a", nil), catalog("a", "x"), catalog("a", "x")) == ("x", .translated, []))
        // The source text has changed since.
        #expect(merged(catalog("b", nil), catalog("a", "x")) == ("x", .needsReview, ["outdated-translation"]))
        let missing = Catalog(sourceLanguage: "en").merging(catalog("a", "x"))
        #expect(missing.catalog.units.isEmpty && missing.diagnostics.map(\.code.rawValue) == ["extra-key"])
    }

    @Test("Another source language is an error, because its texts can't be compared", arguments: ["de", "en-US"])
    func sourceLanguage(tag: LanguageTag) {
        var theirs = catalog("a", "x")
        theirs.sourceLanguage = tag
        let merge = catalog("a", nil).merging(theirs)
        #expect(merge.diagnostics.map(\.severity) == (tag == "de" ? [.error] : []))
        #expect(merge.catalog.units[0].targets["fr"]?.text == "x")
    }

    @Test("A side can be preferred in a conflict, and the result counts the changes")
    func preference() {
        for (side, text) in [(TranslationMerge.Side.ours, "x"), (.theirs, "y")] {
            let merge = catalog("a", "x").merging(catalog("a", "y"), preferring: side)
            #expect(merge.catalog.units[0].targets["fr"]?.text == text)
            #expect(merge.diagnostics == [] && merge.conflicts == 1)
        }
        #expect(
            catalog("a", nil).merging(catalog("a", "y")).summary == "1 added, 0 updated, 0 unchanged, 0 conflicts")
    }

    enum Format: CaseIterable { case csv, version1, version2 }

    @Test("A corrected translation in an exported file updates the tree's", arguments: Format.allCases)
    func stored(format: Format) {
        func read(_ catalog: Catalog, _ change: (String) -> String) -> Catalog {
            switch format {
            case .csv: return Catalog.parse(csv: Array(change(catalog.csv).utf8)).catalog
            case .version1, .version2:
                let text = catalog.xliff(version: format == .version1 ? .version1 : .version2, language: "fr").text
                return Catalog.parse(xliff: Array(change(text).utf8)).catalog
            }
        }
        let exported = catalog("source", "Falsch")
        let corrected = read(exported) { $0.replacing("Falsch", with: "Richtig") }
        let merge = exported.merging(corrected)
        #expect(merge.catalog.units[0].targets["fr"]?.text == "Richtig" && merge.updated == 1)
        #expect(merge.diagnostics == [])
        // The tree's translation has changed, the file's hasn't.
        let unchanged = catalog("source", "Neu").merging(read(exported) { $0 })
        #expect(unchanged.catalog.units[0].targets["fr"]?.text == "Neu" && unchanged.diagnostics == [])
        // Both have changed.
        #expect(catalog("source", "Neu").merging(corrected).diagnostics.map(\.code.rawValue) == ["merge-conflict"])
        // A tool removed the stored state.
        let bare = read(exported) {
            $0.replacing("Falsch", with: "Richtig").replacing(exported.units[0].targets["fr"]?.digest ?? "", with: "")
        }
        #expect(exported.merging(bare).conflicts == 1)
        #expect(exported.merging(bare, ancestor: exported).updated == 1)
    }

    @Test("A plural of a language whose source is plain is exported and imported, with other units")
    func structures() throws {
        let bytes = Array(try fixture("Posts.xcstrings").utf8)
        let catalog = Catalog.parse(stringCatalog: bytes).catalog
        let names = catalog.units(for: "de").map(\.name)
        #expect(names == ["%lld posts|==|plural.one", "%lld posts|==|plural.other", "About", "Hello"])
        #expect(catalog.units(for: "fr").map(\.name) == ["%lld posts", "About", "Hello"])
        #expect(catalog.units(for: "de").first?.source == "%lld posts")
        for version in [Catalog.XLIFFVersion.version1, .version2] {
            let text = catalog.xliff(version: version, language: "de").text
                .replacing("%lld Beitrag<", with: "%lld Artikel<").replacing("Über", with: "Info")
            let read = Catalog.parse(xliff: Array(text.utf8))
            let merge = catalog.merging(read.catalog)
            #expect(merge.diagnostics == [] && merge.updated == 2 && read.diagnostics == [])
            let value = merge.catalog.tables(of: "de")["Localizable"]?["%lld posts"]?.message
            #expect(value?.formatted(1, language: "de").text == "1 Artikel")
        }
    }

    @Test("A bad unit doesn't prevent the import of others, and is reported by key")
    func badUnit() {
        let csv = "key,part,en,fr\na,,A,Ah\nb,plural.x,B,Bé\nc,,C,Cé\n"
        let (catalog, problems) = Catalog.parse(csv: Array(csv.utf8), file: "f")
        #expect(problems.map(\.description) == ["f:3: error: \"plural.x\" is not a form of \"b\" [malformed-file]"])
        #expect(catalog.units.map(\.key) == ["a", "c"])
        let mixed = Catalog(
            sourceLanguage: "en",
            units: ["", "plural.one"].map { Unit(key: "m", form: $0, targets: ["fr": .init("x")]) }
                + [Unit(key: "n", targets: ["fr": .init("y")])])
        #expect(mixed.tables(of: "fr")["Localizable"]?.map(\.key) == ["n"])
    }

    @Test("Texts that aren't for translators are neither exported nor changed")
    func shouldTranslate() {
        var ours = catalog("a", "x")
        ours.units[0].shouldTranslate = false
        #expect(ours.units(for: "fr").isEmpty)
        #expect(
            !ours.xliff(version: .version1, language: "fr").text.contains("trans-unit")
                && !ours.csv.contains("Localizable"))
        let merge = ours.merging(catalog("a", "y"), preferring: .theirs)
        #expect(merge.catalog == ours && merge.diagnostics.map(\.code.rawValue) == ["extra-key"])
        #expect(ours.merging(catalog("a", "x")).diagnostics == [], "a file with the same text changes nothing")
    }
}
