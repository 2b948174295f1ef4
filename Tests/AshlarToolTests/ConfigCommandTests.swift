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
            let run = try ToolProcess.run(arguments + ["--format", "json"])
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

    @Test("A folder that is named like an action is given as a path")
    func folderNames() throws {
        try withFolder(["export/ApplicationConfig.json": #"{"a": 1}"#]) { folder in
            let shown = try ToolProcess.run(["config", "./export", "a"], in: folder)
            let exported = try ToolProcess.run(["config", "export", "export"], in: folder)
            #expect(shown.output.hasPrefix("a = 1\n") && exported.output == "{\n  \"a\": 1\n}\n")
        }
    }
}
