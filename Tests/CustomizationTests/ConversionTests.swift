import AshlarCustomization
import AshlarTestSupport
import Testing

/// The conversions listed on the pages "Coming from DB5" and "Coming from SquidKit themes".
@Suite struct ConversionTests {
    private func strings(_ theme: String, file: String, _ numbers: NumberSpelling) throws -> Customization {
        let tree = try TemporaryFolder([file: theme])
        let parsed = Theme.load(tree.path + "/" + file)
        #expect(parsed.diagnostics.filter { $0.severity == .error } == [])
        return Customization(layers: [], policy: .init(numbers: numbers)).with(themes: parsed.themes)
    }

    private func db5(_ value: String, _ numbers: NumberSpelling = .strict) throws -> Customization {
        try strings(
            "<plist version=\"1.0\"><dict><key>Default</key><dict><key>k</key>\(value)</dict></dict></plist>",
            file: "DB5.plist", numbers)
    }

    private func squidKit(_ value: String, _ numbers: NumberSpelling = .strict) throws -> Customization {
        try strings(
            "{\"themes\": [{\"name\": \"default\", \"attributes\": {\"k\": \(value)}}]}", file: "Themes.json", numbers)
    }

    @Test(
        "An integer of DB5 is a color of its digits",
        arguments: [("333333", "#333333"), ("000000", nil), ("123456", "#123456"), ("333", nil)] as [(String, String?)])
    func integerColor(digits: String, color: String?) throws {
        for element in ["integer", "string"] where element == "integer" || color != nil {
            let strings = try db5("<\(element)>\(digits)</\(element)>")
            #expect((strings["k"] as RGBAColor?)?.description == color, "\(element)")
        }
        #expect(try db5("<integer>7</integer>").string("k") == "7")
    }

    @Test(
        "DB5's numbers are read strictly, or on request like by NSString",
        arguments: [
            ("<real>44.7</real>", nil, 44), ("<real>44.0</real>", 44, 44), ("<string>44px</string>", nil, 44),
            ("<string>wide</string>", nil, 0), ("<true/>", nil, 1), ("<integer>7</integer>", 7, 7),
            ("<string> 7 </string>", 7, 7),
        ] as [(String, Int?, Int)])
    func integers(value: String, strict: Int?, lenient: Int) throws {
        #expect(try db5(value)["k"] as Int? == strict)
        #expect(try db5(value, .nsstring)["k"] as Int? == lenient)
    }

    @Test(
        "DB5's Booleans are read strictly, or on request like by NSNumber",
        arguments: [
            ("<integer>1</integer>", true, true), ("<integer>2</integer>", nil, true), ("<real>0.5</real>", nil, true),
            ("<string>on</string>", nil, false), ("<string>YES</string>", true, true), ("<false/>", false, false),
        ] as [(String, Bool?, Bool)])
    func booleans(value: String, strict: Bool?, lenient: Bool) throws {
        #expect(try db5(value)["k"] as Bool? == strict)
        #expect(try db5(value, .nsstring)["k"] as Bool? == lenient)
    }

    @Test(
        "SquidKit's numbers and booleans convert on request",
        arguments: [
            ("true", nil, 1), ("2.0", 2, 2), ("2.7", nil, 2), ("\"4\"", 4, 4), ("4", 4, 4),
        ] as [(String, Int?, Int)])
    func squidKitIntegers(value: String, strict: Int?, lenient: Int) throws {
        #expect(try squidKit(value)["k"] as Int? == strict)
        #expect(try squidKit(value, .nsstring)["k"] as Int? == lenient)
    }

    @Test(
        "SquidKit's booleans convert on request",
        arguments: [
            ("1", true, true), ("0", false, false), ("2", nil, true), ("true", true, true), ("\"yes\"", true, true),
        ] as [(String, Bool?, Bool)])
    func squidKitBooleans(value: String, strict: Bool?, lenient: Bool) throws {
        #expect(try squidKit(value)["k"] as Bool? == strict)
        #expect(try squidKit(value, .nsstring)["k"] as Bool? == lenient)
    }
}

/// Folders whose name looks like a language, and brands whose name is one.
@Suite struct FolderNameTests {
    private let files = ["kab_KAB", "hp", "bbc", "zz-ZZ", "acme", "red", "fr", "en", "Base", "ie", "x-brand", "fil"]

    private func tree() throws -> TemporaryFolder {
        try TemporaryFolder(
            Dictionary(uniqueKeysWithValues: files.map { ("\($0).lproj/Localizable.strings", "\"k\" = \"\($0)\";") }))
    }

    @Test("A folder that looks like a language but isn't one causes a warning")
    func warnings() throws {
        let folder = try tree()
        let tree = CustomizationTree(path: folder.path)
        #expect(tree.availableLanguages.map(\.description) == ["bbc", "en", "fil", "fr", "ie"])
        #expect(tree.availableBrands == ["acme", "red", "x-brand"])
        #expect(
            tree.diagnostics.map { "\($0.severity) \($0.file) \($0.code)" } == [
                "warning hp.lproj unknown-folder", "warning kab_KAB.lproj unknown-folder",
                "warning zz-ZZ.lproj unknown-folder",
            ])
    }

    @Test("A brand that is requested, declared or in Info.plist isn't a language")
    func brands() throws {
        let folder = try tree()
        let requested = Customization(path: folder.path, languages: ["bbc"], brand: "bbc")
        #expect(requested.string("k") == "bbc")
        #expect(requested.layers.map(\.role) == [.base("en"), .base("en"), .brand("bbc")])
        #expect(!requested.availableLanguages.contains("bbc"))
        let hp = Customization(path: folder.path, languages: ["fr"], brand: "hp")
        #expect(hp.string("k") == "hp" && !hp.diagnostics.contains { $0.file == "hp.lproj" })
        let declared = CustomizationTree(path: folder.path, policy: .init(brands: ["bbc", "hp"]))
        #expect(declared.availableLanguages.map(\.description) == ["en", "fil", "fr", "ie"])
        #expect(declared.availableBrands == ["acme", "bbc", "hp", "red", "x-brand"])
        let language = Customization(path: folder.path, languages: ["bbc"], brand: .none)
        #expect(language.layers.map(\.role).last == .language("bbc"))
        #expect(language.switching(brand: "bbc").layers.map(\.role).last == .brand("bbc"))
        try folder.write(infoPlist(brand: "bbc"), to: "Info.plist")
        #expect(CustomizationTree(path: folder.path).availableBrands.contains("bbc"))
    }
}
