import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

/// References of a value to its own key.
@Suite struct SelfReferenceTests {
    private func load(_ layers: [String]) -> ConfigLoadReport {
        var files: [String: String] = [:]
        for (number, text) in layers.enumerated() {
            files[number == 0 ? "ApplicationConfig.json" : "ApplicationConfig.e\(number).json"] = text
        }
        return ApplicationConfig.loadReport(
            plan(files, environments: layers.indices.dropFirst().map { ConfigEnvironment("e\($0)") }))
    }

    @Test(
        "A reference to the own key is the merge of all weaker layers, with its references resolved",
        arguments: [
            ([#"{"x": 1, "d": {"b": "${x}"}}"#, #"{"d": "${d}"}"#], #"{"b": 1}"#),
            ([#"{"x": 1, "d": {"b": "a${x}"}}"#, #"{"d": "${d}", "x": 2}"#], #"{"b": "a2"}"#),
            (
                [#"{"d": {"b": 1, "c": {"e": 1}}}"#, #"{"d": {"c": {"f": 2}}}"#, #"{"d": "${d}"}"#],
                #"{"b": 1, "c": {"e": 1, "f": 2}}"#
            ),
            ([#"{"d": 1}"#, #"{"d": null}"#, #"{"d": "${d:-none}"}"#], #""none""#),
            ([#"{"d": {"a": 1}}"#, #"{"d": null}"#, #"{"d": {"b": 2}}"#, #"{"d": "${d}"}"#], #"{"b": 2}"#),
            ([#"{"d": {"b": "${d.c}", "c": 1}}"#, #"{"d": "${d}"}"#], #"{"b": 1, "c": 1}"#),
            (
                [#"{"d": {"b": "1"}}"#, #"{"d": {"b": "${d.b}2"}}"#, #"{"d": "${d}"}"#, #"{"d": {"b": "3"}}"#],
                #"{"b": "3"}"#
            ),
            ([#"{"d": {"b": "1"}}"#, #"{"d": {"b": "${d.b}2"}}"#, #"{"d": "${d}"}"#], #"{"b": "12"}"#),
            ([#"{"d": "a"}"#, #"{"d": "${d}b"}"#, #"{"d": "${d}c"}"#, #"{"d": "${d}d"}"#], #""abcd""#),
            ([#"{"l": ["a", "b"], "d": 0}"#, #"{"l": ["${l[0]}", "c"], "d": "${l}"}"#], #"["a", "c"]"#),
        ])
    func merges(layers: [String], expected: String) throws {
        let report = load(layers)
        #expect(report.errors.isEmpty, "\(report.errors)")
        let wanted = try ApplicationConfig.load(plan(["ApplicationConfig.json": "{\"d\": \(expected)}"]))
        #expect(report.config["d"] == wanted["d"])
    }

    @Test("A value that refers to itself and overrides nothing, or only a removed value, is an error")
    func overridesNothing() {
        for layers in [[#"{"d": 1}"#, #"{"d": null}"#, #"{"d": "${d}"}"#], [#"{"d": "${d}"}"#]] {
            let report = load(layers)
            #expect(report.errors.map(\.reason) == ["the value refers to itself but overrides nothing"])
            #expect(report.config["d"] == nil)
        }
        let cycle = load([#"{"d": {"b": "${d}"}}"#, #"{"d": "${d}"}"#])
        #expect(cycle.errors.first?.code == .referenceCycle)
    }

    @Test("Secrets stay secret through references to own keys")
    func secrets() {
        let report = load([
            #"{"token": "hunter2", "d": {"b": "<${token}>", "password": "hunter3"}}"#, #"{"d": "${d}", "e": "${d.b}"}"#,
        ])
        #expect(report.config["d"] == ["b": "<hunter2>", "password": "hunter3"])
        let config = report.config
        let texts = [config.description, "\(config.explain("d"))", "\(config.explain("d.b"))", "\(report.errors)"]
        for text in texts { #expect(!text.contains("hunter"), "\(text)") }
    }

    @Test("An explanation shows the value to which a reference to the own key refers")
    func explains() {
        let report = load([
            "{\"x\": 1,\n\"d\": {\"b\": \"${x}\"}}", "{\"d\": {\"c\": 2}}", "{\"d\": \"${d}\"}", "{\"e\": null}",
        ])
        #expect(
            report.config.explain("d.b").description == """
                d.b = 1
                  from ApplicationConfig.e2.json:1 (environment e2, at d), written "${d}"
                    d.b = "${x}"
                      from ApplicationConfig.json:2 (base)
                        x = 1
                          from ApplicationConfig.json:1 (base)
                  over "${x}" from ApplicationConfig.json:2 (base)
                """)
        #expect(report.config.explain("d").parts.first?.winner?.location.name == "ApplicationConfig.e1.json")
        #expect(report.config.explain("d").parts.first?.merged.map(\.location.name) == ["ApplicationConfig.json"])
    }

    @Test("Random stacks with references to own keys equal the fold of each prefix", .timeLimit(.minutes(5)))
    func random() throws {
        var random = SeededRandom(seed: 51)
        for round in 0..<rounds(300, soak: 30_000) {
            var model: ConfigValue?
            var isReference = false
            let layers = (0..<(2 + random.below(4))).map { _ -> String in
                // Merging happens before references are resolved, so nothing merges with a reference.
                let choice = isReference ? 3 + random.below(2) : random.below(6)
                let value: ConfigValue
                isReference = choice > 3
                switch choice {
                case 0: value = ["a": .integer(Int64(random.below(9)))]
                case 1: value = ["b": [.integer(Int64(random.below(9)))]]
                case 2: value = [.integer(Int64(random.below(9)))]
                case 3: value = .null
                default:
                    // Without a value below, the default applies.
                    model = model ?? "none"
                    return #"{"d": "${d:-none}"}"#
                }
                model = MergeModel.merge(model, value)
                return "{\"d\": \(String(decoding: MergeModelTests.json(value), as: UTF8.self))}"
            }
            let report = load(layers)
            guard report.errors.isEmpty, report.config["d"] == model else {
                Issue.record(
                    "seed 51, round \(round): \(layers): \(report.errors) \(report.config), not \(model as Any)")
                return
            }
        }
    }
}
