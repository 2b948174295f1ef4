import AshlarLogging
import Foundation
import Testing

/// Compares with the golden files in `Fixtures`; `ASHLAR_RECORD=1` rewrites them.
@Suite struct ToolGoldenTests {
    static let runs: [(name: String, arguments: [String])] = [
        ("help", ["--help"]), ("version", ["--version"]), ("nothing", []), ("unknown-command", ["confg"]),
        ("config-help", ["config", "--help"]), ("config-short-help", ["config", "-h"]),
        ("strings-help", ["help", "strings"]), ("lint-help", ["lint", "--help"]),
        ("android-help", ["android", "--help"]), ("hosts-help", ["hosts", "--help"]), ("logs-help", ["logs", "-h"]),
        ("logs-version", ["logs", "--version"]),
        ("config-missing-folder", ["config"]), ("config-no-folder", ["config", "/nonexistent"]),
        ("config-no-files", ["config", "Resources/en.lproj"]),
        ("config-extra", ["config", "Resources", "api", "more"]),
        ("config-option", ["config", "Resources", "--enviroment", "debug"]),
        ("config-value-missing", ["config", "Resources", "--environment"]),
        ("config-section", ["config", "Resources", "api", "--environment=debug"]),
        ("config-key", ["config", "Resources", "api.timeout", "--environment", "debug"]),
        ("config-unknown-key", ["config", "Resources", "api.timeot"]),
        ("config-export", ["config", "export", "Resources", "--environment", "debug"]),
        ("config-export-plist", ["config", "export", "Resources", "--format=plist"]),
        ("config-export-no-folder", ["config", "export"]), ("config-export-file", ["config", "export", "README.md"]),
        ("config-export-format", ["config", "export", "Resources", "--format", "plst"]),
        ("config-export-environment", ["config", "export", "Resources", "--environment", "debgu"]),
        ("config-export-key", ["config", "export", "Resources", "api"]),
        ("config-export-option", ["config", "export", "Resources", "--to", "debug"]),
        ("config-diff", ["config", "diff", "Resources", "--to", "debug"]),
        ("config-diff-json", ["config", "diff", "Resources", "--from=debug", "--to=simulator", "--format", "json"]),
        ("config-diff-same", ["config", "diff", "Resources", "--from", "debug", "--to", "debug", "--exit-code"]),
        ("config-diff-exit-code", ["config", "diff", "Resources", "--to=debug", "--exit-code"]),
        ("config-diff-environment", ["config", "diff", "Resources", "--environment", "debug"]),
        ("config-diff-unknown", ["config", "diff", "Resources", "--from", "debug", "--to", "staging"]),
        ("config-format", ["config", "Resources", "--format", "json"]),
        ("strings-key", ["strings", "Resources", "note.share", "--language", "fr-CA", "--brand", "borealis"]),
        ("strings-list", ["strings", "Resources", "--language", "de", "--brand", "borealis"]),
        ("strings-table", ["strings", "Resources", "--table", "Localisable"]),
        ("strings-brand", ["strings", "Resources", "--brand", "boralis"]),
        ("strings-language", ["strings", "Resources", "--language", "!"]),
        ("strings-theme", ["strings", "Resources", "--themes", "Resources/Themes.json", "--theme", "Nihgt"]),
        ("strings-unknown-key", ["strings", "Resources", "note.shar", "--language", "en"]),
        ("hosts-list", ["hosts", "Resources/HostMap.json", "--prerelease"]),
        ("hosts-key-missing", ["hosts", "Resources/HostMap.json", "api.fieldnotes.example"]),
        ("hosts-no-file", ["hosts", "/no/such/map.json"]),
        ("lint-rule", ["lint", "Resources", "--ignore", "extra-keys"]),
        ("lint-summary", ["lint", "Resources", "--format", "summary", "--language", "en"]),
        ("lint-only", ["lint", "Resources", "--only", "unknown-folder", "--language", "en"]),
        ("android-check-file", ["android", "check", "README.md"]), ("android-action", ["android", "exprt", "a", "b"]),
        ("logs-number", ["logs", "Resources", "--show", "0"]), ("logs-empty", ["logs", "Resources"]),
        ("dash-dash", ["config", "--", "--help"]),
    ]

