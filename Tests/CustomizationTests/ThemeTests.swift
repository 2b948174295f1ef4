import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

@Suite struct ThemeTests {
    static func themes(
        _ json: String, colors: ColorDialect? = nil
    ) -> (themes: [Theme], diagnostics: [CustomizationDiagnostic]) {
        Theme.parse(Array(json.utf8), file: "T.json", colors: colors)
    }

    static func using(_ json: String, theme: String? = nil) -> Customization {
        Customization(layers: []).with(themes: themes(json).themes, theme: theme)
    }

    @Test("SquidKit's older form: one value under many keys, entries without a key, unknown types")
    func olderShape() {
        let json = """
            {"themes": [{"name": "T", "attributes": [
                {"type": "color", "value": "FF0000", "keys": ["a", "b"], "alpha": 0.5},
                {"plain": 4, "flag": true, "half": 0.5},
                {"type": "font", "value": "Helvetica", "key": "font"},
                {"value": {"width": 3, "inner": {"deep": "x"}}, "key": "box"},
                {"key": "nothing"}
            ]}]}
            """
        let parsed = Self.themes(json)
        let read = Self.using(json)
        for key in ["a", "b"] { #expect(read.color(key) == RGBAColor(red: 1, green: 0, blue: 0, alpha: 0.5)) }
        #expect(read.int("plain") == 4 && read.bool("flag") && read.double("half") == 0.5)
        #expect(read.string("font") == "Helvetica")
        #expect(read.int("box.width") == 3 && read.string("box.inner.deep") == "x")
        #expect(parsed.diagnostics.map { "\($0.line) \($0.code)" } == ["4 malformed-file", "6 malformed-file"])
    }

    @Test("SquidKit's newer form: an object whose colors are objects")
    func newerShape() {
        let read = Self.using(
            """
            {"themes": [{"name": "T", "attributes": {
                "tint": {"color": "00FF00", "alpha": 0.25}, "back": {"color": "0x0000FF"}, "title": "Hello", "count": 3,
                "on": false, "box": {"w": 1}, "list": [1, 2], "none": null
            }}]}
            """)
        #expect(read.color("tint") == RGBAColor(red: 0, green: 1, blue: 0, alpha: 0.25))
        #expect(read.color("back") == RGBAColor(red: 0, green: 0, blue: 1))
        #expect(read.string("title") == "Hello" && read.int("count") == 3 && !read.bool("on", default: true))
        #expect(read[CustomizationKey<[Int]>("list")] == [1, 2])
        #expect(read[CustomizationKey<CustomizationValue>("box")] == .dict(["w": .int(1)]))
        #expect(read.entry("none") == nil)
    }

    @Test("Malformed colors and alphas of a theme are reported with their line, and the rest is read")
    func badColors() {
        let parsed = Self.themes(
            """
            {"themes": [{"name": "T", "attributes": [
            {"type": "color", "value": "GG0000", "key": "a"},
            {"type": "color", "value": "FF0000", "alpha": 2, "key": "b"},
            {"type": "color", "value": "FF0000", "alpha": "x", "key": "c"},
            {"type": "color", "value": 5, "key": "d"},
            {"type": "color", "value": "00FF00", "key": "e"}]}]}
            """)
        #expect(
            parsed.diagnostics.map { "\($0.line) \($0.severity) \($0.key ?? "")" } == [
                "2 error a", "3 warning b", "4 warning c", "5 error d",
            ])
        let read = Customization(layers: []).with(themes: parsed.themes)
        #expect(read.diagnostics == parsed.diagnostics)
        #expect(read[CustomizationKey<RGBAColor>("a")] == nil)
        #expect(read.color("b") == RGBAColor(red: 1, green: 0, blue: 0))
        #expect(read.color("c") == RGBAColor(red: 1, green: 0, blue: 0))
        #expect(read.color("e") == RGBAColor(red: 0, green: 1, blue: 0))
    }

