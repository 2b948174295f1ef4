import AshlarTestSupport
import AshlarTooling
import Foundation
import Testing

@Suite struct AndroidTreeTests {
    private func tree() throws -> TemporaryFolder {
        try TemporaryFolder([
            "Info.plist": "<plist><dict><key>FTCustomizationString</key><string>acme</string></dict></plist>",
            "en.lproj/Localizable.strings":
                "\"send\" = \"Send %@ to %@\";\n/* Of the bar */\n\"bar color\" = \"92,66,134,54\";",
            "French.lproj/Localizable.strings": "\"send\" = \"Envoyer %@ à %@\";",
            "fr_CA.lproj/Intro.strings": "\"t\" = \"T\";",
            "acme.lproj/Localizable.strings": "\"bar color\" = \"1,2,3\";",
            "acme.lproj/fr.lproj/Localizable.strings": "\"send\" = \"Acme\";",
        ])
    }

    @Test("A tree becomes resource folders, and the folders become the same layers")
    func roundTrip() throws {
        let files = try tree()
        let source = Customization(path: files.path, languages: [])
        let layers = source.allLayers
        #expect(
            layers.map(\.role) == [
                .base("en"), .language("fr"), .language("fr-CA"), .brand("acme"), .brandLanguage("acme", "fr"),
            ])
        let resources = AndroidResources(source)
        #expect(
            resources.files.map(\.path) == [
                "res/values/strings.xml", "res/values-fr/strings.xml", "res/values-fr-rCA/Intro.xml",
                "acme/res/values/strings.xml", "acme/res/values-fr/strings.xml",
            ])
        #expect(resources.diagnostics == [])
        #expect(
            resources.files[0].text == """
                <?xml version="1.0" encoding="utf-8"?>
                <!-- ashlar: {"role":"base","language":"en","layer":"en.lproj","table":"Localizable"} -->
                <resources xmlns:tools="http://schemas.android.com/tools" tools:locale="en">
                    <!-- ashlar: {"value":"Send %@ to %@"} -->
                    <string name="send">Send %1$s to %2$s</string>
                    <!-- Of the bar -->
                    <!-- ashlar: {"value":"92,66,134,54"} -->
                    <color name="bar_x20_color">#365C4286</color>
                </resources>

                """)
        let out = try TemporaryFolder([:])
        try resources.write(toFolder: out.path + "/new")
        let read = AndroidResources(folder: out.path + "/new")
        #expect(Set(read.files) == Set(resources.files))
        let back = read.layers().layers
        for layer in layers {
            let found = back.first { $0.id == layer.id }
            #expect(found?.role == layer.role)
            for (name, table) in layer.tables {
                #expect(RandomLayers.plain(found?.tables[name]) == RandomLayers.plain(table))
            }
        }
        let customization = Customization(layers: resources.layers().layers)
        #expect(customization.color("bar color") == RGBAColor(red8: 1, green8: 2, blue8: 3))
    }

    @Test("Languages of a string catalog get folders of their own")
    func catalog() throws {
        let tree = try TemporaryFolder([
            "Catalog.xcstrings": #"""
            {"sourceLanguage": "en", "strings": {"a": {"localizations": {
              "en": {"stringUnit": {"value": "A"}},
              "ru": {"variations": {"plural": {
                "one": {"stringUnit": {"value": "%lld a"}}, "other": {"stringUnit": {"value": "%lld b"}}}}}}}}}
            """#,
            "en.lproj/Localizable.strings": #""tap" = "Tap";"#,
        ])
        let resources = AndroidResources(Customization(path: tree.path, languages: []))
        #expect(
            resources.files.map(\.path).sorted() == [
                "res/values-ru/Catalog.xml", "res/values/Catalog.xml", "res/values/strings.xml",
            ])
        #expect(!resources.diagnostics.contains { $0.severity == .error })
    }

    @Test("Of two folders with one language, the export has the values of the one that wins")
    func twoFolders() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": #""a" = "A"; "b" = "B";"#,
            "fr.lproj/Localizable.strings": #""a" = "canonical";"#,
            "French.lproj/Localizable.strings": #""a" = "old"; "b" = "old";"#,
        ])
        let customization = Customization(path: tree.path, languages: ["fr"])
        #expect(["a", "b"].map { customization.string($0) } == ["canonical", "old"])
        let file = AndroidResources(customization).files.first { $0.path == "res/values-fr/strings.xml" }
        let exported = Customization(layers: AndroidResources(files: [try #require(file)]).layers().layers)
        #expect(["a", "b"].map { exported.string($0) } == ["canonical", "old"])
    }

    @Test("Files that can't be written or read are reported with their path")
    func failures() throws {
        let out = try TemporaryFolder(["file": "x", "app/values/big.xml": "<resources/>", "app/values/build": "x"])
        let resources = AndroidResources(files: [.init(path: "res/values/a.xml", text: "")])
        let error = #expect(throws: CustomizationError.self) { try resources.write(toFolder: out.path + "/file") }
        #expect(error?.code == .unwritable)
        #expect(error?.description.contains("/file/res") == true)
        let outside = AndroidResources(files: [.init(path: "../a.xml", text: "")])
        #expect(throws: CustomizationError.self) { try outside.write(toFolder: out.path) }
        #expect(AndroidResources(folder: out.path + "/none").diagnostics.map(\.code) == [.unreadableFile])
        let limited = AndroidResources(folder: out.path, maximumFileSize: 3)
        #expect(limited.files == [])
        #expect(limited.diagnostics.map(\.location.file) == ["app/values/big.xml"])
    }
}
