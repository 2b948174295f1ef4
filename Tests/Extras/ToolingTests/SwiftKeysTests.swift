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
        catalog.update([SwiftKeys(source)])
        #expect(catalog.units.map(\.source) == ["A", "B"])
    }

    @Test("No text crashes the search for keys", .timeLimit(.minutes(5)))
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
        var catalog = Catalog(sourceLanguage: "en", units: [.init(key: "old", source: "Old")])
        catalog.update([SwiftKeys(#"s.string("new", comment: "c"); s.string("new")"#)])
        #expect(catalog.units.map(\.key) == ["old", "new"])
        #expect(catalog.units.map(\.isStale) == [true, false])
        #expect(catalog.units[1].note == "c" && catalog.units[1].source == nil)
    }

    @Test(
        "The keys of SwiftUI and of localized literals are those of Xcode",
        arguments: [
            (#"Text("Hello")"#, ["Hello"]), (#"Text("100%")"#, ["100%"]), (#"Text(verbatim: "x")"#, []),
            (#"Text(name)"#, []), (#"Text("a" + b)"#, []), (#"Text(isOn ? "On" : "Off")"#, ["On", "Off"]),
            (#"Text(a ? "1" : b ? "2" : "3")"#, ["1", "2", "3"]), (#"Text(x ?? "none")"#, []),
            (#"Button("Save") { save("x") }"#, ["Save"]), (#"Label("Home", systemImage: "house")"#, ["Home"]),
            (#"view.navigationTitle("Title")"#, ["Title"]), (#"Toggle(isOn: $a) { Text("t") }"#, ["t"]),
            (#"Text("\(list.count) posts")"#, ["%lld posts"]), (#"Text("\(name) and \(other.title)")"#, ["%@ and %@"]),
            (#"let n: Int = 1; Text("\(n) of \(model.n), \(3), \(0.5)")"#, ["%lld of %lld, %lld, %lf"]),
            (#"func f(x: Double, s: String) { Text("\(x) \(s) 100%") }"#, ["%lf %@ 100%%"]),
            (#"Text("\(x, specifier: "%.2f") m")"#, ["%.2f m"]), (#"Text("\(Int(x)) \(Float(y))")"#, ["%lld %f"]),
            (#"String(localized: "\(count: a) \("x")")"#, ["%@ %@"]), (#"String("plain")"#, []),
            (#"String(localized: "k \(Int(a))", table: "T")"#, ["k %lld"]),
            (#"LocalizedStringResource("res", table: "T")"#, ["res"]), (#"let t: LocalizedStringKey = "key""#, ["key"]),
            (#"return NSLocalizedString(@"objc", @"note");"#, ["objc"]), (#"foo.Text("x")"#, []),
        ])
    func localized(source: String, keys: [String]) {
        let found = SwiftKeys(source)
        #expect(found.uses.map(\.key) == keys && found.diagnostics == [])
    }

    @Test("A key whose types the file doesn't show finds the key with the same text")
    func guessed() {
        let units = ["%lld posts", "%@ likes", "%1$lld of %2$@", "%lf posts m"].map { TranslationUnit(key: $0) }
        var catalog = Catalog(sourceLanguage: "en", units: units)
        catalog.update([SwiftKeys(#"Text("\(n) posts"); Text("\(a) of \(b)"); Text("\(x) new")"#)])
        #expect(catalog.units.map(\.key) == units.map(\.key) + ["%@ new"])
        #expect(catalog.units.map(\.isStale) == [false, true, false, true, false])
    }

    @Test("The keys of interface files are those of their objects")
    func interfaces() {
        let xib = """
            <?xml version="1.0"?>
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.XIB" version="3.0"><objects>
              <view id="v-1-a"><subviews>
                <label text="Name" id="l-1-a"/>
                <button id="b-1-a"><state key="normal" title="Save"/></button>
                <textField placeholder="Search" id="t-1-a"/>
                <segmentedControl id="s-1-a"><segments><segment title="One"/><segment title="Two"/></segments></segmentedControl>
                <textView id="x-1-a"><string key="text">Two
            lines</string></textView>
                <tableColumn id="c-1-a"><tableHeaderCell key="headerCell" title="Head"/></tableColumn>
              </subviews></view></objects></document>
            """
        let keys = SwiftKeys(interface: xib, file: "Base.lproj/Main.xib")
        #expect(
            keys.uses.map { "\($0.table) \($0.key) \($0.value ?? "")" } == [
                "Main l-1-a.text Name", "Main b-1-a.normalTitle Save", "Main t-1-a.placeholder Search",
                "Main s-1-a.segmentTitles[0] One", "Main s-1-a.segmentTitles[1] Two", "Main x-1-a.text Two\nlines",
                "Main c-1-a.headerCell.title Head",
            ])
        let known = ["l-1-a.text", "v-1-a.accessibilityLabel", "gone.text"].map {
            TranslationUnit(table: "Main", key: $0)
        }
        var catalog = Catalog(sourceLanguage: "en", units: known)
        catalog.update([keys])
        #expect(catalog.units.filter(\.isStale).map(\.key) == ["gone.text"])
        #expect(catalog.units.contains { $0.key == "b-1-a.normalTitle" && $0.source == "Save" })
        var other = Catalog(sourceLanguage: "en", units: [])
        other.update([keys])
        #expect(other.units.isEmpty, "the interface itself has the text")
    }
}
