import AshlarAppConfig
import AshlarTooling
import Foundation
import Testing

private struct Settings: ConfigSettings {
    enum Mode: String, Codable, CaseIterable { case fast, safe }

    struct HTTP: Codable, Equatable {
        var timeout = 30
        var host = "example.org"
        var proxy: URL?
        var wait: Duration = .seconds(5)
    }

    var http = HTTP()
    var mode = Mode.safe
    var token = ""
    var tags = ["a"]
    var limits: [String: Double] = [:]
    var ratio = 0.5
    var size: UInt8 = 7
    var since = Date(timeIntervalSinceReferenceDate: 0)

    static let fields = [
        ConfigField("http.timeout", "Seconds until a request | fails.", in: 1...120),
        ConfigField("token", "The service's key.", isRequired: true, isSecret: true),
        ConfigField("ratio", "", in: 0.0...1.0),
        ConfigField("tags", "Labels.", expected: "at most 3 tags") { (tags: [String]) in tags.count <= 3 },
    ]
}

@Suite struct ConfigReferenceTests {
    @Test("The reference of settings hides credentials in defaults")
    func reference() {
        struct Settings: ConfigSettings {
            var url = "redis://u:hunter2@h"
            var hosts = ["https://u:hunter2@h"]
        }
        let reference = ConfigReference(Settings.self)
        #expect(!(reference.markdown + reference.jsonSchema).contains("hunter2"))
        #expect(reference.markdown.contains("redis://<redacted>@h"))
    }

    @Test("The default of a secret setting is hidden, even dumped")
    func secrets() {
        struct Hidden: ConfigSettings {
            var apiToken = "hunter-default"
            var plainName = 0
            static let fields = [ConfigField("plainName", "", in: 0...9, isSecret: true)]
        }
        let reference = ConfigReference(Hidden.self)
        #expect(!reference.markdown.contains("`0`"))
        var dumped = ""
        dump(reference, to: &dumped)
        for text in [dumped, "\(reference)", String(reflecting: reference)] { #expect(!text.contains("hunter")) }
    }

    @Test("The reference lists every setting in Markdown")
    func markdown() {
        #expect(
            ConfigReference(Settings.self).markdown == """
                | key | type | default | description |
                |---|---|---|---|
                | `http.timeout` | Int | `30` | Seconds until a request \\| fails. Expected: 1 to 120. |
                | `http.host` | String | `"example.org"` |  |
                | `http.proxy` | URL? |  |  |
                | `http.wait` | Duration | `5` |  |
                | `mode` | Mode | `"safe"` | One of "fast", "safe". |
                | `token` | String | required | The service's key. Secret. |
                | `tags` | [String] | `["a"]` | Labels. Expected: at most 3 tags. |
                | `limits` | [String: Double] | `{}` |  |
                | `ratio` | Double | `0.5` | Expected: 0.0 to 1.0. |
                | `size` | UInt8 | `7` |  |
                | `since` | Date | `"2001-01-01T00:00:00Z"` |  |

                """)
    }

    @Test("The JSON Schema has types, ranges, choices, and required keys")
    func jsonSchema() throws {
        let text = ConfigReference(Settings.self, at: "app").jsonSchema
        var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": text]), environments: [])
        plan.readsDirectives = false
        let schema = try ApplicationConfig.load(plan)
        let app = schema["properties"]?.dictionary?["app"]?.dictionary
        #expect(app?["required"] == ["token"])
        let properties = app?["properties"]?.dictionary
        let http = properties?["http"]?.dictionary?["properties"]?.dictionary
        #expect(
            http?["timeout"] == [
                "type": "integer", "default": 30, "minimum": 1, "maximum": 120,
                "description": "Seconds until a request | fails.",
            ])
        #expect(http?["proxy"] == ["type": "string"])
        #expect(http?["wait"] == ["default": 5])
        #expect(properties?["mode"] == ["type": "string", "enum": ["fast", "safe"], "default": "safe"])
        #expect(properties?["token"]?.dictionary?["writeOnly"] == true)
        #expect(properties?["token"]?.dictionary?["default"] == nil)
        #expect(properties?["limits"] == ["type": "object", "default": [:]])
    }
}
