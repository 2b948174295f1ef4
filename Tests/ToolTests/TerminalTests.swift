import Foundation
import Testing

/// The tool in a terminal of its own, which `script` opens.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script"))
struct TerminalTests {
    @Test("A table has titles and fits the width of the terminal")
    func width() throws {
        let run = try ToolProcess.runInTerminal("ashlar config show Resources --color never")
        let lines = run.output.split(whereSeparator: \.isNewline)
        #expect(lines.first?.hasPrefix("path") == true && lines.count > 10, "\(run.output)")
        #expect(lines.allSatisfy { $0.count <= 60 }, "\(run.output)")
        #expect(lines.contains { $0.contains("…") })
        #expect(lines.dropFirst().allSatisfy { $0.last?.isNumber == true }, "each line has its line number: \(lines)")
        let wide = try ToolProcess.runInTerminal("COLUMNS=200 ashlar config show Resources --color never")
        #expect(!wide.output.contains("…"))
    }

    @Test(
        "Output is colored on a terminal, unless NO_COLOR, TERM or --color say otherwise",
        arguments: [
            ("", [:], true), ("", ["NO_COLOR": "1"], false), ("", ["NO_COLOR": ""], true),
            ("", ["TERM": "dumb"], false),
            (" --color never", [:], false), (" --color=always", ["NO_COLOR": "1"], true),
        ] as [(String, [String: String], Bool)])
    func color(option: String, environment: [String: String], isColored: Bool) throws {
        let command = "ashlar strings coverage Resources\(option)"
        let run = try ToolProcess.runInTerminal(
            command, environment: ["TERM": "xterm"].merging(environment) { $1 })
        #expect(run.output.contains("\u{1B}[1m") == isColored, "\(run.output)")
        #expect(run.output.contains("language"))
    }

    @Test("A menu selects hosts by number until an empty line")
    func menu() throws {
        try withFolder { folder in
            let store = folder.path + "/choices.json"
            let run = try ToolProcess.runInTerminal(
                "ashlar hosts use Resources/HostMap.json --store '\(store)'", input: "2\n99\n10 box:8080\n\n")
            #expect(run.status == 0 && run.output.contains("2 ✓ QA"), "\(run.output)")
            #expect(run.output.contains("expected a number from 0 to 10"))
            #expect(run.output.contains("media.fieldnotes.example → https://box:8080"))
            let list = try ToolProcess.run(["hosts", "list", "Resources/HostMap.json", "--store", store, "--json"])
            #expect(list.output.contains(#""target": "https://qa.api.fieldnotes.example""#), "\(list.output)")
        }
    }
}

