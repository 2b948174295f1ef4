import Ashlar
import AshlarNetworking
import Foundation
import Testing

/// Selections of hosts, which an app reads when it starts.
@Suite struct HostsCommandTests {
    private static let map = """
        {"configurations": [{
          "canonical_host": "api.notes.example", "canonical_protocol": "https", "release_key": "PROD", "prerelease_key": "QA",
          "hosts": [{"key": "PROD", "host": "api.notes.example"}, {"key": "QA", "host": "qa.notes.example"}, {"key": "USER"}]
        }, {"canonical_host": "cdn.notes.example", "canonical_protocol": "https", "release_key": "PROD",
          "hosts": [{"key": "PROD", "host": "cdn.notes.example"}, {"key": "QA", "host": "qa.cdn.notes.example"}]
        }]}
        """
    private static let files = [
        "HostMap.json": map, "ApplicationConfig.debug.json": "{}",
        "Flavors.json": #"{"acme": {"environments": ["debug"]}, "plain": {"brand": "plain"}}"#,
    ]

    @Test(
        "The app reads the selection at its next start, for its flavor and its environments only",
        arguments: [
            ([], nil, []), (["-e", "debug"], nil, ["debug"]), (["--environment", "DEBUG"], nil, ["debug"]),
            (["--flavor", "acme"], "acme", ["debug"]), (["--flavor=plain"], "plain", []),
            (["--flavor", "plain", "-e", "debug", "-e", "staging"], "plain", ["debug", "staging"]),
        ] as [([String], String?, [String])])
    func app(options: [String], flavor: String?, environments: [String]) throws {
        try withFolder(Self.files) { folder in
            #if canImport(Darwin)
                let home = folder.path + "/Library/Application Support"
            #else
                let home = folder.path
            #endif
            func target(_ flavor: String?, _ environments: [String]) -> String? {
                var configuration = AshlarApp.Configuration(
                    resources: folder.path, environments: environments.map { ConfigEnvironment($0) }, log: nil)
                configuration.storage = .folder(home + "/notes")
                configuration.flavor = flavor
                configuration.hostDefault = .canonical
                return AshlarApp(configuration).hosts.resolve("api.notes.example")?.host
            }
            let run = try ToolProcess.run(
                ["hosts", "use", folder.path + "/HostMap.json", "API.notes.example", "qa", "--app", "notes"] + options,
                environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path])
            #expect(run.status == 0 && run.errors.isEmpty && run.output.contains("✓ QA"), "\(run.transcript)")
            #expect(run.output.hasSuffix("HostChoices.json.\n"), "\(run.output)")
            #expect(target(flavor, environments) == "qa.notes.example")
            #expect(target(flavor, ["other"]) != "qa.notes.example")
            #expect(target(flavor == "acme" ? "plain" : "acme", environments) != "qa.notes.example")
        }
    }

    @Test(
        "Without a place where a selection can be saved, nothing is selected",
        arguments: [["use", "api.notes.example", "QA"], ["use", "--prerelease"], ["reset"]])
    func noPlace(words: [String]) throws {
        try withFolder(Self.files) { folder in
            let run = try ToolProcess.run(["hosts", words[0], "HostMap.json"] + words.dropFirst(), in: folder)
            #expect(run.status == 2 && run.output.isEmpty && run.errors.contains("--app or --store"), "\(run)")
            let list = try ToolProcess.run(["hosts", "list", "HostMap.json", "--flavor", "acme"], in: folder)
            #expect(list.status == 2 && list.errors.hasPrefix("error: --flavor needs --app or --store\n"), "\(list)")
        }
    }

    @Test("A selection is ticked, resolved, saved and removed")
    func store() throws {
        try withFolder(Self.files) { folder in
            func run(_ command: String, _ arguments: [String] = []) throws -> ToolRun {
                try ToolProcess.run(
                    ["hosts", command, "HostMap.json"] + arguments + ["--store", "choices.json"], in: folder)
            }
            #expect(try !run("list").output.contains("✓"))
            #expect(try run("use", ["api.notes.example", "user", "box:8080"]).output.contains("✓ USER"))
            #expect(try run("list").output.contains("api.notes.example → https://box:8080"))
            // A host without a prerelease environment has no selection.
            #expect(try run("use", ["cdn.notes.example", "QA"]).status == 0)
            #expect(try run("use", ["--prerelease"]).output.hasSuffix("Saved in choices.json.\n"))
            let list = try JSONEntity(parsing: try run("list", ["--json"]).output)
            #expect(list[0]["target"].string() == "https://qa.notes.example")
            #expect(list[1]["environments"].allSatisfy { $0["isSelected"].bool() == false })
            let story = try JSONEntity(parsing: try run("explain", ["api.notes.example", "--json"]).output)
            #expect(story.count == 1 && story[0]["text"].string()?.contains("\"QA\"") == true)
            for command in ["reset", "list"] { #expect(try !run(command).output.contains("✓")) }
        }
    }

    @Test(
        "A selection that can't be saved is an error",
        arguments: [["use", "api.notes.example", "QA"], ["use", "--release"], ["reset"]])
    func unsaved(words: [String]) throws {
        try withFolder(Self.files) { folder in
            let run = try ToolProcess.run(
                ["hosts", words[0], "HostMap.json"] + words.dropFirst() + ["--store", "none/choices.json"], in: folder)
            #expect(run.status == 1 && run.errors.contains("none/choices.json"), "\(run.transcript)")
            #expect(!run.output.contains("Saved in"))
        }
    }

    @Test(
        "An unknown environment, host, typed host or flavor is an error with its reason",
        arguments: [
            ["api.notes.example", "STAGE"], ["other.example", "QA"], ["api.notes.example", "USER", "a b"],
            ["api.notes.example", "QA", "--flavor", "acne"],
        ])
    func unknown(choice: [String]) throws {
        try withFolder(Self.files) { folder in
            let run = try ToolProcess.run(
                ["hosts", "use", "HostMap.json", "--store", "choices.json"] + choice, in: folder)
            #expect(run.status == 1 && run.errors.hasPrefix("error: "), "\(run.transcript)")
            #expect(choice.contains { run.errors.contains($0) })
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/choices.json"))
        }
    }
}
