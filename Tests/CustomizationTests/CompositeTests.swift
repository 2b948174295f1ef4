import AshlarCustomization
import Testing

/// Fonts of two parts, and the alpha of a color.
@Suite struct CompositeTests {
    static let themes = Theme.parse(
        Array(
            """
            <plist version="1.0"><dict>
                <key>Default</key><dict>
                    <key>titleFont</key><string>Georgia</string>
                    <key>titleFontSize</key><integer>20</integer>
                    <key>plainFontSize</key><real>0.5</real>
                    <key>textInsetsTop</key><real>1.5</real>
                    <key>badgeFontSize</key><string>tall</string>
                    <key>heading</key><dict>
                        <key>font</key><dict><key>name</key><string>Futura</string><key>size</key><integer>9</integer></dict>
                        <key>pad</key><dict><key>top</key><integer>5</integer></dict>
                    </dict>
                    <key>shadow</key><string>000000</string>
                    <key>shadowAlpha</key><real>0.5</real>
                    <key>link</key><string>$shadow</string>
                    <key>faint</key><string>$shadow</string>
                    <key>faintAlpha</key><real>0.5</real>
                    <key>glow</key><string>FFFFFF80</string>
                    <key>glowAlpha</key><string>0.5</string>
                </dict>
                <key>Bright</key><dict>
                    <key>shadow</key><string>FF0000</string>
                </dict>
                <key>Faint</key><dict>
                    <key>shadowAlpha</key><real>0.25</real>
                    <key>titleFontSize</key><integer>11</integer>
                </dict>
            </dict></plist>
            """.utf8), file: "DB5.plist"
    ).themes

    static func using(_ theme: String) -> Customization { Customization(layers: []).with(themes: themes, theme: theme) }

    @Test("Fonts are read from their parts, and other parts by their own keys")
    func parts() {
        let read = Self.using("Default")
        #expect(read.font("titleFont") == FontSpec(name: "Georgia", size: 20))
        #expect(read.font("plainFont") == FontSpec(name: nil, size: 15), "a size below 1 is 15")
        #expect(read.font("heading.font") == FontSpec(name: "Futura", size: 9))
        #expect(read.double("textInsetsTop") == 1.5 && read.int("heading.pad.top") == 5)
        #expect(read.problems.isEmpty)
        // Each part can come from a different theme.
        #expect(Self.using("Faint").font("titleFont") == FontSpec(name: "Georgia", size: 11))
    }

    @Test("Malformed parts and missing fonts are reported")
    func problems() {
        let read = Self.using("Default")
        #expect(read.font("badgeFont") == FontSpec(size: 15) && read.font("nowhere") == FontSpec(size: 15))
        #expect(
            read.problems.map { "\($0.code) \($0.key ?? "")" } == [
                "malformed-value badgeFontSize", "missing-key nowhere",
            ])
    }

    @Test("The alpha of a color applies even if the two come from different themes")
    func alpha() throws {
        #expect(Self.using("Default").color("shadow").description == "#00000080")
        #expect(Self.using("Bright").color("shadow").description == "#ff000080", "the parent's alpha")
        #expect(Self.using("Faint").color("shadow").description == "#00000040", "the parent's color")
        #expect(Self.using("Faint").color("link").description == "#00000040")
        #expect(Self.using("Default").color("faint").description == "#00000040", "both alphas")
        #expect(try Self.using("Default").value(CustomizationKey<RGBAColor>("faint")).description == "#00000040")
        #expect(Self.using("Default").color("glow").description == "#ffffff40")
        #expect(Self.using("Default")[CustomizationKey<RGBAColor>("shadow")]?.bytes.alpha == 128)
        #expect(Self.using("Default").string("shadow") == "000000")
    }

    @Test("An alpha can be a text or an alias; any other text, and a number outside 0…1, is reported")
    func textAlpha() {
        let list = """
            <plist><dict><key>Default</key><dict>
            <key>a</key><string>FF0000</string><key>aAlpha</key><string>0.5</string>
            <key>b</key><string>00FF00</string><key>bAlpha</key><string>$half</string><key>half</key><real>0.5</real>
            <key>c</key><string>0000FF</string><key>cAlpha</key><string>half</string>
            <key>d</key><string>0000FF</string><key>dAlpha</key><real>1.5</real>
            </dict></dict></plist>
            """
        let parsed = Theme.parse(Array(list.utf8))
        let read = Customization(layers: []).with(themes: parsed.themes)
        #expect(parsed.diagnostics.map(\.key) == ["c", "d"])
        #expect(read.color("a").description == "#ff000080")
        #expect(read.color("b").description == "#00ff0080")
    }
}
