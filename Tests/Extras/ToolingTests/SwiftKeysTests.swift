import Ashlar
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTooling

@Suite struct SwiftKeysTests {
    typealias Catalog = TranslationCatalog

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

    @Test(
        "Keys are found in every form of a call, and only there",
        arguments: [
            (#"strings?.string("k")"#, ["k"]), (#"strings!.format("k", 1)"#, ["k"]),
            ("strings\n  .string(\n  \"k\"\n)", ["k"]), (#"app().string( /* c */ "k" /* d */ )"#, ["k"]),
            (#"all[0].string("k")"#, ["k"]), (#"@Localized("k", table: "T") var k"#, ["k"]),
            (#"try! center.current.message("k", ["n": strings.string("inner")])"#, ["k", "inner"]),
            (#"strings.string(isOn ? "on" : "off")"#, ["on", "off"]),
            (#"strings.string(list.contains(1) ? "on" : "off", table: "T")"#, ["on", "off"]),
            (#"strings.format("k", isOn ? "on" : "off")"#, ["k"]), (#"strings.format("k", "v")"#, ["k"]),
            (#"value = .string("k")"#, []), (#"case .string("k"): break"#, []), (#"[.message("k")]"#, []),
            (#"CustomizationValue.string("k")"#, []), (#"f(.string("k"))"#, []), (#"return .string("k")"#, []),
            (#"Localized("k")"#, []), (#"string("k")"#, []), (#"strings.strings("k")"#, []), (#"let k = "k""#, []),
            (#"strings.string(name)"#, []), ("// strings.string(\"k\")\nstrings.string(\"l\")", ["l"]),
            (#"strings.string("") + strings.string("k")"#, ["", "k"]),
            (#"let key: CustomizationKey<[String: [Int]]> = "k""#, ["k"]),
            (#"if a < b, c > ("k") {}"#, []),
        ])
    func calls(source: String, expected: [String]) {
        let keys = SwiftKeys(source)
        #expect(keys.uses.map(\.key) == expected)
        #expect(keys.diagnostics.isEmpty)
    }

    @Test(
        "A computed key is reported",
        arguments: [
            #"strings.string("a" + b)"#, #"strings.string("a\(b)")"#, ##"strings.string(#"a\#(b)"#)"##,
            #"strings.string("a".lowercased())"#, #"strings.string(isOn ? "a\(b)" : c)"#,
        ])
    func computed(source: String) {
        let keys = SwiftKeys(source)
        #expect(keys.uses.isEmpty && keys.diagnostics.map(\.code) == [.dynamicKey])
    }

    @Test(
        "A literal on several lines has the compiler's string",
        arguments: [
            ("A\n    a\\n    b\n    A", "a\n    b"), ("A\n    a \\\n      b\n    A", "a   b"),
            ("A\r\n  a\r\n  b\r\n  A", "a\nb"), ("A\n    a\n\n      b\n    A", "a\n\n  b"),
            ("A\n\ta\n\t\tb\n\tA", "a\n\tb"),
            ("A\n  a\\  \n  b\n  A", "ab"), ("A\n  a\\n\n  A", "a\n"), ("A\nA", ""), ("A\n  \n  A", ""),
            ("A\n\n\nA", "\n"),
            ("A\n  \"q\" \\\"\"\" \\u{e9}\\t\n  A", "\"q\" \"\"\" é\t"), ("A\n  a\\\n  A", "a"),
        ])
    func severalLines(literal: String, text: String) {
        let source = "strings.string(" + literal.replacing("A", with: "\"\"\"") + ")"
        #expect(SwiftKeys(source).uses.map(\.key) == [text])
    }

    @Test("A new key has the string of its call")
    func values() {
        var catalog = Catalog(sourceLanguage: "en")
        let source = #"String(localized: "a", defaultValue: "A"); NSLocalizedString("b", value: "B", comment: "c")"#
        catalog.update(uses: SwiftKeys(source).uses)
        #expect(catalog.units.map { $0.translations["en"]?.value } == [.string("A"), .string("B")])
    }

    @Test("No text crashes the search for keys", .timeLimit(.minutes(1)))
    func brokenSource() {
        var random = SeededRandom(seed: 3)
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
}
