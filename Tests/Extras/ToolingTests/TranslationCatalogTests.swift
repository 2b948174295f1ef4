import Ashlar
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTooling

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct TranslationCatalogTests {
    typealias Catalog = TranslationCatalog
    typealias Unit = TranslationUnit

    static let files = CustomizationMessage(forms: [.one: "%lld file", .other: "%lld files"])
    static let owner = CustomizationMessage(
        format: "%1$@ has %2$#@files@ in %3$#@folders@",
        variables: [
            "files": .init(valueType: "lld", forms: [.one: "a file", .other: "%2$lld files"]),
            "folders": .init(valueType: "d", forms: [.one: "a folder", .other: "%3$d folders"]),
        ])
    static let press = CustomizationMessage(
        .devices(["mac": CustomizationMessage("Click"), "other": CustomizationMessage("Tap"), "iphone": files]))

    /// A catalog with every kind of entry.
    static var sample: Catalog {
        func table(_ entries: [(String, CustomizationValue, String?)]) -> StringsTable {
            StringsTable(entries: entries.map { .init(key: $0.0, value: $0.1, comment: $0.2) })
        }
        func layer(_ role: CustomizationLayer.Role, _ entries: [(String, CustomizationValue, String?)], _ other: String)
            -> CustomizationLayer
        {
            CustomizationLayer(
                id: "\(role)", role: role,
                tables: ["Localizable": table(entries), "Main": table([("other", .string(other), nil)])])
        }
        let russian = CustomizationMessage(forms: [
            .one: "%lld файл", .few: "%lld файла", .many: "%lld файлов", .other: "%lld",
        ])
        let layers = [
            layer(
                .base("en"),
                [
                    ("title", "Title & <more>", "On the \"first\" screen"), ("lines", "One\ntwo, \"three\"\n", nil),
                    ("empty", "", nil), ("files", .message(files), nil), ("owner", .message(owner), nil),
                    ("press", .message(press), nil), ("a|==|b", "mark", nil), ("x|==|plural.one", "form", nil),
                    ("%lld posts", "%lld posts", nil),
                ], "In another table"),
            layer(
                .language("fr"),
                [
                    ("title", "Titre", nil), ("lines", " Un ", nil), ("empty", "", nil),
                    ("files", .message(files), nil), ("owner", .message(owner), nil),
                    ("press", .message(press), nil), ("a|==|b", "marque", nil), ("x|==|plural.one", "forme", nil),
                    (
                        "%lld posts",
                        .message(CustomizationMessage(forms: [.one: "%lld article", .other: "%lld articles"])), nil
                    ),
                ], "Ailleurs"),
            layer(.language("ru"), [("files", .message(russian), nil)], "Где-то"),
        ]
        var catalog = Catalog(layers: layers, sourceLanguage: "en")
        for number in catalog.units.indices where ["lines", "files"].contains(catalog.units[number].key) {
            catalog.units[number].targets["fr"]?.state = .needsReview
        }
        return catalog
    }

    /// The values and states of a language by table and key.
    static func content(_ catalog: Catalog, _ language: LanguageTag) -> [String: CustomizationValue] {
        var content: [String: CustomizationValue] = [:]
        for (name, table) in catalog.tables(of: language) {
            for entry in table { content["\(name) \(entry.key)"] = entry.value }
        }
        return content
    }

    static func states(_ catalog: Catalog, _ language: LanguageTag) -> [String: Unit.State] {
        catalog.units.reduce(into: [:]) { $0["\($1.table) \($1.name)"] = $1.targets[language]?.state }
    }

    /// The catalog without the translations of a language.
    static func without(_ language: LanguageTag, _ catalog: Catalog) -> Catalog {
        var catalog = catalog
        for number in catalog.units.indices { catalog.units[number].targets[language] = nil }
        return catalog
    }

    // MARK: String catalogs

    @Test("A table survives .xcstrings with its states")
    func stringCatalog() throws {
        var sample = Self.sample
        sample.units.removeAll { $0.table != "Localizable" }
        sample.units[0].isStale = true
        sample.units[1].extractionState = "manual"
        sample.units[1].shouldTranslate = false
        let text = sample.stringCatalog()
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let read = Catalog.parse(stringCatalog: Array(text.utf8), file: "a.xcstrings")
        #expect(read.diagnostics == [])
        for language in ["en", "fr", "ru"] as [LanguageTag] {
            #expect(Self.content(read.catalog, language) == Self.content(sample, language))
            #expect(Self.states(read.catalog, language) == Self.states(sample, language))
        }
        let found = Dictionary(uniqueKeysWithValues: read.catalog.units.map { ($0.name, $0) })
        for unit in sample.units {
            let other = try #require(found[unit.name])
            #expect(other.note == unit.note && other.extractionState == unit.extractionState, "\(unit.name)")
            #expect(other.shouldTranslate == unit.shouldTranslate)
        }
        #expect(read.catalog.stringCatalog() == text)
    }

    @Test("The keys of a string catalog are sorted, also those of plural categories")
    func sortedCatalog() throws {
        let categories: [PluralCategory] = [.two, .one, .zero, .other, .few, .many]
        let units = categories.map { Unit(key: "k", form: "plural.\($0)", source: "x") }
        let text = Catalog(sourceLanguage: "en", units: units).stringCatalog()
        let places = try ["few", "many", "one", "other", "two", "zero"].map { category in
            try #require(text.range(of: "\"\(category)\"")).lowerBound
        }
        #expect(places == places.sorted())
    }

    // MARK: Random catalogs

    @Test("Random catalogs survive every format", .timeLimit(.minutes(5)))
    func random() throws {
        var random = SeededRandom(seed: 1_122)
        let pieces = [
            "a", " ", "\n", "\"", ",", "<", "&", "é", "日", "%@", "%1$lld", "|==|", ";", "\t", "'", "\\", "]]>", "=",
            "\r\n", "|==|plural.one", "}", "{", "<b>", "&amp;", "e\u{301}",
        ]
        func text() -> String {
            (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        for round in 0..<60 {
            var units: [Unit] = []
            for number in 0..<Int.random(in: 1...6, using: &random) {
                let key = "\(number)" + text()
                let states: [Unit.State] = [.needsReview, .translated]
                // The structures of both languages are independent of each other.
                func forms() -> [String] {
                    Bool.random(using: &random) ? [""] : ["plural.one", "plural.many", "plural.other"]
                }
                let (sources, targets) = (forms(), forms())
                for form in Set(sources + targets).sorted() {
                    var unit = Unit(key: key, form: form, source: sources.contains(form) ? text() : nil)
                    if targets.contains(form) {
                        unit.targets["fr"] = .init(text(), state: states.randomElement(using: &random) ?? .new)
                    }
                    units.append(unit)
                }
            }
            let catalog = Catalog(sourceLanguage: "en", units: units)
            let stripped = Self.without("fr", catalog)
            func check(_ read: Catalog, _ format: String) {
                let merge = stripped.merging(read)
                #expect(merge.diagnostics == [], "\(format), round \(round), seed 1122")
                #expect(
                    Self.states(merge.catalog, "fr") == Self.states(catalog, "fr")
                        && merge.catalog.units.allSatisfy { unit in
                            unit.targets["fr"]?.text
                                == catalog.units.first { $0.name == unit.name }?.targets["fr"]?.text
                        }, "\(format), round \(round), seed 1122")
                // A file that comes back unchanged changes nothing.
                let again = catalog.merging(read)
                #expect(again.catalog == catalog && again.added + again.updated + again.conflicts == 0)
            }
            check(Catalog.parse(csv: Array(catalog.csv.utf8)).catalog, "CSV")
            for version in [Catalog.XLIFFVersion.version1, .version2] {
                let xliff = catalog.xliff(version: version, language: "fr")
                let read = Catalog.parse(xliff: Array(xliff.text.utf8))
                #expect(xliff.diagnostics == [] && read.diagnostics == [])
                check(read.catalog, "\(version)")
            }
            let read = Catalog.parse(stringCatalog: Array(catalog.stringCatalog().utf8)).catalog
            #expect(Self.states(read, "fr") == Self.states(catalog, "fr"))
        }
    }

    // MARK: Trees

    @Test("Translations are written to the files of a tree, and every other byte is unchanged")
    func tree() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "\"title\" = \"Title\";\n\"ok\" = \"OK\";\n",
            "fr.lproj/Localizable.strings": "/* A comment */\n\"ok\"=\"D'accord\";  // odd\n",
            "en.lproj/Localizable.stringsdict": StringsTable(entries: [.init(key: "files", value: .message(Self.files))]
            )
            .formattedStringsDict(),
        ])
        let catalog = Catalog(Customization(path: tree.path, languages: []))
        #expect(catalog.units.map(\.name).sorted() == ["files|==|plural.one", "files|==|plural.other", "ok", "title"])
        #expect(catalog.languages == ["fr"])
        var changed = catalog
        for number in changed.units.indices where changed.units[number].key != "ok" {
            let source = try #require(changed.units[number].source)
            changed.units[number].targets["fr"] = .init(changed.units[number].key == "title" ? "Titre" : source)
        }
        #expect(try changed.write("fr", toTree: tree.path).count == 2)
        let french = try String(contentsOfFile: tree.path + "/fr.lproj/Localizable.strings", encoding: .utf8)
        #expect(french.hasPrefix("/* A comment */\n\"ok\"=\"D'accord\";  // odd\n"))
        let strings = Customization(path: tree.path, languages: ["fr"], brand: .none)
        #expect(strings.string("title") == "Titre" && strings.string("ok") == "D'accord")
        #expect(strings.explain("files").winner?.location.file == "fr.lproj/Localizable.stringsdict")
        #expect(try changed.write("fr", toTree: tree.path) == [], "nothing changes twice")
        #expect(try changed.write("de", toTree: tree.path) == [])
    }

    @Test(
        "A table whose name leads out of the tree is an error, and nothing is written",
        arguments: ["../../out", "../out", "/out", "a/out", "en.lproj/Localizable.strings", "", "a\0b"])
    func hostileTable(name: String) throws {
        let outer = try TemporaryFolder(["outer/tree/en.lproj/Localizable.strings": "\"title\" = \"Title\";\n"])
        let original = name.isEmpty || name.contains("\0") ? nil : name
        var catalog = Catalog(sourceLanguage: "en")
        if let original {
            let xliff = """
                <xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file original="\(original)"
                source-language="en" target-language="fr" datatype="plaintext"><body><trans-unit id="title">
                <source>Title</source><target state="translated">Titre</target></trans-unit></body></file></xliff>
                """
            catalog = Catalog.parse(xliff: Array(xliff.utf8)).catalog
        } else {
            catalog.units.append(.init(table: name, key: "title", targets: ["fr": .init("Titre")]))
        }
        catalog.units.insert(.init(table: "A", key: "title", targets: ["fr": .init("Titre")]), at: 0)
        let before = try FileManager.default.subpathsOfDirectory(atPath: outer.path).sorted()
        let error = #expect(throws: CustomizationError.self) {
            try catalog.write("fr", toTree: outer.path + "/outer/tree")
        }
        #expect(error?.code == .unwritable)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: outer.path).sorted() == before)
    }

    @Test("The file of an update is parsed as the same tables, with its signature")
    func updateFile() throws {
        let tables =
            ["fr": Self.sample.tables(of: "fr"), "en": Self.sample.tables(of: "en")]
            as [LanguageTag: [String: StringsTable]]
        let file = try CustomizationUpdate.file(version: 7, tables: tables) { signed in [UInt8(signed.count % 251), 7] }
        let update = try CustomizationUpdate(file) { signed, signature in signature == [UInt8(signed.count % 251), 7] }
        #expect(update.version == 7 && update.diagnostics == [])
        for (language, tables) in tables {
            for (name, table) in tables {
                for entry in table {
                    #expect(update.tables[language]?[name]?[entry.key] == entry.value, "\(entry.key)")
                }
            }
        }
    }
}
