import Foundation
import Testing

/// Exports and differences as data; the golden files show their form.
@Suite struct ConfigCommandTests {
    static let files = [
        "ApplicationConfig.json": """
        {"db": {"url": "postgres://app:hunter2@db/x", "password": "hunter2", "pool": 5},
         "servers": [{"host": "a", "token": "hunter2"}], "gone": 1, "text": "a${db.pool}\\u001b[2Jz"}
        """,
        "ApplicationConfig.staging.json": """
        {"db": {"url": "postgres://app:hunter3@db/y", "password": "hunter3"},
         "servers": [{"host": "b", "token": "hunter3"}], "gone": null, "new": {"empty": {}}}
        """,
    ]

    private func json(_ text: String) throws -> NSObject {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject)
    }

    @Test("An export has the effective values and no secret", arguments: ["json", "plist"])
    func export(format: String) throws {
        try withFolder(Self.files) { folder in
            let arguments = ["config", "export", folder.path, "--environment", "staging", "--format", format]
            let run = try ToolProcess.run(arguments)
            #expect(run.status == 0 && run.errors.isEmpty && !run.output.contains("hunter"))
            let expected: NSDictionary = [
                "db": ["url": "postgres://<redacted>@db/y", "pool": 5], "servers": [["host": "b"]],
                "text": format == "json" ? "a5\u{1B}[2Jz" : "a5\u{FFFD}[2Jz", "new": ["empty": [:]],
            ]
            func values(_ text: String) throws -> NSObject? {
                if format == "json" { return try json(text) }
                let data = Data(text.utf8)
                return try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? NSObject
            }
            #expect(try values(run.output) == expected)
            // An export is the file of another configuration.
            let copy = folder.appending(path: "copy")
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            try Data(run.output.utf8).write(to: copy.appending(path: "ApplicationConfig.\(format)"))
            #expect(try ToolProcess.run(["config", "export", copy.path, "--format", format]).output == run.output)
            let whole = try ToolProcess.run(arguments + ["--include-secrets"]).output
            #expect(whole.contains("postgres://app:hunter3@db/y") && whole.contains("token"))
        }
    }

    @Test("A difference of two environments is data without secrets")
    func diff() throws {
        try withFolder(Self.files) { folder in
            let arguments = ["config", "diff", folder.path, "--to", "staging"]
            let run = try ToolProcess.run(arguments + ["--json"])
            #expect(run.status == 0 && run.errors.isEmpty && !run.output.contains("hunter"))
            let (base, staging) = ("ApplicationConfig.json", "ApplicationConfig.staging.json")
            let expected: NSArray = [
                [
                    "path": "db.password", "old": "<redacted>", "new": "<redacted>",
                    "oldLocation": "\(base):1", "newLocation": "\(staging):1",
                ],
                [
                    "path": "db.url", "old": "postgres://<redacted>@db/x", "new": "postgres://<redacted>@db/y",
                    "oldLocation": "\(base):1", "newLocation": "\(staging):1",
                ],
                ["path": "gone", "old": 1, "oldLocation": "\(base):2"],
                ["path": "new.empty", "new": [:], "newLocation": "\(staging):2"],
                [
                    "path": "servers", "old": [["host": "a", "token": "<redacted>"]],
                    "new": [["host": "b", "token": "<redacted>"]],
                    "oldLocation": "\(base):2", "newLocation": "\(staging):2",
                ],
            ]
            #expect(try json(run.output) == expected)
            let text = try ToolProcess.run(arguments + ["--exit-code"])
            #expect(text.status == 1 && text.errors.isEmpty && !text.output.contains("hunter"))
            #expect(text.output.contains("gone         1 → nothing"))
            #expect(text.output.contains(#"[{"host":"a", "token":"<redacted>"}] → [{"host":"b""#))
        }
    }

    @Test("Nothing is printed to standard output when a file is malformed")
    func malformed() throws {
        var files = Self.files
        files["ApplicationConfig.staging.json"] = "{\"db\": {\"password\": \"hunter2\",}}"
        try withFolder(files) { folder in
            for arguments in [
                ["export", folder.path, "--environment", "staging"], ["diff", folder.path, "--to=staging"],
            ] {
                let run = try ToolProcess.run(["config"] + arguments)
                #expect(run.status == 1 && run.output.isEmpty && !run.errors.contains("hunter"))
                #expect(run.errors.hasPrefix("error: ") && run.errors.contains("ApplicationConfig.staging.json:1:"))
            }
        }
    }

    @Test("A folder can have the name of a command")
    func folderNames() throws {
        try withFolder(["export/ApplicationConfig.json": #"{"a": 1}"#]) { folder in
            let shown = try ToolProcess.run(["config", "show", "export", "a"], in: folder)
            let exported = try ToolProcess.run(["config", "export", "export"], in: folder)
            #expect(shown.output.hasPrefix("a = 1\n") && exported.output == "{\n  \"a\": 1\n}\n")
        }
    }

    @Test("Values are those of production with the same local file, variables and arguments")
    func production() throws {
        var files = Self.files
        files["local.json"] = #"{"db": {"pool": 6}}"#
        files[".env"] = "APP_DB__PORT=7"
        try withFolder(files) { folder in
            let given = [
                "--local-file", folder.path + "/local.json", "--env-file", folder.path + "/.env", "--prefix", "APP_",
            ]
            let run = try ToolProcess.run(
                ["config", "show", folder.path, "db"] + given + ["--", "--db.pool=8", "--servers[0].host=z"])
            #expect(run.status == 0)
            #expect(run.output.contains("db.pool      \"8\"") && run.output.contains("db.port      \"7\""))
            let local = try ToolProcess.run(["config", "explain", folder.path, "db.pool"] + given)
            #expect(
                local.output
                    == "db.pool = 6\n  from local.json:1 (local file)\n  over 5 from ApplicationConfig.json:1 (base)\n")
            let missing = try ToolProcess.run(["config", "show", folder.path, "--env-file", "/nonexistent"])
            #expect(missing.status == 1 && missing.errors == "error: /nonexistent: no such file\n")
        }
    }

    @Test("A misspelled environment is the same error for each action")
    func misspelledEnvironment() throws {
        try withFolder(Self.files) { folder in
            let errors = try [
                ["config", "show", folder.path], ["config", "explain", folder.path, "db.pool"],
                ["config", "check", folder.path], ["config", "export", folder.path],
            ].map { arguments in
                let run = try ToolProcess.run(arguments + ["--environment", "stagign"])
                #expect(run.status == 1 && run.output.isEmpty)
                return run.errors.split(separator: "\n").first.map(String.init) ?? ""
            }
            #expect(Set(errors).count == 1 && errors[0].contains("ApplicationConfig.stagign.plist"), "\(errors)")
        }
    }

    @Test("Lists and explanations are printed as JSON without secrets, and short lists with their values")
    func jsonOutput() throws {
        var files = Self.files
        files["ApplicationConfig.json"] =
            #"{"list": [1, "a"], "password": "hunter2", "servers": [{"token": "hunter2"}]}"#
        try withFolder(files) { folder in
            let text = try ToolProcess.run(["config", "show", folder.path])
            #expect(
                text.output.contains("list      [1, \"a\"]") && text.output.contains(#"[{"token": "<redacted>"}]"#)
                    || text.output.contains(#"[{"token":"<redacted>"}]"#))
            let list = try ToolProcess.run(["config", "show", folder.path, "--json"])
            let expected: NSArray = [
                ["path": "list", "value": [1, "a"], "location": "ApplicationConfig.json:1", "layer": "base"],
                ["path": "password", "value": "<redacted>", "location": "ApplicationConfig.json:1", "layer": "base"],
                [
                    "path": "servers", "value": [["token": "<redacted>"]], "location": "ApplicationConfig.json:1",
                    "layer": "base",
                ],
            ]
            #expect(try json(list.output) == expected)
            let story = try ToolProcess.run(["config", "explain", folder.path, "password", "--json"])
            #expect(!story.output.contains("hunter") && story.output.contains("\"isSecret\": true"))
        }
    }

    @Test("A check reports the files of all environments")
    func check() throws {
        let files = [
            "ApplicationConfig.json": #"{"port": 100}"#,
            "ApplicationConfig.debug.json": #"{"port": 1, "mdoe": "fast"}"#, "ApplicationConfig.staging.json": "{",
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(["config", "check", folder.path])
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("ApplicationConfig.staging.json:1"), "\(run.errors)")
            let json = try json(try ToolProcess.run(["config", "check", folder.path, "--json"]).output)
            #expect((json as? NSArray)?.count == run.errors.split(separator: "\n").count)
            let debug = try ToolProcess.run(["config", "check", folder.path, "--environment", "debug"])
            #expect(!debug.errors.contains("staging"))
            try Data("{}".utf8).write(to: folder.appending(path: "ApplicationConfig.staging.json"))
            try Data(#"{"port": 9}"#.utf8).write(to: folder.appending(path: "ApplicationConfig.json"))
            try Data("{}".utf8).write(to: folder.appending(path: "ApplicationConfig.debug.json"))
            #expect(try ToolProcess.run(["config", "check", folder.path]).status == 0)
        }
    }

    @Test(
        "A value alone is its text, without quotes; a list is JSON",
        arguments: [("text", "a \"b\"\n"), ("number", "1.5\n"), ("flag", "true\n"), ("list", "[1, \"a\"]\n")])
    func value(key: String, expected: String) throws {
        let config = #"{"text": "a \"b\"", "number": 1.5, "flag": true, "list": [1, "a"], "password": "hunter2"}"#
        try withFolder(["ApplicationConfig.json": config]) { folder in
            let run = try ToolProcess.run(["config", "show", folder.path, key, "--value"])
            #expect(run.status == 0 && run.output == expected && run.errors.isEmpty, "\(run.transcript)")
            for key in ["password", "nothing"] {
                let run = try ToolProcess.run(["config", "show", folder.path, key, "--value"])
                #expect(run.status == 1 && run.output.isEmpty && !run.errors.contains("hunter"), "\(run.transcript)")
            }
        }
    }

    @Test("An explanation has all digits of a large integer")
    func largeInteger() throws {
        try withFolder(["ApplicationConfig.json": #"{"big": 18446744073709551615}"#]) { folder in
            let run = try ToolProcess.run(["config", "explain", folder.path, "big", "--json"])
            #expect(run.output.components(separatedBy: "18446744073709551615").count == 3, "\(run.output)")
        }
    }
}
