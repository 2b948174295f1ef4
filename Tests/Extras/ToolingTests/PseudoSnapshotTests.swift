import AshlarTestSupport
import AshlarTooling
import Testing

@Suite struct PseudoSnapshotTests {
    @Test("A snapshot is pseudolocalized completely, and restored")
    func snapshot() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings":
                #""title" = "Title"; "flag" = "YES"; "size" = "0.8"; "color" = "92,66,134"; "logo" = "logo.png";"#,
            "fr.lproj/Localizable.strings": #""title" = "Titre %@"; "site" = "https://example.com/a"; "count" = "12";"#,
            "fr.lproj/Intro.strings": #""go" = "Go";"#,
        ])
        let plain = Customization(path: tree.path, languages: ["fr"], brand: .none)
        let pseudo = plain.pseudolocalized()
        #expect(pseudo.string("title") == "[Ţîţŕé %@ one two]")
        #expect(pseudo.format("title", "x") == "[Ţîţŕé x one two]")
        #expect(pseudo.string("go", table: "Intro") == "[Ĝö one]")
        for key in ["flag", "size", "color", "logo", "site", "count"] {
            #expect(pseudo.string(key) == plain.string(key))
        }
        #expect(pseudo.color("color") == RGBAColor(red8: 92, green8: 66, blue8: 134))
        #expect(pseudo.removing(layer: "pseudo").string("title") == "Titre %@")
        let mirrored = plain.pseudolocalized(.mirrored)
        #expect(mirrored.string("title") == "\u{200F}\u{202E}Titre\u{202C}\u{200F} %@")
    }

    @Test("Plural forms change, and brackets enclose the whole string once")
    func plurals() {
        let simple = CustomizationMessage(forms: [.one: "%d file", .other: "%d files"])
        let two = CustomizationMessage(
            format: "%#@a@ by %@", variables: ["a": .init(forms: [.one: "a cat", .other: "%d cats"])])
        let layer = CustomizationLayer(overrides: [
            "simple": simple.value, "two": two.value, "list": .list([.string("Go"), .int(1)]),
        ])
        let pseudo = Customization(layers: [layer]).pseudolocalized()
        #expect(pseudo.plural("simple", count: 1) == "[1 ƒîļé one two]")
        #expect(pseudo.plural("simple", count: 2) == "[2 ƒîļéš one two]")
        #expect(pseudo.plural("two", count: 2, "Zoë") == "[2 çåţš ƀý Zoë one two]")
        #expect(pseudo.entry("list")?.value == .list([.string("[Ĝö one]"), .int(1)]))
    }

    @Test(
        "Values that aren't for users don't change",
        arguments: [
            "YES", "false", "12", "-0.5", "1,2,3", "#FF00AA", "icon@2x.png", "Main.storyboard", "ftp://x", "…",
            "%@ / %@", "",
        ])
    func kept(text: String) {
        #expect(PseudoLocalization.accented.value(.string(text)) == nil)
    }

    @Test(
        "Strings for users change", arguments: ["Yes", "OK", "e.g.", "a.b", "Version 1.png file", "note: x", "日本"])
    func changed(text: String) {
        #expect(PseudoLocalization.accented.value(.string(text)) != nil)
    }
}
