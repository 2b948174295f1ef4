import Ashlar
import Foundation
import Testing

@testable import AshlarTooling

@Suite struct MergeTests {
    typealias Catalog = TranslationCatalog

    private func catalog(_ source: String, _ french: String?, _ state: Catalog.State = .translated) -> Catalog {
        var unit = Catalog.Unit(key: "k", translations: ["en": .init(.string(source))])
        if let french { unit.translations["fr"] = .init(.string(french), state: state) }
        return Catalog(sourceLanguage: "en", units: [unit])
    }

    @Test("Merging takes new translations and reports conflicts by key")
    func merging() {
        func merged(_ ours: Catalog, _ theirs: Catalog, _ ancestor: Catalog? = nil) -> (
            String?, Catalog.State?, [String]
        ) {
            let result = ours.merging(theirs, ancestor: ancestor)
            let french = result.catalog.units[0].translations["fr"]
            return (french?.value.text, french?.state, result.diagnostics.map(\.code.rawValue))
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
        // The source text has changed since.
        #expect(merged(catalog("b", nil), catalog("a", "x")) == ("x", .needsReview, ["outdated-translation"]))
        let missing = Catalog(sourceLanguage: "en").merging(catalog("a", "x"))
        #expect(missing.catalog.units.isEmpty && missing.diagnostics.map(\.code.rawValue) == ["extra-key"])
    }
}
