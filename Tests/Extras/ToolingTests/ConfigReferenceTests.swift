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
        #expect(
            properties?["limits"] == ["type": "object", "additionalProperties": ["type": "number"], "default": [:]])
        #expect(
            properties?["tags"] == [
                "type": "array", "items": ["type": "string"], "default": ["a"], "description": "Labels.",
            ])
        #expect(app?["additionalProperties"] == false && schema["additionalProperties"] == false)
    }

    private struct Cluster: ConfigSettings {
        struct Server: ConfigSettings {
            var host = "localhost"
            var port = 80
            var mode = Settings.Mode.fast
            static let fields = [ConfigField("port", "The port.", in: 1...65535, isRequired: true)]
        }
        var servers: [Server] = []
        var byName: [String: Server] = [:]
        var modes: [Settings.Mode] = []
        var ports = [1]
        var color = "red"
        var on = false
        var secretCode = ""
        static let fields = [
            ConfigField("ports", "Ports.", in: 1...9), ConfigField("color", "A color.", oneOf: ["red", "green"]),
            ConfigField("secretCode", "A code.", isSecret: true),
        ]
    }

    @Test("Elements have rows of their own")
    func elements() {
        let rows = ConfigReference(Cluster.self).markdown.split(separator: "\n").map(String.init)
        #expect(rows.contains("| `servers[].port` | Int | required | The port. Expected: 1 to 65535. |"))
        #expect(rows.contains(#"| `byName.*.mode` | Mode | `"fast"` | One of "fast", "safe". |"#))
        #expect(rows.contains(#"| `color` | String | `"red"` | A color. One of "red", "green". |"#))
    }

    @Test("A schema that was written checks files like the settings, and documents their keys")
    func fileSchema() throws {
        let schema = try ConfigFileSchema(Array(ConfigReference(Cluster.self).jsonSchema.utf8), file: "s.json")
        func problems(_ text: String) throws -> [String] {
            var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": text]), environments: [])
            plan.secrets.paths = ["secretCode"]
            return schema.problems(in: try ApplicationConfig.load(plan)).map(\.description)
        }
        #expect(
            try problems(
                """
                {"servers": [{"host": "a", "port": "80"}], "byName": {"x": {"port": 1, "mode": "safe"}}, "ports": [1, 9],
                 "color": "green", "on": "yes", "com.acme.App": {"any": 1}, "modes": []}
                """
            ).isEmpty)
        let found = try problems(
            """
            {"servers": [{"port": 70000, "hots": 1}, {"mode": "saef"}], "byName": {"x": 5}, "modes": ["fsat"],
             "ports": [10], "color": "gren", "on": 5, "secretCode": [4711], "colour": 1}
            """)
        let expected = [
            "byName.x: expected object, found integer 5 (ApplicationConfig.json:1:86)",
            "color: expected one of red, green, found string \"gren\" (ApplicationConfig.json:2:24); did you mean green?",
            "colour: no such key is known (ApplicationConfig.json:2:85); did you mean color?",
            "modes[0]: expected one of fast, safe, found string \"fsat\" (ApplicationConfig.json:1:100); did you mean fast?",
            "on: expected boolean, found integer 5 (ApplicationConfig.json:2:38)",
            "ports[0]: expected 1 to 9, found integer 10 (ApplicationConfig.json:2:12)",
            "secretCode: expected string, found array <redacted> (ApplicationConfig.json:2:55)",
            "servers[0].hots: no such key is known (ApplicationConfig.json:1:38); did you mean servers[0].host?",
            "servers[0].port: expected 1 to 65535, found integer 70000 (ApplicationConfig.json:1:22)",
            "servers[1].mode: expected one of fast, safe, found string \"saef\" (ApplicationConfig.json:1:51); "
                + "did you mean safe?",
            "servers[1].port: expected a value, found nothing (ApplicationConfig.json:1:42)",
        ]
        #expect(found.count == expected.count)
        for message in expected {
            let start = message.prefix { $0 != "(" }
            #expect(found.contains { $0.hasPrefix(start) }, "\(message) in \(found.joined(separator: "\n"))")
        }
        let table = schema.markdown
        for row in [
            "| `servers[].port` | integer | required | The port. Expected: 1 to 65535. |",
            #"| `byName.*.host` | string | `"localhost"` |  |"#,
            "| `ports` | [integer] | `[1]` | Ports. Expected: 1 to 9. |",
            "| `secretCode` | string |  | A code. Secret. |",
        ] {
            #expect(table.contains(row), "\(row) in \(table)")
        }
        #expect(throws: ConfigError.self) { try ConfigFileSchema(Array("[1]".utf8), file: "s.json") }
    }
}
