import AshlarTooling
import Testing

/// Imports of Android's own files, and their exports.
@Suite struct AndroidFindingsTests {
    static func imported(
        _ elements: String, folder: String = "res/values", attributes: String = ""
    ) -> (layers: [CustomizationLayer], diagnostics: [CustomizationDiagnostic]) {
        AndroidResources(files: [
            .init(path: folder + "/strings.xml", text: "<resources\(attributes)>\n\(elements)\n</resources>")
        ]).layers()
    }

    static func value(_ elements: String, key: String = "k") -> CustomizationValue? {
        imported(elements).layers.first?.tables["Localizable"]?[key]
    }

    static func exported(_ layers: [CustomizationLayer]) -> String {
        AndroidResources(layers).files.map(\.text).joined()
    }

    @Test(
        "Percent signs are preserved, and Java's placeholders are parsed by Java's rules",
        arguments: [
            ("100% sure", "100% sure"), ("100% done", "100% done"), ("50%", "50%"), ("%1$s has %2$,d", "%1$@ has %2$d"),
            ("%tB", "%@"), ("a%nb", "a\nb"), ("%b", "%@"), ("%h", "%@"), ("%(d", "%d"), ("%+,d", "%+d"),
            ("%s: 5 %% off", "%@: 5 %% off"), ("%s: 100% done", "%@: 100%% done"), ("%1$s %&lt;s", "%1$@ %1$@"),
            ("%S", "%@"), ("%.2f", "%.2f"),
            ("%1$s 100% sure", "%1$@ 100%% sure"), ("%1$tY-%1$tm", "%1$@-%1$@"), ("%-5s|", "%-5@|"), ("%x", "%x"),
        ])
    func formats(java: String, expected: String) {
        #expect(Self.value("<string name=\"k\">\(java)</string>") == .string(expected))
    }

    @Test(
        "A simplified placeholder is reported by key, file and line, and exported unchanged",
        arguments: ["%1$s has %2$,d", "%tB", "%b", "%h", "%(d", "%+,d", "%S"])
    func simplifiedFormats(java: String) {
        let (layers, diagnostics) = Self.imported("\n<string name=\"k\">\(java)</string>")
        #expect(diagnostics.map { "\($0.file):\($0.line) \($0.key ?? "")" } == ["res/values/strings.xml:3 k"])
        #expect(Self.exported(layers).contains("<string name=\"k\">\(java)</string>"))
    }

    @Test("A surrogate pair is one character")
    func surrogates() {
        let (layers, _) = Self.imported("<string name=\"k\">\\uD83C\\uDFC3 \\u0041\\ud83d</string>")
        #expect(layers[0].tables["Localizable"]?["k"] == .string("\u{1F3C3} A\u{FFFD}"))
        #expect(Self.exported(layers).contains("\\uD83C\\uDFC3"))
    }

    @Test(
        "References are aliases, not strings, and are exported as references",
        arguments: [
            ("@string/a", "a"), ("?attr/foo", "?attr/foo"), ("@android:string/ok", "@android:string/ok"),
            ("@null", "@null"), (" @string/a_x32_b ", "a_x32_b"), ("?foo", "?foo"), ("@dimen/d", "@dimen/d"),
        ])
    func references(reference: String, key: String) {
        for xml in ["<string name=\"k\">\(reference)</string>", "<item name=\"k\" type=\"string\">\(reference)</item>"]
        {
            let (layers, _) = Self.imported(xml)
            #expect(layers[0].tables["Localizable"]?["k"] == .alias(key))
            let text = Self.exported(layers)
            #expect(text.contains(">\(reference)<") || text.contains(">@string/a_x32_b<"))
        }
    }

    @Test("A plural form that is a reference is reported, and exported as a reference")
    func pluralReferences() {
        let xml =
            "<plurals name=\"k\"><item quantity=\"one\">@string/a</item><item quantity=\"other\">%d</item></plurals>"
        let (layers, diagnostics) = Self.imported(xml)
        #expect(diagnostics.map(\.code) == [.androidChanged])
        #expect(Self.exported(layers).contains(xml))
    }

    @Test("A string that only looks like a reference is a string", arguments: ["@home", "a@b/c", "? why/not", "@x/y"])
    func notReferences(text: String) {
        #expect(Self.value("<string name=\"k\">\(text)</string>") == .string(text))
    }

    @Test("Variants for products are exported; the default one is the value")
    func products() {
        let (layers, diagnostics) = Self.imported(
            """
            <string name="k" product="tablet">Tablet</string>
            <string name="k" product="default">Phone</string>
            """)
        #expect(layers[0].tables["Localizable"]?.map(\.value) == [.string("Phone")])
        #expect(diagnostics.map(\.key) == ["k"])
        let text = Self.exported(layers)
        #expect(text.contains("product=\"tablet\">Tablet") && text.contains("product=\"default\">Phone"))
    }

    @Test("Markup is exported as markup, also in a changed string")
    func markup() throws {
        let xml = "<string name=\"k\">a <b>c</b> &amp; <a href=\"x?y=1&amp;z\">d</a></string>"
        var (layers, _) = Self.imported(xml)
        #expect(layers[0].tables["Localizable"]?["k"] == .string("a <b>c</b> & <a href=\"x?y=1&amp;z\">d</a>"))
        #expect(Self.exported(layers).contains(xml))
        var entry = try #require(layers[0].tables["Localizable"]?.entry("k"))
        entry.value = .string("e <b>f</b> & g")
        layers[0].tables["Localizable"] = StringsTable(entries: [entry])
        #expect(Self.exported(layers).contains("<string name=\"k\">e <b>f</b> &amp; g</string>"))
    }

