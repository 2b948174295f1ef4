import AshlarLogging
import Foundation
import Testing

@testable import AshlarTool

/// Compares with the golden files in `Fixtures`; `ASHLAR_RECORD=1` rewrites them.
@Suite struct ToolGoldenTests {
    static let runs: [(name: String, arguments: [String])] = [
        ("help", ["--help"]), ("version", ["--version"]), ("nothing", []), ("unknown-command", ["confg"]),
        ("group-help", ["config", "--help"]), ("command-short-help", ["config", "show", "-h"]),
        ("help-of-path", ["help", "strings", "lint"]), ("command-version", ["logs", "runs", "--version"]),
        ("group-alone", ["config"]), ("group-unknown", ["config", "shw", "Resources"]),
        ("group-option", ["config", "--json"]), ("no-word-after-command", ["strings", "show"]),
        ("config-no-folder", ["config", "show", "/nonexistent"]),
        ("config-no-files", ["config", "show", "Resources/en.lproj"]),
        ("config-extra", ["config", "show", "Resources", "api", "more"]),
        ("config-option", ["config", "show", "Resources", "--enviroment", "debug"]),
        ("config-letter", ["config", "show", "Resources", "-x"]),
        ("config-value-missing", ["config", "show", "Resources", "--environment"]),
        ("config-switch-value", ["config", "show", "Resources", "--json=yes"]),
        ("config-section", ["config", "show", "Resources", "api", "--environment=debug"]),
        ("config-section-json", ["config", "show", "Resources", "api", "-edebug", "--json"]),
        ("config-key", ["config", "show", "Resources", "api.timeout", "-e", "debug"]),
        ("config-unknown-key", ["config", "show", "Resources", "api.timeot"]),
        ("config-export", ["config", "export", "Resources", "--environment", "debug"]),
        ("config-export-plist", ["config", "export", "Resources", "--format=plist"]),
        ("config-export-no-folder", ["config", "export"]), ("config-export-file", ["config", "export", "README.md"]),
        ("config-export-format", ["config", "export", "Resources", "--format", "plst"]),
        ("config-export-environment", ["config", "export", "Resources", "--environment", "debgu"]),
        ("config-export-key", ["config", "export", "Resources", "api"]),
        ("config-export-option", ["config", "export", "Resources", "--to", "debug"]),
        ("config-diff", ["config", "diff", "Resources", "--to", "debug"]),
        ("config-diff-json", ["config", "diff", "Resources", "--from=debug", "--to=simulator", "--json"]),
        ("config-diff-same", ["config", "diff", "Resources", "--from", "debug", "--to", "debug", "--exit-code"]),
        ("config-diff-exit-code", ["config", "diff", "Resources", "--to=debug", "--exit-code"]),
        ("config-diff-environment", ["config", "diff", "Resources", "--environment", "debug"]),
        ("config-diff-unknown", ["config", "diff", "Resources", "--from", "debug", "--to", "staging"]),
        (
            "strings-key",
            ["strings", "explain", "Resources", "note.share", "--language", "fr-CA", "--brand", "borealis"]
        ),
        ("strings-list", ["strings", "show", "Resources", "--language", "de", "--brand", "borealis"]),
        ("strings-table", ["strings", "show", "Resources", "--table", "Localisable"]),
        ("strings-brand", ["strings", "show", "Resources", "--brand", "boralis"]),
        ("strings-language", ["strings", "show", "Resources", "--language", "!"]),
        ("strings-theme", ["strings", "show", "Resources", "--themes", "Resources/Themes.json", "--theme", "Nihgt"]),
        ("strings-unknown-key", ["strings", "explain", "Resources", "note.shar", "--language", "en"]),
        ("strings-coverage", ["strings", "coverage", "Resources"]),
        ("strings-missing", ["strings", "coverage", "Resources", "--missing", "--json"]),
        ("hosts-list", ["hosts", "list", "Resources/HostMap.json"]),
        ("hosts-list-json", ["hosts", "list", "Resources/HostMap.json", "--json"]),
        ("hosts-no-place", ["hosts", "use", "Resources/HostMap.json", "--prerelease"]),
        ("hosts-menu-piped", ["hosts", "use", "Resources/HostMap.json", "--store", "choices.json"]),
        ("hosts-key-missing", ["hosts", "use", "Resources/HostMap.json", "api.fieldnotes.example"]),
        ("hosts-explain", ["hosts", "explain", "Resources/HostMap.json", "api.fieldnotes.example"]),
        ("hosts-unknown", ["hosts", "explain", "Resources/HostMap.json", "api.fieldnote.example"]),
        ("hosts-no-file", ["hosts", "list", "/no/such/map.json"]),
        ("lint-rule", ["strings", "lint", "Resources", "--ignore", "extra-keys"]),
        ("lint-json", ["strings", "lint", "Resources", "--only", "missing-translation", "--json"]),
        ("strings-explain-json", ["strings", "explain", "Resources", "note.share", "-lfr-CA", "-bborealis", "--json"]),
        ("lint-only", ["strings", "lint", "Resources", "--only", "missing-translation", "--language", "en"]),
        ("logs-number", ["logs", "show", "Resources", "0"]), ("logs-empty", ["logs", "runs", "Resources"]),
        ("init-name", ["init", "1st", "--path", ".."]), ("init-alone", ["init", "Pages"]),
        ("init-exists", ["init", "Sources", "--path", ".."]),
        ("config-value", ["config", "show", "Resources", "api.timeout", "--value", "-e", "DEBUG"]),
        ("config-value-secret", ["config", "show", "Resources", "api.key", "--value"]),
        ("config-value-no-key", ["config", "show", "Resources", "--value"]),
        ("config-explain-json", ["config", "explain", "Resources", "api.timeout", "-e", "debug", "--json"]),
        ("hosts-use-help", ["hosts", "use", "--help"]),
        ("dash-dash", ["config", "show", "--", "--help"]), ("color", ["confg", "--color=always"]),
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
            ["nope"], ["config"], ["config", "show", "x", "y", "z"],
            ["strings", "show", "Resources", "--table", "Nope"],
        ] {
            let run = try ToolProcess.run(arguments)
            #expect(run.status == 2 && run.output.isEmpty && run.errors.hasPrefix("error: "))
        }
        for arguments in [
            ["config", "show", "/nonexistent"], ["logs", "runs", "/nonexistent"], ["hosts", "list", "/nonexistent"],
        ] {
            let run = try ToolProcess.run(arguments)
            #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("/nonexistent"))
        }
    }
}