/// Completion as the shells do it.
@Suite struct CompletionTests {
    /// A folder with the scripts, the tool as `ashlar`, and a file.
    private func withShell<R>(_ body: (URL, [String: String]) throws -> R) throws -> R {
        let files = [
            "files/notes.json": "{}", "files/deep/x": "", "files/ApplicationConfig.staging.json": "{}",
            "tree/en.lproj/a.strings": "", "tree/pt-BR.lproj/a.strings": "", "tree/acme co.lproj/a.strings": "",
            "map.json": """
            {"configurations": [{"canonical_host": "api.notes.example", "canonical_protocol": "https",
              "hosts": [{"key": "QA", "host": "qa.example"}]}]}
            """,
        ]
        return try withFolder(files) { folder in
            for shell in ["bash", "zsh", "fish"] {
                try Data(try ToolProcess.run(["completion", shell]).output.utf8).write(
                    to: folder.appending(path: shell))
            }
            let link = folder.appending(path: "ashlar")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: try ToolProcess.program())
            return try body(
                folder, ["PATH": folder.path + ":/usr/bin:/bin", "HOME": folder.path, "TERM": "dumb", "LC_ALL": "C"])
        }
    }

    private static let lines: [(typed: String, completed: String)] = [
        ("conf", "config "), ("config expl", "config explain "), ("config export files --format=pl", "--format=plist"),
        ("config export files --format js", "json"), ("strings lint files --ign", "--ignore"),
        ("config show files --environment debug --js", "--json"), ("completion zs", "zsh"),
        ("hosts list files/no", "files/notes.json"), ("config show files/de", "files/deep"),
        ("config show --environment debug files/de", "files/deep"),
        ("logs show files --level analy", "--level analytic"), ("config show files -e stag", "-e staging"),
        ("config diff files --to=stag", "--to=staging"), ("strings show tree --language p", "--language pt-BR"),
        ("keys tree --base pt", "--base pt-BR"), ("hosts use map.json api", "map.json api.notes.example"),
        ("hosts use map.json api.notes.example Q", "api.notes.example QA"),
    ]

    @Test("A shell completes commands, options, choices and paths", arguments: ["bash", "zsh"])
    func interactive(shell: String) throws {
        try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)"), "needs \(shell)")
        try withShell { folder, environment in
            // The completed line is the argument of `echo`, because the line editor's own output has control sequences.
            let start =
                shell == "bash"
                ? "PS1=; bind 'set enable-bracketed-paste off'; source bash\n"
                : "PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u; source zsh\n"
            let ends =
                shell == "bash"
                ? #"bind '"\C-]": "\C-e\"\C-aecho \"found: \C-j"'"# + "\n"
                : "bindkey -s '^]' '^E\"^Aecho \"found: ^M'\n"
            let typed = Self.lines.map { "ashlar \($0.typed)\t\u{1D}" }.joined()
            let program = shell == "bash" ? "bash --norc --noprofile -i" : "zsh -f -i"
            let run = try ToolProcess.run(
                URL(filePath: "/usr/bin/script"), ["-qec", program, "/dev/null"],
                input: start + ends + typed + "exit\n",
                environment, in: folder)
            for line in Self.lines {
                #expect(run.output.contains("found: ashlar ") && run.output.contains(line.completed), "\(run.output)")
            }
            // A space of a name is quoted.
            let brand = try ToolProcess.run(
                URL(filePath: "/usr/bin/script"), ["-qec", program, "/dev/null"],
                input: start + ends + "ashlar strings show tree -b ac\t\u{1D}exit\n", environment, in: folder)
            #expect(brand.output.contains(#"-b acme\ co"#), "\(brand.output)")
        }
    }

    @Test("Fish completes commands, options, choices and paths, with descriptions")
    func fish() throws {
        try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "needs fish")
        try withShell { folder, environment in
            for line in Self.lines {
                let run = try ToolProcess.run(
                    URL(filePath: "/usr/bin/fish"),
                    ["--no-config", "-c", "source fish; complete -C 'ashlar \(line.typed)'"], environment, in: folder)
                let completed = line.completed.split(separator: " ").last ?? ""
                #expect(run.output.split(separator: "\n").contains { $0.hasPrefix(completed) }, "\(line): \(run)")
            }
            let run = try ToolProcess.run(
                URL(filePath: "/usr/bin/fish"), ["--no-config", "-c", "source fish; complete -C 'ashlar conf'"],
                environment, in: folder)
            #expect(run.output.contains("config\tLists, explains"))
        }
    }

    @Test(
        "Candidates are those of the word at the end",
        arguments: [
            ([], "config"), (["strings", ""], "coverage"), (["config", "show", "-"], "--json"),
            (["config", "export", "x", "--format", "=", "p"], "plist"),
            (["hosts", "list", "map", "--store", ""], ":files"),
            (["logs", "show", ""], ":folders"), (["hosts", "list", "--", ""], ":files"),
            (["logs", "show", "x", "-l", ""], "warning"), (["strings", "show", "Resources", "-b", ""], "borealis"),
            (["strings", "coverage", "Resources", "--base", "=", "fr"], "fr-CA"),
            (["report", "Resources", "--environment", ""], "debug"),
            (["hosts", "use", "Resources/HostMap.json", "api.fieldnotes.example", ""], "localhost"),
            (["hosts", "list", "Resources/HostMap.json", "-e", "sim"], "simulator"),
        ] as [([String], String)])
    func candidates(words: [String], expected: String) throws {
        let found = try ToolProcess.run(["complete", "--"] + words).output.split(separator: "\n")
        #expect(found.contains { $0.split(separator: "\t")[0] == expected }, "\(found)")
    }

    @Test("Nothing is completed after a mistake or for free text")
    func nothing() throws {
        for words in [
            ["confg", ""], ["config", "explain", "folder", ""], ["config", "--json", "sh", "x", ""],
            ["hosts", "use", "/nonexistent", ""], ["strings", "show", "/nonexistent", "-b", ""],
        ] {
            #expect(try ToolProcess.run(["complete", "--"] + words).output.isEmpty)
        }
    }
}

/// The manual page.
@Suite struct ManualTests {
    @Test("The manual page has each command, and groff reports no warning")
    func manual() throws {
        let page = try ToolProcess.run(["manual"]).output
        let commands = ["config show", "strings lint", "hosts use", "logs follow"]
        for command in commands { #expect(page.contains(".SS ashlar \(command)")) }
        try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "needs groff")
        try withFolder(["ashlar.1": page]) { folder in
            let run = try ToolProcess.run(
                URL(filePath: "/usr/bin/groff"), ["-man", "-ww", "-Tutf8", "ashlar.1"], in: folder)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output.contains("A mistake on the command line."))
            #expect(run.output.contains("ashlar routes check Resources/Routes.txt"))
        }
    }
}
