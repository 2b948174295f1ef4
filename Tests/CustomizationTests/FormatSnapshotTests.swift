import AshlarCustomization
import Testing

@Suite struct FormatSnapshotTests {
    private func layer(_ role: CustomizationLayer.Role, _ values: [String: CustomizationValue]) -> CustomizationLayer {
        let entries = values.sorted { $0.key < $1.key }.map {
            CustomizationEntry(
                key: $0.key, value: $0.value, location: .init(file: role.description, line: 1, column: 1))
        }
        return CustomizationLayer(
            id: role.description, role: role, tables: ["Localizable": StringsTable(entries: entries)])
    }

    private func files(_ forms: [PluralCategory: String]) -> CustomizationValue {
        .message(CustomizationMessage(forms: forms))
    }

    private var customization: Customization {
        Customization(layers: [
            layer(
                .base("en"),
                [
                    "files": files([.one: "%lld file", .other: "%lld files"]),
                    "sent": .string("%1$@ sent %2$lld files"),
                    "rest": files([.one: "one left for %@", .other: "%lld left for %@"]), "list": .list([.string("a")]),
                    "only english": files([.one: "%lld bug", .other: "%lld bugs"]),
                ]),
            layer(
                .language("ru"),
                [
                    "files": files([.one: "%lld файл", .few: "%lld файла", .many: "%lld файлов", .other: "%lld файла"]),
                    "sent": .string("%2$lld файлов от %1$@"),
                ]),
            layer(.brand("acme"), ["branded": files([.one: "%lld штука", .few: "%lld штуки", .other: "%lld штук"])]),
        ])
    }

    @Test("The language of the resolved layer chooses the form")
    func plurals() {
        let customization = customization
        #expect(customization.format("files", 1) == "1 файл")
        #expect(customization.format("files", 3) == "3 файла")
        #expect(customization.format("files", 5) == "5 файлов")
        #expect(customization.format("files", 3.0) == "3 файла")
        #expect(customization.format("only english", 21) == "21 bugs")
        // A brand's layer has no language of its own; the language in use applies.
        #expect(customization.format("branded", 22) == "22 штуки")
        #expect(customization.problems == [])
    }

    @Test("Values fill plain texts and messages alike")
    func formats() {
        let customization = customization
        #expect(customization.format("sent", "Zoë", 3) == "3 файлов от Zoë")
        #expect(customization.format("files", 2) == "2 файла")
        #expect(customization.format("rest", 4, "Zoë") == "4 left for Zoë")
        #expect(customization[CustomizationText("sent", ["Zoë", 1])] == "1 файлов от Zoë")
        #expect(customization.problems == [])
    }

    @Test("A text without arguments is read as it is, in the form for the device; a missing one is its key")
    func plainText() {
        let tap = CustomizationMessage(.devices(["other": CustomizationMessage("Tap 50%")]))
        let layer = CustomizationLayer(overrides: ["percent": "100 %d", "number": .int(5), "tap": .message(tap)])
        let strings = Customization(layers: [layer])
        #expect(strings[CustomizationText("percent")] == "100 %d" && strings[CustomizationText("number")] == "5")
        #expect(strings[CustomizationText("tap")] == "Tap 50%")
        #expect(strings.problems.isEmpty)
        #expect(strings[CustomizationText("none")] == "none" && strings.problems.map { $0.key } == ["none"])
    }

    @Test("A key that no layer defines is its own format")
    func missing() {
        let customization = customization
        #expect(customization.format("Hello %@", "Zoë") == "Hello Zoë")
        #expect(customization.problems.map(\.code) == [.missingKey])
    }

    @Test("A placeholder without a value stays visible and is reported with its location")
    func problems() {
        let customization = customization
        #expect(customization.format("sent", "Zoë") == "%2$lld файлов от Zoë")
        #expect(customization.format("list", 1) == "list")
        #expect(
            customization.problems.map(\.description) == [
                "language ru:1:1: warning: %2$lld: argument 2 is missing; there are 1 [format-missing-argument]",
                "base en:1:1: error: \"list\": expected text, found list (\"a\") [malformed-value]",
            ])
        #expect(customization.problems.map(\.key) == ["sent", "list"])
    }
}
