import AshlarAppConfig
import Testing

@Suite struct DifferenceTests {
    @Test("Credentials inside URLs and secrets inside arrays are redacted in differences")
    func nestedSecrets() {
        let old: ApplicationConfig = [
            "url": "redis://u:hunter2@h/1", "list": ["https://h/?token=hunter2", ["password": "hunter2", "n": 1]],
        ]
        var new = old
        new["url"] = "redis://u:hunter3@h/2"
        new["list"] = ["https://h/?token=hunter3", ["password": "hunter3", "n": 2], [], ["a": [:]]]
        let diff = ConfigDiff(from: old, to: new)
        #expect(diff.changes.map(\.path) == ["list", "url"])
        #expect(
            diff.changes[0].newValue == [
                "https://h/?token=<redacted>", ["password": "<redacted>", "n": 2], [], ["a": [:]],
            ])
        #expect(diff.changes[1].oldValue == "redis://<redacted>@h/1")
        #expect(!diff.description.contains("hunter"))
        #expect(diff.changes[0].old == #"["https://h/?token=<redacted>", {"n":1, "password":"<redacted>"}]"#)
    }

    @Test("A value that is secret on one side is redacted on both, inside arrays, too")
    func secretOnOneSide() throws {
        func config(_ text: String) throws -> ApplicationConfig {
            try .load(plan(["ApplicationConfig.json": "{\"password\": \"hunter2\", \"list\": \(text)}"]))
        }
        let (built, plain) = (try config(#"["a", "${password}"]"#), try config(#"["b", "hunter2"]"#))
        for diff in [ConfigDiff(from: built, to: plain), ConfigDiff(from: plain, to: built)] {
            #expect(diff.changes.count == 1 && !diff.description.contains("hunter2"), "\(diff)")
        }
    }

    @Test("The differences of two environments are data with locations, without secrets")
    func environments() throws {
        let plan = plan([
            "ApplicationConfig.json": #"{"http": {"timeout": 30, "host": "h"}, "dbPassword": "one"}"#,
            "ApplicationConfig.debug.json": "{\"http\": {\"timeout\": 5},\n \"debug\": true, \"dbPassword\": \"two\"}",
            "ApplicationConfig.staging.json": #"{"http": {"host": null}}"#,
        ])
        func load(_ environment: ConfigEnvironment) throws -> ApplicationConfig {
            var plan = plan
            plan.environments = [environment]
            return try ApplicationConfig.load(plan)
        }
        let diff = ConfigDiff(from: try load("staging"), to: try load(.debug))
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
        #expect(!"\(diff) \(diff.changes)".contains("two"))
    }
}