    @Test("The printed text and the exit status are those of the golden file", arguments: runs.map(\.name))
    func golden(name: String) throws {
        let run = try #require(Self.runs.first { $0.name == name })
        let found =
            "$ ashlar \(run.arguments.joined(separator: " "))\n" + (try ToolProcess.run(run.arguments)).transcript
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name).txt")
        if ProcessInfo.processInfo.environment["ASHLAR_RECORD"] == "1" { try Data(found.utf8).write(to: file) }
        #expect(found == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test("Mistakes exit with 2, problems in the files with 1, and both are printed to standard error")
    func streams() throws {
        for arguments in [
            ["nope"], ["config"], ["config", "x", "y", "z"], ["strings", "Resources", "--table", "Nope"],
        ] {
            let run = try ToolProcess.run(arguments)
            #expect(run.status == 2 && run.output.isEmpty && run.errors.hasPrefix("error: "))
        }
        for arguments in [["config", "/nonexistent"], ["logs", "/nonexistent"], ["hosts", "/nonexistent"]] {
            let run = try ToolProcess.run(arguments)
            #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("/nonexistent"))
        }
    }
}

@Suite struct ToolFileTests {
    @Test("A malformed configuration file is reported with its line")
    func config() throws {
        try withFolder(["ApplicationConfig.plist": "<plist><dict><key>"]) { folder in
            let run = try ToolProcess.run(["config", folder.path])
            #expect(run.status == 1 && run.errors.contains("ApplicationConfig.plist:1"))
        }
    }

    @Test("A selected host is ticked, resolved and saved in the store")
    func hosts() throws {
        try withFolder { folder in
            let map = "Resources/HostMap.json"
            let store = ["--store", folder.path + "/choices.json"]
            func output(_ arguments: [String] = []) throws -> String {
                try ToolProcess.run(["hosts", map] + arguments + store).output
            }
            let outputs = [
                try output(), try output(["api.fieldnotes.example", "USER", "box:8080"]), try output(),
                try output(["--clear"]),
            ]
            #expect(!outputs[0].contains("✓") && outputs[1].contains("✓ USER") && !outputs[3].contains("✓"))
            #expect(outputs[2].contains("api.fieldnotes.example → https://box:8080"))
        }
    }

    @Test(
        "An unknown environment, host or typed host is an error with its reason",
        arguments: [
            ["api.fieldnotes.example", "STAGE"], ["other.example", "QA"], ["api.fieldnotes.example", "USER", "a b"],
        ])
    func unknownHosts(choice: [String]) throws {
        let run = try ToolProcess.run(["hosts", "Resources/HostMap.json"] + choice)
        #expect(run.status == 1 && run.errors.hasPrefix("error: "))
        #expect(choice.contains { run.errors.contains($0) })
    }

