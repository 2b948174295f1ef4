import AshlarCustomization
import AshlarTestSupport
import Testing

/// Every call and example of FTCustomization and SquidKit's themes.
@Suite struct SeedParityTests {
    static let english = """
        "CancelString" = "Cancel";
        "OKString" = "OK";
        """
    static let french = """
        "CancelString" = "Annuler";
        // "OKstring" is absent //
        """
    static let localizations = """
        "CancelString" = "Cancel";
        "PINminimumLength" = "4";
        "PINmaximumLength" = "8";
        "isPINrequired" = "YES";
        "TimeIntervalInSeconds" = "0.8";
        "TabBarColor" = "92,66,134,54";
        "SearchImage" = "search.png";
        """

    func tree() throws -> TemporaryFolder {
        try TemporaryFolder([
            "en.lproj/Localizable.strings": Self.english, "fr.lproj/Localizable.strings": Self.french,
            "ubiquous.lproj/Localizable.strings": Self.localizations.replacing(
                #""CancelString" = "Cancel";"#, with: ""),
            "ubiquous.lproj/search.png": "a picture", "Info.plist": infoPlist(brand: "ubiquous"),
        ])
    }

    // MARK: FTCustomization

    @Test("FTinitializeCustomization: the sequence is en, device language, FTCustomizationString of Info.plist")
    func initialize() throws {
        let tree = try tree()
        let customization = Customization(path: tree.path, languages: ["fr"])
        #expect(customization.layers.map(\.id) == ["en.lproj", "fr.lproj", "ubiquous.lproj"])
        #expect(customization.brand == "ubiquous")
    }

    @Test("FTinitializeCustomization: another base language replaces en")
    func initializeWithBase() throws {
        let tree = try tree()
        try tree.write(#""CancelString" = "Abbrechen";"#, to: "de.lproj/Localizable.strings")
        let customization = Customization(path: tree.path, base: "de", languages: ["fr"])
        #expect(customization.layers.map(\.id) == ["de.lproj", "fr.lproj", "ubiquous.lproj"])
        #expect(customization.baseLanguage == "de")
    }

    @Test("The incomplete French file gives Annuler and the base's OK, the English device Cancel and OK")
    func incompleteFiles() throws {
        let tree = try tree()
        let french = Customization(path: tree.path, languages: ["fr"])
        #expect(french.string("CancelString") == "Annuler")
        #expect(french.string("OKString") == "OK")
        let english = Customization(path: tree.path, languages: ["en"])
        #expect(english.string("CancelString") == "Cancel")
        #expect(english.string("OKString") == "OK")
    }

    @Test("A device language without a folder leaves the base language")
    func absentLanguage() throws {
        let tree = try tree()
        let customization = Customization(path: tree.path, languages: ["ja"])
        #expect(customization.string("CancelString") == "Cancel")
    }

    @Test("FToverrideCustomization replaces the device language, and nil restores it")
    func override() throws {
        let tree = try tree()
        let french = Customization(path: tree.path, languages: ["fr"])
        #expect(french.overrideLanguage == nil)
        let english = french.switching(language: "en")
        #expect(english.overrideLanguage == "en")
        #expect(english.deviceLanguage == "fr")
        #expect(english.string("CancelString") == "Cancel")
        #expect(english.int("PINminimumLength") == 4)
        #expect(english.switching(language: nil).string("CancelString") == "Annuler")
    }

    @Test("FTdeviceLanguage, FTdefaultLanguage, FToverrideLanguage can be read")
    func languages() throws {
        let tree = try tree()
        let customization = Customization(path: tree.path, languages: ["fr-CA", "de"])
        #expect(customization.deviceLanguage == "fr-CA")
        #expect(customization.baseLanguage == "en")
        #expect(customization.overrideLanguage == nil)
    }

    @Test("FTCustomString, FTCustomInt, FTCustomFloat, FTCustomBool, FTCustomColor, FTCustomImage read the example")
    func typedReads() throws {
        let tree = try tree()
        let customization = Customization(path: tree.path, languages: ["fr"])
        #expect(customization.string("PINmaximumLength") == "8")
        #expect(customization.int("PINminimumLength") == 4)
        #expect(customization.int("PINmaximumLength") == 8)
        #expect(customization.bool("isPINrequired") == true)
        #expect(customization.double("TimeIntervalInSeconds") == 0.8)
        #expect(customization.color("TabBarColor") == RGBAColor(red8: 92, green8: 66, blue8: 134, alpha8: 54))
        let image = try #require(customization.image("SearchImage"))
        #expect(image.path == tree.path + "/ubiquous.lproj/search.png")
        #expect(image.layer == "ubiquous.lproj")
        #expect(customization.problems.isEmpty)
    }

    // MARK: SquidKit themes

    static let theme = """
        {
            "themes":
            [
                {
                    "name": "ExampleTheme",
                    "attributes":
                    [
        				{
        					"type":		"color",
        					"value":	"0000FF(blue)",
        					"key":		"defaultBackgroundColor"
        				},
        				{
        					"type":		"color",
        					"value":	"FF0000(red)",
        					"alpha":	0.5,
        					"key":		"defaultLabelTextColor"
        				},
        				{
        					"value":	"Theme view with theme label",
        					"key":		"myThemeText"
        				}
                    ]
                }
            ]
        }
        """

    @Test("ThemeLoader and setDefaultTheme: the first theme of the file is the default one")
    func defaultTheme() throws {
        let parsed = Theme.parse(Array(Self.theme.utf8), file: "MyTheme.json")
        #expect(parsed.diagnostics.isEmpty)
        let customization = Customization(layers: []).with(themes: parsed.themes)
        #expect(customization.theme == "ExampleTheme")
    }

    @Test("The example theme's colors, alpha and text are read as documented")
    func themeAttributes() throws {
        let parsed = Theme.parse(Array(Self.theme.utf8), file: "MyTheme.json")
        let customization = Customization(layers: []).with(themes: parsed.themes)
        #expect(customization.color("defaultBackgroundColor") == RGBAColor(red: 0, green: 0, blue: 1))
        #expect(
            customization.color("defaultLabelTextColor") == RGBAColor(red: 1, green: 0, blue: 0, alpha: 0.5))
        #expect(customization.string("myThemeText") == "Theme view with theme label")
        #expect(customization.explain("myThemeText").winner?.location.line == 19)
    }
}
