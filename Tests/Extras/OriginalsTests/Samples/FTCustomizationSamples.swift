import AshlarOriginals
import Testing

extension Samples {
    @Suite struct FTCustomizationSamples {
        private let folder: SampleFolder

        init() throws {
            folder = try SampleFolder([
                "Info.plist": propertyList("<key>FTCustomizationString</key><string>ubiquitous</string>"),
                "en.lproj/Localizable.strings": """
                "CancelString" = "Cancel";
                "OKString" = "OK";
                """,
                "fr.lproj/Localizable.strings": """
                "CancelString" = "Annuler";
                // "OKstring" is absent //
                """,
                "ubiquitous.lproj/Localizable.strings": """
                "PINminimumLength" = "4";
                "PINmaximumLength" = "8";
                "isPINrequired" = "YES";
                "TimeIntervalInSeconds" = "0.8";
                "TabBarColor" = "92,66,134,54";
                "SearchImage" = "search.png";
                """,
                "ubiquitous.lproj/search.png": "a picture",
            ])
        }

        private var sequence: [String] { CustomizationCenter.shared.current.layers.map(\.id) }

        @Test("Localization sequence: en.lproj, fr.lproj, ubiquitous.lproj")
        func localizationSequence() {
            FTCustomization.FTinitializeCustomization(path: folder.path, languages: ["fr"])
            #expect(sequence == ["en.lproj", "fr.lproj", "ubiquitous.lproj"])
        }

        @Test("FToverrideCustomization: en replaces the device language fr")
        func override() {
            FTCustomization.FTinitializeCustomization(path: folder.path, languages: ["fr"])
            #expect(FTCustomization.FToverrideLanguage() == nil)
            FTCustomization.FToverrideCustomization("en")
            // The documented sequence en, en, ubiquitous has the same result.
            #expect(sequence == ["en.lproj", "ubiquitous.lproj"])
            #expect(FTCustomString("CancelString") == "Cancel")
            #expect(FTCustomization.FToverrideLanguage() == "en")
            #expect(FTCustomization.FTdeviceLanguage() == "fr")
            #expect(FTCustomization.FTdefaultLanguage() == "en")
            FTCustomization.FToverrideCustomization("no language")
            #expect(FTCustomization.FToverrideLanguage() == "en")
            FTCustomization.FToverrideCustomization(nil)
            #expect(FTCustomString("CancelString") == "Annuler")
        }

        @Test("FTinitializeCustomization(lang): lang is the base language instead of en")
        func baseLanguage() {
            FTCustomization.FTinitializeCustomization("fr", path: folder.path, languages: ["de"])
            #expect(sequence == ["fr.lproj", "ubiquitous.lproj"])
            #expect(FTCustomization.FTdefaultLanguage() == "fr")
            #expect(FTCustomString("CancelString") == "Annuler")
            FTCustomization.FTinitializeCustomization("no language", path: folder.path)
            #expect(FTCustomization.FTdefaultLanguage() == "fr")
        }

        @Test(
            "Incomplete files: the documented results in French and English",
            arguments: [("fr", "Annuler", "OK"), ("en", "Cancel", "OK")] as [(LanguageTag, String, String)])
        func incompleteFiles(language: LanguageTag, cancel: String, ok: String) {
            FTCustomization.FTinitializeCustomization(path: folder.path, languages: [language])
            #expect(FTCustomString("CancelString") == cancel)
            #expect(FTCustomString("OKString") == ok)
        }

        @Test("A variety of localizations: string, int, float, BOOL, color and image")
        func variety() {
            FTCustomization.FTinitializeCustomization(path: folder.path, languages: ["en"])
            #expect(FTCustomString("CancelString") == "Cancel")
            #expect(FTCustomInt("PINminimumLength") == 4)
            #expect(FTCustomInt("PINmaximumLength") == 8)
            #expect(FTCustomBool("isPINrequired"))
            #expect(FTCustomFloat("TimeIntervalInSeconds") == 0.8)
            #if !canImport(UIKit)
                #expect(
                    FTCustomColor("TabBarColor")
                        == RGBAColor(red: 92.0 / 255, green: 66.0 / 255, blue: 134.0 / 255, alpha: 54.0 / 255))
                #expect(FTCustomImage("SearchImage")?.path == folder.file("ubiquitous.lproj/search.png"))
            #endif
            #expect(CustomizationCenter.shared.current.problems.isEmpty)
        }

        @Test("A device language without a folder leaves the strings of en.lproj")
        func absentLanguage() {
            FTCustomization.FTinitializeCustomization(path: folder.path, languages: ["ja"])
            #expect(sequence == ["en.lproj", "ubiquitous.lproj"])
            #expect(FTCustomString("CancelString") == "Cancel")
        }
    }
}
