import AshlarCustomization
import Testing

/// Themes in the format of the Design Tokens Community Group.
@Suite struct DesignTokenTests {
    static let tokens = """
        {
          "$description": "The dark look",
          "color": {
            "$type": "color",
            "ink": {"$value": {"colorSpace": "srgb", "components": [1, 0.5, 0], "alpha": 0.5}, "$description": "Text"},
            "paper": {"$value": "#336699"},
            "button": {"$value": "{color.ink}"},
            "state": {"hover": {"$value": "{color.button}"}},
            "bad": {"$value": "reddish"}
          },
          "space": {
            "$type": "dimension",
            "small": {"$value": {"value": 8, "unit": "px"}},
            "wide": {"$value": {"value": 1.5, "unit": "rem"}},
            "odd": {"$value": {"value": 1, "unit": "furlong"}}
          },
          "time": {"fade": {"$type": "duration", "$value": {"value": 250, "unit": "ms"}},
                   "slow": {"$type": "duration", "$value": {"value": 2, "unit": "s"}}},
          "font": {"body": {"$type": "fontFamily", "$value": ["Georgia", "serif"]},
                   "weight": {"$type": "fontWeight", "$value": 700}},
          "ease": {"$type": "cubicBezier", "$value": [0.5, 0, 1, 1]},
          "card": {"$type": "border", "$value": {"color": "{color.paper}", "width": {"value": 1, "unit": "px"}}},
          "group": {"$root": {"$type": "number", "$value": 3}, "x": {"$type": "number", "$value": 4}},
          "loop": {"a": {"$value": "{loop.b}"}, "b": {"$value": "{loop.a}"}},
          "other": {"$extends": "{color}"}
        }
        """

    static func parsed() -> ParsedThemes { Theme.parse(Array(tokens.utf8), file: "looks/dark.tokens.json") }

    @Test("Tokens are read under their path, with types from their groups, and aliases late-bound")
    func values() throws {
        let parsed = Self.parsed()
        #expect(parsed.themes.map(\.name) == ["dark"])
        let read = Customization(layers: []).with(themes: parsed.themes)
        #expect(read.color("color.ink") == RGBAColor(red: 1, green: 0.5, blue: 0, alpha: 0.5))
        #expect(read.color("color.paper").description == "#336699")
        #expect(read.color("color.state.hover") == read.color("color.ink"))
        #expect(read.explain("color.state.hover").aliases == ["color.state.hover", "color.button", "color.ink"])
        #expect(read.int("space.small") == 8 && read.double("space.small") == 8)
        #expect(read.double("space.wide.value") == 1.5 && read.string("space.wide.unit") == "rem")
        #expect(read.double("time.fade") == 0.25 && read.double("time.slow") == 2)
        #expect(read[CustomizationKey<[String]>("font.body")] == ["Georgia", "serif"])
        #expect(read.int("font.weight") == 700)
        #expect(read[CustomizationKey<[Double]>("ease")] == [0.5, 0, 1, 1])
        #expect(read.color("card.color").description == "#336699" && read.int("card.width.value") == 1)
        #expect(read.int("group") == 3 && read.int("group.$root") == 3 && read.int("group.x") == 4)
        #expect(read.entry("color.ink")?.comment == "Text" && read.entry("color.ink")?.location.line == 5)
        // An alias has the value that a layer above gives its target.
        let changed = read.applying(CustomizationLayer(overrides: ["color.ink": .color(.black)]))
        #expect(changed.color("color.state.hover") == .black)
    }

    @Test("Malformed tokens are reported with their line, alias cycles with their key")
    func problems() {
        let parsed = Self.parsed()
        #expect(
            parsed.diagnostics.map { "\($0.line) \($0.severity) \($0.key ?? "")" } == [
                "9 error color.bad", "15 error space.odd", "25 warning other.$extends",
            ])
        let errors = Customization(layers: []).with(themes: parsed.themes).aliasErrors
        #expect(errors.filter { $0.code == .cycle }.map(\.key) == ["loop.a", "loop.b"])
    }

    @Test(
        "Colors of other spaces are converted as in CSS Color 4",
        arguments: [
            ("srgb", [0.2, 0.4, 0.6], "#336699"), ("srgb-linear", [1, 0.2159, 0], "#ff8000"),
            ("hsl", [120, 100, 25], "#008000"), ("hsl", [-60, 50, 50], "#bf40bf"), ("hwb", [0, 20, 20], "#cc3333"),
            ("hwb", [90, 60, 60], "#808080"), ("display-p3", [1, 1, 1], "#ffffff"),
            ("display-p3", [1, 0, 0], "#ff0000"),
            ("display-p3", [0.5, 0.5, 0.5], "#808080"), ("oklab", [0.62796, 0.22486, 0.12585], "#ff0000"),
            ("oklch", [0.51975, 0.17686, 142.495], "#008000"), ("oklch", [0, 0, 0], "#000000"),
            ("lab", [29.2345, 39.3825, 20.0664], "#7d2329"), ("lch", [60, 30, 120], "#829861"),
            ("a98-rgb", [0.6, 0.4, 0.2], "#aa662b"), ("prophoto-rgb", [0.4, 0.3, 0.2], "#93583c"),
            ("rec2020", [0.4, 0.5, 0.3], "#4a7c39"), ("xyz-d65", [0.3, 0.2, 0.1], "#ce5451"),
            ("xyz-d50", [0.3, 0.2, 0.1], "#c65660"),
        ] as [(String, [Double], String)])
    func spaces(space: String, components: [Double], expected: String) {
        let members: [String: CustomizationValue] = [
            "colorSpace": .string(space), "components": .list(components.map { .double($0) }),
        ]
        #expect(ColorDialect.dtcg.color(members)?.description == expected)
    }

    @Test(
        "A color that is incomplete or of an unknown space is its hex form, or none",
        arguments: [
            (["colorSpace": .string("cmyk"), "components": .list([.int(1), .int(1), .int(1)])], nil),
            (
                [
                    "colorSpace": .string("cmyk"), "components": .list([.int(1), .int(1), .int(1)]),
                    "hex": .string("#123456"), "alpha": .double(0.2),
                ], "#12345633"
            ),
            (["colorSpace": .string("srgb"), "components": .list([.int(1), .string("none"), .int(0)])], "#ff0000"),
            (
                ["colorSpace": .string("srgb"), "components": .list([.int(1), .int(0)]), "hex": .string("#123456")], nil
            ),
            (["colorSpace": .string("srgb"), "components": .list([.int(1), .int(0), .string("x")])], nil),
            (["colorSpace": .string("srgb"), "components": .list([.int(2), .int(-1), .int(0)])], "#ff0000"),
            (
                ["colorSpace": .string("srgb"), "components": .list([.int(0), .int(0), .int(0)]), "alpha": .int(2)],
                nil
            ),
            (["components": .list([.int(0), .int(0), .int(0)])], nil),
        ] as [([String: CustomizationValue], String?)])
    func incomplete(members: [String: CustomizationValue], expected: String?) {
        #expect(ColorDialect.dtcg.color(members)?.description == expected)
    }
}