    @Test("Several themes in one file: the first is the default, the last duplicate applies, nameless ones get a name")
    func several() {
        let json = """
            {"themes": [
                {"name": "B", "attributes": {"x": 1}}, {"attributes": {"x": 2}}, {"name": "A", "attributes": {"x": 3}},
                {"name": "Empty", "attributes": {}}, {"name": "A", "attributes": {"x": 4}}, 5
            ]}
            """
        let parsed = Self.themes(json)
        #expect(parsed.themes.map(\.name) == ["B", "unnamed theme", "A"])
        #expect(parsed.diagnostics.count == 3)
        let read = Self.using(json)
        #expect(read.theme == "B" && read.int("x") == 1)
        #expect(read.switching(theme: "A").int("x") == 4)
        #expect(read.switching(theme: nil).int("x", default: -1) == -1)
    }

    @Test("An unknown theme selects the default one and is reported; no theme does not crash")
    func unknownTheme() {
        let read = Self.using(#"{"themes": [{"name": "T", "attributes": {"x": 1}}]}"#, theme: "Nope")
        #expect(read.int("x") == 1)
        #expect(read.diagnostics.map(\.code) == [.unknownName])
        let none = Customization(layers: []).with(themes: [], theme: "Nope")
        #expect(none.color("x") == .black)
        #expect(none.diagnostics.map(\.code) == [.unknownName])
        #expect(Customization(layers: []).with(themes: []).theme == nil)
    }

    @Test("A theme extends others; the alias of a parent follows the child's override")
    func inheritance() {
        let json = """
            {"themes": [
                {"name": "Light", "attributes": {"back": {"color": "FFFFFF"}, "bar": "$back", "text": "light", "size": 10}},
                {"name": "Dark", "extends": "Light", "attributes": {"back": {"color": "000000"}, "text": "dark"}},
                {"name": "Night", "extends": "Dark", "attributes": {"text": "night"}}
            ]}
            """
        let night = Self.using(json, theme: "Night")
        #expect(night.string("text") == "night" && night.int("size") == 10)
        #expect(night.color("bar").description == "#000000", "late-bound")
        #expect(night.layers.map(\.id) == ["T.json#Light", "T.json#Dark", "T.json#Night"])
        #expect(night.explain("text").candidates.map(\.layer) == ["T.json#Light", "T.json#Dark", "T.json#Night"])
        #expect(Self.using(json, theme: "Light").color("bar").description == "#ffffff")
    }

    @Test("A theme that extends itself or an unknown theme is reported, and its own values are used")
    func badInheritance() {
        let json = """
            {"themes": [{"name": "A", "extends": "B", "attributes": {"x": 1}}, {"name": "B", "extends": "A", "attributes": {"y": 2}},
            {"name": "C", "extends": "Z", "attributes": {"z": 3}}]}
            """
        let a = Self.using(json, theme: "A")
        #expect(a.int("x") == 1 && a.int("y") == 2)
        #expect(a.diagnostics.map(\.code) == [.aliasCycle])
        let c = Self.using(json, theme: "C")
        #expect(c.int("z") == 3)
        #expect(c.diagnostics.map(\.code) == [.unknownName])
    }

    static let db5 = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
            <key>Default</key><dict>
                <key>backgroundColor</key><string>#FF0000</string>
                <key>shadowColor</key><string>000000</string>
                <key>shadowColorAlpha</key><real>0.5</real>
                <key>noColor</key><string>clear</string>
                <key>link</key><string>$backgroundColor</string>
                <key>title</key><string>Hello</string>
                <key>size</key><integer>12</integer>
                <key>animated</key><true/>
                <key>label</key><dict><key>font</key><string>Georgia</string></dict>
            </dict>
            <key>Dark</key><dict>
                <key>backgroundColor</key><string>0000FF</string>
            </dict>
        </dict></plist>
        """

    @Test("DB5: the theme named default is the parent of all, dotted paths, keyAlpha, clear")
    func db5() {
        let parsed = Self.themes(Self.db5)
        #expect(parsed.diagnostics.isEmpty)
        let dark = Customization(layers: []).with(themes: parsed.themes, theme: "Dark")
        #expect(dark.color("backgroundColor").description == "#0000ff")
        #expect(dark.color("link").description == "#0000ff")
        #expect(dark.color("shadowColor").description == "#00000080")
        #expect(dark.color("noColor") == .clear)
        #expect(dark.string("title") == "Hello" && dark.int("size") == 12 && dark.bool("animated"))
        #expect(dark.string("size") == "12")
        #expect(dark.string("label.font") == "Georgia")
        #expect(dark.explain("backgroundColor").candidates.map(\.location.line) == [4, 15])
        let standard = Customization(layers: []).with(themes: parsed.themes)
        #expect(standard.theme == "Default" && standard.color("link").description == "#ff0000")
    }

    @Test("A theme is above brand and languages, an override above the theme")
    func stack() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en; b = en; c = en; d = en; e = en; f = en;",
            "fr.lproj/Localizable.strings": "b = fr; c = fr; d = fr; e = fr; f = fr;",
            "fr-CA.lproj/Localizable.strings": "c = frCA; d = frCA; e = frCA; f = frCA;",
            "acme.lproj/Localizable.strings": "d = acme; e = acme; f = acme; g = acme;",
            "acme.lproj/fr.lproj/Localizable.strings": "g = acmefr;",
        ])
        let themes = Self.themes(#"{"themes": [{"name": "T", "attributes": {"e": "theme", "f": "theme"}}]}"#).themes
        let read = Customization(path: tree.path, languages: ["fr-CA"], brand: "acme", themes: themes, theme: "T")
            .applying(CustomizationLayer(overrides: ["f": .string("override")]))
        #expect(
            ["a", "b", "c", "d", "e", "f", "g"].map { read.string($0) } == [
                "en", "fr", "frCA", "acme", "theme", "override", "acmefr",
            ])
        #expect(
            read.layers.map(\.id) == [
                "en.lproj", "fr.lproj", "fr-CA.lproj", "acme.lproj", "acme.lproj/fr.lproj", "T.json#T", "override",
            ])
        #expect(read.removing(layer: "override").string("f") == "theme")
        #expect(read.switching(brand: nil).string("d") == "frCA")
        #expect(read.switching(language: "de").string("d") == "acme")
        #expect(read.switching(language: "de").string("b") == "en")
    }

    @Test(
        "A file without a readable theme gives no theme and the location of the error",
        arguments: [
            ("{\n\"themes\": [}", "2:12"), ("nonsense", "1:1"), ("[1]", "1:1"),
            ("", "1:1"), ("{\"a\": \"\\q\"}", "1:8"),
            ("{\"a\": 01}", "1:7"), ("{\"a\": 1} x", "1:10"), ("<plist><dict><key>a</key></dict></plist>", "1:26"),
            ("<plist><dict>", "1:14"),
        ])
    func broken(_ source: String, _ place: String) {
        let parsed = Self.themes(source)
        #expect(parsed.themes.isEmpty)
        #expect(parsed.diagnostics.map { "\($0.line):\($0.column)" }.first == place)
        #expect(parsed.diagnostics.allSatisfy { $0.severity == .error })
    }

    @Test("Problems in a binary file have no line, because it has none")
    func binaryLocations() throws {
        let attribute = ["key": "a", "type": "color", "value": "GG"]
        let themes: [String: Any] = ["themes": [["name": "T", "attributes": [attribute]]]]
        let binary = try PropertyListSerialization.data(fromPropertyList: themes, format: .binary, options: 0)
        let diagnostics = Theme.parse(Array(binary), file: "T.plist").diagnostics
        #expect(!diagnostics.isEmpty)
        #expect(diagnostics.allSatisfy { $0.location.line == 0 && $0.location.file == "T.plist" })
        #expect(diagnostics.allSatisfy { $0.description.hasPrefix("T.plist: ") })
    }

    @Test(
        "The default theme can extend another one",
        arguments: [("Default", ["Light", "Default"]), ("Light", ["Light"]), ("Dark", ["Light", "Default", "Dark"])])
    func defaultExtends(theme: String, path: [String]) {
        let json = """
            {"themes": [{"name": "Light", "attributes": {"x": 1}},
            {"name": "Default", "extends": "Light", "attributes": {"y": 2}}, {"name": "Dark", "attributes": {"z": 3}}]}
            """
        let read = Self.using(json, theme: theme)
        #expect(read.diagnostics.isEmpty && read.layers.map(\.id) == path.map { "T.json#" + $0 })
    }
}
