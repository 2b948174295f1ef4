import AshlarCustomization
import AshlarTestSupport
import Foundation
import Testing

/// Folders on disk: their layers, their files, and the reported problems.
@Suite struct TreeTests {
    @Test("A folder's .stringsdict overrides its .strings; tables have their names")
    func stringsDict() throws {
        let dict = """
            <plist version="1.0"><dict><key>files</key><dict>
              <key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
              <key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
                <key>NSStringFormatValueTypeKey</key><string>d</string>
                <key>one</key><string>%d file</string><key>other</key><string>%d files</string></dict>
            </dict></dict></plist>
            """
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "files = plain; other = x;", "en.lproj/Localizable.stringsdict": dict,
            "en.lproj/Errors.strings": "e = Error;",
        ])
        let read = Customization(path: tree.path, languages: ["en"])
        #expect(read.diagnostics.isEmpty)
        #expect(read.format("files", 1) == "1 file" && read.format("files", 3) == "3 files")
        #expect(read.string("other") == "x" && read.string("e", table: "Errors") == "Error")
        #expect(read.tableNames == ["Errors", "Localizable"])
        #expect(read.explain("files").winner?.location.file == "en.lproj/Localizable.stringsdict")
    }

    @Test("A string catalog in the tree gives its languages as layers; a folder of the same language overrides it")
    func catalog() throws {
        let catalog = """
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "hello": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "Hello"}},
                                          "fr": {"stringUnit": {"state": "translated", "value": "Bonjour"}}}},
              "bye": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "Bye"}},
                                        "fr": {"stringUnit": {"state": "translated", "value": "Salut"}}}}}}
            """
        let tree = try TemporaryFolder([
            "Localizable.xcstrings": catalog, "fr.lproj/Localizable.strings": "bye = \"Au revoir\";",
        ])
        let read = Customization(path: tree.path, languages: ["fr-CA"])
        #expect(read.availableLanguages == ["en", "fr"])
        #expect(read.string("hello") == "Bonjour" && read.string("bye") == "Au revoir")
        #expect(read.switching(language: "en").string("hello") == "Hello")
        #expect(read.diagnostics.isEmpty)
    }

    @Test("Legacy and canonical folders of one language are both read, the canonical one on top")
    func legacyNames() throws {
        let tree = try TemporaryFolder([
            "English.lproj/Localizable.strings": "a = old; b = old;", "en.lproj/Localizable.strings": "a = new;",
            "fr_CA.lproj/Localizable.strings": "c = ca;", "Base.lproj/Localizable.strings": "d = base; a = base;",
        ])
        let read = Customization(path: tree.path, languages: ["fr-CA"])
        #expect(["a", "b", "c", "d"].map { read.string($0) } == ["new", "old", "ca", "base"])
        #expect(read.layers.map(\.id) == ["Base.lproj", "English.lproj", "en.lproj", "fr_CA.lproj"])
        #expect(read.availableLanguages == ["en", "fr-CA"])
    }

    @Test("Brands are the folders that are not languages; an unknown brand is reported and skipped")
    func brands() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en;", "ubiquus.lproj/Localizable.strings": "a = ubiquus;",
            "gray.lproj/Localizable.strings": "a = gray;", "red.lproj/Localizable.strings": "a = red;",
            "Info.plist": infoPlist(brand: "customer2"),
        ])
        let read = Customization(path: tree.path, languages: ["en"])
        #expect(read.string("a") == "en" && read.brand == "customer2")
        #expect(read.diagnostics.map(\.code) == [.unknownName])
        #expect(CustomizationTree(path: tree.path).availableBrands == ["gray", "red", "ubiquus"])
        #expect(Customization(path: tree.path, languages: ["en"], brand: "gray").string("a") == "gray")
        #expect(Customization(path: tree.path, languages: ["en"], brand: .none).brand == nil)
    }

    @Test("A brand's texts in the base language are below those in the user's")
    func brandInBaseLanguage() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en; b = en;", "fr.lproj/Localizable.strings": "a = fr; b = fr;",
            "acme.lproj/en.lproj/Localizable.strings": "a = acme-en; b = acme-en;",
            "acme.lproj/fr.lproj/Localizable.strings": "b = acme-fr;",
        ])
        let read = Customization(path: tree.path, languages: ["fr"], brand: "acme")
        #expect(read.string("a") == "acme-en" && read.string("b") == "acme-fr")
        #expect(
            read.layers.map(\.id) == [
                "en.lproj", "fr.lproj", "acme.lproj", "acme.lproj/en.lproj", "acme.lproj/fr.lproj",
            ])
    }

    @Test("Info.plist without the entry gives no brand and a note; a malformed one an error; a binary one is read")
    func infoPlists() throws {
        let files = ["en.lproj/Localizable.strings": "a = en;", "acme.lproj/Localizable.strings": "a = acme;"]
        let tree = try TemporaryFolder(files)
        #expect(Customization(path: tree.path, languages: ["en"]).diagnostics.isEmpty, "no Info.plist, no note")
        try tree.write("<plist><dict/></plist>", to: "Info.plist")
        #expect(Customization(path: tree.path, languages: ["en"]).diagnostics.map(\.code) == [.noBrand])
        try tree.write("<plist><dict>", to: "Info.plist")
        let broken = Customization(path: tree.path, languages: ["en"])
        #expect(broken.string("a") == "en" && broken.diagnostics.map(\.code) == [.malformedFile])
        let binary = try PropertyListSerialization.data(
            fromPropertyList: ["FTCustomizationString": "acme"], format: .binary, options: 0)
        try tree.write(binary, to: "Info.plist")
        #expect(Customization(path: tree.path, languages: ["en"]).string("a") == "acme")
    }

    @Test("Unreadable files are reported with their path, and every other layer is read")
    func badFiles() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = en; b = en;", "fr.lproj/Localizable.strings": "a = \"fr;\nb = fr;",
            "acme.lproj/Localizable.strings": "c = acme;", "en.lproj/Folder.strings/x": "",
        ])
        try tree.write(Data([0x61, 0xFF]), to: "fr.lproj/Bad.strings")
        let read = Customization(path: tree.path, languages: ["fr"], brand: "acme")
        #expect(["a", "b", "c"].map { read.string($0) } == ["en", "fr", "acme"])
        #expect(
            read.diagnostics.map { "\($0.location) \($0.code)" } == [
                "fr.lproj/Bad.strings:1:2 invalid-encoding", "fr.lproj/Localizable.strings:1:5 unterminated-string",
            ])
    }

    @Test("A missing folder, a missing base language and a file over the limit are reported")
    func missing() throws {
        let none = Customization(path: "/nonexistent/folder", languages: ["fr"])
        #expect(none.string("a") == "a")
        #expect(none.diagnostics.map(\.code) == [.missingFolder, .missingFolder])
        let tree = try TemporaryFolder(["fr.lproj/Localizable.strings": "a = fr;"])
        let noBase = Customization(path: tree.path, languages: ["fr"])
        #expect(noBase.string("a") == "fr" && noBase.diagnostics.map(\.code) == [.missingFolder])
        let small = Customization(
            path: tree.path, base: "fr", languages: ["fr"], policy: CustomizationPolicy(maximumFileSize: 3))
        #expect(small.string("a") == "a" && small.diagnostics.map(\.code) == [.unreadableFile])
    }

    @Test("A file that isn't UTF-8 is reported")
    func invalidEncoding() throws {
        let tree = try TemporaryFolder([:])
        try tree.write(Data(Array("a = \"caf".utf8) + [0x8E] + Array("\";".utf8)), to: "en.lproj/Localizable.strings")
        #expect(Customization(path: tree.path, languages: ["en"]).diagnostics.map(\.code) == [.invalidEncoding])
    }

    // MARK: Images

    @Test("An image comes from the highest layer that has the file, the requested scale and device first")
    func images() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "logo = \"logo.png\"; icon = icon; gone = \"gone.png\";",
            "en.lproj/logo.png": "",
            "en.lproj/logo@2x.png": "", "fr.lproj/logo@3x.png": "", "fr.lproj/logo@3x~ipad.png": "",
            "acme.lproj/icon.svg": "",
            "en.lproj/icon.png": "", "root.jpg": "", "en.lproj/star.png": "", "en.lproj/star@3x.png": "",
        ])
        let english = Customization(path: tree.path, languages: ["en"], brand: "acme")
        func name(_ image: ImageReference?) -> String? { image.map { String($0.path.dropFirst(tree.path.count + 1)) } }
        #expect(name(english.image("logo")) == "en.lproj/logo.png")
        #expect(name(english.image("logo", scale: 2)) == "en.lproj/logo@2x.png")
        #expect(name(english.image("logo", scale: 3)) == "en.lproj/logo@2x.png")
        #expect(english.image("logo", scale: 3)?.scale == 2)
        #expect(english.image("star", scale: 2)?.scale == 3)
        let french = english.switching(language: "fr")
        #expect(name(french.image("logo")) == "fr.lproj/logo@3x.png")
        #expect(name(french.image("logo", scale: 3, idiom: "ipad")) == "fr.lproj/logo@3x~ipad.png")
        #expect(name(french.image("icon")) == "acme.lproj/icon.svg" && french.image("icon")?.layer == "acme.lproj")
        #expect(name(french.image("root.jpg")) == "root.jpg" && name(french.image("root")) == "root.jpg")
        #expect(french.problems.isEmpty)
        #expect(french.image("gone") == nil && french.image("nowhere") == nil)
        #expect(french.problems.map(\.code) == [.missingImage, .missingImage])
        #expect(french.problems.first?.file == "en.lproj/Localizable.strings", "the place of the image's name")
    }

    // MARK: Explanations

    @Test("An explanation lists every layer that defines the key, with locations, the effective one first")
    func explain() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "\"x\" = \"1\";\n  \"a\" = \"Cancel\";",
            "fr.lproj/Localizable.strings": "\n\n\"a\" = \"Annuler\";",
            "acme.lproj/Localizable.strings": "\"a\" = \"Stop\"; \"link\" = \"$a\";",
        ])
        let read = Customization(
            path: tree.path, languages: ["fr"], brand: "acme", policy: CustomizationPolicy(resolvesAliases: true))
        #expect(
            read.explain("a").description == """
                a = "Stop"
                  * acme.lproj/Localizable.strings:1:1: "Stop" (brand acme)
                    fr.lproj/Localizable.strings:3:1: "Annuler" (language fr)
                    en.lproj/Localizable.strings:2:3: "Cancel" (base en)
                """)
        #expect(read.explain("a").winner?.layer == "acme.lproj")
        #expect(read.explain("link").description.hasSuffix("alias: link → a"))
        #expect(read.explain("nope").description == "nope: not defined in table Localizable")
        #expect(
            read.resolvedEntry(for: "a")?.layer.id == "acme.lproj"
                && read.resolvedEntry(for: "a")?.entry.location.column == 1)
    }

    @Test("The colors of the policy are those of string catalogs, too")
    func catalogColors() throws {
        let tree = try TemporaryFolder([
            "Localizable.xcstrings": #"""
            {"sourceLanguage": "en", "strings": {"tint": {"localizations": {
              "en": {"stringUnit": {"value": "1,2,3"}}, "fr": {"stringUnit": {"value": "1,2,3,50"}}}}}}
            """#
        ])
        func alpha(_ scale: ColorDialect.AlphaScale) -> Float {
            let policy = CustomizationPolicy(colors: .components(alpha: scale))
            return Customization(path: tree.path, languages: ["fr"], policy: policy).color("tint").alpha
        }
        #expect(alpha(.percent) == 0.5)
        #expect(alpha(.byte) == 50.0 / 255)
    }

    @Test("A regional base language isn't overridden by its parent")
    func regionalBase() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = color;", "en-GB.lproj/Localizable.strings": "a = colour;",
        ])
        #expect(Customization(path: tree.path, base: "en-GB", languages: ["en-GB"]).string("a") == "colour")
        #expect(Customization(path: tree.path, base: "en-GB", languages: ["en-US"]).string("a") == "color")
    }

    @Test("A brand's texts in the base language don't change the current language")
    func brandConventions() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = b;", "fr.lproj/Localizable.strings": "a = c;",
            "acme.lproj/Localizable.strings": "\"n\" = \"{n, number}\";",
            "acme.lproj/en.lproj/Localizable.strings": "d = e;",
        ])
        let read = Customization(path: tree.path, languages: ["fr"], brand: "acme")
        #expect(read.conventions.language == "fr" && read.message("n", ["n": 1.5]) == "1,5")
    }

    @Test("A brand can have two folders of one language; the canonical name wins")
    func brandFolders() throws {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": "a = b;", "pt-BR.lproj/Localizable.strings": "a = c;",
            "acme.lproj/pt-BR.lproj/Localizable.strings": "a = canonical;",
            "acme.lproj/pt_BR.lproj/Localizable.strings": "a = other; only = other;",
        ])
        let read = Customization(path: tree.path, languages: ["pt-BR"], brand: "acme")
        #expect(read.string("a") == "canonical" && read.string("only") == "other")
    }
}
