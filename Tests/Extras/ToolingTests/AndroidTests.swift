import AshlarTooling
import Testing

@Suite struct AndroidTests {
    private func layer(
        _ role: CustomizationLayer.Role, id: String? = nil, table: String = "Localizable",
        _ entries: [CustomizationEntry]
    ) -> CustomizationLayer {
        CustomizationLayer(id: id ?? role.description, role: role, tables: [table: StringsTable(entries: entries)])
    }

    private func entry(_ key: String, _ value: CustomizationValue, comment: String? = nil) -> CustomizationEntry {
        CustomizationEntry(key: key, value: value, comment: comment)
    }

    /// The lines of the only file between the tags of `<resources>`.
    private func body(_ entries: [CustomizationEntry], typing: AndroidTyping = .colors) -> String {
        let resources = AndroidResources([layer(.base("en"), entries)], typing: typing)
        let lines = resources.files[0].text.split(separator: "\n")
        return lines.dropFirst(3).dropLast().map { $0.dropFirst(4) }.joined(separator: "\n")
    }

    @Test(
        "A string is escaped as aapt2 expects",
        arguments: [
            ("plain", "plain"), ("", ""), ("It's \"it\"", #"It\'s \"it\""#), ("a\\b", #"a\\b"#),
            ("a\nb\tc", #"a\nb\tc"#),
            ("@home", #"\@home"#), ("?ask", #"\?ask"#), ("me@home?", "me@home?"), (" edge", "\" edge\""),
            ("edge ", "\"edge \""), ("two  spaces", "\"two  spaces\""), (" ", "\" \""),
            ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
            ("é 日本 👍", "é 日本 👍"), ("\u{1}\r\u{B}\u{FFFE}", #"\u0001\u000d\u000b\ufffe"#), ("a\u{A0}b", "a\u{A0}b"),
            (" @x", "\" @x\""), ("]]>", "]]&gt;"),
        ])
    func texts(text: String, xml: String) {
        #expect(body([entry("k", .string(text))]) == "<string name=\"k\">\(xml)</string>")
    }

    @Test(
        "Placeholders become those of java.util.Formatter, all with positions if there are several",
        arguments: [
            ("%@", "%s"), ("%@ has %d", "%1$s has %2$d"), ("%lld of %lld", "%1$d of %2$d"), ("%1$@", "%1$s"),
            ("%2$@ %1$lu", "%2$s %1$d"), ("%u %X %o", "%1$d %2$X %3$o"), ("%.2f", "%.2f"), ("%5.1lf%%", "%5.1f%%"),
            ("%-8@|", "%-8s|"), ("%05d", "%05d"), ("%+d", "%+d"), ("%-05d", "%-5d"), ("%.3d", "%d"), ("%i", "%d"),
            ("%c", "%c"), ("%s", "%s"), ("%D", "%d"), ("%#x", "%#x"), ("100%% of %@", "100%% of %s"),
            ("50%", "50%"), ("100%%", "100%%"), ("%-d", "%d"), ("%g", "%g"), ("%C", "%c"), ("%p", "%s"),
        ])
    func placeholders(text: String, java: String) {
        let xml = body([entry("k", .string(text))]).split(separator: "\n").last
        #expect(xml == "<string name=\"k\">\(java)</string>")
    }

    @Test("Percent signs outside formats are marked")
    func unformatted() {
        #expect(
            body([entry("k", .string("50% and 60% done"))])
                == "<string name=\"k\" formatted=\"false\">50% and 60% done</string>")
    }

    @Test("A value becomes a resource of its type")
    func types() {
        #expect(body([entry("k", .int(4))]) == "<integer name=\"k\">4</integer>")
        #expect(body([entry("k", .bool(true))]) == "<bool name=\"k\">true</bool>")
        #expect(body([entry("k", .double(0.8))]) == "<item name=\"k\" type=\"dimen\" format=\"float\">0.8</item>")
        #expect(
            body([entry("k", .color(RGBAColor(red8: 92, green8: 66, blue8: 134, alpha8: 54)))])
                == "<color name=\"k\">#365C4286</color>")
        #expect(
            body([entry("k", .list([.string("a"), .string(" b")]))])
                == "<string-array name=\"k\">\n    <item>a</item>\n    <item>\" b\"</item>\n</string-array>"
        )
        let forms = CustomizationMessage(
            forms: [.one: "%lld file", .other: "%lld files"], valueType: "lld"
        ).value
        #expect(
            body([entry("k", forms)]).hasSuffix(
                "<plurals name=\"k\">\n    <item quantity=\"one\">%d file</item>\n    <item quantity=\"other\">%d files</item>\n</plurals>"
            ))
        let around = CustomizationMessage(
            format: "%#@files@ by %@ (%d%%)",
            variables: ["files": .init(forms: [.one: "one file", .other: "%d files of %@"])])
        #expect(
            body([entry("k", around.value)]).contains(
                "<item quantity=\"other\">%1$d files of %2$s by %3$s (%4$d%%)</item>"))
        #expect(
            body([entry("k", around.value)]).contains(
                "<item quantity=\"one\">one file by %3$s (%4$d%%)</item>"))
        // No resource type: a comment holds the value
        #expect(
            body([entry("k", .data([1, 255]))])
                == #"<!-- ashlar: {"key":"k","value":{"$data":"01ff"},"skipped":true} -->"#)
        #expect(
            body([entry("k", .int(1 << 40))]) == #"<!-- ashlar: {"key":"k","value":1099511627776,"skipped":true} -->"#)
    }

    @Test("Strings become typed resources if requested")
    func typing() {
        let values = ["92,66,134,54", "YES", "4", "0.8"].map { [entry("k", .string($0))] }
        func names(_ typing: AndroidTyping) -> [String] {
            values.map {
                String(body($0, typing: typing).split(separator: "\n").last?.dropFirst().prefix { $0 != " " } ?? "")
            }
        }
        #expect(names(.declared) == ["string", "string", "string", "string"])
        #expect(names(.colors) == ["color", "string", "string", "string"])
        #expect(names(.all) == ["color", "bool", "integer", "item"])
        #expect(
            body(values[0]) == """
                <!-- ashlar: {"value":"92,66,134,54"} -->
                <color name="k">#365C4286</color>
                """)
        // Not the same type in every layer: a string in all.
        let mixed = AndroidResources([
            layer(.base("en"), [entry("k", .string("1,2,3"))]),
            layer(.language("fr"), [entry("k", .string("un, deux"))]),
        ])
        #expect(mixed.files.allSatisfy { $0.text.contains("<string name=\"k\">") })
    }

    @Test(
        "Keys that aren't resource names are mapped to different names",
        arguments: [
            ("tab_bar.color-2", "tab_bar.color-2"), ("été", "été"), ("a b", "a_x20_b"), ("1st", "_x31_st"), ("", "_x_"),
            ("_x20_", "_x5F_x20_"), ("a_xy", "a_x5F_xy"), ("_private", "_private"), (".dot", "_x2E_dot"),
            ("Hello, %@!", "Hello_x2C__x20__x25__x40__x21_"), ("👍", "_x1F44D_"), ("a/b", "a_x2F_b"), ("日本", "日本"),
        ])
    func names(key: String, name: String) {
        #expect(body([entry(key, .string("x"))]) == "<string name=\"\(name)\">x</string>")
        let resources = AndroidResources([layer(.base("en"), [entry(key, .string("x"))])])
        #expect(resources.layers().layers[0].tables["Localizable"]?[key] == .string("x"))
    }

    @Test(
        "Languages, brands and tables have their folders and files",
        arguments: [
            (CustomizationLayer.Role.base("en"), "res/values/strings.xml"),
            (.language("fr"), "res/values-fr/strings.xml"),
            (.language("fr-CA"), "res/values-fr-rCA/strings.xml"),
            (.language("zh-Hant"), "res/values-b+zh+Hant/strings.xml"),
            (.language("zh-TW"), "res/values-zh-rTW/strings.xml"),
            (.language("sr-Latn"), "res/values-b+sr+Latn/strings.xml"),
            (.language("es-419"), "res/values-b+es+419/strings.xml"),
            (.language("fil"), "res/values-b+fil/strings.xml"),
            (.language("he"), "res/values-iw/strings.xml"), (.language("id-ID"), "res/values-in-rID/strings.xml"),
            (.language("yi"), "res/values-ji/strings.xml"),
            (.language("ca-ES-valencia"), "res/values-b+ca+ES+valencia/strings.xml"),
            (.brand("acme"), "acme/res/values/strings.xml"),
            (.brandLanguage("acme", "fr"), "acme/res/values-fr/strings.xml"),
            (.brand("../etc"), "_x2E_._x2F_etc/res/values/strings.xml"),
            (.theme("Dark"), "theme-Dark/res/values/strings.xml"),
            (.override, "override/res/values/strings.xml"),
        ])
    func folders(role: CustomizationLayer.Role, path: String) {
        let resources = AndroidResources([layer(role, id: "the id", [entry("k", .string("x"))])])
        #expect(resources.files.map(\.path) == [path])
        let back = resources.layers().layers
        #expect(back.map(\.role) == [role])
        #expect(back.map(\.id) == ["the id"])
    }

    @Test("A separate table has a separate file and doesn't use the names of another")
    func tables() {
        var both = layer(.base("en"), [entry("Intro_x_title", .string("a"))])
        both.tables["Intro"] = StringsTable(entries: [entry("title", .string("b")), entry("", .string("c"))])
        let resources = AndroidResources([both])
        #expect(resources.files.map(\.path) == ["res/values/Intro.xml", "res/values/strings.xml"])
        #expect(resources.files[0].text.contains("<string name=\"Intro_x_title\">b</string>"))
        #expect(resources.files[1].text.contains("<string name=\"Intro_x5F_x_title\">a</string>"))
        let back = resources.layers().layers
        #expect(back.count == 1)
        #expect(back[0].tables["Intro"]?["title"] == .string("b"))
        #expect(back[0].tables["Intro"]?[""] == .string("c"))
        #expect(back[0].tables["Localizable"]?["Intro_x_title"] == .string("a"))
    }

    @Test("Aliases become references to a resource of the right type")
    func aliases() {
        let entries = [
            entry("c", .string("1,2,3")), entry("a", .alias("c")), entry("s", .string("x")), entry("t", .alias("s")),
            entry("gone", .alias("nowhere")),
        ]
        let text = body(entries)
        #expect(text.contains("<item name=\"a\" type=\"color\">@color/c</item>"))
        #expect(text.contains("<string name=\"t\">@string/s</string>"))
        #expect(text.contains(#"<!-- ashlar: {"key":"gone","value":{"$alias":"nowhere"},"skipped":true} -->"#))
    }

    @Test("Values that Android can't represent are reported")
    func diagnostics() {
        func codes(_ entries: CustomizationEntry...) -> [String] {
            AndroidResources([layer(.base("en"), entries)]).diagnostics.map {
                "\($0.severity) \($0.code) \($0.key ?? "")"
            }
        }
        #expect(codes(entry("a", .string("x"))) == [])
        #expect(codes(entry("a", .data([]))) == ["note android-unsupported a"])
        #expect(codes(entry("a", .string("x\0y"))) == ["warning android-unsupported a"])
        #expect(codes(entry("a.b", .string("x")), entry("a_b", .string("y"))) == ["warning android-name-collision a_b"])
        #expect(
            codes(entry("a.b", .string("x")), entry("a_b", .string("y"))) == [
                "warning android-name-collision a_b"
            ])
        #expect(
            codes(entry("p", CustomizationMessage(forms: [.one: "x"]).value)) == [
                "error plural-missing-other p"
            ])
        let twice = AndroidResources([
            layer(.language("de"), [entry("a", .string("x"))]),
            layer(.language("de-u-co-phonebk"), [entry("a", .string("y"))]),
        ])
        #expect(twice.files.count == 1)
        #expect(twice.diagnostics.map(\.code) == [.androidMergedLayers, .androidMergedLayers])
    }

    // MARK: Import

    @Test("Files that weren't exported can be imported")
    func foreignFiles() throws {
        let text = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- Copyright -->
            <!DOCTYPE resources [ <!ENTITY x "y"> ]>
            <resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
                <!-- The title -->
                <string name="title">  It\\'s
                    "  quoted  " \\u00e9 &amp; &#233;\\n </string>
                <string name="sent">%1$s sent <xliff:g id="n">%2$d</xliff:g> <b>files</b></string>
                <string name="cdata"><![CDATA[<i>x</i>]]></string>
                <string name="same">@string/title</string>
                <color name="c1">#abc</color><color name="c2">#8abc</color><color name="c3">#112233</color>
                <integer name="i">0xff</integer>
                <bool name="b">TRUE</bool>
                <dimen name="d">12</dimen>
                <item type="string" name="odd">x</item>
                <string-array name="l"><item>a</item><item>b</item></string-array>
                <plurals name="p"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals>
                <style name="S"/>
                <dimen name="wide">12dp</dimen>
                <string>nameless</string>
            </resources>
            """
        let resources = AndroidResources(files: [
            .init(path: "app/src/main/res/values/strings.xml", text: text),
            .init(
                path: "app/src/main/res/values-pt-rBR/strings.xml",
                text: "<resources><string name=\"title\">x</string></resources>"),
            .init(
                path: "app/src/acme/res/values/more.xml",
                text: "<resources><string name=\"title\">y</string></resources>"),
            .init(path: "app/src/main/res/values-land/strings.xml", text: "<resources/>"),
        ])
        let (layers, diagnostics) = resources.layers(base: "de")
        #expect(layers.map(\.role) == [.base("de"), .language("pt-BR"), .brand("acme")])
        let table = try #require(layers[0].tables["Localizable"])
        #expect(table["title"] == .string("It's   quoted   é & é\n"))
        #expect(table.entry("title")?.comment == "The title")
        #expect(table.entry("title")?.location.line == 6)
        #expect(table["sent"] == .string("%1$@ sent %2$d <b>files</b>"))
        #expect(table["cdata"] == .string("<i>x</i>"))
        #expect(table["same"] == .alias("title"))
        #expect(table["c1"] == .color(RGBAColor(red8: 0xAA, green8: 0xBB, blue8: 0xCC)))
        #expect(table["c2"] == .color(RGBAColor(red8: 0xAA, green8: 0xBB, blue8: 0xCC, alpha8: 0x88)))
        #expect(table["c3"] == .color(RGBAColor(red8: 0x11, green8: 0x22, blue8: 0x33)))
        #expect(table["i"] == .int(255))
        #expect(table["b"] == .bool(true))
        #expect(table["d"] == .double(12))
        #expect(table["odd"] == .string("x"))
        #expect(table["l"] == .list([.string("a"), .string("b")]))
        #expect(
            table["p"]?.message?.formatted(2, language: "de").text == "2 files")
        #expect(layers[2].tables["more"]?["title"] == .string("y"))
        #expect(
            diagnostics.map { "\($0.location): \($0.message)" } == [
                "app/src/main/res/values/strings.xml:18:5: <style> is not imported",
                "app/src/main/res/values/strings.xml:19:5: <dimen> is not imported",
                "app/src/main/res/values/strings.xml:20:5: <string> has no name",
            ])
    }

    @Test("A string changed in Android's file takes precedence over the exported one")
    func edited() {
        var resources = AndroidResources([
            layer(.base("en"), [entry("a b", .string("%lld files")), entry("c", .string("%ld bugs"))])
        ])
        resources.files[0].text = resources.files[0].text.replacing("%d files", with: "%d documents for %2$s")
        let table = resources.layers().layers[0].tables["Localizable"]
        #expect(table?["a b"] == .string("%1$d documents for %2$@"))
        #expect(table?["c"] == .string("%ld bugs"))
    }

    @Test(
        "A malformed file is reported with its location, and the elements before it are read",
        arguments: [
            ("<resources><string name=\"a\">x</string><string name=\"b\">", 1),
            ("<resources><string name=\"a\">x</string></resource>", 1),
            ("", 0), ("<resources", 0), ("<a/>", 0), ("<resources/><resources/>", 0), ("<resources a=b/>", 0),
            ("<resources><string name=\"a\">x</string><string name=\"b\">&nope;</string></resources>", 1),
            ("<resources><string name=\"a\">x</string>& ", 1), ("<resources><!-- ", 0), ("text", 0),
        ])
    func malformed(text: String, kept: Int) {
        let (layers, diagnostics) = AndroidResources(files: [.init(path: "res/values/strings.xml", text: text)])
            .layers()
        #expect(diagnostics.contains { $0.severity == .error })
        #expect((layers.first?.tables["Localizable"]?.count ?? 0) == kept)
    }

    // MARK: Identity

    @Test("An import is identical to the exported layers", arguments: [AndroidTyping.declared, .colors, .all])
    func identity(typing: AndroidTyping) {
        var random = RandomLayers(seed: 41)
        for _ in 0..<(soaks ? 5_000 : 150) {
            let layers = random.layers()
            let resources = AndroidResources(layers, typing: typing)
            let back = resources.layers()
            #expect(back.diagnostics == [])
            #expect(back.layers.map(\.id) == layers.map(\.id))
            #expect(back.layers.map(\.role) == layers.map(\.role))
            for (before, after) in zip(layers, back.layers) {
                #expect(after.colors == before.colors)
                #expect(Set(after.tables.keys) == Set(before.tables.keys))
                for (name, table) in before.tables {
                    #expect(RandomLayers.plain(after.tables[name]) == RandomLayers.plain(table))
                }
            }
        }
    }
}
