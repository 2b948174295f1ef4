import AshlarAppConfig
import AshlarTestSupport
import Foundation
import Testing

@Suite struct ExportTests {
    @Test("Exports omit secrets")
    func secrets() throws {
        let config: ApplicationConfig = ["http": ["timeout": 30], "apiToken": "hunter2", "list": ["a"]]
        #expect(
            config.exported(as: .json) == """
                {
                  "http": {
                    "timeout": 30
                  },
                  "list": [
                    "a"
                  ]
                }

                """)
        #expect(!config.exported(as: .propertyList).contains("hunter2"))
        #expect(config.exported(as: .propertyList, includesSecrets: true).contains("hunter2"))
    }

    @Test("An export is parsed as the same values", arguments: [ConfigExportFormat.json, .propertyList])
    func roundTrip(format: ConfigExportFormat) throws {
        var maker = ValueMaker(random: SeededRandom(seed: 21))
        for round in 0..<rounds(150, soak: 20_000) {
            var entries = maker.entries(depth: 3)
            entries["template"] = "${x} $${y} $ {z} ${"
            let config = ApplicationConfig(entries)
            let text = config.exported(as: format, includesSecrets: true)
            var plan = plan(["ApplicationConfig.plist": text])
            plan.readsDirectives = false
            let back = try ApplicationConfig.load(plan)
            let expected = format == .json ? Self.jsonForm(.dictionary(config.values)) : .dictionary(config.values)
            guard ConfigValue.dictionary(back.values) == expected else {
                Issue.record("round \(round): \(text)\n\(back)\n\(config)")
                return
            }
        }
    }

    @Test("Control characters, which XML cannot contain, do not make a property list unreadable")
    func controlCharacters() throws {
        let config: ApplicationConfig = ["a\u{1}": "x\u{1B}[2J\u{0}\u{FFFE}", "tab": "\t\r\n"]
        let text = config.exported(as: .propertyList)
        let back = try ApplicationConfig.load(plan(["ApplicationConfig.plist": text]))
        #expect(back.values == ["a\u{FFFD}": "x\u{FFFD}[2J\u{FFFD}\u{FFFD}", "tab": "\t\r\n"])
        let json = plan(["ApplicationConfig.json": config.exported(as: .json)])
        #expect(try ApplicationConfig.load(json) == config)
    }

    @Test("Credentials inside URLs and secrets inside arrays are redacted in exports and differences")
    func nestedSecrets() throws {
        let old: ApplicationConfig = [
            "url": "redis://u:hunter2@h/1", "list": ["https://h/?token=hunter2", ["password": "hunter2", "n": 1]],
        ]
        var new = old
        new["url"] = "redis://u:hunter3@h/2"
        new["list"] = ["https://h/?token=hunter3", ["password": "hunter3", "n": 2]]
        for format in [ConfigExportFormat.json, .propertyList] {
            #expect(!old.exported(as: format).contains("hunter"))
            #expect(old.exported(as: format, includesSecrets: true).contains("redis://u:hunter2@h/1"))
        }
        let diff = ConfigDiff(from: old, to: new)
        #expect(diff.changes.map(\.path) == ["list", "url"])
        #expect(diff.changes[0].newValue == ["https://h/?token=<redacted>", ["password": "<redacted>", "n": 2]])
        #expect(diff.changes[1].oldValue == "redis://<redacted>@h/1")
        #expect(!(diff.json + diff.description).contains("hunter"))
        #expect(diff.changes[0].old == #"["https://h/?token=<redacted>", {"n":1, "password":"<redacted>"}]"#)
    }

    @Test("A value that is secret on one side is redacted on both, inside arrays, too")
    func secretOnOneSide() throws {
        func config(_ text: String) throws -> ApplicationConfig {
            try .load(plan(["ApplicationConfig.json": "{\"password\": \"hunter2\", \"list\": \(text)}"]))
        }
        let (built, plain) = (try config(#"["a", "${password}"]"#), try config(#"["b", "hunter2"]"#))
        for diff in [ConfigDiff(from: built, to: plain), ConfigDiff(from: plain, to: built)] {
            #expect(diff.changes.count == 1 && !(diff.json + diff.description).contains("hunter2"), "\(diff.json)")
        }
    }

    /// The value as JSON can hold it.
    private static func jsonForm(_ value: ConfigValue) -> ConfigValue {
        switch value {
        case .date(let date): .string(date.formatted(.iso8601))
        case .data(let data): .string(data.base64EncodedString())
        case .array(let elements): .array(elements.map(jsonForm))
        case .dictionary(let entries): .dictionary(entries.mapValues(jsonForm))
        default: value
        }
    }

    @Test("Foundation can parse exports")
    func foreignReaders() throws {
        let config: ApplicationConfig = ["a": [1, 2.5, true, "x<&>\r\n\u{1}"], "b": ["c": "\"\\ ü"]]
        #expect(Oracle.json(Array(config.exported(as: .json).utf8)) == .dictionary(config.values))
        let plain: ApplicationConfig = [
            "a": [1, 2.5, true, "x<&>\r\n"], "d": .date(Date(timeIntervalSinceReferenceDate: 1)),
        ]
        #expect(Oracle.propertyList(Array(plain.exported(as: .propertyList).utf8)) == .dictionary(plain.values))
    }

    @Test("The differences of two environments are data with locations, without secrets")
    func environments() throws {
        let plan = plan([
            "ApplicationConfig.json": #"{"http": {"timeout": 30, "host": "h"}, "dbPassword": "one"}"#,
            "ApplicationConfig.debug.json": "{\"http\": {\"timeout\": 5},\n \"debug\": true, \"dbPassword\": \"two\"}",
            "ApplicationConfig.staging.json": #"{"http": {"host": null}}"#,
        ])
        let diff = try ConfigDiff(from: ["staging"], to: [.debug], in: plan)
        #expect(
            diff.description == """
                dbPassword: <redacted> → <redacted>
                debug: nothing → true
                http.host: nothing → "h"
                http.timeout: 30 → 5
                """)
        #expect(diff.changes[0].oldValue == nil && diff.changes[0].isSecret)
        #expect(diff.changes[3].oldValue == 30 && diff.changes[3].newValue == 5)
        #expect(diff.changes[1].newLocation?.line == 2)
        #expect(
            Oracle.json(Array(diff.json.utf8))?.array?[1] == [
                "path": "debug", "new": true, "newLocation": "ApplicationConfig.debug.json:2",
            ])
        #expect(!diff.json.contains("two"))
        #expect(throws: ConfigError.self) {
            var broken = plan
            broken.requiredEnvironments = ["none"]
            _ = try ConfigDiff(from: [], to: ["none"], in: broken)
        }
    }
}
