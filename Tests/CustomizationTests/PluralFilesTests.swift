import AshlarCustomization
import AshlarTestSupport
import AshlarTexts
import Foundation
import Testing

@Suite struct PluralFilesTests {
    static let stringsDict = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>files in folders</key>
            <dict>
                <key>NSStringLocalizedFormatKey</key>
                <string>%#@files@ in %#@folders@ by %@</string>
                <key>files</key>
                <dict>
                    <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
                    <key>NSStringFormatValueTypeKey</key><string>lld</string>
                    <key>zero</key><string>no file</string>
                    <key>one</key><string>%lld file</string>
                    <key>other</key><string>%lld files</string>
                </dict>
                <key>folders</key>
                <dict>
                    <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
                    <key>NSStringFormatValueTypeKey</key><string>d</string>
                    <key>one</key><string>one folder</string>
                    <key>other</key><string>%d folders</string>
                </dict>
            </dict>
            <key>tap</key>
            <dict>
                <key>NSStringDeviceSpecificRuleType</key>
                <dict>
                    <key>iphone</key><string>Tap %@</string>
                    <key>mac</key><string>Click %@</string>
                    <key>other</key><string>Choose %@</string>
                </dict>
            </dict>
            <key>plain</key><string>Just a text</string>
        </dict>
        </plist>
        """

    private struct NotAMessage: Error {}

    private func message(_ table: StringsTable, _ key: String) throws -> CustomizationMessage {
        guard case .message(let message)? = table[key] else { throw NotAMessage() }
        return message
    }

    @Test("A .stringsdict file gives messages with several variables, zero and devices")
    func stringsDict() throws {
        let parsed = StringsTable.parse(stringsDict: Array(Self.stringsDict.utf8), file: "a.stringsdict")
        #expect(parsed.diagnostics == [])
        #expect(parsed.table.count == 3)
        let files = try message(parsed.table, "files in folders")

        #expect(files.formatted(0, 1, "Zoë", language: "en").text == "no file in one folder by Zoë")
        #expect(files.formatted(1, 2, "Zoë", language: "en").text == "1 file in 2 folders by Zoë")
        #expect(files.formatted(5, 1, "Zoë", language: "en").text == "5 files in one folder by Zoë")
        #expect(parsed.table.entry("tap")?.location.description == "a.stringsdict:25:5")
        #expect(parsed.table["plain"] == .string("Just a text"))
        let tap = try message(parsed.table, "tap")
        #expect(tap.source(devices: ["mac"]).pluralText?.format == "Click %@")
        #expect(tap.source(devices: ["ipad", "iphone"]).pluralText?.format == "Tap %@")
        #expect(tap.source(devices: []).pluralText?.format == "Choose %@")
    }

    @Test("A binary .stringsdict file gives the same messages")
    func binary() throws {
        let object = try PropertyListSerialization.propertyList(from: Data(Self.stringsDict.utf8), format: nil)
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let parsed = StringsTable.parse(stringsDict: Array(data))
        #expect(parsed.diagnostics == [])
        let text = StringsTable.parse(stringsDict: Array(Self.stringsDict.utf8)).table
        for key in ["files in folders", "tap", "plain"] { #expect(parsed.table[key] == text[key]) }
    }

    private func entry(_ body: String) -> [String] {
        let text = "<plist version=\"1.0\"><dict>\n<key>k</key>\n\(body)\n</dict></plist>"
        return StringsTable.parse(stringsDict: Array(text.utf8), file: "f").diagnostics.map(\.description)
    }

    @Test("Errors in an entry are reported with their location")
    func diagnostics() {
        #expect(
            entry("<integer>1</integer>") == [
                "f:2:1: error: expected a dictionary, found a whole number [plural-malformed]"
            ])
        #expect(entry("<dict/>") == ["f:2:1: error: the text NSStringLocalizedFormatKey is missing [plural-malformed]"])
        #expect(
            entry(
                "<dict><key>NSStringVariableWidthRuleType</key><dict><key>20</key><string>Hi</string></dict></dict>"
            ) == ["f:2:1: error: variations by width are not supported [plural-malformed]"])
        #expect(
            entry(
                "<dict><key>NSStringLocalizedFormatKey</key><string>%#@a@ %#@b@</string>\n<key>a</key>"
                    + "<dict><key>one</key><string>x</string>\n<key>much</key><string>y</string></dict></dict>") == [
                    "f:4:1: warning: NSStringFormatSpecTypeKey should be NSStringPluralRuleType, found none [plural-malformed]",
                    "f:4:1: error: \"a\" has no text for other, which every language needs [plural-missing-other]",
                    "f:5:1: warning: \"much\" is not a plural category [plural-unknown-category]",
                    "f:2:1: error: %#@b@ is not defined [plural-unknown-variable]",
                ])
        #expect(
            entry("<dict><key>NSStringDeviceSpecificRuleType</key><string>x</string></dict>").first?.contains(
                "NSStringDeviceSpecificRuleType must be a dictionary") == true)
        #expect(entry("<string>a</string><key>k</key><string>b</string>").first?.contains("duplicate-key") == true)
        let keyed = "<plist><dict><key>a</key><integer>1</integer><key>b</key><dict/></dict></plist>"
        let keys = StringsTable.parse(stringsDict: Array(keyed.utf8)).diagnostics.map(\.key)
        #expect(keys == ["a", "b"])
        let list = StringsTable.parse(stringsDict: Array("<plist><array/></plist>".utf8), file: "f")
        #expect(list.table.isEmpty)
        #expect(list.diagnostics.map(\.code) == [.notATable])
        let broken = StringsTable.parse(stringsDict: Array("<plist><dict>".utf8), file: "f")
        #expect(broken.table.isEmpty)
        #expect(!broken.diagnostics.isEmpty)
    }

    // MARK: String catalogs

    static let catalog = #"""
        {
          "sourceLanguage" : "en",
          "strings" : {
            "Hello" : { },
            "greeting" : {
              "comment" : "On the first screen",
              "localizations" : {
                "en" : { "stringUnit" : { "state" : "translated", "value" : "Hello, %@!" } },
                "fr" : { "stringUnit" : { "state" : "translated", "value" : "Bonjour %@ !" } },
                "de" : { "stringUnit" : { "state" : "new", "value" : "" } }
              }
            },
            "files" : {
              "localizations" : {
                "en" : { "variations" : { "plural" : {
                  "one" : { "stringUnit" : { "state" : "translated", "value" : "%lld file" } },
                  "other" : { "stringUnit" : { "state" : "translated", "value" : "%lld files" } } } } },
                "ru" : { "variations" : { "plural" : {
                  "one" : { "stringUnit" : { "state" : "translated", "value" : "%lld файл" } },
                  "few" : { "stringUnit" : { "state" : "translated", "value" : "%lld файла" } },
                  "many" : { "stringUnit" : { "state" : "translated", "value" : "%lld файлов" } },
                  "other" : { "stringUnit" : { "state" : "translated", "value" : "%lld файла" } } } } }
              }
            },
            "owner" : {
              "localizations" : {
                "en" : { "variations" : { "plural" : {
                  "one" : { "stringUnit" : { "state" : "translated", "value" : "%@ has a file" } },
                  "other" : { "stringUnit" : { "state" : "translated", "value" : "%@ has %lld files" } } } } }
              }
            },
            "birds" : {
              "localizations" : {
                "en" : {
                  "stringUnit" : { "state" : "translated", "value" : "%#@birds@ in %#@trees@" },
                  "substitutions" : {
                    "trees" : { "argNum" : 1, "formatSpecifier" : "lld", "variations" : { "plural" : {
                      "one" : { "stringUnit" : { "state" : "translated", "value" : "%arg tree" } },
                      "other" : { "stringUnit" : { "state" : "translated", "value" : "%arg trees" } } } } },
                    "birds" : { "argNum" : 2, "formatSpecifier" : "lld", "variations" : { "plural" : {
                      "one" : { "stringUnit" : { "state" : "translated", "value" : "%arg bird" } },
                      "other" : { "stringUnit" : { "state" : "translated", "value" : "%arg birds" } } } } }
                  }
                }
              }
            },
            "press" : {
              "localizations" : {
                "en" : { "variations" : { "device" : {
                  "mac" : { "stringUnit" : { "state" : "translated", "value" : "Click" } },
                  "iphone" : { "variations" : { "plural" : {
                    "one" : { "stringUnit" : { "state" : "translated", "value" : "Tap once" } },
                    "other" : { "stringUnit" : { "state" : "translated", "value" : "Tap %lld times" } } } } },
                  "other" : { "stringUnit" : { "state" : "translated", "value" : "Press" } } } } }
              }
            },
            "set" : { "localizations" : { "en" : { "stringSet" : { "state" : "new", "values" : ["a"] } } } },
            "short" : { "localizations" : { "en" : { "variations" : { "width" : {} } } } }
          },
          "version" : "1.0"
        }
        """#

    @Test("An .xcstrings file gives a table for each language")
    func catalog() throws {
        let (tables, diagnostics) = StringsTable.parse(stringCatalog: Array(Self.catalog.utf8), file: "a.xcstrings")
        #expect(Set(tables.keys) == ["en", "fr", "ru"])
        #expect(
            diagnostics.map(\.description) == [
                "a.xcstrings:57:42: note: \"set\" in en: sets of phrases are not supported and are skipped [catalog-part-skipped]",
                "a.xcstrings:58:63: warning: \"short\" in en: variations by width are not supported [catalog-part-skipped]",
            ])
        let english = try #require(tables["en"])
        #expect(english["Hello"] == .string("Hello"))
        #expect(english["greeting"] == .string("Hello, %@!"))
        #expect(english.entry("greeting")?.comment == "On the first screen")
        #expect(english.entry("greeting")?.location.line == 8)
        #expect(tables["fr"]?["greeting"] == .string("Bonjour %@ !"))
        let russian = try #require(tables["ru"])

        #expect(try message(english, "files").formatted(1, language: "en").text == "1 file")
        #expect(try message(english, "files").formatted(2, language: "en").text == "2 files")
        #expect(
            try message(russian, "files").formatted(22, language: "ru").text == "22 файла")
        #expect(
            try message(english, "owner").formatted("Zoë", 1, language: "en").text == "Zoë has a file")
        #expect(
            try message(english, "owner").formatted("Zoë", 4, language: "en").text == "Zoë has 4 files")
        #expect(
            try message(english, "birds").formatted(1, 7, language: "en").text == "7 birds in 1 tree")
        #expect(
            try message(english, "birds").formatted(3, 1, language: "en").text == "1 bird in 3 trees")
        let press = try message(english, "press")
        #expect(press.source(devices: ["mac"]).pluralText?.format == "Click")
        #expect(press.source(devices: []).pluralText?.format == "Press")
        let tap = CustomizationMessage(press.source(devices: ["iphone"]))
        #expect(tap.formatted(1, language: "en").text == "Tap once")
        #expect(tap.formatted(3, language: "en").text == "Tap 3 times")
    }

    @Test(
        "A malformed catalog is reported and never crashes",
        arguments: [
            "", "[]", "{}", "{\"strings\":[]}", "{\"strings\":{\"a\":1}}",
            "{\"sourceLanguage\":\"en\",\"strings\":{\"a\":{\"localizations\":{\"en\":{\"stringUnit\":{}}}}}}",
            "{\"sourceLanguage\":\"en\",\"strings\":{\"a\":{\"localizations\":{\"english please\":{}}}}}",
            "{\"sourceLanguage\":\"en\",\"strings\":{\"a\":{\"localizations\":{\"en\":{\"variations\":{\"plural\":{\"one\":{}}}}}}}}",
            #"""
            {"sourceLanguage": "en", "strings": {"a": {"localizations": {"en": {"variations": {"plural": {
              "one": {}, "other": {"stringUnit": {"value": "x"}}}}}}}}}
            """#,
            "{\"sourceLanguage\":\"en\",\"strings\":{\"a\":{\"localizations\":{\"en\":{\"x\":1}}}}}",
        ])
    func malformedCatalogs(text: String) {
        #expect(!StringsTable.parse(stringCatalog: Array(text.utf8)).diagnostics.isEmpty)
    }

    @Test("Both kinds of files join the layers of a tree")
    func tree() throws {
        let tree = try TemporaryFolder([
            "Catalog.xcstrings": Self.catalog, "en.lproj/Localizable.stringsdict": Self.stringsDict,
            "en.lproj/Localizable.strings": #""tap" = "Overridden"; "title" = "Title";"#,
        ])
        let russian = Customization(path: tree.path, languages: ["ru"], brand: .none)
        #expect(russian.format("files", 22, table: "Catalog") == "22 файла")
        #expect(russian.format("birds", 3, 1, table: "Catalog") == "1 bird in 3 trees")
        #expect(russian.format("files in folders", 1, 2, "Zoë") == "1 file in 2 folders by Zoë")
        #expect(russian.format("title") == "Title")
        #expect(russian.problems == [])
        let layers = CustomizationTree(path: tree.path).allLayers(base: "en")
        #expect(layers.map(\.role) == [.base("en"), .base("en"), .language("fr"), .language("ru")])
    }

    @Test("No change of a byte crashes", .timeLimit(.minutes(10)))
    func mutations() {
        var generator = SeededRandom(seed: 99)
        var read = 0
        for original in [Self.stringsDict, Self.catalog] {
            let bytes = Array(original.utf8)
            for _ in 0..<CLDRFixture.count(400, soak: 40_000) {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let index = Int.random(in: 0..<changed.count, using: &generator)
                    changed[index] = UInt8.random(in: 0...255, using: &generator)
                }
                let tables =
                    original.hasPrefix("<")
                    ? [StringsTable.parse(stringsDict: changed).table]
                    : Array(StringsTable.parse(stringCatalog: changed).tables.values)
                for entry in tables.flatMap({ Array($0) }) {
                    guard case .message(let message) = entry.value else { continue }
                    read += message.formatted(1, 2, language: "ar").text.isEmpty ? 0 : 1
                }
            }
        }
        #expect(read > 150)
    }
}
