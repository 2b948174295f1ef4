import AshlarOriginals
import Testing

extension Samples {
    @Suite struct NEIApplicationConfigSamples {
        private let folder: SampleFolder
        private static let base = propertyList(
            """
            <key>VALUE_ENABLED</key><true/>
            <key>STRING_KEY</key><string>text</string>
            <key>WHERE</key><string>release</string>
            <key>URL</key><string>https://api.myapp.com</string>
            <key>COUNT</key><integer>7</integer>
            <key>RATIO</key><real>2.5</real>
            <key>font.title.name</key><string>Helvetica</string>
            <key>font.title.size</key><integer>18</integer>
            <key>CONTROLLER</key><string>AshlarOriginalsTests.NEISampleController</string>
            <key>servers</key><dict><key>URL</key><string>https://scoped.myapp.com</string></dict>
            <key>com.myapp.beta.AppName</key><dict><key>URL</key><string>https://staging.myapp.com</string></dict>
            """)

        init() throws {
            folder = try SampleFolder([
                "ApplicationConfig.plist": Self.base,
                "ApplicationConfig.debug.plist": propertyList("<key>WHERE</key><string>debug</string>"),
                "ApplicationConfig.simulator.plist": propertyList("<key>WHERE</key><string>simulator</string>"),
            ])
            try load()
        }

        private func load(_ environments: [ConfigEnvironment] = [], bundle: String? = nil) throws {
            var plan = ConfigPlan(files: .directory(folder.path), environments: environments, bundleIdentifier: bundle)
            plan.merge = .seed
            plan.coercion = .seed
            NEIApplicationConfig.setDefaults(try ConfigStore(loading: plan))
        }

        @Test(
            "Initialization: the base file always, the debug file in debug builds, the simulator's in the simulator",
            arguments: [
                ([], "release"), ([.debug], "debug"), ([.debug, .simulator], "simulator"),
            ] as [([ConfigEnvironment], String)])
        func initialization(environments: [ConfigEnvironment], result: String) throws {
            try load(environments)
            #expect(NEIApplicationConfig.defaults().get(stringForKey: "WHERE") == result)
            #expect(NEIApplicationConfig.defaults().get(stringForKey: "STRING_KEY") == "text")
        }

        @Test("Bundle overrides: the dictionary of com.myapp.beta.AppName is added to the root")
        func bundleOverrides() throws {
            #expect(NEIApplicationConfig.get(stringForKey: "URL") == "https://api.myapp.com")
            try load(bundle: "com.myapp.beta.AppName")
            #expect(NEIApplicationConfig.get(stringForKey: "URL") == "https://staging.myapp.com")
        }

        /// The Swift sample.
        private final class YourViewController {
            let config = NEIApplicationConfig.defaults()

            func methodUsingConfig() -> [String] {
                let booleanValue = config.get(booleanForKey: "VALUE_ENABLED", defaultValue: false)
                let stringWithDefaultValue = config.get(stringForKey: "NO_KEY", defaultValue: "DEFAULT_VALUE")
                let stringOrNil = config.get(stringForKey: "STRING_KEY")

                config.set(object: true, forKey: "IS_AWESOME_API")  // sets or overrides a value, which isn't persisted

                // `if let` in the document, although the method is declared to return a BOOL.
                let truth = config.get(booleanForKey: "IS_AWESOME_API", defaultValue: false)
                return ["\(booleanValue)", stringWithDefaultValue, stringOrNil ?? "nil", "\(truth)"]
            }
        }

        @Test("Integration in Swift; a set value is visible to all and isn't persisted")
        func swift() throws {
            #expect(YourViewController().methodUsingConfig() == ["true", "DEFAULT_VALUE", "text", "true"])
            #expect(NEIApplicationConfig.defaults()["IS_AWESOME_API"] == true)
            #expect(folder.text("ApplicationConfig.plist") == Self.base)
            try load()
            #expect(NEIApplicationConfig.defaults()["IS_AWESOME_API"] == nil)
        }

