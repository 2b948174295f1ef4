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
        func unit(
            _ key: String, _ value: CustomizationValue, comment: String? = nil, table: String = "Localizable",
            _ others: [LanguageTag: Catalog.Translation] = [:]
        ) -> Catalog.Unit {
            Catalog.Unit(
                table: table, key: key, comment: comment,
                translations: others.merging(["en": .init(value)]) { a, _ in a })
        }
        let russian = CustomizationMessage(forms: [
            .one: "%lld файл", .few: "%lld файла", .many: "%lld файлов", .other: "%lld",
        ])
        return Catalog(
            sourceLanguage: "en",
            units: [
                unit(
                    "title", "Title & <more>", comment: "On the \"first\" screen",
                    ["fr": .init("Titre"), "ru": .init("", state: .new)]),
                unit("lines", "One\ntwo, \"three\"\n", ["fr": .init(" Un ", state: .needsReview)]),
                unit("empty", "", ["fr": .init("")]),
                unit(
                    "files", .message(files),
                    ["ru": .init(.message(russian)), "fr": .init(.message(files), state: .needsReview)]),
                unit("owner", .message(owner), ["fr": .init(.message(owner))]),
                unit("press", .message(press), ["fr": .init(.message(press))]),
                unit("a|==|b", "mark", ["fr": .init("marque")]),
                unit("other", "In another table", table: "Main", ["fr": .init("Ailleurs")]),
            ])
    }

    static func withoutNew(_ catalog: Catalog) -> Catalog {
        var catalog = catalog
        for number in catalog.units.indices {
            catalog.units[number].translations = catalog.units[number].translations.filter { $0.value.state != .new }
        }
        return catalog
    }

    static func only(_ languages: Set<LanguageTag>, _ catalog: Catalog) -> Catalog {
        var catalog = catalog
        for number in catalog.units.indices {
            catalog.units[number].translations = catalog.units[number].translations.filter {
                languages.contains($0.key)
            }
        }
        return catalog
    }
    // MARK: String catalogs

    @Test("A table survives .xcstrings with its states")
    func stringCatalog() throws {
        var sample = Self.only(["en", "fr", "ru"], Self.sample)
        sample.units.removeAll { $0.table != "Localizable" }
        sample.units[0].isStale = true
        let text = sample.stringCatalog()
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let read = Catalog.parse(stringCatalog: Array(text.utf8), file: "a.xcstrings")
        #expect(read.diagnostics == [])
        let found = Dictionary(uniqueKeysWithValues: read.catalog.units.map { ($0.key, $0) })
        for unit in Self.withoutNew(sample).units {
            let other = try #require(found[unit.key])
            #expect(other.isStale == unit.isStale && other.comment == unit.comment)
            for (language, translation) in unit.translations {
                #expect(other.translations[language] == translation, "\(unit.key) \(language)")
            }
        }
        #expect(Catalog.parse(stringCatalog: Array(read.catalog.stringCatalog().utf8)).catalog == read.catalog)
    }

    @Test("The keys of a string catalog are sorted, also those of plural categories")
    func sortedCatalog() throws {
        let message = CustomizationMessage(forms: [
            .two: "c", .one: "b", .zero: "a", .other: "e", .few: "d", .many: "f",
        ])
        let table = CustomizationLayer.defaultTable
        let unit = Catalog.Unit(table: table, key: "k", comment: nil, translations: ["en": .init(message.value)])
        let text = Catalog(sourceLanguage: "en", units: [unit]).stringCatalog()
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
            "\r\n",
        ]
        func text() -> String {
            (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        for round in 0..<60 {
            var units: [Catalog.Unit] = []
            for number in 0..<Int.random(in: 1...6, using: &random) {
                func value() -> CustomizationValue {
                    number % 3 == 2
                        ? .message(CustomizationMessage(forms: [.one: text(), .many: text(), .other: text()]))
                        : .string(text())
                }
                let states: [Catalog.State] = [.needsReview, .translated]
                units.append(
                    .init(
                        key: "\(number)" + text(),
                        translations: [
                            "en": .init(value()),
                            "fr": .init(value(), state: states.randomElement(using: &random) ?? .new),
                        ]))
            }
            let catalog = Catalog(sourceLanguage: "en", units: units)
            #expect(
                Catalog.parse(csv: Array(catalog.csv.utf8), model: catalog).catalog == catalog,
                "round \(round), seed 1122")
            for version in [Catalog.XLIFFVersion.version1, .version2] {
                let xliff = catalog.xliff(version: version, language: "fr")
                #expect(
                    Catalog.parse(xliff: Array(xliff.text.utf8), model: catalog).catalog == catalog,
                    "round \(round), seed 1122")
            }
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
        #expect(catalog.units.map(\.key).sorted() == ["files", "ok", "title"])
        #expect(catalog.languages == ["fr"])
        var changed = catalog
        for number in changed.units.indices where changed.units[number].key != "ok" {
            changed.units[number].translations["fr"] =
                changed.units[number].key == "title" ? .init("Titre") : .init(.message(Self.files))
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
            catalog.units.append(.init(table: name, key: "title", translations: ["fr": .init("Titre")]))
        }
        catalog.units.insert(.init(table: "A", key: "title", translations: ["fr": .init("Titre")]), at: 0)
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
