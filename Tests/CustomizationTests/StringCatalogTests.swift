import AshlarTestSupport
import AshlarTexts
import Foundation
import Testing

@testable import AshlarCustomization

/// The constructs of string catalogs in published apps, with texts of our own.
@Suite struct StringCatalogTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

    /// A read in a language, its arguments, and the text.
    static let reads: [(language: String, key: String, values: [any FormatArgument & Sendable], text: String)] = [
        ("en", "Welcome back", [], "Welcome back"), ("de", "Welcome back", [], "Welcome back"),
        // A plural in one language only.
        ("en", "photos %lld", [1], "Photos: 1"), ("de", "photos %lld", [3], "Fotos: 3"),
        ("pl", "photos %lld", [1], "1 zdjęcie"), ("pl", "photos %lld", [22], "22 zdjęcia"),
        ("pl", "photos %lld", [5], "5 zdjęć"), ("en", "favorite %lld", [2], "Favorite"),
        ("ja", "favorite %lld", [2], "お気に入り 2 件"), ("fr", "favorite %lld", [2], "Favoris"),
        // Substitutions, whose arguments a translation can use in another order.
        ("en", "shared", [0, 1, "Zoë"], "no photos in one album for Zoë"),
        ("en", "shared", [1, 2, "Zoë"], "1 photo in 2 albums for Zoë"),
        ("de", "shared", [1, 1, "Zoë"], "Zoë hat ein Foto in einem Album"),
        ("de", "shared", [4, 2, "Zoë"], "Zoë hat 4 Fotos in 2 Alben"),
        ("en", "distance", [1.0], "1.0 kilometers away"), ("en", "distance", [2.25], "2.2 kilometers away"),
        // Devices with plurals.
        ("en", "swipe", [1], "Click once"), ("en", "swipe", [3], "Click 3 times"),
        ("fr", "swipe", [3], "Cliquez 3 fois"),
        // States: a new text without content isn't one; stale and unreviewed texts are.
        ("en", "old", [], "Old"), ("de", "old", [], "Alt"), ("en", "fresh", [], "Fresh"), ("de", "fresh", [], "Fresh"),
        ("fr", "fresh", [], "Nouveau"), ("de", "brand", [], "Fieldnotes"), ("de", "half", [8], "50 % von 8"),
        ("fr", "empty", [], ""), ("en", "empty", [], "empty"),
    ]

    @Test("Each construct has its text in each language")
    func reads() throws {
        for read in Self.reads {
            let language = try #require(LanguageTag(read.language))
            let strings = Customization(path: Self.folder.path(), languages: [language], brand: .none)
            let text = strings[
                CustomizationText(read.key, read.values.map { $0 as any FormatArgument }, table: "constructs")]
            #expect(text == read.text, "\(read.language) \(read.key)")
            #expect(strings.problems.isEmpty, "\(read.language) \(read.key): \(strings.problems)")
            #expect(strings.fileErrors.isEmpty)
        }
    }

    @Test("A translator's table lacks the new texts, and keys that nobody translates don't count")
    func coverage() {
        let coverage = StringsCoverage(Customization(path: Self.folder.path(), brand: .none))
        let missing = coverage.missing("de").map(\.key)
        #expect(missing == ["Welcome back", "distance", "empty", "favorite %lld", "fresh", "swipe"])
        #expect(!coverage.missing("fr").map(\.key).contains("brand"))
    }

    @Test(
        "A catalog without keys has no table and no problem; an empty file is an error",
        arguments: [(#"{"sourceLanguage": "en", "version": "1.0", "strings": {}}"#, 0), ("", 1), (" \n", 1)])
    func empty(text: String, errors: Int) {
        let (tables, diagnostics) = StringsTable.parse(stringCatalog: Array(text.utf8), file: "a.xcstrings")
        #expect(tables.isEmpty && diagnostics.count == errors)
        #expect(diagnostics.allSatisfy { $0.severity == .error && $0.location.line > 0 })
    }

    @Test(
        "A part that isn't read is reported at its place",
        arguments: [
            (#""localizations":[]"#, "5: error: \"localizations\" is not a dictionary"),
            (#""localizations":{"en":{"variations":{}}}"#, "5: warning: expected \"stringUnit\" or \"variations\""),
            (#""localizations":{"en":{"variations":[]}}"#, "5: warning: expected \"stringUnit\" or \"variations\""),
            (#""localizations":{"en":{"variations":{"device":{}}}}"#, "5: warning: there is no text for a device"),
            (
                #""localizations":{"en":{"stringUnit":{"value":"%#@a@"}}}"#,
                "5: error: %#@a@ is not defined"
            ),
            (
                #""localizations":{"en":{"stringUnit":{"value":"%#@b@ %2$#@a@"},"substitutions":{"b":{"variations":"#
                    + #"{"plural":{"other":{"stringUnit":{"value":"%arg %#@c@"}}}}}}}}"#,
                "5: error: %#@a@ is not defined, 5: error: %#@c@ is not defined"
            ),
            (
                #""localizations":{"en":{"variations":{"plural":{"other":{"variations":{"device":{"mac":"#
                    + #"{"stringUnit":{"value":"x"}}}}}}}}}"#,
                "5: warning: variations inside a plural form are not supported"
            ),
        ])
    func skippedParts(text: String, problems: String) {
        let catalog = "{\"sourceLanguage\":\"en\",\n\"strings\":{\n\"k\"\n:{\n\(text)}}}"
        let (_, diagnostics) = StringsTable.parse(stringCatalog: Array(catalog.utf8), file: "a")
        #expect(diagnostics.map { "\($0.line): \($0.severity): \($0.message)" }.joined(separator: ", ") == problems)
    }

    @Test("Comments and places are those of the file")
    func places() throws {
        let bytes = Array(try Data(contentsOf: Self.folder.appending(path: "constructs.xcstrings")))
        let (tables, diagnostics) = StringsTable.parse(stringCatalog: bytes, file: "constructs.xcstrings")
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        let entry = try #require(tables["pl"]?.entry("photos %lld"))
        #expect(entry.comment == "Only Polish has forms.")
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")[entry.location.line - 1]
        #expect(line.dropFirst(entry.location.column - 1).hasPrefix("\"pl\""))
    }
}