    @Test("Runs are listed with their outcome; a printed log cannot control the terminal")
    func logs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for text in ["first", "second"] {
            await #expect(processExitsWith: .success) { [folder = folder as String, text = text as String] in
                LogSystem.start(LogConfiguration(folder: folder, sinks: []))
                Log("Tool").info(text)
            }
        }
        let list = try ToolProcess.run(["logs", folder]).output.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.allSatisfy { $0.hasSuffix("clean") })
        #expect(try ToolProcess.run(["logs", folder, "--show", "2"]).output.hasSuffix("Z [INFO] Tool - first\n"))
        #expect(try ToolProcess.run(["logs", folder, "--show", "3"]).status == 1)
        // A corrupt log holds whatever bytes the disk gives.
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).map { folder + "/" + $0 }
        let log = try #require(
            files.first { (try? String(contentsOfFile: $0, encoding: .utf8))?.contains("second") == true })
        let text = try String(contentsOfFile: log, encoding: .utf8)
        try text.replacing("second", with: "\u{1B}]0;\u{9B}\u{7F}").write(
            toFile: log, atomically: false, encoding: .utf8)
        let shown = try ToolProcess.run(["logs", folder, "--show", "1"]).output
        #expect(shown.hasSuffix("Z [INFO] Tool - \\x1B]0;\\u{9B}\\x7F\n"))
        #expect(try ToolProcess.run(["logs", folder, "--show", "1", "--raw"]).output.contains("\u{1B}]0;"))
    }

    @Test(
        "A name with a line feed or a bidirectional control can't forge a line of a report",
        arguments: [
            ["lint", "."], ["lint", ".", "--format", "summary"], ["strings", "."],
            ["strings", ".", "--table", "T\nerror: forged"],
            ["strings", ".", "k\nerror: forged\u{202E}", "--table", "T\nerror: forged"],
            ["strings", ".", "none\nerror: forged"], ["config", "."], ["config", ".", "a\nerror: forged"],
            ["config", "check", "."], ["config", "diff", ".", "--to", "x\nerror: forged"], ["hosts", "HostMap.json"],
            ["translations", "extract", ".", "Use.swift"], ["translations", "import", ".", "x\nerror: forged.csv"],
            ["config\nerror: forged"], ["logs", "no\nerror: forged"],
        ])
    func hostileNames(arguments: [String]) throws {
        let files = [
            "en.lproj/T\nerror: forged.strings":
                "\"k\\nerror: forged\u{202E}\" = \"v\\nerror: forged\u{202E}\"; \"broken",
            "fr.lproj/T\nerror: forged.strings": "\"k\" = ;",
            "ApplicationConfig.json":
                #"{"a\nerror: forged\u202e": "b\nerror: forged\u200f", "c": "${no\nerror: forged}"}"#,
            "ApplicationConfig.x\nerror: forged.json": #"{"a": ["#,
            "HostMap.json": """
            {"configurations": [{"canonical_host": "h", "canonical_protocol": "https", "hosts": [{"key": "k\\nerror: forged\\u202e",
            "host": "h"}]}, {"canonical_host": "b\\nerror: forged", "canonical_protocol": "https", "hosts": [{"key": "k\\nerror: forged\\u202e", "host": "h"}]}]}
            """,
            "Use.swift": #"let a = strings.string("k2\nerror: forged")"#,
            "x\nerror: forged.csv": "key,en,x\u{202E}\n\"no\nerror: forged\",b,c\n",
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(arguments, in: folder)
            let text = run.output + run.errors
            #expect(text.contains("forged"), "\(text)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("error: forged") }, "\(text)")
            #expect(!text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{200F}" }, "\(text)")
        }
    }

    @Test("A baseline silences known findings; new ones still fail")
    func baseline() throws {
        let files = [
            "en.lproj/Localizable.strings": "\"a\" = \"4\";\n\"b\" = \"5\";",
            "fr.lproj/Localizable.strings": "\"a\" = \"quatre\";\n\"b\" = \"5\";",
        ]
        try withFolder(files) { folder in
            let lint = ["lint", folder.path, "--language", "en"]
            #expect(try ToolProcess.run(lint).status == 1)
            let file = folder.path + "/lint-baseline.txt"
            #expect(try ToolProcess.run(lint + ["--write-baseline", file]).status == 0)
            #expect(try ToolProcess.run(lint + ["--baseline", file]).output == "0 errors, 0 warnings, 0 notes\n")
            try Data("\n\"a\" = \"quatre\";\n\"b\" = \"cinq\";".utf8)
                .write(to: folder.appending(path: "fr.lproj/Localizable.strings"))
            let run = try ToolProcess.run(lint + ["--baseline", file])
            #expect(run.status == 1 && run.output.contains("cinq") && !run.output.contains("quatre"))
        }
    }

    @Test("A tree is exported for Android, and the export can be checked")
    func android() throws {
        try withFolder { folder in
            let run = try ToolProcess.run(["android", "export", "Resources", folder.path])
            #expect(run.status == 0 && run.output.contains("/res/values-fr/strings.xml"))
            let check = try ToolProcess.run(["android", "check", folder.path])
            #expect(check.status == 0 && check.output.contains("language fr"))
        }
    }
}
