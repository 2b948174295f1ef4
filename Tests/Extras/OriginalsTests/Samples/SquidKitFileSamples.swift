import AshlarOriginals
import Foundation
import Testing

extension Samples {
    @Suite struct SquidKitFileSamples {
        private let folder: SampleFolder

        init() throws {
            folder = try SampleFolder([
                "MyJSONFile.json": #"{"some_item": "x", "other": {"address": "Main Street"}, "flag": true, "n": 2}"#,
                "MyTheme.json": """
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
                """,
            ])
        }

        // MARK: JSON parsing

        @Test("The three initializers; an unreadable file isn't valid")
        func initializers() {
            let pair = JSONEntity("name", ["first": "Ada"])
            #expect(pair.key == "name" && pair["first"].string() == "Ada")
            let json = JSONEntity(resourceFilename: folder.file("MyJSONFile.json"))
            let someItem = json["some_item"]
            #expect(someItem.string() == "x")
            #expect(!JSONEntity(resourceFilename: folder.file("missing.json")).isValid)
            let dictionary = NSDictionary(dictionary: ["list": [1, 2]])
            #expect(JSONEntity(jsonDictionary: dictionary)["list"][1].int() == 2)
        }

        @Test("string(\"Address N/A\") gives the default for a missing item")
        func defaults() {
            let entity = JSONEntity(resourceFilename: folder.file("MyJSONFile.json"))
            let missing = entity["address"].string("Address N/A")
            let address = entity["other"]["address"].string("Address N/A")
            #expect(missing == "Address N/A" && address == "Main Street")
            #expect(!entity["address"].isValid && entity["other"].isValid)
        }

        @Test("The value extraction methods, with and without a default")
        func extraction() {
            let entity = JSONEntity(resourceFilename: folder.file("MyJSONFile.json"))
            #expect(entity["some_item"].string() == "x" && entity["n"].string() == nil)
            #expect(entity["n"].array() == nil && entity["n"].array([1]) == [1])
            #expect(entity["other"].dictionary()?.count == 1 && entity["n"].dictionary() == nil)
            #expect(entity["n"].int() == 2 && entity["none"].int() == nil && entity["none"].int(3) == 3)
            #expect(entity["n"].float() == 2 && entity["none"].float(0.5) == 0.5)
            #expect(entity["flag"].bool() == true && entity["none"].bool() == nil && entity["none"].bool(true))
        }

        @Test("for entity in entities")
        func iteration() {
            let myJSONDictionary = NSDictionary(
                dictionary: ["entities_array": [["float_item": 1.5], ["float_item": 2.5], [:]]])
            let json = JSONEntity(myJSONDictionary)
            let entities = json["entities_array"]
            var floats: [Float?] = []
            for entity in entities {
                let float = entity["float_item"].float()
                floats.append(float)
            }
            #expect(floats == [1.5, 2.5, nil])
        }

        // MARK: Themes

        @Test("The theme is loaded and becomes the default theme; its colors and text are read")
        func theme() {
            CustomizationCenter.shared.update { _ in Customization(layers: []) }
            #expect(ThemeLoader.loadThemesFromResourceFile(folder.file("MyTheme.json")))
            #expect(CustomizationCenter.shared.current.theme == nil)

            // and to make the first loaded theme the default theme
            ThemeManager.sharedInstance.setDefaultTheme()

            let current = CustomizationCenter.shared.current
            #expect(current.theme == "ExampleTheme")
            #expect(current.color("defaultBackgroundColor") == RGBAColor(red: 0, green: 0, blue: 1))
            #expect(current.color("defaultLabelTextColor") == RGBAColor(red: 1, green: 0, blue: 0, alpha: 0.5))
            #expect(current.string("myThemeText") == "Theme view with theme label")
        }

        @Test("A theme that is loaded again replaces the old one, and a missing file changes nothing")
        func themeTwice() throws {
            CustomizationCenter.shared.update { _ in Customization(layers: []) }
            ThemeLoader.loadThemesFromResourceFile(folder.file("MyTheme.json"))
            ThemeManager.sharedInstance.setDefaultTheme()
            let other = try SampleFolder([
                "MyTheme.json":
                    #"{"themes": [{"name": "ExampleTheme", "attributes": [{"key": "myThemeText", "value": "new"}]}]}"#
            ])
            ThemeLoader.loadThemesFromResourceFile(other.file("MyTheme.json"))
            #expect(CustomizationCenter.shared.current.themes.map(\.name) == ["ExampleTheme"])
            #expect(CustomizationCenter.shared.current.string("myThemeText") == "new")
            #expect(!ThemeLoader.loadThemesFromResourceFile(other.file("missing.json")))
            #expect(CustomizationCenter.shared.current.string("myThemeText") == "new")
        }
    }
}
