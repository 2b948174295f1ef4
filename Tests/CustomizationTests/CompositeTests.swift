import AshlarCustomization
import Testing

/// DB5's values of several parts, and the alpha of a color.
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
                    <key>textInsetsLeft</key><integer>2</integer>
                    <key>textInsetsRight</key><string>4</string>
                    <key>originX</key><integer>-3</integer>
                    <key>originY</key><integer>7</integer>
                    <key>badgeWidth</key><integer>30</integer>
                    <key>badgeHeight</key><string>tall</string>
                    <key>slideDuration</key><real>0.3</real>
                    <key>slideDelay</key><real>0.1</real>
                    <key>slideCurve</key><string>EASEOUT</string>
                    <key>odd</key><dict><key>duration</key><integer>1</integer><key>curve</key><string>wobbly</string></dict>
                    <key>heading</key><dict>
                        <key>font</key><dict><key>name</key><string>Futura</string><key>size</key><integer>9</integer></dict>
                        <key>case</key><string>Uppercase</string>
                        <key>pad</key><dict><key>top</key><integer>5</integer><key>bottom</key><integer>6</integer></dict>
                    </dict>
                    <key>textCase</key><string>lowercase</string>
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

    @Test("Fonts, insets, points, sizes, animations and cases are read from their parts")
    func parts() {
        let read = Self.using("Default")
        #expect(read.font("titleFont") == FontSpec(name: "Georgia", size: 20))
        #expect(read.font("plainFont") == FontSpec(name: nil, size: 15), "a size below 1 is 15")
        #expect(read.insets("textInsets") == ThemeInsets(top: 1.5, left: 2, bottom: 0, right: 4))
        #expect(read.point("origin") == ThemePoint(x: -3, y: 7))
        #expect(read.animation("slide") == ThemeAnimation(duration: 0.3, delay: 0.1, curve: .easeOut))
        #expect(read.textCase("textCase") == .lowercase)
        #expect(read.font("heading.font") == FontSpec(name: "Futura", size: 9))
        #expect(read.textCase("heading") == .uppercase)
        #expect(read.insets("heading.pad") == ThemeInsets(top: 5, bottom: 6))
        #expect(read.problems.isEmpty)
        #expect(ThemeTextCase.uppercase.applied(to: "aß") == "ASS" && ThemeTextCase.none.applied(to: "aB") == "aB")
        #expect(ThemeTextCase.lowercase.applied(to: "AB") == "ab")
        // Each part can come from a different theme.
        #expect(Self.using("Faint").font("titleFont") == FontSpec(name: "Georgia", size: 11))
    }

    @Test("Malformed parts and missing values are reported, and the rest is read")
    func problems() {
        let read = Self.using("Default")
        #expect(read.size("badge") == ThemeSize(width: 30, height: 0))
        #expect(read.animation("odd") == ThemeAnimation(duration: 1, curve: .easeInOut))
        #expect(read.point("nowhere") == ThemePoint() && read.font("nowhere") == FontSpec(size: 15))
        #expect(
            read.problems.map { "\($0.code) \($0.key ?? "")" } == [
                "malformed-value badgeHeight", "malformed-value odd.curve", "missing-key nowhere",
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
}
