import Ashlar
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

    /// A catalog with every kind of text.
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

    private func withoutNew(_ catalog: Catalog) -> Catalog {
        var catalog = catalog
        for number in catalog.units.indices {
            catalog.units[number].translations = catalog.units[number].translations.filter { $0.value.state != .new }
        }
        return catalog
    }

    private func only(_ languages: Set<LanguageTag>, _ catalog: Catalog) -> Catalog {
        var catalog = catalog
        for number in catalog.units.indices {
            catalog.units[number].translations = catalog.units[number].translations.filter {
                languages.contains($0.key)
            }
        }
        return catalog
    }

    // MARK: XLIFF

    @Test(
        "A catalog survives XLIFF in both versions",
        arguments: [Catalog.XLIFFVersion.version1, .version2], ["fr", "ru"] as [LanguageTag])
    func xliff(version: Catalog.XLIFFVersion, language: LanguageTag) throws {
        let sample = withoutNew(Self.sample)
        let (text, problems) = sample.xliff(version: version, language: language)
        #expect(problems == [])
        _ = try XMLDocument(xmlString: text)
        let read = Catalog.parse(xliff: Array(text.utf8), file: "a.xliff", model: sample)
        #expect(read.diagnostics == [])
        var expected = only(["en", language], sample)
        expected.units.sort { ($0.table, $0.key) < ($1.table, $1.key) }
        var found = read.catalog
        found.units.sort { ($0.table, $0.key) < ($1.table, $1.key) }
        for (a, b) in zip(found.units, expected.units) {
            #expect(a.key == b.key && a.comment == b.comment)
            #expect(a.translations[language] == b.translations[language], "\(a.key)")
            // The source of a plural has a text for each category of the target language.
            if case .string = b.translations["en"]?.value { #expect(a.translations["en"] == b.translations["en"]) }
        }
        #expect(found.units.count == expected.units.count)
    }

    @Test("XLIFF has the layout that translation tools read")
    func xliffLayout() {
        let catalog = Catalog(
            sourceLanguage: "en",
            units: [
                .init(
                    key: "k", comment: "note",
                    translations: ["en": .init("a < b"), "fr": .init("c", state: .needsReview)]),
                .init(key: "n", translations: ["en": .init(.message(Self.files))]),
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

    @Test(
        "A malformed file is reported with its place and never crashes",
        arguments: [
            "", "<xliff", "<other/>", "<xliff version=\"1.2\"><file/></xliff>",
            "<xliff version=\"2.0\" srcLang=\"?\"/>",
        ])
    func malformedXLIFF(text: String) {
        #expect(Catalog.parse(xliff: Array(text.utf8)).diagnostics.contains { $0.severity == .error })
    }

    @Test("A character that XML cannot contain is replaced and reported")
    func controls() {
        let catalog = Catalog(
            sourceLanguage: "en", units: [.init(key: "k", translations: ["en": .init("a\u{1}\u{2}b")])])
        let (text, problems) = catalog.xliff(version: .version1, language: "fr")
        #expect(text.contains("<source>a\u{FFFD}\u{FFFD}b</source>"))
        #expect(problems.map(\.description) == ["xliff: warning: XML cannot contain U+1 [exchange-loss]"])
    }

    // MARK: CSV

    @Test("A catalog survives CSV")
    func csv() {
        let read = Catalog.parse(csv: Array(Self.sample.csv.utf8), model: Self.sample)
        #expect(read.diagnostics == [])
        #expect(read.catalog == Self.sample)
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

    // MARK: String catalogs

    @Test("A table survives .xcstrings with its states")
    func stringCatalog() throws {
        var sample = only(["en", "fr", "ru"], Self.sample)
        sample.units.removeAll { $0.table != "Localizable" }
        sample.units[0].isStale = true
        let text = sample.stringCatalog()
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let read = Catalog.parse(stringCatalog: Array(text.utf8), file: "a.xcstrings")
        #expect(read.diagnostics == [])
        let found = Dictionary(uniqueKeysWithValues: read.catalog.units.map { ($0.key, $0) })
        for unit in withoutNew(sample).units {
            let other = try #require(found[unit.key])
            #expect(other.isStale == unit.isStale && other.comment == unit.comment)
            for (language, translation) in unit.translations {
                #expect(other.translations[language] == translation, "\(unit.key) \(language)")
            }
        }
        #expect(Catalog.parse(stringCatalog: Array(read.catalog.stringCatalog().utf8)).catalog == read.catalog)
    }

    // MARK: Random catalogs

    @Test("Random catalogs survive every format", .timeLimit(.minutes(5)))
    func random() throws {
        var random = SplitMix(seed: 1_122)
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

    // MARK: Merging

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
            #expect(result.hasConflicts == result.diagnostics.contains { $0.code.rawValue == "merge-conflict" })
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

    // MARK: Trees

    @Test("Translations go to the files of a tree, and every other byte stays")
    func tree() throws {
        let tree = try TemporaryTree([
            "en.lproj/Localizable.strings": "\"title\" = \"Title\";\n\"ok\" = \"OK\";\n",
            "fr.lproj/Localizable.strings": "/* A comment */\n\"ok\"=\"D'accord\";  // odd\n",
            "en.lproj/Localizable.stringsdict": StringsTable(entries: [.init(key: "files", value: .message(Self.files))]
            )
            .formattedStringsDict(),
        ])
        let catalog = Catalog(CustomizationTree(path: tree.path), base: "en")
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

    // MARK: Keys of source code

    @Test("Keys are found in Swift source code")
    func swiftKeys() {
        let source = #"""
            let a = strings.string("title")
            label.text = center.current.format("sent", name, 3, table: "Main")
            _ = strings.plural("files", count: list.filter { $0.name == "x" }.count, table: "Main")
            _ = strings.message("greeting", ["name": user])
            let length: CustomizationKey<Int> = "PINminimumLength"
            let color = CustomizationKey<[RGBAColor]>("colors", table: "Theme")
            Text(String(localized: "Hello", table: "UI", comment: "On top"))
            NSLocalizedString("old", tableName: "Old", bundle: .main, value: "v", comment: "c")
            // strings.string("comment")
            /* strings.string("a") /* nested */ strings.string("b") */
            let text = "strings.string(\"inside\")"
            strings.string("line\n\u{e9}\"q\"")
            strings.string(#"raw \n"#)
            strings.string("""
                many
                  lines
                """)
            print("value: \(strings.string("nested")) and \(a + "x")")
            strings.string("screen.\(name)")
            string("no method"); other.strings("no")
            """#
        let keys = SwiftKeys(source, file: "a.swift")
        #expect(
            keys.uses.map { "\($0.table) \($0.key)" } == [
                "Localizable title", "Main sent", "Main files", "Localizable greeting", "Localizable PINminimumLength",
                "Theme colors", "UI Hello", "Old old", "Localizable line\né\"q\"", "Localizable raw \\n",
                "Localizable many\n  lines", "Localizable nested",
            ])
        #expect(keys.uses.map(\.comment).compactMap { $0 } == ["On top", "c"])
        #expect(keys.uses[0].location.description == "a.swift:1:24")
        #expect(keys.diagnostics.map(\.code.rawValue) == ["dynamic-key"])
    }

    @Test("No text crashes the search for keys", .timeLimit(.minutes(1)))
    func brokenSource() {
        var random = SplitMix(seed: 3)
        let pieces = [
            "\"", "\\", "(", ")", "#", "\"\"\"", "/*", "*/", "//", "\n", ".string(", "x", "\\(", "<", ">", "=",
            "CustomizationKey", "\\u{",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            #expect(SwiftKeys(text).uses.count <= text.utf8.count)
        }
        #expect(SwiftKeys(String(repeating: "\"\\(", count: 2_000)).uses.isEmpty)
    }

    @Test("Extraction adds new keys and marks unused ones as stale")
    func extraction() {
        var catalog = Catalog(sourceLanguage: "en", units: [.init(key: "old", translations: ["en": .init("Old")])])
        catalog.update(uses: SwiftKeys(#"s.string("new", comment: "c"); s.string("new")"#).uses)
        #expect(catalog.units.map(\.key) == ["old", "new"])
        #expect(catalog.units.map(\.isStale) == [true, false])
        #expect(catalog.units[1].comment == "c")
        #expect(catalog.units[1].translations["en"] == .init("new", state: .new))
    }

    @Test("The file of an update reads as the same tables, with its signature")
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