        @Test("Integration in Objective-C")
        func objectiveC() {
            let config = NEIApplicationConfig.defaults()
            let enabled = config.get(booleanForKey: "VALUE_ENABLED", defaultValue: false)
            let stringValue = config.get(stringForKey: "STRING_KEY", defaultValue: "defualt value")
            config.set(object: true, forKey: "IS_AWESOME_API")
            #expect(enabled && stringValue == "text")
            #expect(config.get(booleanForKey: "IS_AWESOME_API", defaultValue: false))
        }

        @Test("Definition: the instance methods")
        func instanceMethods() {
            let config = NEIApplicationConfig.defaults()
            #expect(config.get(objectForKey: "COUNT") == 7)
            #expect(config.get(objectForKey: "NONE") == nil)
            #expect(config.get(objectForKey: "NONE", defaultValue: "x") == "x")
            #expect(config.get(intForKey: "COUNT", defaultValue: 1) == 7)
            #expect(config.get(intForKey: "NONE", defaultValue: 1) == 1)
            #expect(config.get(floatForKey: "RATIO", value: 1) == 2.5)
            #expect(config.get(floatForKey: "NONE", defaultValue: 1) == 1)
            let type = ObjectIdentifier(NEISampleController.self)
            #expect(config.get(classForKey: "CONTROLLER").map { ObjectIdentifier($0) } == type)
            #expect(config.get(classForKey: "NONE") == nil)
            #expect(config.get(classForKey: "NONE", defaultValue: nil) == nil)
            #expect(
                config.get(classForKey: "NONE", defaultValue: "AshlarOriginalsTests.NEISampleController").map {
                    ObjectIdentifier($0)
                } == type)
            config["A.B"] = 5
            #expect(config["A.B"] == 5 && config.keys().contains("A.B"))
            config["A.B"] = nil
            #expect(config["A.B"] == nil && !config.keys().contains("A.B"))
            #if !canImport(UIKit) && !canImport(CoreText)
                #expect(config.font(named: "title") == FontSpec(name: "Helvetica", size: 18))
                #expect(config.font(named: "none") == FontSpec(name: "Arial", size: 12))
            #endif
        }

        @Test("Definition: the class methods use the defaults")
        func classMethods() {
            #expect(NEIApplicationConfig.set(value: 8, key: "COUNT")["COUNT"] == 8)
            #expect(NEIApplicationConfig.get(objectForKey: "COUNT") == 8)
            #expect(NEIApplicationConfig.get(objectForKey: "NONE", defaultValue: 3) == 3)
            #expect(NEIApplicationConfig.get(intForKey: "COUNT", defaultValue: 1) == 8)
            #expect(NEIApplicationConfig.get(floatForKey: "RATIO", defaultValue: 1) == 2.5)
            #expect(NEIApplicationConfig.get(boolforKey: "VALUE_ENABLED", defaultValue: false))
            #expect(NEIApplicationConfig.get(stringForKey: "NONE", defaultValue: "d") == "d")
            #expect(NEIApplicationConfig.get(stringForKey: "NONE") == nil)
            #expect(NEIApplicationConfig.get(classForKey: "CONTROLLER") != nil)
            #expect(NEIApplicationConfig.get(classForKey: "NONE", defaultValue: nil) == nil)
            #expect(NEIApplicationConfig.keys() == NEIApplicationConfig.defaults().keys())
            #expect(NEIApplicationConfig.with(scope: "servers").get(stringForKey: "URL") == "https://scoped.myapp.com")
            #expect(NEIApplicationConfig.with(scope: nil).get(stringForKey: "URL") == "https://api.myapp.com")
            let changed = NEIApplicationConfig.with(dictionary: ["URL": "x"])
            #expect(changed["URL"] == "x" && changed["STRING_KEY"] == "text")
            #expect(NEIApplicationConfig.with(dictionary: nil)["URL"] == "https://api.myapp.com")
            #if !canImport(UIKit) && !canImport(CoreText)
                #expect(NEIApplicationConfig.font(named: "title") == FontSpec(name: "Helvetica", size: 18))
            #endif
        }
    }
}

/// The class that the sample's configuration names.
final class NEISampleController {}