/// The table of commands.
@Suite struct CommandTableTests {
    @Test("Each command has examples, and each example is a valid command line of that command")
    func examples() throws {
        func check(_ command: Command) throws {
            for command in command.commands { try check(command) }
            guard command.body != nil else { return }
            #expect(!command.examples.isEmpty, "\(command.name)")
            for example in command.examples {
                let words = example.split(separator: " ").map(String.init)
                let (path, count) = AshlarTool.table.command(at: words)
                #expect(path.last?.summary == command.summary, "\(example)")
                #expect(throws: Never.self, "\(example)") { try Invocation(words.dropFirst(count), of: command) }
            }
        }
        try check(AshlarTool.table)
    }

    @Test("A command's help has its examples")
    func help() throws {
        let help = try ToolProcess.run(["routes", "check", "--help"]).output
        #expect(help.hasSuffix("Examples:\n  ashlar routes check Resources/Routes.txt\n"), "\(help)")
    }

    @Test("A table that is too wide cuts files at their start, and never their lines", arguments: [20, 30, 40, 70])
    func width(width: Int) {
        let places = ["Resources/en.lproj/Localizable.strings:1204:17", "a.strings:3:1"]
        let rows = [["key", "location"], [String(repeating: "k", count: 40), places[0]], ["b", places[1]]]
        let lines = TextTable.aligned(rows, width: width, places: [1])
        #expect(lines.allSatisfy { $0.count <= max(width, 18) }, "\(lines)")
        #expect(lines[1].hasSuffix(":1204:17") && lines[2].hasSuffix(":3:1"), "\(lines)")
        #expect(lines[1].contains("…"))
    }
}