    @Test("The items of a changed plural aren't reported as lost markup")
    func changedPlural() throws {
        var (layers, _) = Self.imported(
            "<plurals name=\"k\" msgid=\"7\"><item quantity=\"other\">%d files</item></plurals>")
        var entry = try #require(layers[0].tables["Localizable"]?.entry("k"))
        entry.value = CustomizationMessage(forms: [.other: "%d documents"], valueType: "d").value
        layers[0].tables["Localizable"] = StringsTable(entries: [entry])
        #expect(AndroidResources(layers).diagnostics == [])
        #expect(Self.exported(layers).contains("<item quantity=\"other\">%d documents</item>"))
    }

    @Test(
        "Names of folders, files and keys are preserved",
        arguments: [
            "values-kmr", "values-b+be+x+old", "values-sh", "values-b+sr+Latn", "values-tl", "values-fil", "values-he",
            "values-iw",
        ])
    func names(folder: String) {
        let path = "app/src/main/res/\(folder)/strings_topics.xml"
        let file = AndroidResources.File(
            path: path, text: "<resources><string name=\"icon_x32_label\">x</string></resources>")
        let (layers, diagnostics) = AndroidResources(files: [file]).layers()
        #expect(diagnostics == [] && layers.map { $0.tables.keys.sorted() } == [["strings_topics"]])
        #expect(layers.first?.tables["strings_topics"]?.map(\.key) == ["icon_x32_label"])
        let resources = AndroidResources(layers)
        #expect(resources.files.map(\.path) == [path])
        #expect(resources.files.first?.text.contains("<string name=\"icon_x32_label\">x</string>") == true)
    }

    @Test("Two spellings of one language remain two folders, and are reported if one folder must contain both")
    func merges() {
        func file(_ folder: String, _ text: String) -> AndroidResources.File {
            .init(path: "res/\(folder)/strings.xml", text: "<resources><string name=\"k\">\(text)</string></resources>")
        }
        for pair in [["values-sh", "values-b+sr+Latn"], ["values-tl", "values-fil"], ["values-iw", "values-he"]] {
            let files = [file(pair[0], "one"), file(pair[1], "two")]
            let resources = AndroidResources(AndroidResources(files: files).layers().layers)
            #expect(resources.files.map(\.path) == files.map(\.path) && resources.diagnostics == [])
            #expect(resources.files[0].text.contains("one") && resources.files[1].text.contains("two"))
        }
        func layer(_ id: String, _ role: CustomizationLayer.Role, _ text: String) -> CustomizationLayer {
            let location = CustomizationLocation(file: id + "/Localizable.strings", line: 7, column: 1)
            let entry = CustomizationEntry(key: "k", value: .string(text), location: location)
            return CustomizationLayer(id: id, role: role, tables: ["Localizable": StringsTable(entries: [entry])])
        }
        let resources = AndroidResources([
            layer("Base.lproj", .base("en"), "one"), layer("en.lproj", .base("en"), "two"),
            layer("he.lproj", .language("he"), "three"), layer("iw.lproj", .language("he"), "three"),
        ])
        #expect(
            resources.diagnostics.filter { $0.code == .androidMergedLayers }.map { "\($0.location) \($0.key ?? "")" }
                == [
                    "en.lproj ", "Base.lproj/Localizable.strings:7:1 k", "iw.lproj ",
                ])
    }

    @Test("Resources that an import omits are reported by key, file and line")
    func leftOut() {
        let (layers, diagnostics) = Self.imported(
            """
            <style name="s"><item name="android:x">1</item></style>
            <dimen name="d">16dp</dimen>
            <eat-comment/>
            <string name="k">x</string>
            <color name="k">#fff</color>
            """)
        #expect(diagnostics.map { "\($0.line) \($0.key ?? "")" } == ["2 s", "3 d", "6 k"])
        #expect(layers[0].tables["Localizable"]?.count == 1 && Self.exported(layers).contains("<color name=\"k\">#fff"))
        let land = Self.imported("<string name=\"k\">x</string>", folder: "res/values-land")
        #expect(
            land.layers.isEmpty
                && land.diagnostics.map { "\($0.file):\($0.line) \($0.key ?? "")" } == [
                    "res/values-land/strings.xml:2 k"
                ])
    }

    @Test("Entities of the document type are expanded; the expansion is bounded")
    func entities() {
        func read(_ subset: String, _ text: String) -> (CustomizationValue?, [String]) {
            let file = AndroidResources.File(
                path: "res/values/strings.xml",
                text: "<!DOCTYPE resources [\(subset)]>\n<resources><string name=\"k\">\(text)</string></resources>")
            let (layers, diagnostics) = AndroidResources(files: [file]).layers()
            return (layers.first?.tables["Localizable"]?["k"], diagnostics.map(\.message))
        }
        #expect(read("<!ENTITY app \"My &lt;App\"> <!ENTITY b '&app;!'>", "a &b;") == (.string("a My <App!"), []))
        #expect(read("<!ENTITY a \"&a;\">", "&a;").1 == ["entity '&a;' is too large"])
        let laughs = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        #expect(read("<!ENTITY e0 \"ha\">" + laughs, "&e9;").1.first?.contains("too large") == true)
        #expect(read("", "&nope;").1 == ["unknown entity '&nope;'"])
    }

    @Test("The XML of a resource survives a round trip through a strings file")
    func throughStrings() {
        let xml = "<string name=\"k\" translatable=\"false\">%1$s */ /* %2$,d -- x</string>"
        let (layers, _) = Self.imported("<!-- For people -->\n" + xml)
        var layer = layers[0]
        let text = layer.tables["Localizable"]?.formatted() ?? ""
        layer.tables["Localizable"] = StringsTable.parse(strings: Array(text.utf8)).table
        let back = Self.exported([layer])
        #expect(back.contains("<!-- For people -->") && back.contains(xml))
    }
}