@Suite struct ToolFileTests {
    @Test("A malformed configuration file is reported with its line")
    func config() throws {
        try withFolder(["ApplicationConfig.plist": "<plist><dict><key>"]) { folder in
            let run = try ToolProcess.run(["config", "show", folder.path])
            #expect(run.status == 1 && run.errors.contains("ApplicationConfig.plist:1"))
        }
    }

    @Test("Runs are listed with their outcome; a printed log cannot control the terminal")
    func logs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for text in ["first", "second"] {
            #if os(Linux) || os(macOS)
                await #expect(processExitsWith: .success) { [folder = folder as String, text = text as String] in
                    LogSystem.start(LogConfiguration(folder: folder, sinks: []))
                    Log("Tool").info("\(text)")
                }
            #endif
        }
        let list = try ToolProcess.run(["logs", "runs", folder]).output.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.allSatisfy { $0.hasSuffix("clean") })
        #expect(try ToolProcess.run(["logs", "show", folder, "2"]).output.hasSuffix("Z [INFO] Tool - first\n"))
        #expect(try ToolProcess.run(["logs", "show", folder, "3"]).status == 1)
        // A corrupt log holds whatever bytes the disk gives.
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).map { folder + "/" + $0 }
        let log = try #require(
            files.first { (try? String(contentsOfFile: $0, encoding: .utf8))?.contains("second") == true })
        let text = try String(contentsOfFile: log, encoding: .utf8)
        try text.replacing("second", with: "\u{1B}]0;\u{9B}\u{7F}").write(
            toFile: log, atomically: false, encoding: .utf8)
        let shown = try ToolProcess.run(["logs", "show", folder]).output
        #expect(shown.hasSuffix("Z [INFO] Tool - \\x1B]0;\\u{9B}\\x7F\n"))
        #expect(try ToolProcess.run(["logs", "show", folder, "--raw"]).output.contains("\u{1B}]0;"))
    }

    @Test(
        "A name with a line feed or a bidirectional control can't forge a line of a report",
        arguments: [
            ["strings", "lint", "."], ["strings", "show", "."],
            ["strings", "show", ".", "--table", "T\nerror: forged"],
            ["strings", "explain", ".", "k\nerror: forged\u{202E}", "--table", "T\nerror: forged"],
            ["strings", "explain", ".", "none\nerror: forged"], ["strings", "coverage", ".", "--missing"],
            ["config", "show", "."], ["config", "show", ".", "a\nerror: forged"],
            ["config", "check", "."], ["config", "diff", ".", "--to", "x\nerror: forged"],
            ["hosts", "list", "HostMap.json"], ["hosts", "explain", "HostMap.json", "b\nerror: forged"],
            ["routes", "check", "routes\nerror: forged"],
            ["config\nerror: forged"], ["logs", "runs", "no\nerror: forged"],
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
            "routes\nerror: forged": "a\u{2028}error:forged /x\nb\u{202E} /x\n",
        ]
        try withFolder(files) { folder in
            let run = try ToolProcess.run(arguments, in: folder)
            let text = run.output + run.errors
            #expect(text.contains("forged"), "\(text)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("error: forged") }, "\(text)")
            #expect(!text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{200F}" }, "\(text)")
        }
    }

    @Test("A long text doesn't widen the columns of the list of strings")
    func columns() throws {
        let long = String(repeating: "word ", count: 100)
        try withFolder(["en.lproj/Localizable.strings": "\"a\" = \"short\";\n\"b\" = \"\(long)\";\n"]) { folder in
            let lines = try ToolProcess.run(["strings", "show", folder.path]).output.split(separator: "\n")
            #expect(lines.first == "a  short  en.lproj/Localizable.strings:1:1")
        }
    }
}
